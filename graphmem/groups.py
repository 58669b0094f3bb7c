"""Group ids: what one looks like, and lists of them for reads."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphmem.errors import InvalidGroup

__all__ = ["DEFAULT_GROUP", "check_group", "checked_groups", "shown"]

DEFAULT_GROUP = "default"
_GROUP = re.compile(r"[A-Za-z0-9_-]{1,128}")


def check_group(group_id: object) -> str:
    """The group id, if it is one: 1 to 128 letters, digits, `_` and `-`. Raises InvalidGroup."""
    if not isinstance(group_id, str) or not _GROUP.fullmatch(group_id):
        raise InvalidGroup(f"group id {shown(group_id)} must be 1 to 128 letters, digits, '_' or '-'")
    return group_id


def checked_groups(group_ids: Sequence[str] | str) -> tuple[str, ...]:
    """Group ids of a read, each once, in order; a single id may be given by itself. Raises InvalidGroup, also for none."""
    given = [group_ids] if isinstance(group_ids, str) else group_ids
    if not isinstance(given, Sequence) or not given:
        raise InvalidGroup("a read needs at least one group id; none was given")
    return tuple(dict.fromkeys(check_group(g) for g in given))


def shown(value: object, longest: int = 60) -> str:
    """A value of a caller as an error message shows it: ASCII, cut."""
    text = ascii(value)
    return text if len(text) <= longest else text[: longest - 1] + "…"
