"""Claude over Anthropic's Messages API: one answer at a time, long ones as a stream, many as a batch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from functools import partial

from graphmem.errors import ConfigError, ModelMisconfigured, ModelUnavailable
from graphmem.inference.anthropic_client import AnthropicClient
from graphmem.inference.anthropic_wire import (
    Json,
    parameters_of,
    parsed_answer,
    parsed_batch,
    parsed_health,
    parsed_result,
)
from graphmem.inference.batch_checks import check_batch
from graphmem.inference.limiter import Limiter
from graphmem.inference.model_health import HEALTH_PATIENCE, ModelHealth
from graphmem.inference.model_table import ModelFacts, model_table
from graphmem.inference.pace import Pace, Replied
from graphmem.inference.patience import Patience
from graphmem.ports import BatchProgress, BatchResult, ModelAnswer, ModelRequest

__all__ = ["STREAM_FROM_TOKENS", "AnthropicModel"]

STREAM_FROM_TOKENS = 16_000
"""Longer answers are streamed: a connection that is silent for minutes is cut on the way."""


class AnthropicModel:
    """A `graphmem.ports.BatchModel`; it needs the extra `anthropic` (ConfigError without).

    `key`: default ANTHROPIC_API_KEY, or what else the client finds (a token, a profile). `base_url`: default
    ANTHROPIC_BASE_URL, or Anthropic's own.
    """

    def __init__(
        self,
        model: str,
        *,
        key: str | None = None,
        base_url: str | None = None,
        facts: ModelFacts | None = None,
        patience: Patience | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        if not model:
            raise ConfigError("a model of Anthropic's is named like 'anthropic:claude-haiku-5-5'")
        self._model = model
        self._facts = facts or model_table().facts_of(model)
        self._pace = Pace(name=self.name, patience=patience or Patience(), limiter=limiter or Limiter())
        self._client = AnthropicClient(self.name, key=key, base_url=base_url)
        self._is_bare = False

    @property
    def name(self) -> str:
        return f"anthropic:{self._model}"

    @property
    def concurrency(self) -> int:
        """How many calls may be out at once just now."""
        return self._pace.limiter.width

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await self._pace.answer(request, partial(self._attempt, request))

    async def health(self) -> ModelHealth:
        """What the provider says of the model. Raises as `complete` does."""
        return parsed_health(await HEALTH_PATIENCE.carry(self.name, lambda: self._client.model(self._model)))

    async def aclose(self) -> None:
        await self._client.aclose()

    # ---- batches

    async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        """As the port says. Not tried again when it fails: a batch that was taken twice costs twice."""
        check_batch(requests)
        entries: list[Json] = [
            {"custom_id": custom_id, "params": self._parameters(request)} for custom_id, request in requests.items()
        ]
        allowed_s = self._pace.patience.total_s
        once = Patience(attempt_s=allowed_s, total_s=allowed_s, attempts=1)
        described = await once.carry(self.name, lambda: self._client.create_batch(entries, timeout_s=allowed_s))
        return parsed_batch(described)[0]

    async def poll(self, batch_id: str) -> BatchProgress:
        described = await self._pace.patience.carry(self.name, lambda: self._client.batch(batch_id))
        return parsed_batch(described)[1]

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        if not (await self.poll(batch_id)).is_ended:
            raise ModelUnavailable(f"batch {batch_id!r} has not ended: poll it until it has")
        async with aclosing(self._client.batch_lines(batch_id)) as lines:
            async for line in lines:
                yield parsed_result(line, self.name)

    # ---- one attempt

    async def _attempt(self, request: ModelRequest, timeout_s: float) -> Replied:
        try:
            return await self._ask(request, timeout_s)
        except ModelMisconfigured as error:
            if self._is_bare or not _is_about_thinking(error):
                raise
            self._is_bare = True  # the table is wrong about this model: ask without steering how it thinks
            return await self._ask(request, timeout_s)

    async def _ask(self, request: ModelRequest, timeout_s: float) -> Replied:
        is_long = request.max_output_tokens > STREAM_FROM_TOKENS
        send = self._client.streamed_message if is_long else self._client.message
        reply = await send(self._parameters(request), timeout_s=timeout_s)
        answer = parsed_answer(reply.body, reply.headers.get("request-id", ""))
        return Replied(answer=answer, headers=reply.headers)

    def _parameters(self, request: ModelRequest) -> Json:
        return parameters_of(request, self._facts, bare=self._is_bare)


def _is_about_thinking(error: ModelMisconfigured) -> bool:
    return any(word in str(error) for word in ("thinking", "effort"))
