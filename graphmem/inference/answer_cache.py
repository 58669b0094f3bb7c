"""Answers kept in a folder by a hash of their request, so that a long run that was broken off costs nothing twice."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from graphmem.errors import InvalidPath
from graphmem.inference.meter import Meter, StageUse
from graphmem.inference.whole_file import write_whole
from graphmem.ports import LanguageModel, ModelAnswer, ModelRequest, StopReason

__all__ = ["CachedModel", "request_hash"]

_ANSWER: TypeAdapter[ModelAnswer] = TypeAdapter(ModelAnswer)


class CachedModel:
    """A `graphmem.ports.LanguageModel` that gives an answer it was given before, and asks another model for the rest.

    Only answers that came to their end are kept. The folder holds what was said in plain text: treat it like the memory
    itself. A file in it that cannot be read is asked for anew.
    """

    def __init__(self, model: LanguageModel, folder: Path, *, meter: Meter | None = None) -> None:
        self._model = model
        self._folder = folder
        self._meter = meter

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        path = self._path(request)
        kept = _kept(path)
        if kept is not None:
            if self._meter is not None:
                self._meter.add(request.stage, StageUse(cached=1))
            return replace(kept, is_cached=True)
        answer = await self._model.complete(request)
        if answer.stop is StopReason.END:
            write_whole(path, _ANSWER.dump_json(answer))
        return answer

    async def aclose(self) -> None:
        await self._model.aclose()

    def _path(self, request: ModelRequest) -> Path:
        key = request_hash(self.name, request)
        return self._folder / key[:2] / f"{key[2:]}.json"


def request_hash(model: str, request: ModelRequest) -> str:
    """A hash over all that can change the answer: the model and the request but for its stage."""
    asked = {
        "model": model,
        "system": request.system,
        "prompt": request.prompt,
        "schema": request.schema,
        "schema_name": request.schema_name,
        "max_output_tokens": request.max_output_tokens,
        "effort": request.effort.value,
        "attempt": request.attempt,
    }
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _kept(path: Path) -> ModelAnswer | None:
    try:
        return _ANSWER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        return None  # of another version, or torn by a full disk: it is asked for anew and written over
    except OSError as error:
        raise InvalidPath(f"the cache of answers cannot be read at {path}: {error}") from error
