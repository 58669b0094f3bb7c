"""graphmem behind the interface of the comparison: read by a scripted model, or by the offline rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from benchmarks.peers.hashing import DIMENSION, vector_of
from benchmarks.peers.world import NOW, Fact, Question
from graphmem import Memory
from graphmem.inference.scripted import ScriptedModel
from graphmem.ports import EmbeddingModel, Floats, ModelRequest, TextKind

__all__ = ["by_model", "by_rules"]

_CHARACTERS_A_TOKEN = 4


class _Embedder:
    """Hashed words; implements `graphmem.ports.Embedder`."""

    model = EmbeddingModel(name="hashed-words", dimension=DIMENSION)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return np.array([vector_of(text) for text in texts], dtype=np.float32).reshape(-1, DIMENSION)


class _Graphmem:
    note = "`ask`, by the words of the question alone"

    def __init__(self, folder: Path, *, with_model: bool) -> None:
        self._url = folder / "graphmem.db"
        self._model = ScriptedModel(self._reply) if with_model else None
        self._fact: Fact | None = None
        self._memory: Memory | None = None
        self.version = _version()

    @property
    def calls(self) -> int:
        return len(self._model.requests) if self._model else 0

    @property
    def prompt_tokens(self) -> int:
        return sum(_tokens_of(request) for request in self._model.requests) if self._model else 0

    async def start(self) -> None:
        self._memory = await Memory.open(self._url, embedder=_Embedder(), model=self._model)

    async def tell(self, fact: Fact) -> None:
        self._fact = fact
        await self._opened.add_episode(fact.sentence, speaker="Notes", said_at=fact.said_at)

    async def search(self, text: str) -> None:
        await self._opened.search(text, limit=10)

    async def answer(self, question: Question) -> str:
        answer = await self._opened.ask(question.text, asked_at=NOW)
        return ", ".join(answer.values) if answer.is_known else ""

    async def close(self) -> None:
        await self._opened.close()

    @property
    def _opened(self) -> Memory:
        if self._memory is None:
            raise RuntimeError("it was not started")
        return self._memory

    def _reply(self, request: ModelRequest) -> str:
        fact = self._fact
        if request.stage != "extract" or fact is None:
            return json.dumps({"matches": []})
        entities = [
            {"n": 1, "name": fact.person, "kind": "person", "words": fact.person, "also": ""},
            {"n": 2, "name": fact.place, "kind": "thing", "words": fact.place, "also": ""},
        ]
        stated = {
            "message": 1,
            "kind": "HOLD",
            "subject": 1,
            "relation": fact.relation,
            "object": 2,
            "quote": fact.sentence,
            "sentence": fact.statement,
            "start": fact.when[0],
            "end": fact.when[1],
        }
        return json.dumps({"entities": entities, "facts": [stated]})


def by_model(folder: Path) -> _Graphmem:
    """Read by a scripted model."""
    return _Graphmem(folder, with_model=True)


def by_rules(folder: Path) -> _Graphmem:
    """Read by the offline rules."""
    return _Graphmem(folder, with_model=False)


def _tokens_of(request: ModelRequest) -> int:
    return len(request.system + request.prompt + json.dumps(request.schema)) // _CHARACTERS_A_TOKEN


def _version() -> str:
    try:
        return version("graphmem")
    except PackageNotFoundError:
        return ""
