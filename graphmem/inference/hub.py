"""A model from the hub: two files of one pinned revision, fetched once and read from the disk from then on."""

from __future__ import annotations

import os
import re
import urllib.error
import urllib.request
from pathlib import Path

from graphmem.errors import ConfigError, ModelUnavailable
from graphmem.inference.onnx import OnnxFiles

__all__ = ["hub_files"]

_NAME = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<revision>[0-9a-f]{40})(?:#(?P<model>[\w./-]+\.onnx))?")
_MODEL = "onnx/model.onnx"
_TOKENIZER = "tokenizer.json"
_PATIENCE_S = 10.0


def hub_files(name: str, *, endpoint: str | None = None, cache: Path | None = None) -> OnnxFiles:
    """The files of OWNER/NAME@REVISION or OWNER/NAME@REVISION#FILE.onnx, by default its onnx/model.onnx and tokenizer.json.

    They are kept in `cache` (default: the cache of huggingface_hub); once they are there nothing is asked of the hub. Only the
    hash of a commit is a revision: a branch may change under the vectors made with it. `endpoint`: another hub than the public
    one (else HF_ENDPOINT). On a terminal its client shows how far it is. Raises ConfigError for a name or file that there is
    not, ModelUnavailable when the hub cannot be reached and the files are not here.
    """
    named = _NAME.fullmatch(name)
    if named is None:
        raise ConfigError(
            "a model of the hub is named like 'hub:OWNER/NAME@REVISION', the revision being the 40 digits of a commit,"
            f" not {name!r}"
        )
    repo, revision = named["repo"], named["revision"]
    endpoint = endpoint or os.environ.get("HF_ENDPOINT") or None
    model, tokenizer = (_file(repo, file, revision, endpoint, cache) for file in (named["model"] or _MODEL, _TOKENIZER))
    return OnnxFiles(name=repo, model=model, tokenizer=tokenizer)


def _file(repo: str, file: str, revision: str, endpoint: str | None, cache: Path | None) -> Path:
    try:
        from huggingface_hub import constants, try_to_load_from_cache
    except ModuleNotFoundError as error:
        raise ConfigError(f"a model of the hub needs {error.name}: pip install 'graphmem[local]'") from error
    kept = try_to_load_from_cache(repo, file, cache_dir=cache, revision=revision)
    if isinstance(kept, str):
        return Path(kept)
    endpoint = endpoint or str(constants.ENDPOINT)
    if constants.HF_HUB_OFFLINE or not _is_reached(endpoint):
        raise ModelUnavailable(
            f"{file} of {repo}@{revision[:12]} is not on this computer and the hub cannot be reached: fetch it where there is a"
            " network, or name a folder with model.onnx and tokenizer.json"
        )
    return _fetched(repo, file, revision, endpoint, cache)


def _is_reached(endpoint: str) -> bool:
    """Asked first: its own client tries a hub that is away for half a minute."""
    try:
        with urllib.request.urlopen(urllib.request.Request(endpoint, method="HEAD"), timeout=_PATIENCE_S):
            return True
    except urllib.error.HTTPError:  # it answers
        return True
    except OSError:
        return False


def _fetched(repo: str, file: str, revision: str, endpoint: str, cache: Path | None) -> Path:
    from huggingface_hub import errors as hub
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(repo, file, revision=revision, endpoint=endpoint, cache_dir=cache))
    except hub.LocalEntryNotFoundError as error:
        raise ModelUnavailable(f"the hub did not give {file} of {repo}@{revision[:12]}: try again later") from error
    except (
        hub.EntryNotFoundError,
        hub.RepositoryNotFoundError,
        hub.RevisionNotFoundError,
        hub.HFValidationError,
    ) as error:
        raise ConfigError(f"the hub has no {file} of {repo}@{revision[:12]}, or it is not open to you") from error
    except OSError as error:
        raise ModelUnavailable(f"{file} of {repo} cannot be fetched from the hub: {type(error).__name__}") from error
