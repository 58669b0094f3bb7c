"""How many tokens a model makes of a text: a guess that learns from what the model's provider counted."""

from __future__ import annotations

import json
from math import ceil
from pathlib import Path

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from graphmem.errors import ConfigError
from graphmem.inference.whole_file import write_whole
from graphmem.ports import ModelRequest

__all__ = ["CHARACTERS_PER_TOKEN", "TokenEstimates", "characters_of"]

CHARACTERS_PER_TOKEN = 3.5
"""Of English, before anything was learned."""

_PRIOR_TOKENS = 1_000.0
"""So much weight has the guess beside what was counted."""
_MEMORY_TOKENS = 1_000_000.0
"""What was counted before weighs no more than this, so that a change of texts is followed."""


class _Counted(BaseModel):
    characters: float = Field(ge=0)
    tokens: float = Field(ge=0)


_FILE: TypeAdapter[dict[str, _Counted]] = TypeAdapter(dict[str, _Counted])


class TokenEstimates:
    """Characters per token, by model. With a `path` they are read from that file, and written to it by `save`.

    >>> estimates = TokenEstimates()
    >>> estimates.tokens("claude-haiku-5-5", 700)
    200
    >>> estimates.learn("claude-haiku-5-5", characters=400_000, tokens=100_000)
    >>> estimates.tokens("claude-haiku-5-5", 700)
    176
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._counted = _read(path) if path is not None and path.exists() else {}

    def tokens(self, model: str, characters: int) -> int:
        """About how many tokens so many characters are; never fewer for more of them."""
        return ceil(characters / self.characters_per_token(model))

    def characters_per_token(self, model: str) -> float:
        """What was learned of the model, drawn towards the guess while that is little."""
        counted = self._counted.get(model, _Counted(characters=0, tokens=0))
        return (counted.characters + _PRIOR_TOKENS * CHARACTERS_PER_TOKEN) / (counted.tokens + _PRIOR_TOKENS)

    def learn(self, model: str, *, characters: int, tokens: int) -> None:
        """The provider counted so many tokens in so many characters."""
        if characters <= 0 or tokens <= 0:
            return
        before = self._counted.get(model, _Counted(characters=0, tokens=0))
        kept = min(1.0, _MEMORY_TOKENS / (before.tokens + tokens))
        self._counted[model] = _Counted(
            characters=(before.characters + characters) * kept, tokens=(before.tokens + tokens) * kept
        )

    def save(self) -> None:
        """Write what was learned; without a path a no-op. Raises InvalidPath where that cannot be done."""
        if self._path is not None:
            write_whole(self._path, _FILE.dump_json(self._counted, indent=1))


def characters_of(request: ModelRequest) -> int:
    """The characters of a prompt, its schema included: providers count it too."""
    schema = 0 if request.schema is None else len(json.dumps(request.schema, separators=(",", ":")))
    return len(request.system) + len(request.prompt) + schema


def _read(path: Path) -> dict[str, _Counted]:
    try:
        return _FILE.validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"what was learned of tokens, {path}, cannot be read: {error}") from error
    except ValidationError:
        raise ConfigError(f"{path} is not what graphmem learned of tokens: delete it, it is learned anew") from None
