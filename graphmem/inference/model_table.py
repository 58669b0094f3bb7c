"""What is known of language models: prices with their date, limits, how they are kept from thinking. From models.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphmem.errors import ConfigError, ResourceMissing
from graphmem.ports import ModelUsage
from graphmem.resources import read

__all__ = ["FREE", "ModelFacts", "ModelTable", "Prices", "Thinking", "model_table"]

Thinking: TypeAlias = Literal["disabled", "between_tools"]

_MILLION = 1_000_000
_DATED = re.compile(r"-\d{8}$")


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """US dollars per million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    batch: float = 1.0
    """What a token of a batch costs beside one asked for at once."""
    over_tokens: int | None = None
    over_factor: float = 1.0
    """With a prompt of more than `over_tokens`, every token costs so many times more."""

    def cost_usd(self, usage: ModelUsage, *, in_batch: bool = False) -> float:
        """What one call cost.

        >>> prices = Prices(input=0.1, output=0.5, cache_read=0.01, cache_write=0.125)
        >>> prices.cost_usd(ModelUsage(input_tokens=200, cache_read_tokens=1_300, output_tokens=400))
        0.000233
        """
        tokens_usd = (
            usage.input_tokens * self.input
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
            + usage.output_tokens * self.output
        )
        is_over = self.over_tokens is not None and usage.prompt_tokens > self.over_tokens
        return tokens_usd / _MILLION * (self.over_factor if is_over else 1.0) * (self.batch if in_batch else 1.0)

    def most_usd(self, *, prompt_tokens: int, output_tokens: int, in_batch: bool = False) -> float:
        """What one call can cost at most, with nothing read from the cache and all of the prompt written to it."""
        usage = ModelUsage(cache_write_tokens=prompt_tokens, output_tokens=output_tokens)
        return self.cost_usd(usage, in_batch=in_batch)


FREE = Prices(input=0.0, output=0.0, cache_read=0.0, cache_write=0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelFacts:
    """What is known of one model; of an unknown one, what is safe to assume."""

    name: str
    prices: Prices
    min_cached_tokens: int
    context_tokens: int
    most_output_tokens: int
    thinking: Thinking | None = None
    """What is sent to keep the model from thinking before it answers; None: nothing is sent."""
    takes_effort: bool = False
    ends_on: date | None = None
    is_known: bool = True
    """False: prices are those of the dearest model, so that a limit is rather kept too early."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelTable:
    """The models that are known."""

    as_of: date
    known: Mapping[str, ModelFacts]
    unknown: ModelFacts

    def facts_of(self, name: str) -> ModelFacts:
        """What is known of a model. A name with the date of its making means the model without it.

        >>> model_table().facts_of("claude-haiku-4-5-20251001").prices.input
        1.0
        """
        known = self.known.get(name) or self.known.get(_DATED.sub("", name))
        if known is not None:
            return known
        unknown = self.unknown
        return ModelFacts(
            name=name,
            prices=unknown.prices,
            min_cached_tokens=unknown.min_cached_tokens,
            context_tokens=unknown.context_tokens,
            most_output_tokens=unknown.most_output_tokens,
            is_known=False,
        )


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    over_tokens: int | None = Field(default=None, gt=0)
    over_factor: float = Field(default=1.0, ge=1)
    min_cached: int = Field(default=4_096, gt=0)
    context: int = Field(default=200_000, gt=0)
    most_output: int = Field(default=8_192, gt=0)
    thinking: Thinking | None = None
    effort: bool = False
    ends_on: date | None = None

    def facts(self, name: str, cache_write: float, batch: float) -> ModelFacts:
        return ModelFacts(
            name=name,
            prices=Prices(
                input=self.input,
                output=self.output,
                cache_read=self.input if self.cache_read is None else self.cache_read,
                cache_write=self.input * cache_write,
                batch=batch,
                over_tokens=self.over_tokens,
                over_factor=self.over_factor,
            ),
            min_cached_tokens=self.min_cached,
            context_tokens=self.context,
            most_output_tokens=self.most_output,
            thinking=self.thinking,
            takes_effort=self.effort,
            ends_on=self.ends_on,
        )


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")
    as_of: date | None = None
    cache_write: float = Field(default=1.25, ge=1)
    batch: float = Field(default=0.5, gt=0, le=1)
    unknown: _Row | None = None
    models: dict[str, _Row] = {}

    def rows(self) -> dict[str, ModelFacts]:
        return {name: row.facts(name, self.cache_write, self.batch) for name, row in self.models.items()}


@cache
def model_table(over: Path | None = None) -> ModelTable:
    """The table of the package, with the rows of a file laid over it. Raises ConfigError for a file that cannot be read."""
    ours = _parsed("models.toml", read("inference/models.toml"))
    if ours.as_of is None or ours.unknown is None:
        raise ResourceMissing("models.toml lacks its date or the row of unknown models: reinstall graphmem")
    theirs = _File() if over is None else _parsed(str(over), _text_of(over))
    unknown = theirs.unknown or ours.unknown
    return ModelTable(
        as_of=theirs.as_of or ours.as_of,
        known={**ours.rows(), **theirs.rows()},
        unknown=unknown.facts("", ours.cache_write, ours.batch),
    )


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the table of models {path} cannot be read: {error}") from error


def _parsed(name: str, text: str) -> _File:
    try:
        return _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name} cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{name}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
