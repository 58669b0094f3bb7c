"""Texts cut into clauses: sentences, and their parts between semicolons, colons, dashes, dots and brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from graphmem.ingest.rules.words import words

__all__ = ["RawClause", "clauses_in"]

_ABBREVIATIONS = frozenset("mr mrs ms dr prof st no approx vs etc e.g i.e dept fig vol".split())
_END = re.compile(
    r"(?:[.!?…]+[\"'”’)]*(?=\s|$)|\n+|[:;=]-?[()DPp/|](?=\s|$)|<3|[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F]+)"
)
_PART = re.compile(r"[;:](?=\s)|\s[-–—]+\s|—|\.\.+|…")
_BRACKET = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]")
_WORD = re.compile(r"\w")
_DETERMINED = r"(?:(?:[Tt]he|[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Nn]ew|[Cc]urrent|[Nn]ext|[Ii]ts) )*"
_LABEL = re.compile(
    rf"{_DETERMINED}(?:[A-Za-zÀ-ÿ][\w'-]* ){{0,2}}?(?P<last>[A-Za-zÀ-ÿ][\w'-]*)"
    r"(?: (?:of|for|on|at) (?:(?:the|my|our) )?(?:[\w'-]+ ?){1,4})?"
)
_NO_LABELS = frozenset(
    (
        "update news note notes reminder minutes correction ps nb fyi re subject from to cc question edit hint joke answer"
        " that this so and but say asked know record plus also means one thing things fact sorry morning hello hi check launch"
        " dear present log report cutting letter message warning spoiler example instead now today point problem history"
    ).split()
)
"""Nouns before a colon that announce a sentence, not a value."""
_OWNED = frozenset("my our his her their your the".split())
_VERBS = frozenset(
    "is are was were am be been has have had do does did will would can could should may might says said".split()
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RawClause:
    """A piece of a text with its place, before anything is read in it."""

    text: str
    start: int
    end: int
    sentence: int
    """Number of its sentence in the text."""
    opens: bool
    """It is the first piece of its sentence."""
    is_question: bool = False
    is_aside: bool = False
    """It stood in brackets."""


def clauses_in(text: str) -> list[RawClause]:
    """The clauses of a text in its order; a bracket follows the clause it stood in.

    >>> [c.text.strip() for c in clauses_in("I left Acme (finally!). New job: Globex. Dr. Salo agrees")]
    ['I left Acme', 'finally', 'New job is Globex', 'Dr. Salo agrees']
    """
    return [clause for number, span in enumerate(_sentences(text)) for clause in _clauses(text, number, *span)]


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    start, depth_until = 0, 0
    brackets = [match.span() for match in _BRACKET.finditer(text)]
    for end in _END.finditer(text):
        if end.start() < depth_until or any(a <= end.start() < b for a, b in brackets):
            continue
        if end.group().startswith(".") and _is_abbreviated(text, end):
            continue
        if _WORD.search(text, start, end.start()):
            yield start, end.start(), end.group()
        start = end.end()
    if _WORD.search(text, start):
        yield start, len(text), ""


def _is_abbreviated(text: str, end: re.Match[str]) -> bool:
    if end.group() != "." or end.end() == len(text.rstrip()):
        return False
    word = re.search(r"(\S+)$", text[: end.start()])
    if word is None:
        return False
    if text[end.end() :].lstrip()[:1].islower() and word.group(1).lower() in ("inc", "ltd", "co", "corp", "jr", "sr"):
        return True
    last = word.group(1).strip("(\"'").lower()
    return last in _ABBREVIATIONS or bool(re.fullmatch(r"[A-ZÀ-Þ]", word.group(1).strip("(\"'")))


def _clauses(text: str, number: int, start: int, end: int, mark: str) -> Iterator[RawClause]:
    body = text[start:end]
    asides = [(m.start(), m.end(), m.group(1) or m.group(2) or "") for m in _BRACKET.finditer(body)]
    for a, b, _inside in asides:
        body = body[:a] + " " * (b - a) + body[b:]
    pieces = list(_pieces(body))
    for i, (a, b, piece) in enumerate(pieces):
        if _WORD.search(piece):
            yield RawClause(
                text=re.sub(r"\s{3,}", "  ", piece),
                start=start + a,
                end=start + b,
                sentence=number,
                opens=i == 0,
                is_question="?" in mark and i == len(pieces) - 1,
            )
        for x, y, inside in asides:
            if a <= x < b or (i == len(pieces) - 1 and x >= b):
                for part in re.split(r"[.!?]+(?=\s|$)|;\s", inside):
                    if _WORD.search(part):
                        yield RawClause(
                            text=part.strip(),
                            start=start + x,
                            end=start + y,
                            sentence=number,
                            opens=False,
                            is_aside=True,
                            is_question="?" in inside,
                        )


def _pieces(body: str) -> Iterator[tuple[int, int, str]]:
    """The pieces of a sentence with their texts; a label and the value behind its colon are one: "Rent is €700"."""
    position, label = 0, None
    for cut in [*_PART.finditer(body), None]:
        end = cut.start() if cut is not None else len(body)
        piece = body[position:end]
        if label is not None and _is_value(piece):
            yield label, end, f"{body[label:position].strip().rstrip(':')} is {piece.strip()}"
        else:
            if label is not None:
                yield label, position, body[label:position].strip().rstrip(":")
                label = None
            if cut is not None and cut.group() == ":" and _is_label(piece):
                label, position = position, cut.end()
                continue
            yield position, end, piece
        label = None
        position = cut.end() if cut is not None else end


def _is_label(piece: str) -> bool:
    """Whether a piece only names what a value follows for."""
    found = _LABEL.fullmatch(piece.strip())
    return found is not None and found["last"].lower() not in _NO_LABELS and not _has_verb(piece)


def _is_value(piece: str) -> bool:
    """Whether a piece begins with a few words without a verb."""
    first = piece.split(",")[0]
    begins = first.split()[:1]
    return bool(begins) and begins[0].lower() not in _OWNED and len(first.split()) <= 6 and not _has_verb(first)


def _has_verb(text: str) -> bool:
    tokens = [token.lower().strip(".!'\"") for token in text.split()]
    pronoun = bool({"i", "we", "he", "she", "they", "it", "you"}.intersection(tokens))
    return pronoun or any(t in _VERBS or t in _pasts() or "'" in t or (t.endswith("ed") and len(t) > 4) for t in tokens)


@cache
def _pasts() -> frozenset[str]:
    return frozenset(form for forms in words().irregular.values() for form in forms[:1])
