"""Counting tokens by the tokenizer of a model, as a file tokenizer.json holds it (the extra `local`)."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from graphmem.errors import ConfigError
from graphmem.ports import TokenCounter

if TYPE_CHECKING:
    import tokenizers

__all__ = ["TokenizerCounter", "open_token_counter"]

_LOCAL = "local"
_FILE = "tokenizer.json"


def open_token_counter(name: str) -> TokenCounter:
    """The counter that a name means.

    `local`: the tokenizer of the local embedder. Else a tokenizer.json, or a folder that holds one, such as that of the model
    which will read the text. Raises ConfigError where there is none.
    """
    if name == _LOCAL:
        from graphmem.inference.packaged_model import packaged_minilm

        return TokenizerCounter(packaged_minilm().tokenizer)
    path = Path(os.path.expanduser(name))
    path = path / _FILE if os.path.isdir(path) else path
    if not os.path.isfile(path):  # False too for a name that no path can have, at which Path.is_file() raises
        raise ConfigError(f"no token counter {name!r}: use 'estimate', 'local', or a file or folder with {_FILE}")
    return TokenizerCounter(path)


class TokenizerCounter:
    """A `graphmem.ports.TokenCounter` over one tokenizer.json, read when first used. Marks around a text are not counted."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def __call__(self, text: str) -> int:
        with self._lock:
            tokenizer = self._tokenizer
        return len(tokenizer.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _tokenizer(self) -> tokenizers.Tokenizer:
        try:
            from tokenizers import Tokenizer
        except ModuleNotFoundError as error:
            raise ConfigError(f"counting by a tokenizer needs {error.name}: pip install 'graphmem[local]'") from error
        try:
            tokenizer = Tokenizer.from_file(str(self._path))
        except Exception as error:
            # Foreign code that raises bare exceptions.
            raise ConfigError(f"{self._path} holds no tokenizer that can be read: {type(error).__name__}") from error
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer
