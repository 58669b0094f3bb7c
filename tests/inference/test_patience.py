"""Trying again ends, whatever a provider asks for; and calls side by side are let out as there is room."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from graphmem.errors import ModelRefused, ModelUnavailable, RateLimited
from graphmem.inference.limiter import Headroom, Limiter
from graphmem.inference.patience import Patience
from tests.inference.requests import QUICK


async def attempts_until(patience: Patience, error: Exception) -> int:
    made = 0

    async def attempt() -> None:
        nonlocal made
        made += 1
        raise error

    with pytest.raises(type(error)):
        await patience.carry("model", attempt)
    return made


async def test_attempts_are_counted_and_end() -> None:
    assert await attempts_until(QUICK, ModelUnavailable("away")) == 3
    assert await attempts_until(QUICK, ModelRefused("no")) == 1
    assert await attempts_until(QUICK, RateLimited("slow", retry_after_s=0.02)) == 3
    assert await attempts_until(QUICK, RateLimited("slow", retry_after_s=0.06)) == 1


async def test_no_attempt_begins_that_could_not_be_waited_for() -> None:
    hurried = replace(QUICK, total_s=0.03, longest_wait_s=10.0)
    assert await attempts_until(hurried, RateLimited("slow", retry_after_s=0.05)) == 1


async def test_an_attempt_that_hangs_is_cut_and_tried_again() -> None:
    hanging = [True, True, False]

    async def attempt() -> str:
        if hanging.pop(0):
            await asyncio.sleep(60)
        return "there"

    assert await replace(QUICK, attempt_s=0.02).carry("model", attempt) == "there"


async def test_a_caller_who_leaves_is_not_held() -> None:
    async def attempt() -> None:
        await asyncio.sleep(60)

    task = asyncio.create_task(QUICK.carry("model", attempt))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_a_longer_answer_is_waited_for_longer() -> None:
    assert Patience(attempt_s=100, total_s=200).for_tokens(4_000).attempt_s == 100
    assert Patience(attempt_s=100, total_s=200).for_tokens(32_000).total_s == 800


# ---- how many calls are out


async def most_out(limiter: Limiter, calls: int) -> int:
    out = most = 0

    async def call() -> None:
        nonlocal out, most
        async with limiter.slot():
            out += 1
            most = max(most, out)
            await asyncio.sleep(0.001)
            out -= 1

    await asyncio.gather(*(call() for _ in range(calls)))
    return most


async def test_as_many_calls_are_out_as_the_width_says() -> None:
    limiter = Limiter(start=3, most=8)
    assert await most_out(limiter, 20) == 3
    limiter.was_overloaded()
    assert await most_out(limiter, 20) == 1
    for _ in range(100):
        limiter.went_well(Headroom(), tokens=0)
    assert await most_out(limiter, 30) == 8


async def test_the_width_never_falls_below_one() -> None:
    limiter = Limiter(start=4)
    for _ in range(20):
        limiter.was_overloaded()
    limiter.went_well(Headroom(requests=0, tokens=0), tokens=1_500)
    assert limiter.width == 1
    assert await most_out(limiter, 5) == 1


async def test_whoever_waits_is_let_out_when_it_widens() -> None:
    limiter = Limiter(start=1, most=4)
    async with limiter.slot():
        waiting = asyncio.create_task(most_out(limiter, 1))
        await asyncio.sleep(0)
        limiter.went_well(Headroom(), tokens=1)
        assert await waiting == 1


async def test_a_waiter_who_is_cancelled_when_woken_hands_the_place_on() -> None:
    limiter = Limiter(start=1, most=1)
    async with limiter.slot():
        first, second = (asyncio.create_task(most_out(limiter, 1)) for _ in range(2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    first.cancel()
    assert await asyncio.wait_for(second, 5) == 1


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, Headroom()),
        ({"anthropic-ratelimit-requests-remaining": "7"}, Headroom(requests=7)),
        (
            {"anthropic-ratelimit-tokens-remaining": "90", "anthropic-ratelimit-output-tokens-remaining": "30"},
            Headroom(tokens=30),
        ),
        ({"x-ratelimit-remaining-tokens": "5"}, Headroom(tokens=5)),
        ({"anthropic-ratelimit-requests-remaining": "many", "x-ratelimit-remaining-tokens": "-1"}, Headroom()),
        ({"anthropic-ratelimit-requests-remaining": "9" * 99}, Headroom()),
    ],
)
def test_headers_say_how_much_room_there_is(headers: dict[str, str], expected: Headroom) -> None:
    assert Headroom.of_headers(headers) == expected
