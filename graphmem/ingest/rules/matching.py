"""Which sayings a clause matches, and where its time words belong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from graphmem.ingest.rules.aspect import Aspect, aspect_of
from graphmem.ingest.rules.patterns import Found, FoundVerb, continuation_of
from graphmem.ingest.rules.plain import BREAK, MARKS, PlainClause, time_mark
from graphmem.ingest.rules.sayings import Saying, sayings_among
from graphmem.ingest.rules.spans import Spans
from graphmem.ingest.rules.words import Form, verb_forms, words
from graphmem.timeline.granules import Unit

__all__ = ["Match", "matches_in", "more_of", "times_of"]

_MAX_MATCHES = 40
"""Of one clause; a clause with more is a list or noise."""
_BEGAN = re.compile(
    rf"(?:[^{MARKS},]* )??, (?:{BREAK}and )?"
    rf"(?:started|starting|beginning|effective|signed|began|cancelled|ended|finished|{BREAK}?(?:has|have) {BREAK}?been)"
    rf" {BREAK}?(?:it )?(?:[{MARKS}] )+"
)
_RIGHT_AFTER = re.compile(rf"(?:, )?(?:(?:starts|started|starting|begins|began|beginning) )?[{MARKS}] ")
"""What dates a saying without a verb: in "my brother Karl moved in May" the month is not the brother's."""
_RIGHT_BEFORE = re.compile(rf"(?<!, )(?:[{MARKS}] )+$")
"""Time words that a clause within the clause begins with: "meaning from Monday I report to …"."""
_IS = re.compile(rf"{BREAK}(?:am|is|are|was|were|been) ")
_GOES_ON = re.compile(rf"(?:(?:, )?[{MARKS}] )*(?:, |(?:, )?{BREAK}(?:and|then) )")
"""Cheap to ask before the expression of a continuation is made."""
_BE_FORMS = frozenset(verb_forms("be"))
_VERBLESS = 1_000_000
_PLURALS = frozenset(("i", "we", "they"))
"""After these a bare verb is a verb of its own: "I start on Monday"."""
_SMALL_BEFORE_TIME = "in|there|here|on|both|all|active|effective|valid"
_CUT = re.compile(
    rf", (?!(?:{BREAK}?(?:{_SMALL_BEFORE_TIME}) ){{0,2}}[{MARKS}])"
    rf"|{BREAK}(?:and|but|so|because|which|who|while|when|as|that) "
)


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
    is_bare: bool
    """Its verb is left out."""
    used: frozenset[int]
    """Time expressions inside it that are slots, not dates of the claim."""


def matches_in(clause: PlainClause) -> list[list[Match]]:
    """The matches of a clause in its order; rivals for the same verb together, the earlier row first."""
    found: list[tuple[int, int, Match]] = []
    spans = Spans(clause.text)
    for saying in sayings_among(clause.words, is_bare=bool(spans.bare_starts())):
        for match in _matches(saying, clause, spans):
            found.append((match.place, saying.order, match))
            if len(found) >= _MAX_MATCHES:
                break
    found.sort(key=lambda f: (f[0], f[1]))
    return [[match for _, _, match in group] for _, group in groupby(found, key=lambda f: f[0])]


def _matches(saying: Saying, clause: PlainClause, spans: Spans) -> Iterator[Match]:
    pattern = saying.pattern
    for found in pattern.find(spans):
        aspect = None if found.verb is None else _aspect(found, found.verb, clause, spans)
        if found.verb is not None and aspect is not None and not (aspect.is_sound and _is_verb(found.verb, spans)):
            continue
        if saying.say.endswith(",") and spans.low[found.end] == "and":
            continue  # "my sister, Leila, and I" may be three
        slots = {name: spans.said(*found.slots[name]) for name, _ in pattern.types if name in found.slots}
        start = spans.offset(found.start)
        yield Match(
            saying=saying,
            place=spans.offset(found.verb.place) if found.verb is not None else start - _VERBLESS,
            start=start,
            end=spans.offset(found.end),
            slots=slots,
            aspect=aspect,
            is_bare=found.verb is not None
            and found.verb.lemma == "be"
            and spans.low[found.verb.place] not in _BE_FORMS,
            used=frozenset(
                i for name, kind in pattern.types if kind == "date" for i in clause.times_in(slots.get(name, ""))
            ),
        )


def _is_verb(verb: FoundVerb, spans: Spans) -> bool:
    """Whether no article or owner stands right before the verb: "my own boat", "the start"."""
    return not verb.auxiliary or spans.low[verb.auxiliary - 1] not in words().determiners


def _aspect(found: Found, verb: FoundVerb, clause: PlainClause, spans: Spans) -> Aspect:
    """What the verb group of a match says; a bare -ing is a verb where it goes on, or opens a text with "since May"."""
    low = spans.low
    aspect = aspect_of(low[verb.auxiliary : verb.place], verb.lemma, low[verb.place], low[verb.place + 1 : spans.count])
    if aspect.form == Form.BASE and not aspect.is_finite and _is_plural(low, verb.auxiliary):
        return replace(aspect, is_finite=True)
    if aspect.form != Form.PROGRESSIVE:
        return aspect
    before = spans.said(0, found.start)
    goes_on = before.endswith((f"{BREAK}and ", ", ")) and _IS.search(before) is not None
    goes_on = goes_on or (not found.start and clause.raw.opens and any(t.is_bound for t in clause.times))
    return replace(aspect, is_finite=True) if goes_on else aspect


def _is_plural(low: Sequence[str], place: int) -> bool:
    """Whether the verb at a place is one of "I", "we" or "they": right after it, or joined to one of its verbs by "and"."""
    if not place:
        return False
    if low[place - 1] != "and":
        return low[place - 1] in _PLURALS
    before = max((i for i in range(place) if low[i] in _PLURALS), default=-1)
    return before >= 0 and _NO_MOOD.isdisjoint(low[before:place])


_NO_MOOD = frozenset(
    "to will would can could might should must may not let lets help make makes you he she it did never who which".split()
)
"""After one of these a bare verb may be part of a wish or a plan: "I want to stop and sleep"."""


def more_of(match: Match, clause: PlainClause) -> Iterator[Match]:
    """The same saying again with another last slot: "… Ghent on Saturday and Antwerp yesterday"."""
    going_on = _GOES_ON.match(clause.text, match.end)
    if going_on is None or not clause.times_in(clause.text[going_on.end() :]):
        return
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
            slots={**match.slots, last: found["more"]},
            aspect=match.aspect,
            is_bare=match.is_bare,
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
    is_aside = match.place < 0 and match.saying.pattern.anywhere and not match.saying.dated
    if is_aside and not (
        clause.times_in(clause.text[match.start : match.end]) or _RIGHT_AFTER.match(clause.text, match.end)
    ):
        return []
    inside = [i for i in clause.times_in(clause.text[match.start : match.end]) if i not in match.used]
    after_text = clause.text[match.end : max(match.end, next_start)]
    cut = _CUT.search(after_text)
    after = clause.times_in(after_text[: cut.start()] if cut else after_text)
    if inside or after:
        return _named_last(inside + after, clause)
    began = _BEGAN.match(clause.text, match.end)
    if began is not None:
        return clause.times_in(began.group())
    right_before = _RIGHT_BEFORE.search(clause.text, 0, match.start)
    return clause.times_in(right_before.group() if right_before is not None else clause.text[:1])


def _named_last(found: list[int], clause: PlainClause) -> list[int]:
    """Of days one after the other between commas the last: it corrects or explains the others ("a week later, on the 11th")."""
    if len(found) < 2 or any(clause.times[i].has_end or "by" in clause.times[i].text.split()[:1] for i in found):
        return found
    between = clause.text[clause.text.index(time_mark(found[0])) : clause.text.index(time_mark(found[-1]))]
    last = clause.times[found[-1]].granule
    if re.sub(rf"[{MARKS}, ]", "", between) or ", " not in between or last is None or last.unit is not Unit.DAY:
        return found
    return found[-1:]
