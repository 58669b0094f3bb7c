"""A Claude whose provider is a server on loopback: the real client over a real socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import pytest

from graphmem.testing.fake_anthropic import FakeAnthropic
from graphmem.testing.fake_openai import FakeOpenAI
from tests.inference.requests import QUICK

if TYPE_CHECKING:
    from graphmem.inference.anthropic import AnthropicModel


@pytest.fixture
def server() -> Iterator[FakeAnthropic]:
    with FakeAnthropic('{"name": "Alice"}') as running:
        yield running


@pytest.fixture
async def claude(server: FakeAnthropic) -> AsyncIterator[AnthropicModel]:
    from graphmem.inference.anthropic import (
        AnthropicModel,  # here: it needs the extra, which not every test of the folder does
    )

    model = AnthropicModel("claude-haiku-5-5", key="test", base_url=server.url, patience=QUICK)
    yield model
    await model.aclose()


@pytest.fixture
def chat() -> Iterator[FakeOpenAI]:
    with FakeOpenAI('{"name": "Alice"}') as running:
        yield running
