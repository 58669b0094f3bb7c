"""A model with a meter on it; and what requests would cost, before they are made."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping

from graphmem.errors import ModelError
from graphmem.inference.meter import Meter, StageUse
from graphmem.inference.model_table import ModelFacts
from graphmem.inference.token_estimates import TokenEstimates, characters_of
from graphmem.ports import (
    BatchModel,
    BatchProgress,
    BatchResult,
    LanguageModel,
    ModelAnswer,
    ModelRequest,
    ModelUsage,
)

__all__ = ["MeteredBatchModel", "MeteredModel", "expected_use", "metered"]


def metered(
    model: LanguageModel, *, facts: ModelFacts, meter: Meter, estimates: TokenEstimates | None = None
) -> LanguageModel:
    """The model with a meter on it; one that takes batches still does."""
    if isinstance(model, BatchModel):
        return MeteredBatchModel(model, facts=facts, meter=meter, estimates=estimates)
    return MeteredModel(model, facts=facts, meter=meter, estimates=estimates)


class MeteredModel:
    """A `graphmem.ports.LanguageModel` that counts what another one does, and teaches `estimates` how long its tokens are."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        facts: ModelFacts,
        meter: Meter,
        estimates: TokenEstimates | None = None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._facts = facts
        self._meter = meter
        self._estimates = estimates
        self._seconds = seconds

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        most_usd = _most_usd(request, self._facts)
        self._meter.hold(most_usd)
        began = self._seconds()
        try:
            answer = await self._model.complete(request)
        except ModelError:
            self._meter.add(request.stage, StageUse(failed=1, seconds=self._seconds() - began))
            raise
        finally:
            self._meter.release(most_usd)
        self._meter.add(request.stage, self._use_of(answer, seconds=self._seconds() - began))
        self._learn(request, answer)
        return answer

    async def aclose(self) -> None:
        """Close the model, and keep what was learned of its tokens."""
        await self._model.aclose()
        if self._estimates is not None:
            self._estimates.save()

    def _use_of(self, answer: ModelAnswer, *, seconds: float = 0.0, in_batch: bool = False) -> StageUse:
        if answer.is_cached:
            return StageUse(cached=1, seconds=seconds)
        cost_usd = self._facts.prices.cost_usd(answer.usage, in_batch=in_batch)
        return StageUse(calls=1, usage=answer.usage, cost_usd=cost_usd, seconds=seconds)

    def _learn(self, request: ModelRequest, answer: ModelAnswer) -> None:
        if self._estimates is not None and not answer.is_cached:
            characters, tokens = characters_of(request), answer.usage.prompt_tokens
            self._estimates.learn(self._facts.name, characters=characters, tokens=tokens)


class MeteredBatchModel(MeteredModel):
    """The same for a `graphmem.ports.BatchModel`.

    For a batch handed in here money is set aside until its results are read; results are counted once, whoever handed them in.
    """

    def __init__(
        self, model: BatchModel, *, facts: ModelFacts, meter: Meter, estimates: TokenEstimates | None = None
    ) -> None:
        super().__init__(model, facts=facts, meter=meter, estimates=estimates)
        self._batches = model
        self._submitted: dict[str, Mapping[str, ModelRequest]] = {}
        self._counted: set[tuple[str, str]] = set()

    async def submit(self, requests: Mapping[str, ModelRequest]) -> str:
        most_usd = self._most_of(requests)
        self._meter.hold(most_usd)
        try:
            batch_id = await self._batches.submit(requests)
        except BaseException:
            self._meter.release(most_usd)
            raise
        self._submitted[batch_id] = dict(requests)
        return batch_id

    async def poll(self, batch_id: str) -> BatchProgress:
        return await self._batches.poll(batch_id)

    async def results(self, batch_id: str) -> AsyncIterator[BatchResult]:
        requests = self._submitted.get(batch_id, {})
        async for result in self._batches.results(batch_id):
            if (batch_id, result.custom_id) not in self._counted:
                self._counted.add((batch_id, result.custom_id))
                self._count(requests.get(result.custom_id), result.outcome)
            yield result
        if self._submitted.pop(batch_id, None) is not None:
            self._meter.release(self._most_of(requests))

    def _count(self, request: ModelRequest | None, outcome: ModelAnswer | ModelError) -> None:
        stage = "batch" if request is None else request.stage
        if isinstance(outcome, ModelError):
            self._meter.add(stage, StageUse(failed=1))
            return
        self._meter.add(stage, self._use_of(outcome, in_batch=True))
        if request is not None:
            self._learn(request, outcome)

    def _most_of(self, requests: Mapping[str, ModelRequest]) -> float:
        return sum(_most_usd(request, self._facts, in_batch=True) for request in requests.values())


def _most_usd(request: ModelRequest, facts: ModelFacts, *, in_batch: bool = False) -> float:
    """A bound that holds: no tokenizer makes more tokens of a text than it has bytes (four a character at most)."""
    prompt_tokens = len(f"{request.system}{request.prompt}".encode("utf-8", "replace")) + 2 * characters_of(
        ModelRequest(system="", prompt="", schema=request.schema)
    )
    output_tokens = min(request.max_output_tokens, facts.most_output_tokens)
    return facts.prices.most_usd(prompt_tokens=prompt_tokens, output_tokens=output_tokens, in_batch=in_batch)


def expected_use(
    requests: Iterable[ModelRequest],
    *,
    facts: ModelFacts,
    estimates: TokenEstimates,
    output_tokens: int = 400,
    in_batch: bool = False,
) -> StageUse:
    """About what these requests would cost, each answered in so many tokens; nothing is asked of a provider.

    A prefix that the provider caches is paid for whole once, and read from its cache from then on.
    """
    total = StageUse()
    prefixes: set[str] = set()
    for request in requests:
        whole = estimates.tokens(facts.name, characters_of(request))
        prefix = estimates.tokens(facts.name, len(request.system))
        is_cacheable = prefix >= facts.min_cached_tokens
        read = prefix if is_cacheable and request.system in prefixes else 0
        written = prefix if is_cacheable and not read else 0
        prefixes.add(request.system)
        usage = ModelUsage(
            input_tokens=whole - read - written,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=output_tokens,
        )
        total += StageUse(calls=1, usage=usage, cost_usd=facts.prices.cost_usd(usage, in_batch=in_batch))
    return total
