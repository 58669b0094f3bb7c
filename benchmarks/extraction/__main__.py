"""`python -m benchmarks.extraction`: calls and prompt tokens of one message, in an empty group and in one of 99 messages.

The model is scripted: what is measured is what it is asked. No network, no key.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from benchmarks.report import Table, add_common_flags, write_report
from graphmem import Memory, Receipt
from graphmem.inference.scripted import ScriptedModel
from graphmem.ingest.by_model.request import estimated_tokens
from graphmem.ports import ModelRequest

__all__ = ["main"]

MOST_CALLS = 2
MOST_PROMPT_TOKENS = 1_500
"""Of a one-fact message: instructions, schema and message."""
MOST_CONTEXT_TOKENS = 600
_SIZES = {"one fact": 1, "five facts": 5, "forty facts": 40}
_BEFORE = 99
_FIRST_DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
_SENTENCE = re.compile(r"([A-Z]\S* [A-Z]\S+) works at ([A-Z]\S+)\.")
_MESSAGE = re.compile(r"<message [^>]*>(.*?)</message>", re.DOTALL)
_SYLLABLES = ("Ba", "Ce", "Di", "Fo", "Gu", "Ha", "Je", "Ki", "Lo", "Mu")


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one message cost."""

    message: str
    episode: int
    """Its place in the group, from 1."""
    calls: int
    prompt_tokens: int
    """Of all its calls, schema included: one for 3.5 characters."""
    context_tokens: int
    facts: int
    """Claims that were stored."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction", description=__doc__)
    add_common_flags(parser)
    arguments = parser.parse_args(argv)
    costs = asyncio.run(_measured())
    faults = _faults(costs)
    rows = [
        (c.message, str(c.episode), str(c.calls), str(c.prompt_tokens), str(c.context_tokens), str(c.facts))
        for c in costs
    ]
    head = ("message", "episode of its group", "calls", "prompt tokens", "of them context", "facts")
    write_report(
        "extraction",
        arguments,
        {"messages": [vars(cost) for cost in costs], "faults": faults},
        [Table(title="What reading a message asks of a model", rows=(head, *rows))],
    )
    for fault in faults:
        print(f"over the limit: {fault}")
    return 1 if faults else 0


async def _measured() -> list[Cost]:
    costs = []
    for message, facts in _SIZES.items():
        costs.append(await _cost(message, facts, before=0))
        costs.append(await _cost(message, facts, before=_BEFORE))
    costs.append(await _cost("five facts, two of doubtful people", 5, before=_BEFORE, doubtful=2))
    return costs


async def _cost(message: str, facts: int, *, before: int, doubtful: int = 0) -> Cost:
    model = ScriptedModel(_reply)
    async with await Memory.open(":memory:", model=model) as memory:
        for number in range(before):
            await _tell(memory, _text([number]), number)
        model.requests.clear()
        told = [_person(n) for n in range(1_000, 1_000 + facts - doubtful)]
        told += [f"{_person(n)[0]}. {_person(n).split()[1]}" for n in range(doubtful)]
        receipt = await _tell(memory, " ".join(_sentence(name, n) for n, name in enumerate(told)), before)
    return Cost(
        message=message,
        episode=before + 1,
        calls=receipt.calls,
        prompt_tokens=sum(_tokens_of(request) for request in model.requests),
        context_tokens=estimated_tokens(model.requests[0].prompt.partition("<message ")[0]),
        facts=receipt.claims,
    )


async def _tell(memory: Memory, text: str, number: int) -> Receipt:
    return await memory.add_episode(
        text, speaker="Ann Lee", session_id="s1", said_at=_FIRST_DAY + timedelta(minutes=number)
    )


def _tokens_of(request: ModelRequest) -> int:
    return estimated_tokens(request.system + request.prompt + json.dumps(request.schema, separators=(",", ":")))


def _faults(costs: Sequence[Cost]) -> list[str]:
    faults = [f"{c.message}, episode {c.episode}: {c.calls} calls" for c in costs if c.calls > MOST_CALLS]
    faults += [
        f"{c.message}, episode {c.episode}: {c.context_tokens} tokens of context"
        for c in costs
        if c.context_tokens > MOST_CONTEXT_TOKENS
    ]
    faults += [
        f"{c.message}, episode {c.episode}: {c.prompt_tokens} prompt tokens"
        for c in costs
        if c.message == "one fact" and c.prompt_tokens - c.context_tokens > MOST_PROMPT_TOKENS
    ]
    return faults


# ---- messages, and a model that reads them


def _person(number: int) -> str:
    """A first and a family name; none is like another's."""
    return f"{_name(number * 7)}a {_name(number)}{_name(number * 13 + 5).lower()}"


def _name(number: int) -> str:
    digits = f"{number % 1_000:03d}"
    return "".join(_SYLLABLES[int(digit)] for digit in digits).capitalize()


def _text(numbers: Sequence[int]) -> str:
    return " ".join(_sentence(_person(number), number) for number in numbers)


def _sentence(person: str, number: int) -> str:
    return f"{person} works at {_name(number)}corp."


def _reply(request: ModelRequest) -> str:
    if request.stage != "extract":
        return json.dumps({"matches": []})
    entities: list[dict[str, object]] = []
    facts: list[dict[str, object]] = []
    for number, text in enumerate(_MESSAGE.findall(request.prompt), start=1):
        for found in _SENTENCE.finditer(text):
            first = len(entities) + 1
            for n, (name, kind) in enumerate(((found[1], "person"), (found[2], "thing")), start=first):
                entities.append({"n": n, "name": name, "kind": kind, "words": name, "also": ""})
            facts.append(
                {
                    "message": number,
                    "kind": "HOLD",
                    "subject": first,
                    "relation": "WORKS_AT",
                    "object": first + 1,
                    "quote": found[0],
                    "sentence": found[0],
                }
            )
    return json.dumps({"entities": entities, "facts": facts})


if __name__ == "__main__":
    sys.exit(main())
