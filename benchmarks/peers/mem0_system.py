"""mem0ai behind the interface of the comparison: its default pipeline, an embedded Qdrant, a scripted model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from mem0 import Memory

from benchmarks.peers.hashing import DIMENSION, vector_of
from benchmarks.peers.world import NOW, Fact, Question

__all__ = ["opened"]

_USER = "notes"
_VERBS = {"WORKS_AT": "work", "LIVES_IN": "live"}
_CHARACTERS_A_TOKEN = 4


class _Embedder:
    """What mem0 asks of an embedder."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return vector_of(text)

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return [vector_of(text) for text in texts]


class _Model:
    """What mem0 asks of a language model: it remembers the sentence it is told, as it stands."""

    def __init__(self) -> None:
        self.sentence = ""
        self.calls = 0
        self.prompt_tokens = 0

    def generate_response(self, messages: Sequence[Mapping[str, str]], **options: object) -> str:
        self.calls += 1
        self.prompt_tokens += sum(len(message["content"]) for message in messages) // _CHARACTERS_A_TOKEN
        return json.dumps({"memory": [{"text": self.sentence, "attributed_to": "user"}]})


class _Mem0:
    note = (
        "embedded Qdrant, without its optional keyword and entity lanes (their models are fetched); it keeps no time of"
        " validity: of the ten found, the latest that was said by that day"
    )

    def __init__(self, folder: Path) -> None:
        store = {
            "collection_name": "facts",
            "path": str(folder / "qdrant"),
            "embedding_model_dims": DIMENSION,
            "on_disk": True,
        }
        unused = {"api_key": "unused"}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": {"provider": "openai", "config": unused},
                "embedder": {"provider": "openai", "config": unused},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._model = _Model()
        self._memory.llm = self._model
        self._memory.embedding_model = _Embedder()
        self.version = version("mem0ai")

    @property
    def calls(self) -> int:
        return self._model.calls

    @property
    def prompt_tokens(self) -> int:
        return self._model.prompt_tokens

    async def start(self) -> None:
        return None

    async def tell(self, fact: Fact) -> None:
        self._model.sentence = fact.sentence
        said = {"said_at": fact.said_at.isoformat(), "place": fact.place}
        self._memory.add([{"role": "user", "content": fact.sentence}], user_id=_USER, metadata=said)

    async def search(self, text: str) -> None:
        self._found(text)

    async def answer(self, question: Question) -> str:
        day = (question.at or NOW).isoformat()
        fitting = [
            hit["metadata"]
            for hit in self._found(question.text)
            if question.person in hit["memory"]
            and _VERBS[question.relation] in hit["memory"]
            and hit["metadata"]["said_at"] <= day
        ]
        return str(max(fitting, key=lambda kept: kept["said_at"])["place"]) if fitting else ""

    async def close(self) -> None:
        self._memory.close()

    def _found(self, text: str) -> Sequence[Mapping[str, Mapping[str, str]]]:
        found: Sequence[Mapping[str, Mapping[str, str]]] = self._memory.search(
            text, filters={"user_id": _USER}, top_k=10
        )["results"]
        return found


def opened(folder: Path) -> _Mem0:
    """Its store in this folder."""
    return _Mem0(folder)
