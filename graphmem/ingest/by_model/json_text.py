"""The one JSON object in what a model wrote: fences, thoughts and prose around it taken away."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from graphmem.errors import MalformedAnswer

__all__ = ["object_in"]

_THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_MAX_STARTS = 50
_DECODER = json.JSONDecoder()


def object_in(text: str, prompt_name: str, *, keys: frozenset[str]) -> dict[str, object]:
    """The first object that has one of these keys, at the top or as JSON text inside JSON.

    Raises MalformedAnswer for an answer without one: cut off, a refusal in prose, a bare list, the schema itself.
    """
    bare = _THOUGHTS.sub("", text).lstrip("\ufeff").strip()
    for value in _values(bare):
        found = json_object(value, keys)
        if found is not None:
            return found
    # No text of it: it may be personal. The answer itself is in the cache under its request.
    raise MalformedAnswer(f"the answer to prompt {prompt_name!r} is no JSON object with {' and '.join(sorted(keys))}")


def json_object(value: object, keys: frozenset[str]) -> dict[str, object] | None:
    """The object that a decoded value is or wraps; None for anything else, an echoed schema too."""
    if isinstance(value, str):
        inner = next(_values(value.strip()), None)
        return json_object(inner, keys) if isinstance(inner, dict) else None
    if not isinstance(value, dict) or "properties" in value or "$defs" in value:
        return None
    if keys & value.keys():
        return value
    if len(value) == 1:  # {"answer": {…}}: some models name what they answer with
        return json_object(next(iter(value.values())), keys)
    return None


def _values(text: str) -> Iterator[object]:
    """JSON values in a text, in order; what is inside one that was read is not read again."""
    at, starts = 0, 0
    while starts < _MAX_STARTS and (begin := _opening(text, at)) >= 0:
        starts += 1
        try:
            value, end = _DECODER.raw_decode(text, begin)
        except (ValueError, RecursionError):
            at = begin + 1
            continue
        yield value
        at = end


def _opening(text: str, at: int) -> int:
    if at == 0 and text.startswith('"'):
        return 0
    return text.find("{", at)
