"""Embedders by name: the local one, any sentence-transformers model, a folder with an ONNX model, an endpoint."""

from __future__ import annotations

import os
from pathlib import Path

from graphmem.errors import ConfigError
from graphmem.ports import Embedder

__all__ = ["LOCAL", "NO_EMBEDDER", "is_local_installed", "open_embedder"]

LOCAL = "local"
NO_EMBEDDER = "none"
_SENTENCE_TRANSFORMERS = "sentence-transformers:"
_HUB = "hub:"


def open_embedder(name: str) -> Embedder | None:
    """The embedder that a name means; None for "none". Its weights are loaded when it is first used.

    `local`: all-MiniLM-L6-v2 in 8 bits from the extra `local`, no torch and no download.
    A folder with model.onnx (or onnx/model.onnx) and tokenizer.json: that model, by the same extra.
    `hub:OWNER/NAME@REVISION`: such files of the hub, fetched once at a pinned revision, by the same extra.
    `sentence-transformers:NAME`: any model name or folder, by the extra `sentence-transformers`.
    `http(s)://HOST/v1#MODEL`: an OpenAI-compatible endpoint; its key is read from OPENAI_API_KEY.

    Raises ConfigError for anything else, and where the extra is missing; ModelUnavailable where the hub cannot be reached.
    """
    if name == NO_EMBEDDER:
        return None
    if name == LOCAL:
        from graphmem.inference.onnx import OnnxEmbedder
        from graphmem.inference.packaged_model import packaged_minilm

        return OnnxEmbedder(packaged_minilm())
    if name.startswith(_SENTENCE_TRANSFORMERS):
        from graphmem.inference.sentence_transformers import SentenceTransformersEmbedder

        return SentenceTransformersEmbedder(name.removeprefix(_SENTENCE_TRANSFORMERS))
    if name.startswith(_HUB):
        from graphmem.inference.hub import hub_files
        from graphmem.inference.onnx import OnnxEmbedder

        return OnnxEmbedder(hub_files(name.removeprefix(_HUB)))
    if name.startswith(("http://", "https://")):
        from graphmem.inference.openai_compatible import OpenAICompatibleEmbedder

        url, _, model = name.partition("#")
        return OpenAICompatibleEmbedder(url, model, key=os.environ.get("OPENAI_API_KEY"))
    folder = Path(os.path.expanduser(name))
    if os.path.isdir(folder):  # False too for a name that no path can have, at which Path.is_dir() raises
        from graphmem.inference.onnx import OnnxEmbedder, OnnxFiles

        return OnnxEmbedder(OnnxFiles.of_folder(folder))
    raise ConfigError(
        f"no embedder {name!r}: use 'local', 'none', a folder with model.onnx and tokenizer.json, "
        "'hub:OWNER/NAME@REVISION', 'sentence-transformers:NAME' or 'https://HOST/v1#MODEL'"
    )


def is_local_installed() -> bool:
    """Whether the extra `local` is there, with its model."""
    from graphmem.inference.packaged_model import packaged_minilm

    try:
        packaged_minilm()
    except ConfigError:
        return False
    return True
