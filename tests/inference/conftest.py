"""A Claude whose provider is a server on loopback: the real client over a real socket."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic('{"name": "Alice"}') as running:
        yield running


@pytest.fixture
def chat() -> Iterator[FakeOpenAI]:
    with FakeOpenAI('{"name": "Alice"}') as running:
        yield running
