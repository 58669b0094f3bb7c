"""Terms in the full-text indexes of a store file: each begins with a mark of its group, so that a group reads its own only."""

from __future__ import annotations

from base64 import b32encode
from functools import lru_cache
from hashlib import blake2b

__all__ = ["group_mark", "marked_term", "marked_terms", "term_count"]

_MARK_LENGTH = 4
"""Signs. A million marks: two groups that share one read past each other's rows, and that is all."""


def marked_terms(group_id: str, terms: str) -> str:
    """The terms (blank between them) as the index of a group holds them."""
    mark = group_mark(group_id)
    return mark + terms.replace(" ", f" {mark}") if terms else ""


def marked_term(group_id: str, term: str) -> str:
    """One term as the index of a group holds it."""
    return group_mark(group_id) + term


def term_count(terms: str) -> int:
    """How many terms these are (blank between them), with or without marks."""
    return terms.count(" ") + 1 if terms else 0


@lru_cache(maxsize=4_096)
def group_mark(group_id: str) -> str:
    """What every term of a group begins with; few other groups have the same."""
    digest = blake2b(group_id.encode(errors="surrogatepass"), digest_size=5).digest()
    return b32encode(digest).decode().lower()[:_MARK_LENGTH]
