"""The language model that one call of the command reads with, and what that cost."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.inference.meter import Meter, StageUse
    from graphmem.ports import LanguageModel, ModelRequest
    from graphmem.settings import Settings

__all__ = ["ModelUse"]

_TOKENS = "token-lengths.json"


class ModelUse:
    """Opens the model of the settings when it is needed: its client takes a second to import."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._meter: Meter | None = None

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LanguageModel | None]:
        """The model, closed at the end; None where the offline rules read."""
        settings = self._settings
        if settings.model.value == "rules":
            yield None
            return
        from graphmem.inference.language_models import open_model
        from graphmem.inference.meter import Meter

        limit = settings.max_cost.value
        self._meter = Meter(max_cost_usd=float(limit) if limit else None)
        model = open_model(
            settings.model.value,
            meter=self._meter,
            cache=_path(settings.model_cache.value),
            estimates=_estimates(),
            table=_path(settings.model_table.value),
        )
        try:
            yield model
        finally:
            if model is not None:
                await model.aclose()

    def expected(self, requests: Iterable[ModelRequest]) -> StageUse | None:
        """About what these requests would cost; None where the offline rules read. Nothing is asked of the model."""
        settings = self._settings
        from graphmem.inference.language_models import facts_of, parse_model
        from graphmem.inference.metering import expected_use
        from graphmem.inference.model_table import model_table
        from graphmem.inference.token_estimates import TokenEstimates

        parsed = parse_model(settings.model.value)
        if parsed is None:
            return None
        facts = facts_of(parsed, model_table(_path(settings.model_table.value)))
        return expected_use(requests, facts=facts, estimates=TokenEstimates(_estimates()))

    @property
    def spent(self) -> str:
        """The dollars so far, such as "$0.02"; empty without a model."""
        return "" if self._meter is None else f"${self._meter.total.cost_usd:.2f}"

    def words(self) -> str:
        """What was asked of the model, in a line; empty when nothing was.

        "3 calls to anthropic:claude-haiku-5-5, 4,512 tokens in, 310 out, $0.0006"
        """
        total = None if self._meter is None else self._meter.total
        if total is None or not (total.calls or total.cached or total.failed):
            return ""
        also = [f"{total.cached} answered from the cache"] if total.cached else []
        also += [f"{total.failed} failed"] if total.failed else []
        calls = f"{total.calls} call{'' if total.calls == 1 else 's'} to {self._settings.model.value}"
        tokens = f"{total.usage.prompt_tokens:,} tokens in, {total.usage.output_tokens:,} out"
        return ", ".join([calls, tokens, f"${total.cost_usd:.4f}", *also])


def _estimates() -> Path:
    """Where the length of tokens is learned, for all memories of this user."""
    from graphmem.settings import default_db

    return default_db(os.environ).parent / _TOKENS


def _path(value: str) -> Path | None:
    return Path(os.path.expanduser(value)) if value else None
