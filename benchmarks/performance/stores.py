"""The same work on each store, side by side: telling, searching among vectors and words, walking, loading."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.performance.crowds import MODEL, NOW, YEAR_AGO, Crowd, Load, crowd, load
from benchmarks.performance.disk import file_bytes
from benchmarks.performance.exchanges import Exchange, in_a_row, noted_exchanges
from benchmarks.performance.hubs import measure_hub
from benchmarks.performance.servers import MeasuredServer
from benchmarks.performance.timing import Stopwatch, spread_ms, timed_store
from benchmarks.performance.world import FACTS_A_PERSON, episodes_of, person
from graphmem import Memory
from graphmem.inference.scripted import HashingEmbedder
from graphmem.ingest.embed import Embedding
from graphmem.ports import SearchTarget, Store
from graphmem.stores import open_store
from graphmem.timeline.instants import Instant

__all__ = ["Amounts", "EpisodeFigures", "Place", "SearchFigures", "StoreFigures", "WholeFigures", "measure_store"]

_LIMIT = 20
_UNEVEN_FACTS = 1_000
"""A group, on average; each gets 1/rank of the first, and at least as many as a small one."""
_SMALL = 100
_GROUPS_ASKED = 50
_LEAST_QUESTIONS = 10
"""Of each group at each moment: of fewer, one that is missed weighs more than the goal allows to miss."""
_EPISODE_FACTS = 5
_WHOLE_FACTS = 500
"""At most, in the group that is searched with every lane."""
_WARM_UP = 5
_WARM_GROUPS, _WARM_FACTS = 5, 1_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Amounts:
    """How much is measured."""

    facts: tuple[int, ...]
    """Sizes of a group that has the store's facts for itself."""
    uneven_groups: int
    small_groups: int
    imported: int
    hub: int
    repeats: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A store to measure, how big it is on disk, and what goes over the network to it."""

    name: str
    url: str
    bytes_used: Callable[[], int | None]
    is_remote: bool = False

    @classmethod
    def file(cls, path: Path) -> Place:
        return cls(name="sqlite", url=str(path), bytes_used=partial(file_bytes, path))

    @classmethod
    def server(cls, server: MeasuredServer) -> Place:
        return cls(name="neo4j", url=server.url, bytes_used=server.bytes_used, is_remote=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class EpisodeFigures:
    """Telling one episode with one fact to a group that holds many."""

    accept_ms: dict[str, float]
    lease_ms: dict[str, float]
    apply_ms: dict[str, float]
    """The transaction that writes what it says."""
    whole_ms: dict[str, float]
    apply_round_trips: int | None
    """None: there is no network between."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SearchFigures:
    """Vector and word search for the best 20 facts of a group, now and as known a year ago."""

    facts: int
    """In the group or groups asked; each by itself."""
    vector_ms: dict[str, float]
    text_ms: dict[str, float]
    recall: float
    recall_year_ago: float
    least_recall: float
    """Of any one group, at any of the moments."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeFigures:
    """Importing episodes and searching them through the memory: every lane, the reranking and the reading of what was found."""

    import_facts_per_s: float
    search_ms: dict[str, float]
    search_calls: int
    """Of the store, in one search."""
    search_round_trips: int | None
    """None: there is no network between."""
    search_rounds: int | None
    """Round trips that follow one another; those side by side count once."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoreFigures:
    name: str
    episode: dict[int, EpisodeFigures]
    search: dict[str, SearchFigures]
    loads: dict[str, Load]
    hub_walk_ms: dict[str, float]
    whole: WholeFigures
    bytes_per_fact: float | None
    """None: the files of the server are not seen from here."""


async def measure_store(place: Place, amounts: Amounts, progress: Callable[[str], None]) -> StoreFigures:
    """Everything of one store, each size in groups of its own; the sizes before stay in the store beside them."""
    run_id = f"{time.time_ns():x}"
    told: dict[int, EpisodeFigures] = {}
    found: dict[str, SearchFigures] = {}
    loads: dict[str, Load] = {}
    store = open_store(place.url)
    await store.ensure_schema()
    try:
        warm = await _warmed_up(place, store, run_id, amounts, progress) if place.is_remote else 0
        for label, crowds in _crowds(amounts, run_id):
            tell = _labelled(progress, f"{place.name}, {label}")
            loads[label] = await load(store, crowds, tell)
            found[label] = await _searched(store, crowds, amounts.repeats, tell)
            if len(crowds) == 1:
                told[len(crowds[0])] = await _told(place, crowds[0].group_id, amounts.repeats, tell)
        progress(f"{place.name}, walks through a hub of {amounts.hub:,}")
        hub = await measure_hub(store, f"hub-{run_id}", amounts.hub, amounts.repeats)
    finally:
        await store.close()
    progress(f"{place.name}, import and whole searches")
    whole = await _whole(place, run_id, amounts.imported, amounts.repeats)
    size = place.bytes_used()
    facts = warm + sum(one.facts for one in loads.values()) + amounts.imported + amounts.hub
    return StoreFigures(
        name=place.name,
        episode=told,
        search=found,
        loads=loads,
        hub_walk_ms=hub,
        whole=whole,
        bytes_per_fact=None if size is None else round(size / facts, 1),
    )


async def _warmed_up(place: Place, store: Store, run_id: str, amounts: Amounts, progress: Callable[[str], None]) -> int:
    """Do some of everything, unmeasured; how many facts. A server still plans and compiles in its first minute."""
    tell = _labelled(progress, f"{place.name}, warming up")
    size = min(_WARM_FACTS, *amounts.facts)
    crowds = [crowd(f"warm-{number}-{run_id}", size, seed=number) for number in range(_WARM_GROUPS)]
    await load(store, crowds, tell)
    await _searched(store, crowds, amounts.repeats, tell)
    await _told(place, crowds[0].group_id, amounts.repeats, tell)
    return size * _WARM_GROUPS


def _labelled(progress: Callable[[str], None], label: str) -> Callable[[str], None]:
    return lambda line: progress(f"{label}: {line}")


def _crowds(amounts: Amounts, run_id: str) -> Iterator[tuple[str, list[Crowd]]]:
    for facts in amounts.facts:
        yield str(facts), [crowd(f"one-{facts}-{run_id}", facts, seed=facts)]
    if amounts.uneven_groups:
        yield f"{amounts.uneven_groups} uneven groups", _uneven(amounts.uneven_groups, run_id)
    if amounts.small_groups:
        small = [crowd(f"small-{n}-{run_id}", _SMALL, seed=n) for n in range(amounts.small_groups)]
        yield f"{amounts.small_groups} groups of {_SMALL}", small


def _uneven(groups: int, run_id: str) -> list[Crowd]:
    whole = sum(1 / rank for rank in range(1, groups + 1))
    sizes = [max(_SMALL, int(_UNEVEN_FACTS * groups / whole / rank)) for rank in range(1, groups + 1)]
    return [crowd(f"uneven-{rank}-{run_id}", size, seed=rank) for rank, size in enumerate(sizes)]


async def _searched(
    store: Store, crowds: Sequence[Crowd], repeats: int, progress: Callable[[str], None]
) -> SearchFigures:
    asked = crowds[:: max(1, len(crowds) // _GROUPS_ASKED)]
    questions = max(_LEAST_QUESTIONS, repeats // len(asked))
    vector, text = Stopwatch(), Stopwatch()
    recalls: defaultdict[tuple[str, Instant], list[float]] = defaultdict(list)
    for number in range(-_WARM_UP, questions):
        progress(f"searches, {number + _WARM_UP} of {questions + _WARM_UP} times")
        for one in asked:
            for at in (NOW, YEAR_AGO):
                question, scope = one.question(number + _WARM_UP), one.scope(at)
                began = time.perf_counter()
                hits = await store.search_vector(SearchTarget.FACT, question, scope, limit=_LIMIT)
                took = time.perf_counter() - began
                began = time.perf_counter()
                await store.search_text(SearchTarget.FACT, one.asked_terms(number + _WARM_UP), scope, limit=_LIMIT)
                if number >= 0:
                    vector.seconds.append(took)
                    text.seconds.append(time.perf_counter() - began)
                    best = one.nearest(question, at, _LIMIT)
                    share = len({hit.item_id for hit in hits}.intersection(best)) / max(1, len(best))
                    recalls[one.group_id, at].append(share)
    return SearchFigures(
        facts=sum(map(len, crowds)),
        vector_ms=spread_ms(vector.seconds),
        text_ms=spread_ms(text.seconds),
        recall=_mean([share for (_, at), some in recalls.items() if at == NOW for share in some]),
        recall_year_ago=_mean([share for (_, at), some in recalls.items() if at == YEAR_AGO for share in some]),
        least_recall=min(_mean(some) for some in recalls.values()),
    )


async def _told(place: Place, group_id: str, repeats: int, progress: Callable[[str], None]) -> EpisodeFigures:
    """Episodes by way of the proxy first, to count round trips, then straight, to measure them."""
    apply_trips = None
    if place.is_remote:
        async with noted_exchanges(place.url) as exchanges:
            store, timed = timed_store(open_store(exchanges.url))
            async with await Memory.open(store) as memory:
                await _tell(memory, group_id, range(_WARM_UP))
            began, ended = next((b, e) for name, b, e in reversed(timed.calls) if name == "commit")
            apply_trips = len(exchanges.during(began, ended))
    store, timed = timed_store(open_store(place.url))
    whole, accept, lease, apply = Stopwatch(), list[float](), list[float](), list[float]()
    async with await Memory.open(store) as memory:
        await _tell(memory, group_id, range(_WARM_UP, 2 * _WARM_UP))
        for number in range(2 * _WARM_UP, 2 * _WARM_UP + repeats):
            progress(f"episodes, {number} of {2 * _WARM_UP + repeats}")
            with whole.lap():
                await _tell(memory, group_id, range(number, number + 1))
            accept.append(timed.seconds_of("accept"))
            lease.append(timed.seconds_of("lease"))
            apply.append(timed.seconds_of("commit"))
    return EpisodeFigures(
        accept_ms=spread_ms(accept),
        lease_ms=spread_ms(lease),
        apply_ms=spread_ms(apply),
        whole_ms=spread_ms(whole.seconds),
        apply_round_trips=apply_trips,
    )


async def _tell(memory: Memory, group_id: str, numbers: range) -> None:
    for new in episodes_of(numbers, facts_an_episode=1, group_id=group_id):
        await memory.add_episodes([new])


async def _whole(place: Place, run_id: str, facts: int, repeats: int) -> WholeFigures:
    async with await Memory.open(place.url) as memory:
        told = list(episodes_of(range(facts), facts_an_episode=_EPISODE_FACTS, group_id=f"import-{run_id}"))
        began = time.perf_counter()
        report = await memory.add_episodes(told)
        import_s = time.perf_counter() - began
    searched, group_id = min(facts, _WHOLE_FACTS), f"whole-{run_id}"
    embedder = HashingEmbedder(name=MODEL.name, dimension=MODEL.dimension)
    store, timed = timed_store(open_store(place.url))
    async with await Memory.open(store, embedder=embedder) as memory:
        await memory.add_episodes(list(episodes_of(range(searched), facts_an_episode=1, group_id=group_id)))
        await Embedding(store=store, embedder=embedder).embed_waiting(group_ids=[group_id])
        await _search(memory, group_id, searched, _WARM_UP)
        timed.calls.clear()
        watch = await _search(memory, group_id, searched, repeats)
        calls = len(timed.calls) // repeats
    exchanges = await _exchanges_of_a_search(place, group_id, embedder, searched) if place.is_remote else None
    return WholeFigures(
        import_facts_per_s=round(report.facts / import_s, 1),
        search_ms=spread_ms(watch.seconds),
        search_calls=calls,
        search_round_trips=None if exchanges is None else len(exchanges),
        search_rounds=None if exchanges is None else in_a_row(exchanges),
    )


async def _exchanges_of_a_search(place: Place, group_id: str, embedder: HashingEmbedder, facts: int) -> list[Exchange]:
    async with noted_exchanges(place.url) as exchanges, await Memory.open(exchanges.url, embedder=embedder) as memory:
        await _search(memory, group_id, facts, _WARM_UP)  # opens the connections
        began = time.perf_counter()
        await _search(memory, group_id, facts, 1)
        return exchanges.during(began, time.perf_counter())


async def _search(memory: Memory, group_id: str, facts: int, times: int) -> Stopwatch:
    watch = Stopwatch()
    for number in range(times):
        words = f"Where does {person(number % max(1, facts // FACTS_A_PERSON))} work?"
        with watch.lap():
            await memory.search(words, group_ids=group_id)
    return watch


def _mean(shares: Sequence[float]) -> float:
    return round(sum(shares) / len(shares), 4) if shares else 0.0
