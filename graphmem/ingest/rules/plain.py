"""The plain form of a clause: contractions written out, time words and quotations set aside, fillers dropped.

In the plain form every token is followed by one blank, words that end a noun phrase carry the mark `·`, a comma is a token, and
a time expression is one character (`time_mark`) with its words kept beside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from graphmem.ingest.rules.date_words import DateWords, date_words
from graphmem.ingest.rules.sentences import RawClause
from graphmem.ingest.rules.words import verb_forms, words
from graphmem.timeline.granules import Granule

__all__ = [
    "BREAK",
    "HAS_DIGIT",
    "HAS_EMAIL",
    "HAS_OWNER",
    "HAS_TIME",
    "MARKS",
    "PlainClause",
    "is_mark",
    "is_participle",
    "plain_clause",
    "time_mark",
]

BREAK = "·"
HAS_DIGIT, HAS_TIME, HAS_EMAIL, HAS_OWNER = "#digit", "#time", "#email", "#owner"
"""Signs among the words of a clause: that it holds a number, time words, an address, an owner."""
_FIRST_MARK, _LAST_MARK = 0x86, 0x9F
_RESERVED = re.compile(rf"[{BREAK}\x80-\x9f\ue000-\uf8ff]")
"""Characters the plain form uses for itself."""
_FIRST_QUOTE = 0xE100
MARKS = "\x86-\x9f"
"""The range of the time marks, below U+0100: classes with characters beyond it take long to compile."""

_QUOTE = re.compile(r"[\"“]([^\"“”]{1,200})[\"”]")
_OWN = rf"{MARKS}\ue100-\ue1ff"
_TOKEN = re.compile(rf"[{_OWN}]|[^\s,{_OWN}]+(?:,\d[^\s,{_OWN}]*)*|,")
_EDGES = "\"'“”‘’*_~`.!?:;()[]{}<>|…^="
_CONTRACTED = re.compile(r"^(.+)'(m|re|ve|ll|d|s)$", re.IGNORECASE)
_WRITTEN_OUT = {
    "can't": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("shall", "not"),
    "ain't": ("is", "not"),
    "cannot": ("can", "not"),
    "gonna": ("going", "to"),
    "wanna": ("want", "to"),
    "gotta": ("got", "to"),
    "im": ("i", "am"),
    "ive": ("i", "have"),
    "dont": ("do", "not"),
    "didnt": ("did", "not"),
    "doesnt": ("does", "not"),
    "isnt": ("is", "not"),
    "w/": ("with",),
    "let's": ("let", "us"),
}
_PRONOUNS = frozenset(
    "i you he she it we they that there here this who what where when how everyone everybody someone somebody nobody".split()
)
_AFTER_IS = frozenset(
    (
        "at in on here there back my our the a an still now not out off also called named up down under just only doing over with"
        " well fine ok great sick ill grand gone home away asleep awake alive dead busy ready late early pregnant better worse"
        " happy sad tired back"
    ).split()
)
_STATES = frozenset(
    (
        "called named set based run led married engaged divorced retired located due owned hosted allergic insured registered"
        " enrolled employed supervised coached taught managed supposed pregnant vegan vegetarian booked scheduled planned parked"
        " kept stored hung"
    ).split()
)
"""After "'s" these tell how it is, not what it has done."""
_AFTER_HAS = frozenset("been had got gone become done".split())
_BOTH_OF = re.compile(r"\bboth of (them|us|you)\b", re.IGNORECASE)
_CLEFT = re.compile(rf"{BREAK}it {BREAK}(?:is|was) (?=(?:[^\s{BREAK},]+ ){{1,4}}{BREAK}(?:who|that) )", re.IGNORECASE)
"""The frame of "it was Dympna who ran it"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainClause:
    """A clause ready to be matched."""

    raw: RawClause
    text: str
    times: tuple[DateWords, ...]
    quotes: tuple[str, ...]
    words: frozenset[str]
    """Its words in lower case, without marks, and signs: what the sayings are looked up by."""

    def spoken(self, piece: str) -> str:
        """A piece of the plain form as a person would write it, quotations put back."""
        out = [self.quotes[ord(t) - _FIRST_QUOTE] if _is_quote(t) else t.lstrip(BREAK) for t in piece.split()]
        return " ".join(out)

    def times_in(self, piece: str) -> list[int]:
        return [ord(c) - _FIRST_MARK for c in piece if is_mark(c)]


def is_mark(token: str) -> bool:
    """Whether a token stands for a time expression."""
    return len(token) == 1 and _FIRST_MARK <= ord(token) <= _LAST_MARK


def time_mark(index: int) -> str:
    """The character that stands for the clause's time expression of this index."""
    return chr(_FIRST_MARK + index)


def _is_quote(token: str) -> bool:
    return len(token) == 1 and _FIRST_QUOTE <= ord(token) < _FIRST_QUOTE + 256


def plain_clause(raw: RawClause, said_at: datetime, last: Granule | None = None) -> PlainClause:
    """The plain form of a clause; its time words are counted from `said_at`, or from `last` where they point back."""
    text = _RESERVED.sub(" ", raw.text.replace("’", "'").replace("‘", "'"))
    times = date_words(text, said_at, last)[: _LAST_MARK - _FIRST_MARK + 1]
    text = _set_aside(text, [(t.start, t.end, time_mark(i)) for i, t in enumerate(times)])
    text = _BOTH_OF.sub(
        lambda both: "we both" if both[1].lower() == "us" else both[0].split()[0], _without_idioms(text)
    )
    quotes = list(_QUOTE.finditer(text))[:200]
    text = _set_aside(text, [(m.start(), m.end(), chr(_FIRST_QUOTE + i)) for i, m in enumerate(quotes)])
    tokens = _without_got(_without_fillers(_written_out(_TOKEN.findall(text)), opens=raw.opens))
    there = {token.lower() for token in tokens}
    return PlainClause(
        raw=raw,
        text=_CLEFT.sub("", "".join(f"{token} " for token in _marked(tokens))),
        times=times,
        quotes=tuple(m.group(1) for m in quotes),
        words=frozenset(there | _signs(there, has_time=bool(times))),
    )


def _without_idioms(text: str) -> str:
    low = text.lower()
    if len(low) != len(text):  # a letter whose small form is two, "İ"
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    for found in reversed(list(_idioms().finditer(low))):
        text = f"{text[: found.start()]} {text[found.end() :]}"
    return text


@cache
def _idioms() -> re.Pattern[str]:
    phrases = sorted((phrase.replace("_", " ") for phrase in words().lists["idiom"]), key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, phrases))})(?![\w'-])(?! as\b)")


def _signs(there: Set[str], *, has_time: bool) -> set[str]:
    """The signs of a clause by its words in lower case."""
    numbers = words().numbers
    signs = {HAS_TIME} if has_time else set()
    for word in there:
        if word in numbers:
            signs.add(HAS_DIGIT)
        if word.isalpha():
            continue
        if any(c.isdigit() for c in word) or word.split("-")[0] in numbers:
            signs.add(HAS_DIGIT)
        if "@" in word:
            signs.add(HAS_EMAIL)
        if word.endswith(("'s", "s'")):
            signs.add(HAS_OWNER)
    return signs


def _set_aside(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    for start, end, mark in reversed(spans):
        text = f"{text[:start]} {mark} {text[end:]}"
    return text


def _written_out(raw_tokens: Sequence[str]) -> list[str]:
    tokens = [token for raw in raw_tokens if (token := raw if raw.isalpha() or raw == "," else _stripped(raw))]
    out: list[str] = []
    for i, token in enumerate(tokens):
        if (whole := _WRITTEN_OUT.get(token.lower())) is not None:
            out.extend(whole)
        elif "'" in token:
            following, then = [*(t.lower() for t in tokens[i + 1 : i + 3]), "", ""][:2]
            out.extend(_expanded(token, following, then))
        else:
            out.append(token)
    return out


def _stripped(token: str) -> str:
    token = token.strip(_EDGES)
    return token if any(c.isalnum() or c in "&%€$£" or is_mark(c) or _is_quote(c) for c in token) else ""


def _expanded(token: str, following: str, then: str) -> tuple[str, ...]:
    """A token with an apostrophe in full."""
    if token.lower().endswith("n't"):
        return (token[:-3], "not")
    match = _CONTRACTED.match(token)
    if match is None:
        return (token,)
    head, tail = match.group(1), match.group(2).lower()
    if tail == "s":
        verb = _is_or_has(head, following, then)
        return (token,) if verb is None else (head, verb)
    if tail == "d":
        return (head, "had" if is_participle(following) else "would")
    return (head, {"m": "am", "re": "are", "ve": "have", "ll": "will"}[tail])


def _is_or_has(head: str, following: str, then: str) -> str | None:
    """What `'s` stands for before two more words; None: it marks an owner."""
    pronoun = head.lower() in _PRONOUNS
    if following in ("called", "named"):
        return "is"
    if following in _STATES or (following in words().lists["status"] and (pronoun or _ends_phrase(then))):
        return "is" if pronoun or _ends_phrase(then) else None
    if following in _AFTER_HAS:
        return "has"
    if following in _AFTER_IS or (following.endswith("ing") and len(following) > 5 and not pronoun):
        return "is"
    if pronoun:
        return "has" if is_participle(following) else "is"
    if is_participle(following) and _ends_phrase(then):
        return "is" if then == "by" else "has"
    if following in words().lists["doing"]:
        return "has"
    if is_mark(following) or following[:1] in tuple("€£$¥₹"):
        return "is"
    return None


def _ends_phrase(word: str) -> bool:
    """Whether a word cannot go on a noun phrase, so that a participle before it is no adjective ("Bo's used car")."""
    return not word or word == "," or word in words().breaks or word in words().determiners or is_mark(word)


@cache
def _participles() -> frozenset[str]:
    return frozenset(form for forms in map(verb_forms, words().irregular) if len(forms) > 3 for form in forms[2:4])


def is_participle(word: str) -> bool:
    """Whether a word in lower case looks like a past participle."""
    return (word.endswith("ed") and len(word) > 4) or word in _participles() or word in ("been", "better", "had")


def _without_fillers(tokens: list[str], *, opens: bool) -> list[str]:
    known = words()
    kept = [
        t
        for t in tokens
        if t.lower() not in known.fillers or (t[:1].isupper() and t is not tokens[0] and not t.isupper())
    ]
    while kept and (kept[0] == "," or (opens and kept[0].lower() in known.openers and len(kept) > 1)):
        kept.pop(0)
    out: list[str] = []
    for token in kept:
        if token == "," and (not out or out[-1] == ","):
            continue
        out.append(token)
    while out and out[-1] == ",":
        out.pop()
    return out


def _without_got(tokens: list[str]) -> list[str]:
    """ "has got" is "has", unless something was got done."""
    return [
        t
        for i, t in enumerate(tokens)
        if not (
            t.lower() == "got"
            and i
            and tokens[i - 1].lower() in ("has", "have", "had")
            and not (i + 1 < len(tokens) and is_participle(tokens[i + 1].lower()))
        )
    ]


def _is_name_here(lower: str, after: str) -> bool:
    """Whether the first word of a clause, which could be a small one, is somebody's name: "Per is …", "Will moved …"."""
    if lower not in words().lists["small_name"]:
        return False
    return after.lower() in ("and", ",") or after.lower() in words().auxiliaries or is_participle(after.lower())


def _marked(tokens: Sequence[str]) -> Iterator[str]:
    """The tokens, those that end a noun phrase with their mark."""
    breaks = words().breaks
    addressing = words().lists["calling"]
    for i, token in enumerate(tokens):
        lower = token.lower()
        after = tokens[i + 1] if i + 1 < len(tokens) else ","
        if lower not in breaks:
            yield BREAK + token if i == 0 and lower in addressing and after[:1].isupper() else token
            continue
        is_article = lower == "no" and i > 0 and after[:1].islower() and after not in ("longer", "one")
        is_worn = lower == "used" and after.lower() != "to"
        is_named = token[:1].isupper() and not token.isupper() and (i > 0 or _is_name_here(lower, after))
        yield token if is_article or is_worn or is_named else BREAK + token
