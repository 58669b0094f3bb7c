"""What telling and searching cost in a memory that holds a given number of facts."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.performance.disk import file_bytes
from benchmarks.performance.timing import Stopwatch, spread_ms, timed_store
from benchmarks.performance.world import FACTS_A_PERSON, GROUP, episodes_of, messages, person
from graphmem import ImportReport, Memory
from graphmem.model import Episode
from graphmem.ports import ExtractionContext
from graphmem.stores import open_store
from graphmem.timeline.instants import to_instant

__all__ = ["ReadingFigures", "SizeFigures", "measure_reading", "measure_rules", "measure_size", "peak_mb"]

_FACTS_AN_EPISODE = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class SizeFigures:
    facts: int
    import_facts_per_s: float
    bytes_per_fact: float
    accept_ms: dict[str, float]
    lease_ms: dict[str, float]
    apply_ms: dict[str, float]
    episode_ms: dict[str, float]
    """From the call to the receipt."""
    round_trips: int
    """Calls of the store that one episode takes."""
    search_ms: dict[str, float]
    search_rounds: int
    """Calls of the store that one search takes."""


async def measure_size(path: Path, facts: int, repeats: int, progress: Callable[[str], None]) -> SizeFigures:
    """Import `facts` facts into a new store, then tell so many single episodes and search so often."""
    store, timed = timed_store(open_store(str(path)))
    told = list(episodes_of(range(facts), facts_an_episode=_FACTS_AN_EPISODE))
    async with await Memory.open(store) as memory:
        began = time.perf_counter()
        report = await memory.add_episodes(
            told,
            progress=lambda report: progress(_imported(report, facts)),
        )
        seconds = time.perf_counter() - began
        size_bytes = file_bytes(path)
        episode, accept, lease, apply = Stopwatch(), list[float](), list[float](), list[float]()
        timed.calls.clear()
        for new in episodes_of(range(facts, facts + repeats), facts_an_episode=1):
            with episode.lap():
                await memory.add_episodes([new])
            accept.append(timed.seconds_of("accept"))
            lease.append(timed.seconds_of("lease"))
            apply.append(timed.seconds_after("episodes", "commit"))
        round_trips = len(timed.calls) // repeats
        timed.calls.clear()
        search = await _search(memory, facts, repeats)
        search_rounds = len(timed.calls) // repeats
    return SizeFigures(
        facts=report.facts,
        import_facts_per_s=round(report.facts / seconds, 1),
        bytes_per_fact=round(size_bytes / report.facts, 1),
        accept_ms=spread_ms(accept),
        lease_ms=spread_ms(lease),
        apply_ms=spread_ms(apply),
        episode_ms=spread_ms(episode.seconds),
        round_trips=round_trips,
        search_ms=spread_ms(search.seconds),
        search_rounds=search_rounds,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadingFigures:
    """Messages a second of CPU time that the rules alone read, nothing stored."""

    cold: float
    """In a fresh process, from the loading of the rules and their tables on."""
    warm: float
    """The same messages once more."""


async def _search(memory: Memory, facts: int, repeats: int) -> Stopwatch:
    people = max(1, facts // FACTS_A_PERSON)
    watch = Stopwatch()
    for number in range(repeats):
        words = f"Where does {person(number * 31 % people)} work?"
        with watch.lap():
            await memory.search(words, group_ids=GROUP)
    return watch


async def measure_rules(path: Path, count: int) -> float:
    """Messages a second that the rules read, everything included."""
    async with await Memory.open(path) as memory:
        began = time.perf_counter()
        await memory.add_episodes(messages(count))
        return round(count / (time.perf_counter() - began), 1)


def measure_reading(count: int) -> ReadingFigures:
    """Read so many messages, each after the ten before it, twice in a fresh process."""
    with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(_read_twice, count).result()


def _read_twice(count: int) -> ReadingFigures:
    episodes = [
        Episode(
            episode_id=new.episode_id or "",
            group_id=new.group_id,
            text=new.text,
            speaker=new.speaker,
            said_at=to_instant(new.said_at),
            learned_at=to_instant(new.said_at),
        )
        for new in messages(count)
        if new.said_at is not None
    ]
    return ReadingFigures(cold=_read_per_s(episodes), warm=_read_per_s(episodes))


def _read_per_s(episodes: Sequence[Episode]) -> float:
    began = time.process_time()
    from graphmem.ingest.rules import RuleExtractor  # loading them is a part of what is measured

    rules = RuleExtractor()
    for place, episode in enumerate(episodes):
        rules.read(episode, ExtractionContext(previous=episodes[max(0, place - 10) : place]))
    return round(len(episodes) / (time.process_time() - began), 1)


def peak_mb() -> float:
    """The most memory this process ever held."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def _imported(report: ImportReport, facts: int) -> str:
    return f"import {report.facts}/{facts} facts"
