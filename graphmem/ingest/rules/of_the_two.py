"""Which of the two things or persons named last "the former", "the second", "the other one" or "both" mean."""

from __future__ import annotations

from graphmem.ingest.rules.entities import Entities, Entity
from graphmem.ingest.rules.nouns import is_person_end

__all__ = ["of_the_two"]

_A_WHILE = 16
"""Mentions within which the two were named."""
_EARLIER = frozenset(("the former", "the first", "the first one"))
_LATER = frozenset(("the latter", "the second", "the second one"))
_OTHER = frozenset(("the other", "the other one"))
_BOTH = frozenset(("both", "the two", "the two of them"))
_ALL = _EARLIER | _LATER | _OTHER | _BOTH


def of_the_two(known: Entities, phrase: str, speaker: str | None, end: str) -> tuple[str, ...]:
    """Whom or what a phrase in lower case picks out of the two named last before its clause; none for any other phrase.

    `end`: of the relation, which tells whether persons or things are meant.
    """
    if phrase not in _ALL:
        return ()
    person, is_ticket = is_person_end(end), end.startswith("ticket")
    named = [k for k in known.all() if _is_one(k, known) and bool(k.person) is person and k.name != speaker]
    named = [k for k in named if not is_ticket or any(c.isdigit() for c in k.name)]
    two = sorted(sorted(named, key=lambda k: k.last_at)[-2:], key=lambda k: k.first_at)
    if len(two) < 2:
        return ()
    if phrase in _BOTH:
        return (two[0].name, two[1].name)
    if phrase in _OTHER:
        return (min(two, key=lambda k: k.last_at).name,)
    return (two[phrase in _LATER].name,)


def _is_one(entity: Entity, known: Entities) -> bool:
    is_recent = known.clause_at - _A_WHILE <= entity.last_at and entity.first_at < known.clause_at
    return is_recent and entity.name[:1].isupper()
