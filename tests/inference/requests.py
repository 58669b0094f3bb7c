"""Requests and patience for the tests of language models."""

from __future__ import annotations

from graphmem.inference.patience import Patience
from graphmem.ports import Effort, ModelRequest

__all__ = ["QUICK", "SCHEMA", "request_of"]

QUICK = Patience(attempt_s=20.0, total_s=60.0, attempts=3, first_wait_s=0.01, longest_wait_s=0.05)
"""Waits are short; a slow machine is no failure."""

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
    "additionalProperties": False,
}


def request_of(
    prompt: str = "Alice works at Acme.",
    *,
    system: str = "Read.",
    most: int = 1_000,
    schema: dict[str, object] | None = None,
    stage: str = "extract",
    effort: Effort = Effort.LOW,
    attempt: int = 1,
) -> ModelRequest:
    return ModelRequest(
        system=system,
        prompt=prompt,
        schema=schema,
        max_output_tokens=most,
        stage=stage,
        effort=effort,
        attempt=attempt,
    )
