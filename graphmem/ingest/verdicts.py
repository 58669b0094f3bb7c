"""The answer to the second call: which names mean what, which facts end older ones, and how open relations behave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from graphmem.errors import MalformedAnswer
from graphmem.ingest.by_model.json_text import object_in
from graphmem.ingest.by_model.read_answer import items_of
from graphmem.ingest.doubts import Doubt
from graphmem.ingest.rivals import Rival
from graphmem.model import Entity
from graphmem.ports import NameMatch
from graphmem.timeline.claims import Rivalry

__all__ = ["PROMPT", "VerdictForm", "Verdicts", "verdicts_in"]

PROMPT = "settle"


class _Match(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)
    n: int
    same_as: Annotated[int, BeforeValidator(lambda v: int(v) if isinstance(v, str) and v.isdigit() else v)]


class _Pair(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)
    n: int
    ends: bool


class _Rule(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)
    n: int
    one: bool


class VerdictForm(BaseModel):
    """The answer as it is asked for: every name, every pair and every relation once."""

    matches: list[_Match]
    pairs: list[_Pair]
    relations: list[_Rule]


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdicts:
    """What the model decided."""

    matches: tuple[NameMatch, ...] = ()
    """What each doubtful name means, in their order."""
    ends: tuple[Rival, ...] = ()
    """The pairs whose newer fact ends the older one, by what is said and not by what their relation is."""
    rules: tuple[tuple[Rival, Rivalry], ...] = ()
    """What the relation of a pair was decided to be, each relation once."""
    notes: tuple[str, ...] = ()


def verdicts_in(text: str, doubts: Sequence[Doubt], pairs: Sequence[Rival], relations: Sequence[Rival]) -> Verdicts:
    """Read an answer; a number that nobody was given, and a second answer for a name, count as none. Raises MalformedAnswer."""
    raw = object_in(text, PROMPT, keys=frozenset({"matches", "resolutions", "pairs", "relations"}))
    items, notes = items_of(_Match, _listed(raw.get("matches", raw.get("resolutions", []))), "match")
    ending, pair_notes = items_of(_Pair, _listed(raw.get("pairs", [])), "pair")
    ruling, rule_notes = items_of(_Rule, _listed(raw.get("relations", [])), "relation")
    rules = {rule.n: Rivalry.SUBJ if rule.one else Rivalry.NONE for rule in reversed(ruling)}
    ruled = [(rival, rules[n]) for n, rival in enumerate(relations, start=1) if n in rules]
    exclusive = {rival.statement.relation for rival, rivalry in ruled if rivalry is not Rivalry.NONE}
    ended = dict.fromkeys(pairs[pair.n - 1] for pair in ending if pair.ends and 1 <= pair.n <= len(pairs))
    found: dict[int, NameMatch] = {}
    faults = [*notes, *pair_notes, *rule_notes]
    for match in items:
        if not 1 <= match.n <= len(doubts) or match.n in found:
            faults.append(f"a match for name {match.n} was left out: it was not asked for, or answered before")
            continue
        doubt = doubts[match.n - 1]
        if not 0 <= match.same_as <= len(doubt.choices):
            faults.append(f"name {match.n} stays apart: the answer points at no candidate")
        found[match.n] = _match(doubt, match.same_as)
    matches = tuple(found.get(n, NameMatch(spelling=d.spelling)) for n, d in enumerate(doubts, start=1))
    ends = tuple(rival for rival in ended if rival.statement.relation not in exclusive)
    return Verdicts(matches=matches, ends=ends, rules=tuple(ruled), notes=tuple(faults))


def _listed(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise MalformedAnswer(f"the answer to prompt {PROMPT!r} holds no list where one was asked for")
    return value


def _match(doubt: Doubt, same_as: int) -> NameMatch:
    if not 1 <= same_as <= len(doubt.choices):
        return NameMatch(spelling=doubt.spelling)
    choice = doubt.choices[same_as - 1]
    if isinstance(choice, Entity):
        return NameMatch(spelling=doubt.spelling, entity_id=choice.entity_id, name=choice.name)
    return NameMatch(spelling=doubt.spelling, name=choice)
