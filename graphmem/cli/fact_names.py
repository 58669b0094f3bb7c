"""Facts as they are named on the command line: by id or by their sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmem.errors import InvalidQuery, NotFound

if TYPE_CHECKING:
    from graphmem.memory import Memory

__all__ = ["find_fact"]

_ID = re.compile(r"f_[0-9a-f]+")
_CANDIDATES = 50
_LISTED = 10_000


async def find_fact(memory: Memory, name: str, group_id: str) -> str:
    """The id of the fact of this id or sentence. Raises NotFound for none, InvalidQuery for several."""
    from graphmem.ports import SearchTarget

    if _ID.fullmatch(name.strip()):
        return name.strip()
    found = await memory.search(name, group_ids=group_id, targets=[SearchTarget.FACT], limit=_CANDIDATES)
    sentences = {one.item_id: one.facts[0].text for one in found if one.facts}
    said = _folded(name)
    matching = [fact_id for fact_id, sentence in sentences.items() if _folded(sentence) == said]
    if not matching:  # a search sees no undated past
        listed = await memory.facts(group_ids=group_id, during=(None, None), possible=True, limit=_LISTED)
        matching = list(dict.fromkeys(one.fact.fact_id for one in listed if _folded(one.text) == said))
    if len(matching) > 1:
        raise InvalidQuery(f"{name!r} is the sentence of several facts: name one by its id, {' or '.join(matching)}")
    if not matching:
        nearest = next(iter(sentences.values()), "")
        raise NotFound(f"no fact {name!r} in group {group_id!r}" + (f"; the nearest is {nearest!r}" if nearest else ""))
    return matching[0]


def _folded(sentence: str) -> str:
    return " ".join(sentence.casefold().rstrip(".").split())
