"""The second call: which known things the doubtful names of an episode mean, all at once, and only where there is doubt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from graphmem.errors import MalformedAnswer, ModelRefused, PromptTooLong
from graphmem.ingest.by_model.answer_form import schema_of
from graphmem.ingest.by_model.json_text import object_in
from graphmem.ingest.by_model.read_answer import items_of
from graphmem.ingest.likeness import are_alike
from graphmem.ingest.resolve import ALSO_CALLED, spoken_of
from graphmem.model import Entity, EntityKind, Episode, Name, Scope, Statement, Window
from graphmem.ports import Extraction, LanguageModel, ModelRequest, NameMatch, SearchTarget, Store
from graphmem.resources import prompt
from graphmem.terms import name_key, terms
from graphmem.timeline.claims import Kind
from graphmem.timeline.instants import Instant, to_datetime

__all__ = ["Settler"]

PROMPT = "settle"
MAX_CANDIDATES = 5
MAX_NAMES = 20
_FOUND = 50
_FACTS_SHOWN = 5
_TEXT_CHARACTERS = 2_000
_MAX_TOKENS = 2_000


class _Match(BaseModel):
    model_config = ConfigDict(extra="ignore", json_schema_serialization_defaults_required=True)
    n: int
    same_as: Annotated[int, BeforeValidator(lambda v: int(v) if isinstance(v, str) and v.isdigit() else v)]


class _Form(BaseModel):
    matches: list[_Match]


@dataclass(frozen=True, kw_only=True)
class _Doubt:
    """A name with what it may mean."""

    spelling: str
    candidates: tuple[Entity, ...] = ()
    new_names: tuple[str, ...] = ()
    """Names of the same batch, of things that are not in the store yet."""

    @property
    def choices(self) -> list[Entity | str]:
        choices: list[Entity | str] = [*self.candidates, *self.new_names]
        return choices[:MAX_CANDIDATES]


@dataclass(frozen=True, kw_only=True)
class Settler:
    """Settles doubtful names by asking a language model. What it decides is kept as an inferred claim."""

    store: Store
    model: LanguageModel

    async def settle(self, episode: Episode, extraction: Extraction, before: Sequence[Extraction]) -> Extraction:
        """The extraction with its doubtful names settled; the same, without a call, where there is no doubt.

        `before`: what was read in the same batch, earlier. An answer that cannot be used leaves the names apart, with a note.
        Raises ModelUnavailable and ModelHalted.
        """
        doubts = await _doubts(self.store, episode, extraction, before)
        if not doubts:
            return extraction
        request = await self._request(episode, extraction, doubts)
        try:
            answer = await self.model.complete(request)
            verdicts, notes = _verdicts(answer.whole_text(), doubts)
        except (MalformedAnswer, ModelRefused, PromptTooLong) as error:
            note = f"{len(doubts)} doubtful names stay apart: {type(error).__name__}"
            apart = tuple(NameMatch(spelling=d.spelling) for d in doubts)
            return replace(extraction, notes=(*extraction.notes, note), matches=apart, calls=extraction.calls + 1)
        return replace(
            extraction,
            statements=(*extraction.statements, *_log(extraction, verdicts)),
            matches=verdicts,
            notes=(*extraction.notes, *notes),
            calls=extraction.calls + 1,
            tokens=extraction.tokens + answer.usage.total_tokens,
        )

    async def _request(self, episode: Episode, extraction: Extraction, doubts: Sequence[_Doubt]) -> ModelRequest:
        known = await _known_facts(self.store, episode.group_id, [e.entity_id for d in doubts for e in d.candidates])
        lines = [f"Message: {json.dumps(episode.text[:_TEXT_CHARACTERS], ensure_ascii=False)}"]
        if episode.speaker:
            lines.append(f"Speaker: {json.dumps(episode.speaker, ensure_ascii=False)}")
        lines.append(f"Said: {_day(episode.said_at)}")
        for number, doubt in enumerate(doubts, start=1):
            lines.append(f"Name {number}: {json.dumps(doubt.spelling, ensure_ascii=False)}")
            lines += [f"  here: {said}" for said in _said_of(doubt.spelling, extraction.statements)]
            for place, choice in enumerate(doubt.choices, start=1):
                lines += _candidate_lines(place, choice, known)
        return ModelRequest(
            system=prompt(PROMPT),
            prompt="\n".join(lines),
            schema=schema_of(_Form),
            schema_name="matches",
            max_output_tokens=_MAX_TOKENS,
            stage="settle",
        )


def _verdicts(text: str, doubts: Sequence[_Doubt]) -> tuple[tuple[NameMatch, ...], tuple[str, ...]]:
    """What each name means; a number that nobody was given, and a second answer for a name, count as none."""
    raw = object_in(text, PROMPT, keys=frozenset({"matches", "resolutions"}))
    listed = raw.get("matches", raw.get("resolutions"))
    if not isinstance(listed, list):
        raise MalformedAnswer(f"'matches' in the answer to prompt {PROMPT!r} is no list")
    items, notes = items_of(_Match, listed, "match")
    found: dict[int, NameMatch] = {}
    faults = list(notes)
    for match in items:
        if not 1 <= match.n <= len(doubts) or match.n in found:
            faults.append(f"a match for name {match.n} was left out: it was not asked for, or answered before")
            continue
        doubt = doubts[match.n - 1]
        if not 0 <= match.same_as <= len(doubt.choices):
            faults.append(f"name {match.n} stays apart: the answer points at no candidate")
        found[match.n] = _match(doubt, match.same_as)
    return tuple(found.get(n, NameMatch(spelling=d.spelling)) for n, d in enumerate(doubts, start=1)), tuple(faults)


def _match(doubt: _Doubt, same_as: int) -> NameMatch:
    if not 1 <= same_as <= len(doubt.choices):
        return NameMatch(spelling=doubt.spelling)
    choice = doubt.choices[same_as - 1]
    if isinstance(choice, Entity):
        return NameMatch(spelling=doubt.spelling, entity_id=choice.entity_id, name=choice.name)
    return NameMatch(spelling=doubt.spelling, name=choice)


def _log(extraction: Extraction, verdicts: Sequence[NameMatch]) -> list[Statement]:
    """The claims that keep what was taken for the same."""
    quotes = {name_key(n): s.quote for s in reversed(extraction.statements) for n in (s.subject, s.object)}
    return [
        Statement(
            kind=Kind.HOLD,
            subject=match.name,
            subject_id=match.entity_id,
            relation=ALSO_CALLED,
            object=match.spelling,
            object_kind=EntityKind.VALUE,
            quote=quotes.get(name_key(match.spelling)),
            inferred=True,
        )
        for match in verdicts
        if match.name and name_key(match.name) != name_key(match.spelling)
    ]


# ---- where there is doubt


async def _doubts(
    store: Store, episode: Episode, extraction: Extraction, before: Sequence[Extraction]
) -> Sequence[_Doubt]:
    """The names that several known things have, or that only resemble what is known."""
    kinds = _kinds(extraction.statements)
    told = {name_key(other) for other, _ in extraction.aliases}
    by_key = {key: spelling for spelling in kinds if (key := name_key(spelling)) not in told}
    named: dict[str, list[str]] = {}
    for name in await store.entities_named([episode.group_id], sorted(by_key)):
        named.setdefault(name.key, []).append(name.entity_id)
    batch = list(dict.fromkeys(spelling for one in before for spelling in _kinds(one.statements)))
    doubts: list[_Doubt] = []
    for key, spelling in by_key.items():
        exact = await _standing(store, episode.group_id, named.get(key, []))
        if len(exact) == 1 or (not exact and any(name_key(b) == key for b in batch)):
            continue
        doubt = await _doubt(store, episode.group_id, spelling, kinds[spelling], exact, batch)
        if doubt is not None:
            doubts.append(doubt)
    return doubts[:MAX_NAMES]


async def _doubt(
    store: Store, group_id: str, spelling: str, kind: EntityKind, exact: Sequence[Entity], batch: Sequence[str]
) -> _Doubt | None:
    if exact:
        return _Doubt(spelling=spelling, candidates=tuple(exact))
    key = name_key(spelling)
    alike = await _alike(store, group_id, key)
    new_names = tuple(b for b in batch if are_alike(key, name_key(b)))
    if not alike and not new_names:
        return None
    holders = [e for e in alike if set(key.split()) <= set(name_key(e.name).split())]
    if kind is EntityKind.PERSON and len(alike) == 1 and holders and not new_names:
        return None  # the only one whose full name holds the shorter one: no question (see `Resolver`)
    return _Doubt(spelling=spelling, candidates=tuple(alike), new_names=new_names)


async def _alike(store: Store, group_id: str, key: str) -> Sequence[Entity]:
    hits = await store.search_text(SearchTarget.ENTITY, terms(key), Scope(group_ids=(group_id,)), limit=_FOUND)
    names: Sequence[Name] = await store.names_of(group_id, sorted({hit.item_id for hit in hits})) if hits else ()
    near = dict.fromkeys(name.entity_id for name in names if are_alike(key, name.key))
    return [e for e in await _standing(store, group_id, list(near)) if e.kind is not EntityKind.VALUE]


async def _standing(store: Store, group_id: str, entity_ids: Sequence[str]) -> Sequence[Entity]:
    """Those of these things that are no literals; where there are several, those that an active claim still speaks of."""
    found = [e for e in await store.entities(group_id, sorted(set(entity_ids))) if e.kind is not EntityKind.VALUE]
    if len(found) < 2:
        return found
    claims = await store.claims(group_id, entity_ids=[e.entity_id for e in found])
    spoken = spoken_of(claims)
    return [e for e in found if e.entity_id in spoken]


def _kinds(statements: Sequence[Statement]) -> Mapping[str, EntityKind]:
    """The names that have to be resolved; literals and what a program knows by id are not in doubt."""
    ends = [
        (name, kind)
        for s in statements
        for name, kind, known in (
            (s.subject, s.subject_kind, s.subject_id),
            (s.object, s.object_kind, s.object_id),
        )
        if known is None and kind is not EntityKind.VALUE
    ]
    kinds = dict(ends)
    kinds.update((name, kind) for name, kind in ends if kind is EntityKind.PERSON)
    return kinds


# ---- what is shown


async def _known_facts(store: Store, group_id: str, entity_ids: Sequence[str]) -> Mapping[str, list[str]]:
    """For each entity what is believed of it, with dates, the newest first."""
    lines: dict[str, list[str]] = {}
    for entity_id in dict.fromkeys(entity_ids):
        versions = await store.versions_in_scope(Scope(group_ids=(group_id,), window=Window()), touching=[entity_id])
        newest = sorted(versions, key=lambda v: v.valid_at or 0, reverse=True)[:_FACTS_SHOWN]
        texts = {f.fact_id: f.text for f in await store.facts(group_id, [v.fact_id for v in newest])}
        lines[entity_id] = [f"{_day(v.valid_at)} to {_day(v.invalid_at)}: {texts[v.fact_id]}" for v in newest]
    return lines


def _candidate_lines(place: int, choice: Entity | str, known: Mapping[str, list[str]]) -> list[str]:
    if isinstance(choice, str):
        return [f"  candidate {place}: {json.dumps(choice, ensure_ascii=False)}, new as well"]
    kind = "" if choice.kind is EntityKind.THING else f" ({choice.kind})"
    facts = [f"    {line}" for line in known.get(choice.entity_id, ())]
    return [f"  candidate {place}: {json.dumps(choice.name, ensure_ascii=False)}{kind}", *facts]


def _said_of(spelling: str, statements: Sequence[Statement]) -> list[str]:
    told = [s for s in statements if spelling in (s.subject, s.object)]
    return [f"{s.kind} {s.subject} {s.relation} {s.object}" for s in told[:_FACTS_SHOWN]]


def _day(instant: Instant | None) -> str:
    moment = None if instant is None else to_datetime(instant)
    return "…" if moment is None else f"{moment:%Y-%m-%d}"
