"""Who reads the stories: the engine's rules, nobody (their gold claims go in), or a language model, real or scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.stories.gold_model import gold_model
from benchmarks.stories.loading import Story
from graphmem.inference.answer_cache import CachedModel
from graphmem.inference.language_models import ModelName, facts_of, open_model
from graphmem.inference.meter import Meter
from graphmem.inference.metering import metered
from graphmem.inference.model_table import model_table
from graphmem.inference.openai_chat import OpenAICompatibleModel
from graphmem.inference.patience import Patience
from graphmem.ports import LanguageModel

__all__ = ["SCRIPTED_GOLD", "ModelReader"]

SCRIPTED_GOLD = "scripted-gold"
_LOCAL_MODEL = "local"
"""What an endpoint that serves one model is asked for, where no name is given."""
_PATIENCE = Patience(attempt_s=900.0, total_s=1_800.0, attempts=2)
"""A small model on a busy machine takes minutes for an answer; a benchmark waits for it."""


@dataclass(frozen=True, kw_only=True)
class ModelReader:
    """A language model by name: "scripted-gold", the URL of an OpenAI-compatible endpoint, or a name of `open_model`."""

    name: str
    cache: Path | None = None
    """A folder for the answers: a run that was broken off goes on where it stopped."""
    meter: Meter = field(default_factory=Meter)

    @property
    def is_scripted(self) -> bool:
        return self.name == SCRIPTED_GOLD

    @asynccontextmanager
    async def model(self, story: Story) -> AsyncIterator[LanguageModel]:
        """The model that reads one story."""
        if self.is_scripted:
            yield gold_model(story)
            return
        model = self._opened()
        try:
            yield model
        finally:
            await model.aclose()

    def _opened(self) -> LanguageModel:
        if self.name.startswith(("http://", "https://")):
            url, _, served = self.name.partition("#")
            local = OpenAICompatibleModel(url, served or _LOCAL_MODEL, patience=_PATIENCE)
            facts = facts_of(ModelName(model=served or _LOCAL_MODEL, url=url), model_table())
            counted = metered(local, facts=facts, meter=self.meter)
            return counted if self.cache is None else CachedModel(counted, self.cache, meter=self.meter)
        model = open_model(self.name, meter=self.meter, cache=self.cache)
        if model is None:
            raise ValueError(f"{self.name!r} is no language model: give --claims own for the rules")
        return model
