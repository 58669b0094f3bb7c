"""Answers in the format of the extraction prompt, made briefly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime

from graphmem.inference.scripted import ScriptedModel, ScriptedReply
from graphmem.ingest.by_model import ModelExtractor
from graphmem.model import Episode, Statement
from graphmem.ports import Extraction, ExtractionContext
from graphmem.timeline.instants import to_instant

JUNE = datetime(2026, 6, 3, 9, tzinfo=UTC)


def thing(n: int, name: str, kind: str = "thing", **more: object) -> dict[str, object]:
    return {"n": n, "name": name, "kind": kind, "words": name, "also": "", **more}


def fact(subject: int, relation: str, obj: int, quote: str, kind: str = "HOLD", **more: object) -> dict[str, object]:
    return {
        "message": 1,
        "kind": kind,
        "subject": subject,
        "relation": relation,
        "object": obj,
        "quote": quote,
        "sentence": "",
        "at": "",
        "start": "",
        "end": "",
        "tense": "past",
        "certainty": "stated",
        "says": "",
        **more,
    }


def answer(things: Iterable[dict[str, object]], facts: Iterable[dict[str, object]]) -> str:
    return json.dumps({"entities": list(things), "facts": list(facts)}, ensure_ascii=False)


ACME = answer([thing(1, "Ann", "person", words="I"), thing(2, "Acme")], [fact(1, "WORKS_AT", 2, "I work at Acme")])
"""What "I work at Acme." by Ann states."""


def episode(
    text: str, *, episode_id: str = "e1", speaker: str | None = "Ann", session_id: str | None = None
) -> Episode:
    return Episode(
        episode_id=episode_id,
        group_id="g",
        text=text,
        said_at=to_instant(JUNE),
        learned_at=to_instant(JUNE),
        speaker=speaker,
        session_id=session_id,
    )


async def read(text: str, *replies: ScriptedReply, context: ExtractionContext | None = None) -> Extraction:
    """What is believed of a model's replies to one message of Ann's."""
    return await ModelExtractor(ScriptedModel(replies)).extract(episode(text), context or ExtractionContext())


def said(statements: Iterable[Statement]) -> list[tuple[str, str, str, str]]:
    return [(str(s.kind), s.subject, s.relation, s.object) for s in statements]
