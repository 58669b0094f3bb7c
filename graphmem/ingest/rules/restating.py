"""What a part of a clause says anew of something known: another value of its kind, or the same once more.

"19 kg!!", "it's £4.80 now", "still Frau Czerny", "she bumped the basal to 0.9 units". No relation is known here by its name: a
value of a type may stand in the relations that words.toml names for it, and only for what was told in one of them before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache

from graphmem.ingest.rules.names import without_determiner
from graphmem.ingest.rules.nouns import head_of, is_person_end
from graphmem.ingest.rules.parts import Part
from graphmem.ingest.rules.plain import BREAK, MARKS, is_mark
from graphmem.ingest.rules.slots import WORD, slot, slot_needs
from graphmem.ingest.rules.told import Told
from graphmem.ingest.rules.unsaid import is_unsaid
from graphmem.ingest.rules.values import day_named, tidy_value
from graphmem.ingest.rules.who import Discourse
from graphmem.ingest.rules.words import words
from graphmem.model import Statement
from graphmem.relations import ends_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.phrases import TimePhrase

__all__ = ["restated"]

_BEFORE_VALUE = frozenset(
    "to at on is are now of costs cost weighs weigh with for am still only around about nearly over has have up down".split()
)
"""Words right before a value that is said of something named in the same part."""
_LIGHT = frozenset(
    (
        "it its that this is are am be been has have got gets now still only again too already back up down at on to in with by"
        " about around nearly exactly officially instead go goes went gone come came rose fell dropped drops raised cut put set"
        " stands stand stood sits costs cost weighs weigh runs the a an my our month year week day each per all so then well yes"
        " always all along says said reads shows kilos climbing than more less mine ours today here of i we she he they for new"
    ).split()
)
"""Words that may stand around a value which alone is said."""
_PRONOUNS = frozenset("i it she he we they".split())
_PUT_OFF_WORDS = frozenset(
    (
        "moved pushed postponed slipped delayed rescheduled shifted brought extended put off date deadline appointment"
        " due us them finally they forward out until till"
    ).split()
)
_PUT_OFF = re.compile(
    rf"(?:moved|pushed|postponed|slipped|delayed|rescheduled|shifted|brought|extended|put {BREAK}off)"
    rf"(?: {BREAK}?[^\s,]+){{0,4}}? {BREAK}(?:to|till|until|for|on) (?P<day>[{MARKS}]) "
)
_PAST = frozenset("was were had used".split())
_COUNTED = frozenset(
    (
        "people staff members employees heads of strong players pupils students kids children readers listeners subscribers"
        " followers workers colleagues adults singers volunteers"
    ).split()
)
"""What a number of people may be followed by."""
_STILL = re.compile(
    rf"^(?:(?P<subject>.*?)(?:{BREAK}(?:is|are|am|has|have) )?)??{BREAK}?[Ss]till (?:{BREAK}(?:at|on|in|with|by|for|is|are) )*"
    rf"(?P<object>[^{BREAK}]+?)(?:{BREAK}(?:here|there|now|on|at|too|of) .*)?$"
)
_GOING_ON = re.compile(
    rf"^(?P<object>(?:(?:[Tt]he|[Mm]y|[Oo]ur) )?(?:{WORD} ){{1,3}}){BREAK}(?:is|are|has) {BREAK}still "
    rf"(?:going|alive|running|here|there|{BREAK})"
)
_UNCHANGED = re.compile(
    rf"(?:stays? (?:put|{BREAK}?the same|{BREAK}?as {BREAK}?it {BREAK}?is|unchanged|{BREAK}?at)|{BREAK}?(?:never|not) changed"
    rf"|{BREAK}?is unchanged|{BREAK}?the same {BREAK}as (?:{BREAK}ever|before)|{BREAK}?as {BREAK}?before) $"
)
_SAME = frozenset("stay stays changed unchanged same before".split())
"""Without one of these words nothing is unchanged."""


def restated(part: Part, who: Discourse, said_at: datetime) -> list[Statement]:
    """The statements of a part that only makes sense by what was told before; none when in doubt."""
    found = _value(part, who) or _day(part, who, said_at) or _unchanged(part, who)
    if found is None or is_unsaid(part.clause, part.start + found[1]) is not None:
        return []
    return [found[0]]


def _value(part: Part, who: Discourse) -> tuple[Statement, int] | None:
    if not who.facts.all:
        return None
    for kind, relations, needed in _value_kinds():
        if needed and needed.isdisjoint(part.clause.words):
            continue
        for match in _values(kind).finditer(part.text):
            told = _bearer(part, match, who.facts.states(relations), kind, who)
            if told is not None:
                value = tidy_value(part.clause.spoken(match["value"]), kind)
                value = _with_unit(value, told.statement.object, kind)
                return _again(told, value, part), match.start()
    return None


@cache
def _value_kinds() -> tuple[tuple[str, tuple[str, ...], frozenset[str]], ...]:
    """Types of values but days, with their relations and the words of which a clause needs one."""
    relations = words().value_relations
    return tuple((kind, names, slot_needs(kind)) for kind, names in relations.items() if kind != "date")


def _day(part: Part, who: Discourse, said_at: datetime) -> tuple[Statement, int] | None:
    """Another day of something that has one: "they pushed it to 22 June"."""
    match = _PUT_OFF.search(part.text) if part.clause.times else None
    if match is None:
        return None
    states = who.facts.states(words().value_relations["date"])
    there = set(_tokens(part.text[: match.start("day")]))
    named = [told for _size, told in _named(states, there)]
    told = named[0] if named else states[0] if states and there <= _LIGHT | _PUT_OFF_WORDS | _PRONOUNS else None
    day = day_named(part.clause, match["day"], said_at)
    if told is None or day is None or day.names[0] == told.statement.object or _is_of_another(part, told):
        return None
    return replace(_again(told, day.names[0], part), times=()), match.start("day")


@cache
def _values(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|(?<= ))(?P<value>{slot(kind)})")


def _again(told: Told, value: str, part: Part) -> Statement:
    return replace(
        told.statement,
        kind=Kind.HOLD,
        object=value,
        times=(TimePhrase(text="always"),) if "always" in part.tokens else part.times(),
        start=None,
        end=None,
        quote=(part.clause.raw.start, part.clause.raw.end),
    )


def _bearer(part: Part, value: re.Match[str], states: Sequence[Told], kind: str, who: Discourse) -> Told | None:
    """What the value is said of: something named in the part, else what was last known to have such a value."""
    states = [told for told in states if kind != "number" or _is_alike(told, value, part)]
    before, after = _tokens(part.text[: value.start()]), _tokens(part.text[value.end() :])
    if not states or _PAST.intersection(before):
        return None
    named = list(_named(states, {*before, *after})) or _named_by_relation(states, {*before, *after}, who)
    if named:
        best = max(named, key=lambda n: n[0])
        rivals = {told.statement.subject for size, told in named if size == best[0]}
        is_said = bool(before) and before[-1] in _BEFORE_VALUE
        is_said = is_said or (not before and after[:1] in (["on"], ["for"], ["in"]))
        return best[1] if len(rivals) == 1 and is_said and not _is_of_another(part, best[1]) else None
    is_alone = not _PRONOUNS.intersection(before)
    if (
        (is_alone and _has_other_name(part))
        or not _LIGHT.issuperset(before)
        or not (_LIGHT | _COUNTED).issuperset(after)
    ):
        return None
    return _last_known(states, before, kind, who, has_time=bool(part.clause.times_in(part.text)))


def _has_other_name(part: Part) -> bool:
    """Whether something is named right before the part, of which the value may be said ("now it is Airva, 100 mcg")."""
    before = part.clause.text[: part.start].split(", ")[-2:]
    return any(
        re.search(r"(?:^|(?<= ))(?:[A-ZÀ-Þ]\S|[Tt]he |[Aa]n? |[Mm]y )", piece[1:]) for piece in before if part.start
    )


def _last_known(
    states: Sequence[Told], before: Sequence[str], kind: str, who: Discourse, *, has_time: bool
) -> Told | None:
    own = [told for told in states if told.statement.subject == who.speaker]
    if "i" in before or "my" in before:
        return own[0] if own else None
    if "she" in before or "he" in before:
        meant = who.settle("she" if "she" in before else "he", "person")
        of_person = next((told for told in states if meant is not None and told.statement.subject in meant.names), None)
        of_thing = (told for told in states if not is_person_end(ends_of(told.statement.relation)[0]))
        return of_person or (next(of_thing, None) if meant is not None and kind != "number" else None)
    if kind == "number" and not ({"it", "we", "that", "of"}.intersection(before) or has_time):
        return own[0] if own and {"down", "up"}.intersection(before) else None
    if "it" in before:
        states = [told for told in states if ends_of(told.statement.relation)[0] != "person"] or states
    return (own or states)[0]


def _named(states: Sequence[Told], there: set[str]) -> Iterator[tuple[int, Told]]:
    """Those that are named by words of the part, with how many words of their name are there."""
    for told in states:
        name = told.statement.subject.lower()
        common = len(there.intersection(name.split()))
        if common and (
            head_of(name) in there
            or any(w[:1].isupper() and w.lower() in there for w in told.statement.subject.split())
        ):
            yield common, told


def _named_by_relation(states: Sequence[Told], there: set[str], who: Discourse) -> list[tuple[int, Told]]:
    """What is meant by "the rent" or "my dose": the speaker's, else the only one there is."""
    meant = [told for told in states if told.statement.relation.lower() in there]
    own = [told for told in meant if told.statement.subject == who.speaker]
    return [(1, told) for told in own[:1] or meant]


def _is_of_another(part: Part, told: Told) -> bool:
    """Whether the part speaks of somebody else's: "my neighbour's pump"."""
    subject = told.statement.subject.lower()
    owners = [token for token in part.tokens if token.endswith("'s") and token.removesuffix("'s") not in subject]
    return bool(owners) or bool({"his", "her", "their", "your"}.intersection(part.tokens))


def _is_alike(told: Told, value: re.Match[str], part: Part) -> bool:
    """Whether a bare number may be the next value: the old one is a number too, of about this size."""
    old, new = _number(told.statement.object), _number(part.clause.spoken(value["value"]))
    if old is None or new is None or not old or not 0.25 <= new / old <= 4:
        return False
    following = _tokens(part.text[value.end() :])[:1]
    counts = "number" in ends_of(told.statement.relation)[1]
    return not following or following[0] in (_COUNTED if counts else _LIGHT) or following[0] in _LIGHT


def _number(text: str) -> float | None:
    match = re.search(r"\d[\d,]*(?:\.\d+)?", text)
    return float(match[0].replace(",", "")) if match is not None else None


def _with_unit(value: str, old: str, kind: str) -> str:
    return value if kind != "number" else value.rstrip(".,")


def _unchanged(part: Part, who: Discourse) -> tuple[Statement, int] | None:
    has_still = "still" in part.clause.words
    still = _STILL.match(part.text) if has_still else None
    if still is not None:
        obj = part.clause.spoken(still["object"]).strip(" ,").lower()
        for told in who.facts.newest_first():
            fact = told.statement
            if fact.kind is Kind.HOLD and obj and _is_short_for(obj, fact.object):
                subject = part.clause.spoken(still["subject"] or "").strip(" ,")
                meant = who.settle(subject, ends_of(fact.relation)[0]) if subject else None
                if subject and (meant is None or fact.subject not in meant.names):
                    continue
                return replace(_again(told, fact.object, part), times=()), still.start("object")
    going = _GOING_ON.match(part.text) if has_still else None
    if going is not None:
        obj = without_determiner(part.clause.spoken(going["object"])).lower()
        for told in who.facts.newest_first():
            fact = told.statement
            if obj and _is_short_for(obj, fact.object) and fact.kind in (Kind.HOLD, Kind.STOP):
                held = replace(_again(told, fact.object, part), times=())
                return (held, going.start("object")) if fact.kind is Kind.HOLD else None
    same = None if _SAME.isdisjoint(part.clause.words) else _UNCHANGED.search(part.text)
    if same is not None:
        states = who.facts.states({told.statement.relation for told in who.facts.all})
        for _size, told in _named(states, set(_tokens(part.text[: same.start()]))):
            return replace(_again(told, told.statement.object, part), times=()), 0
    return None


def _is_short_for(spoken: str, name: str) -> bool:
    return set(spoken.removeprefix("the ").split()) <= set(name.lower().split())


def _tokens(text: str) -> list[str]:
    return [t for token in text.split() if (t := token.lstrip(BREAK).lower()) != "," and not is_mark(t)]
