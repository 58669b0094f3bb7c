"""What a read that found nothing says of it, so that a wrong group or a misspelt name does not look like ignorance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmem.memory import Memory

__all__ = ["notes_on_nothing"]


async def notes_on_nothing(memory: Memory, group_ids: Sequence[str], *names: str | None) -> list[str]:
    """A sentence for the groups that hold nothing, else one for each of the names that nothing has in them."""
    empty = [group_id for group_id in group_ids if not await memory.recent(group_ids=group_id, limit=1)]
    notes = [f"Group {group_id!r} holds nothing." for group_id in empty]
    if len(empty) == len(group_ids):
        return notes
    unknown = [name for name in names if name is not None and not await memory.entities(name, group_ids=group_ids)]
    return notes + [f"Nothing is known by the name {name!r}." for name in unknown]
