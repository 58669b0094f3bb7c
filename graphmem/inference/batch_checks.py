"""What can be a batch of requests, before it is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from graphmem.errors import InvalidInput
from graphmem.ports import ModelRequest

__all__ = ["MAX_BATCH", "check_batch"]

MAX_BATCH = 100_000
MAX_BATCH_CHARACTERS = 120_000_000
"""So that the 256 MB a provider takes hold, whatever the script of the text."""

_CUSTOM_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_batch(requests: Mapping[str, ModelRequest]) -> None:
    """Raises InvalidInput for no requests, for too many or too long ones, and for an id that cannot be one."""
    if not 0 < len(requests) <= MAX_BATCH:
        raise InvalidInput(f"a batch holds 1 to {MAX_BATCH:,} requests, not {len(requests):,}")
    for custom_id in requests:
        if not _CUSTOM_ID.fullmatch(custom_id):
            raise InvalidInput(f"an id in a batch is made of 1 to 64 of [A-Za-z0-9_-], not {custom_id[:80]!r}")
    characters = sum(len(request.system) + len(request.prompt) for request in requests.values())
    if characters > MAX_BATCH_CHARACTERS:
        raise InvalidInput(f"a batch of {characters:,} characters is too long: split it")
