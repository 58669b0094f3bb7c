"""Who says so, where it is not the speaker: kept with the claim in every store, shown, filtered by, and gone with its episode."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from graphmem import Filter, Memory, NewClaim, NewEpisode, SearchTarget
from tests.clocks import SetClock, day

SAID = day("2026-06-03")


@pytest.fixture
async def memory(store_url: str) -> AsyncIterator[Memory]:
    """Cy tells what Bo says of Ann; and what Cy says himself."""
    async with await Memory.open(store_url, clock=SetClock(SAID + timedelta(days=9))) as opened:
        await opened.add_claims([NewClaim(subject="Bo", relation="LIKES", object="tea")], said_at=SAID)
        told = [
            NewClaim(subject="Ann", relation="LIVES_IN", object="Graz", told_by="Bo"),
            NewClaim(subject="Ann", relation="LIKES", object="chess"),
        ]
        episode = NewEpisode(
            text="Bo says Ann lives in Graz. Ann likes chess.", episode_id="e1", speaker="Cy", said_at=SAID
        )
        await opened.add_claims(told, episode=episode)
        yield opened


async def texts(memory: Memory, filter: Filter) -> list[str]:
    return [fact.text for fact in await memory.facts(filter=filter)]


async def test_a_fact_says_who_says_so(memory: Memory) -> None:
    (lives,) = await memory.facts(relation="LIVES_IN")
    assert lives.told_by == (("e1", "Bo"),)
    (likes,) = await memory.facts(subject="Ann", relation="LIKES")
    assert likes.told_by == ()
    (evidence,) = await memory.why(lives.fact.fact_id)
    assert (evidence.told_by, evidence.episode.speaker) == ("Bo", "Cy")
    (version,) = await memory.history(lives.fact.fact_id)
    assert version.told_by == (("e1", "Bo"),)


async def test_a_search_and_a_fact_block_say_so_too(memory: Memory) -> None:
    hits = await memory.search("Graz", targets=[SearchTarget.FACT])
    assert {hit.facts[0].text: hit.facts[0].told_by for hit in hits} == {
        "Ann lives in Graz": (("e1", "Bo"),),
        "Ann likes chess": (),
    }
    block = await memory.context("Where does Ann live?")
    assert [line.source for line in block.lines if "Graz" in line.text] == ["Bo, told by Cy"]
    answer = await memory.ask("Where does Ann live?")
    assert [fact.told_by for fact in answer.facts] == [(("e1", "Bo"),)]


async def test_a_speaker_s_facts_are_also_those_that_others_tell_in_their_name(memory: Memory) -> None:
    assert await texts(memory, Filter(speaker="Bo")) == ["Ann lives in Graz"]
    assert sorted(await texts(memory, Filter(speaker="Cy"))) == ["Ann likes chess", "Ann lives in Graz"]
    assert await texts(memory, Filter(speaker="Bo", session_id="other")) == []
    hits = await memory.search("Ann", targets=[SearchTarget.FACT], filter=Filter(speaker="Bo"))
    assert [hit.facts[0].text for hit in hits] == ["Ann lives in Graz"]


async def test_who_says_so_is_spoken_of_and_erased_with_what_they_are_said_to_say(memory: Memory) -> None:
    await memory.erase(entity="Bo")
    assert await memory.facts() == []
    assert [claim.told_by for claim in await memory.claims()] == []
    assert await memory.verify() == []
