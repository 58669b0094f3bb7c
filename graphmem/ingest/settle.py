"""The second call, made only where there is doubt: what doubtful names mean, which facts end, how open relations behave."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from graphmem.errors import MalformedAnswer, ModelRefused, PromptTooLong
from graphmem.ingest.by_model.answer_form import schema_of
from graphmem.ingest.doubts import Doubt, doubts_of
from graphmem.ingest.resolve import ALSO_CALLED
from graphmem.ingest.rivals import Rival, ended, rivals_of, ruled
from graphmem.ingest.verdicts import PROMPT, VerdictForm, Verdicts, verdicts_in
from graphmem.model import Entity, EntityKind, Episode, Scope, Statement, Window
from graphmem.ports import Extraction, LanguageModel, ModelRequest, NameMatch, Store
from graphmem.resources import prompt
from graphmem.terms import name_key
from graphmem.timeline.claims import Kind
from graphmem.timeline.instants import Instant, to_datetime

__all__ = ["Settler"]

_FACTS_SHOWN = 5
_TEXT_CHARACTERS = 2_000
_MAX_TOKENS = 2_000


@dataclass(frozen=True, kw_only=True)
class Settler:
    """Settles doubtful names by asking a language model. What it decides is kept as an inferred claim."""

    store: Store
    model: LanguageModel
    is_open: Callable[[str], bool]
    """Whether nobody has declared how a relation behaves."""

    async def settle(self, episode: Episode, extraction: Extraction, before: Sequence[Extraction]) -> Extraction:
        """The extraction with its doubtful names settled; the same, without a call, where there is no doubt.

        `before`: what was read in the same batch, earlier. An answer that cannot be used leaves the names apart, with a note.
        Raises ModelUnavailable and ModelHalted.
        """
        doubts = await doubts_of(self.store, episode, extraction, before)
        rivals = await rivals_of(self.store, episode, extraction.statements, before, self.is_open)
        if not doubts and not rivals:
            return extraction
        pairs = [rival for rival in rivals if rival.is_beside]
        relations = list({r.statement.relation: r for r in reversed(rivals) if r.is_unruled}.values())[::-1]
        request = await self._request(episode, extraction, doubts, pairs, relations)
        tokens = 0
        try:
            answer = await self.model.complete(request)
            tokens = answer.usage.total_tokens
            verdicts = verdicts_in(answer.whole_text(), doubts, pairs, relations)
        except (MalformedAnswer, ModelRefused, PromptTooLong) as error:
            verdicts = _undecided(doubts, pairs, error)
        found = [
            *_log(extraction, verdicts.matches),
            *(ended(rival) for rival in verdicts.ends),
            *(ruled(rival, rivalry) for rival, rivalry in verdicts.rules),
        ]
        return replace(
            extraction,
            statements=(*extraction.statements, *found),
            matches=verdicts.matches,
            is_settled=True,
            origin=f"{extraction.origin} {PROMPT}@{self._digest}" if found else extraction.origin,
            notes=(*extraction.notes, *verdicts.notes),
            calls=extraction.calls + 1,
            tokens=extraction.tokens + tokens,
        )

    @property
    def _digest(self) -> str:
        return blake2b(prompt(PROMPT).encode(), digest_size=6).hexdigest()

    async def _request(
        self,
        episode: Episode,
        extraction: Extraction,
        doubts: Sequence[Doubt],
        pairs: Sequence[Rival],
        relations: Sequence[Rival],
    ) -> ModelRequest:
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
        for number, rival in enumerate(pairs, start=1):
            lines.append(f"Pair {number}: {rival.statement.relation}")
            lines.append(
                f"  older: {_day(rival.version.valid_at)} to {_day(rival.version.invalid_at)}: {_plain(rival.text)}"
            )
            lines.append(f"  newer: {_told(rival)}")
        for number, rival in enumerate(relations, start=1):
            lines.append(f"Relation {number}: {rival.statement.relation}, as in: {_told(rival)}")
        return ModelRequest(
            system=prompt(PROMPT),
            prompt="\n".join(lines),
            schema=schema_of(VerdictForm),
            schema_name="matches",
            max_output_tokens=_MAX_TOKENS,
            stage="settle",
        )


def _undecided(doubts: Sequence[Doubt], rivals: Sequence[Rival], error: Exception) -> Verdicts:
    """In doubt two things stay two, and two facts side by side."""
    note = f"{len(doubts)} doubtful names stay apart, {len(rivals)} pairs of facts side by side: {type(error).__name__}"
    return Verdicts(matches=tuple(NameMatch(spelling=doubt.spelling) for doubt in doubts), notes=(note,))


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


# ---- what is shown


def _told(rival: Rival) -> str:
    told = rival.statement
    return _plain(f"{told.subject} {told.relation} {told.object}")


async def _known_facts(store: Store, group_id: str, entity_ids: Sequence[str]) -> Mapping[str, list[str]]:
    """For each entity what is believed of it, with dates, the newest first."""
    lines: dict[str, list[str]] = {}
    for entity_id in dict.fromkeys(entity_ids):
        versions = await store.versions_in_scope(Scope(group_ids=(group_id,), window=Window()), touching=[entity_id])
        newest = sorted(versions, key=lambda v: v.valid_at or 0, reverse=True)[:_FACTS_SHOWN]
        texts = {f.fact_id: f.text for f in await store.facts(group_id, [v.fact_id for v in newest])}
        lines[entity_id] = [f"{_day(v.valid_at)} to {_day(v.invalid_at)}: {_plain(texts[v.fact_id])}" for v in newest]
    return lines


def _candidate_lines(place: int, choice: Entity | str, known: Mapping[str, list[str]]) -> list[str]:
    if isinstance(choice, str):
        return [f"  candidate {place}: {json.dumps(choice, ensure_ascii=False)}, new as well"]
    kind = "" if choice.kind is EntityKind.THING else f" ({choice.kind})"
    facts = [f"    {line}" for line in known.get(choice.entity_id, ())]
    return [f"  candidate {place}: {json.dumps(choice.name, ensure_ascii=False)}{kind}", *facts]


def _said_of(spelling: str, statements: Sequence[Statement]) -> list[str]:
    told = [s for s in statements if spelling in (s.subject, s.object)]
    return [_plain(f"{s.kind} {s.subject} {s.relation} {s.object}") for s in told[:_FACTS_SHOWN]]


def _day(instant: Instant | None) -> str:
    moment = None if instant is None else to_datetime(instant)
    return "…" if moment is None else f"{moment:%Y-%m-%d}"


def _plain(text: str) -> str:
    """A text on one line, so that nothing in it looks like a line of ours."""
    return " ".join(text.split())
