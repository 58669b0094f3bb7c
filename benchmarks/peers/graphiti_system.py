"""graphiti-core behind the interface of the comparison: its default pipeline on the embedded Kuzu, a scripted model."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.client import LLMClient
from graphiti_core.nodes import EpisodeType

from benchmarks.peers.hashing import vector_of
from benchmarks.peers.world import NOW, Fact, Question

__all__ = ["opened"]

_CHARACTERS_A_TOKEN = 4
_INDEXED = re.compile(r"""['"]idx['"]: (\d+), ['"]fact['"]: ['"]([^'"]+)['"]""")
_ENTITY = re.compile(r"""["']id["']: (\d+),\s*["']name["']: ["']([^"']+)["']""")
_CANDIDATE = re.compile(r"""["']candidate_id["']: (\d+),\s*["']name["']: ["']([^"']+)["']""")


class _Embedder(EmbedderClient):  # type: ignore[misc]
    async def create(self, input_data: object) -> list[float]:
        return vector_of(" ".join(input_data) if isinstance(input_data, list) else str(input_data))

    async def create_batch(self, input_data_list: Sequence[str]) -> list[list[float]]:
        return [vector_of(text) for text in input_data_list]


class _Order(CrossEncoderClient):  # type: ignore[misc]
    """Keeps the order; the default search does not rerank by it."""

    async def rank(self, query: str, passages: Sequence[str]) -> list[tuple[str, float]]:
        return [(passage, 1.0 / place) for place, passage in enumerate(passages, start=1)]


class _Model(LLMClient):  # type: ignore[misc]
    """Reads the fact at hand perfectly, and knows which of the facts it is shown cannot stand beside it."""

    def __init__(self) -> None:
        super().__init__(None)
        self.fact: Fact | None = None
        self.calls = 0
        self.prompt_tokens = 0

    async def _generate_response(
        self, messages: Sequence[object], response_model: type | None = None, *rest: object, **options: object
    ) -> Mapping[str, object]:
        prompt = "\n".join(str(getattr(message, "content", "")) for message in messages)
        self.calls += 1
        self.prompt_tokens += len(prompt) // _CHARACTERS_A_TOKEN
        if self.fact is None:
            raise RuntimeError("nothing was told")
        return _reply("" if response_model is None else response_model.__name__, prompt, self.fact)


def _reply(wanted: str, prompt: str, fact: Fact) -> Mapping[str, object]:
    match wanted:
        case "ExtractedEntities":
            return {"extracted_entities": [{"name": n, "entity_type_id": 0} for n in (fact.person, fact.place)]}
        case "ExtractedEdges":
            return {"edges": [_edge(fact)]}
        case "NodeResolutions":
            return {"entity_resolutions": _resolutions(prompt)}
        case "EdgeDuplicate":
            return _settled(prompt, fact)
        case "SummarizedEntities":
            return {"summaries": []}
        case "EdgeTimestamps":
            return {"valid_at": _edge(fact)["valid_at"], "invalid_at": _edge(fact)["invalid_at"]}
    raise RuntimeError(f"the script has no answer of the form {wanted!r}")


def _edge(fact: Fact) -> dict[str, object]:
    return {
        "source_entity_name": fact.person,
        "target_entity_name": fact.place,
        "relation_type": fact.relation,
        "fact": fact.statement,
        "valid_at": _written(fact.since),
        "invalid_at": None if fact.until is None else _written(fact.until),
    }


def _resolutions(prompt: str) -> list[dict[str, object]]:
    """Each entity is the one that is called the same, if there is one."""
    before, _, existing = prompt.partition("<EXISTING ENTITIES>")
    known = {name: int(number) for number, name in _CANDIDATE.findall(existing)}
    named = before.rpartition("<ENTITIES>")[2]
    return [
        {"id": int(number), "name": name, "duplicate_candidate_id": known.get(name, -1)}
        for number, name in _ENTITY.findall(named)
    ]


def _settled(prompt: str, fact: Fact) -> dict[str, list[int]]:
    """The same statement is a duplicate; another place for the same person contradicts it."""
    shown = [(int(number), text) for number, text in _INDEXED.findall(prompt)]
    existing = prompt.partition("</EXISTING FACTS>")[0].rpartition("<EXISTING FACTS>")[2]
    own = {int(number) for number, _ in _INDEXED.findall(existing)}
    same = fact.statement.removesuffix(fact.place)
    return {
        "duplicate_facts": [number for number, text in shown if number in own and text == fact.statement],
        "contradicted_facts": [number for number, text in shown if text.startswith(same) and text != fact.statement],
    }


def _written(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


class _Graphiti:
    note = "embedded Kuzu; of the ten edges found, the latest that is valid on that day"

    def __init__(self, folder: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Kuzu is deprecated there, and needs no server
            self._driver = KuzuDriver(str(folder / "kuzu.db"))
        self._model = _Model()
        self._graph = Graphiti(
            graph_driver=self._driver, llm_client=self._model, embedder=_Embedder(), cross_encoder=_Order()
        )
        self.version = version("graphiti-core")

    @property
    def calls(self) -> int:
        return self._model.calls

    @property
    def prompt_tokens(self) -> int:
        return self._model.prompt_tokens

    async def start(self) -> None:
        await self._graph.build_indices_and_constraints()
        for statement in get_fulltext_indices(self._driver.provider):  # the driver leaves them out
            await self._driver.execute_query(statement)

    async def tell(self, fact: Fact) -> None:
        self._model.fact = fact
        await self._graph.add_episode(
            name=fact.statement,
            episode_body=f"Notes: {fact.sentence}",
            source_description="notes",
            reference_time=fact.said_at,
            source=EpisodeType.message,
        )

    async def search(self, text: str) -> None:
        await self._graph.search(text, num_results=10)

    async def answer(self, question: Question) -> str:
        found = await self._graph.search(question.text, num_results=10)
        day = question.at or NOW
        verb = "works at" if question.relation == "WORKS_AT" else "lives in"
        start = f"{question.person} {verb} "
        valid = [
            (since, edge.fact)
            for edge in found
            if edge.fact.startswith(start) and (since := _holds(edge.valid_at, edge.invalid_at, day)) is not None
        ]
        return _latest(valid).removeprefix(start)

    async def close(self) -> None:
        await self._graph.close()


def _holds(valid_at: datetime | None, invalid_at: datetime | None, day: datetime) -> datetime | None:
    """Since when, if it is valid on that day."""
    since = _aware(valid_at) or datetime.min.replace(tzinfo=UTC)
    until = _aware(invalid_at)
    return since if since <= day and (until is None or day < until) else None


def _aware(moment: datetime | None) -> datetime | None:
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def _latest(valid: Iterable[tuple[datetime, str]]) -> str:
    return max(valid, default=(None, ""), key=lambda pair: str(pair[0]))[1]


def opened(folder: Path) -> _Graphiti:
    """Its store in this folder."""
    return _Graphiti(folder)
