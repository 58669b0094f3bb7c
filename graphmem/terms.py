"""Terms: what is searched, the same in every store, so that all find the same texts and no query parser sees a user's words.

A term is made of letters and digits only. Case, accents and endings do not matter; a word with inner punctuation is found by its
parts and by its joined form (`main_py` by main, py and mainpy); scripts written without blanks are cut into pairs of characters.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property, lru_cache

__all__ = ["MAX_TERM_LENGTH", "indexed_words", "kept_terms", "name_key", "terms"]

MAX_TERM_LENGTH = 64
"""Longer runs of letters and digits are cut: nobody searches for them, and an index row must stay small."""

_WORD = re.compile(r"[^\W_]+(?:['’._\-/+@][^\W_]+)*")
_PARTS = re.compile(r"[^\W_]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_APOSTROPHE_S = re.compile(r"['’]s\b")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+")
_BLANKS = re.compile(r"\s+")


def terms(text: str) -> list[str]:
    """The terms of a text in its order, repeated words repeated (BM25 counts them).

    >>> terms("Zoë's café in main_py")
    ['zoe', 'cafe', 'in', 'mainpi', 'main', 'py']
    """
    return list(_terms(_plain(text)))


@lru_cache(maxsize=16_384)
def kept_terms(text: str) -> tuple[str, ...]:
    """As `terms`, kept: of texts that one search after another looks at."""
    return tuple(terms(text))


def _terms(plain: str) -> Iterator[str]:
    for word in _WORD.findall(_APOSTROPHE_S.sub("", plain)):
        if word.isascii() and word.isalnum():  # one part and no script without blanks, as nearly all are
            yield _stem(word[:MAX_TERM_LENGTH])
            continue
        parts = _PARTS.findall(word)
        if len(parts) > 1:
            yield from _word_terms("".join(parts))
        for part in parts:
            yield from _word_terms(part)


def _word_terms(word: str) -> Iterator[str]:
    if word.isascii():
        yield _stem(word[:MAX_TERM_LENGTH])
        return
    position = 0
    for run in _unspaced().finditer(word):
        if run.start() > position:
            yield _stem(word[position : run.start()][:MAX_TERM_LENGTH])
        yield from _pairs(run.group())
        position = run.end()
    if position < len(word):
        yield _stem(word[position:][:MAX_TERM_LENGTH])


# Compiled when first needed: classes of so many characters take long, and most texts have none of them.
@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(
        "[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f]+"
    )


@cache
def _joining() -> re.Pattern[str]:
    """Blanks that the writer of a script without them may set or leave out."""
    letter = r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
    return re.compile(f"(?<={letter}) (?={letter})")


def _pairs(run: str) -> Iterable[str]:
    return [run] if len(run) == 1 else (run[i : i + 2] for i in range(len(run) - 1))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    if word.isascii() and word.isalpha() and len(word) > 2:
        return _OWN.stem(word)
    return word


class _Own(threading.local):
    """Each thread's own stemmer: one that two threads use at a time mixes up their words."""

    @cached_property
    def stem(self) -> Callable[[str], str]:
        import snowballstemmer  # here: it brings the stemmers of every language along

        stem: Callable[[str], str] = snowballstemmer.stemmer("porter").stemWord
        return stem


_OWN = _Own()


def _plain(text: str) -> str:
    """Case folded, compatibility forms unified, accents and invisible characters dropped."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    bare = "".join(c for c in folded if not unicodedata.combining(c))
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", bare))


def indexed_words(text: str) -> str:
    """What goes into a full-text index for a text: its terms, blank between them."""
    return " ".join(terms(text))


def name_key(spelling: str) -> str:
    """The key under which a name is found: case, accents, a leading article and spacing do not matter; digits and signs do.

    >>> name_key("  The  Blue Ruin LP")
    'blue ruin lp'
    >>> name_key("C++"), name_key("C#")
    ('c++', 'c#')
    """
    plain = _BLANKS.sub(" ", _plain(spelling))
    if not plain.isascii():
        plain = _joining().sub("", plain)
    plain = plain.strip().strip(".,;:!?\"“”‘’'()[]").strip()
    return _ARTICLE.sub("", plain) or plain or _BLANKS.sub(" ", spelling).strip()
