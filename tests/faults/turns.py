"""Generated chat turns for the fault tests, and the graph they make as something two memories can be compared by."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graphmem.ingest.accept import NewEpisode
from graphmem.memory import Memory
from graphmem.model import DatedFact, JobState
from graphmem.timeline.instants import MAX

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
GROUP = "chat"

_PEOPLE = ("Alice", "Bruno", "Chidi", "Dana", "Elif")
_SURNAMES = tuple(
    f"{first}{last}" for first in ("Ban", "Mor", "Kel", "Tar", "Vol") for last in "ius ora ett ak und".split()
)
_FIRMS = ("Acme", "Globex", "Initech", "Umbra", "Hooli", "Vandelay", "Wonka")
_TOWNS = ("Oslo", "Graz", "Porto", "Lyon", "Bergen", "Cork")
_SAYINGS = (
    "I work at {firm} now, and the coffee is fine.",
    "I moved to {town} last week.",
    "I left {firm} in February.",
    "{other} lives in {town}.",
    "It rained all day.",
    "I started at {firm} on 12 January 2026.",
)


def turn(number: int, group_id: str = GROUP) -> NewEpisode:
    """The turn of this number; the same number always gives the same."""
    saying = _SAYINGS[number * 5 % len(_SAYINGS)]
    return NewEpisode(
        text=saying.format(
            firm=_FIRMS[number * 3 % len(_FIRMS)],
            town=_TOWNS[number * 7 % len(_TOWNS)],
            other=_person(number + 2),
        ),
        group_id=group_id,
        episode_id=f"turn-{number:05}",
        speaker=_person(number),
        said_at=START + timedelta(minutes=7 * number),
    )


def _person(number: int) -> str:
    """Five people talk for a while, then five others: no timeline grows without end."""
    return f"{_PEOPLE[number % len(_PEOPLE)]} {_SURNAMES[number // 400 % len(_SURNAMES)]}"


def turns(count: int, group_id: str = GROUP) -> Iterator[NewEpisode]:
    return (turn(number, group_id) for number in range(count))


async def graph_of(memory: Memory, group_id: str = GROUP) -> dict[str, object]:
    """Everything a reader could see of a group, without ids and transaction times: equal graphs are equal here."""
    entities: set[tuple[str, str]] = set()
    believed: list[tuple[object, ...]] = []
    histories: list[tuple[object, ...]] = []
    facts = await memory.facts(group_ids=group_id, during=(None, None), possible=True, limit=100_000)
    for fact in facts:
        entities.update((e.name, str(e.kind)) for e in (fact.subject, fact.object))
        believed.append((*_shown(fact), fact.last_confirmed_at, fact.episode_ids))
    for fact_id in {fact.fact.fact_id for fact in facts}:
        histories.append(tuple(_shown(version) for version in await memory.history(fact_id, group_id=group_id)))
    claims = await memory.claims(group_id=group_id)
    return {
        "entities": sorted(entities),
        "believed": sorted(believed, key=repr),
        "histories": sorted(histories, key=repr),
        "claims": [(c.claim.claim_id, str(c.claim.kind), c.claim.start, c.claim.end, c.quote) for c in claims],
        "jobs": {str(state): n for state, n in (await memory.count_jobs(group_ids=group_id)).items()},
        "wrong": list(await memory.verify()),
    }


def _shown(fact: DatedFact) -> tuple[object, ...]:
    version = fact.version
    return (
        fact.text,
        fact.valid_at,
        fact.invalid_at,
        version.start,
        version.end,
        version.start_stated,
        version.end_stated,
        version.trusted,
        version.expired_at == MAX,
    )


async def check_whole(memory: Memory, count: int, group_id: str = GROUP) -> None:
    """Every turn is there once and its job is done; nothing else is."""
    jobs = await memory.count_jobs(group_ids=group_id)
    assert jobs[JobState.DONE] == sum(jobs.values()) == count
    ids = [f"turn-{number:05}" for number in range(count)]
    assert [e.episode_id for e in await memory.episodes(ids, group_id=group_id)] == ids
