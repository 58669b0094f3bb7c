"""Which keys the models of a benchmark need, so that one without its key is skipped and not failed."""

from __future__ import annotations

import os

__all__ = ["missing_key"]

_OPENAI_OWN = "openai:https://api.openai.com/"


def missing_key(name: str) -> str | None:
    """The environment variable that this model needs and that is not set; None when nothing is missing."""
    needs = _needed(name)
    return needs if needs and not os.environ.get(needs) else None


def _needed(name: str) -> str | None:
    if name.startswith("anthropic:"):
        return "ANTHROPIC_API_KEY"
    return "OPENAI_API_KEY" if name.startswith(_OPENAI_OWN) else None
