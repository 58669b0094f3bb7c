"""Reading the JSON that a provider sends, as far as it can be read."""

from __future__ import annotations

import json
from typing import Annotated, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ValidationError

__all__ = ["Count", "read_body"]

_Model = TypeVar("_Model", bound=BaseModel)


def _counted(found: object) -> int:
    return found if isinstance(found, int) and 0 <= found < 2**53 else 0


Count: TypeAlias = Annotated[int, BeforeValidator(_counted)]
"""Tokens as they were counted, 0 where they were not: an answer is not lost for its bill."""


def read_body(form: type[_Model], body: str | bytes) -> _Model | None:
    """What the body holds of this form; None when it is something else. Half a surrogate pair becomes a question mark."""
    try:
        return form.model_validate_json(body)
    except ValidationError:
        pass  # perhaps only for a character that strict JSON does not take
    try:
        content = json.loads(body)
        return form.model_validate_json(json.dumps(content, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
