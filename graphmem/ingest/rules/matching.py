"""Which sayings a clause matches, and where its time words belong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from graphmem.ingest.rules.aspect import Aspect, aspect_of
from graphmem.ingest.rules.patterns import continuation_of
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause
from graphmem.ingest.rules.sayings import Saying, sayings_by_word
from graphmem.ingest.rules.words import Form, words

__all__ = ["Match", "matches_in", "more_of", "times_of"]

_MAX_MATCHES = 40
"""Of one clause; a clause with more is a list or noise."""
_BEGAN = re.compile(
    rf"(?:[^{MARKS},]* )??, (?:{BREAK}and )?"
    rf"(?:started|starting|beginning|effective|signed|began|cancelled|ended|finished|{BREAK}?(?:has|have) {BREAK}?been)"
    rf" {BREAK}?(?:it )?(?:[{MARKS}] )+"
)
_IS = re.compile(rf"{BREAK}(?:am|is|are|was|were|been) ")
_VERBLESS = 1_000_000
_CUT = re.compile(rf", (?![{MARKS}])|{BREAK}(?:and|but|so|because|which|who|while|when|as|that) ")


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """A saying found in a clause."""

    saying: Saying
    place: int
    """Of its verb in the plain form; negative for a saying without one."""
    start: int
    end: int
    slots: dict[str, str]
    """Words of each slot, as in the plain form; a subject left out is missing."""
    aspect: Aspect | None
    """None: the saying has no verb."""
    used: frozenset[int]
    """Time expressions inside it that are slots, not dates of the claim."""


def matches_in(clause: PlainClause) -> list[list[Match]]:
    """The matches of a clause in its order; rivals for the same verb together, the earlier row first."""
    index = sayings_by_word()
    sayings = {s.order: s for word in (*clause.words, "") for s in index.get(word, ())}
    found: list[tuple[int, int, Match]] = []
    for order in sorted(sayings):
        for match in _matches(sayings[order], clause):
            found.append((match.place, order, match))
            if len(found) >= _MAX_MATCHES:
                break
    found.sort(key=lambda f: (f[0], f[1]))
    return [[match for _, _, match in group] for _, group in groupby(found, key=lambda f: f[0])]


def _matches(saying: Saying, clause: PlainClause) -> Iterator[Match]:
    pattern = saying.pattern
    if not pattern.could_match(clause.words):
        return
    for found in pattern.regex.finditer(clause.text):
        groups = found.groupdict()
        verb = next((i for i in range(len(pattern.verbs)) if groups[f"verb{i}"]), None)
        aspect = _aspect(found, verb, saying, clause)
        if aspect is not None and not (aspect.is_sound and _is_verb(found, verb, saying, clause)):
            continue
        yield Match(
            saying=saying,
            place=found.start(f"verb{verb}") if verb is not None else found.start() - _VERBLESS,
            start=found.start(),
            end=found.end(),
            slots={name: groups[name] for name, _ in pattern.types if groups[name]},
            aspect=aspect,
            used=frozenset(
                i for name, kind in pattern.types if kind == "date" for i in clause.times_in(groups[name] or "")
            ),
        )


def _is_verb(found: re.Match[str], verb: int | None, saying: Saying, clause: PlainClause) -> bool:
    """Whether no article or owner stands right before the verb: "my own boat", "the start"."""
    if verb is None:
        return True
    before = clause.text[: found.start(f"aux{saying.pattern.verbs[verb][1]}")].split()
    return not before or before[-1].lower() not in words().determiners


def _aspect(found: re.Match[str], verb: int | None, saying: Saying, clause: PlainClause) -> Aspect | None:
    """What the verb group of a match says; None where the saying has no verb."""
    if verb is None:
        return None
    lemma, auxiliary = saying.pattern.verbs[verb]
    aspect = aspect_of(found[f"aux{auxiliary}"], lemma, found[f"verb{verb}"], clause.text[found.end(f"verb{verb}") :])
    before = clause.text[: found.start()]
    goes_on = before.endswith(f"{BREAK}and ") and _IS.search(before) is not None
    return replace(aspect, is_finite=True) if aspect.form == Form.PROGRESSIVE and goes_on else aspect


def more_of(match: Match, clause: PlainClause) -> Iterator[Match]:
    """The same saying again with another last slot: "… Ghent on Saturday and Antwerp yesterday"."""
    regex = continuation_of(match.saying.say)
    last = match.saying.pattern.types[-1][0] if match.saying.pattern.types else None
    if regex is None or last is None or last not in match.slots:
        return
    position = match.end
    while (found := regex.match(clause.text, position)) is not None:
        yield Match(
            saying=match.saying,
            place=match.place,
            start=found.start(),
            end=found.end(),
            slots={**match.slots, last: found.group("more") or found.group("other")},
            aspect=match.aspect,
            used=match.used,
        )
        position = found.end()


def times_of(match: Match, clause: PlainClause, next_start: int) -> list[int]:
    """Indexes of the time expressions that date a match: inside it, else right after it, else at the head of the clause.

    Beside a date that is itself the object ("moved to 6 October") only those count that say since or until when.
    """
    found = _times_near(match, clause, next_start)
    return [i for i in found if clause.times[i].is_bound] if match.used else found


def _times_near(match: Match, clause: PlainClause, next_start: int) -> list[int]:
    inside = [i for i in clause.times_in(clause.text[match.start : match.end]) if i not in match.used]
    after_text = clause.text[match.end : max(match.end, next_start)]
    cut = _CUT.search(after_text)
    after = clause.times_in(after_text[: cut.start()] if cut else after_text)
    if inside or after:
        return inside + after
    began = _BEGAN.match(clause.text, match.end)
    return clause.times_in(began.group() if began is not None else clause.text[:1])
