"""The shape of noun phrases: their head word, their items, what in them is no name."""

from __future__ import annotations

import re

from graphmem.ingest.rules.words import words

__all__ = [
    "after_class_noun",
    "head_of",
    "is_all_capital",
    "is_group_end",
    "is_person_end",
    "is_vague",
    "kin_gender",
    "list_parts",
    "title_gender",
    "without_count",
    "without_kind_of_code",
    "without_participle",
    "without_post",
]

_OF = re.compile(r"\s+of\s+")
_INDEFINITE = frozenset(
    (
        "somewhere anywhere everywhere nowhere something anything everything nothing somebody anybody everybody"
        " nobody someone anyone everyone"
    ).split()
)
_GROUP_WORDS = ("club", "company", "employer", "team", "school", "firm", "project", "organisation")
_POSTS = frozenset(
    "founder boss ceo chief owner director president chairman chairwoman chair manager editor co-founder".split()
)
_LETTERED_CODE = re.compile(r"[A-Z]{1,6}-?\d[\w-]*")
_PERSON_ENDS = frozenset(
    (
        "person",
        "child",
        "parent",
        "manager",
        "player",
        "traveller",
        "doctor or therapist",
        "teacher",
        "coach",
        "its one leader",
    )
)


def is_vague(phrase: str) -> bool:
    """Whether a phrase names nothing: "a lot", "my own", "the other one"."""
    last = _OF.split(phrase)[0].split()[-1:]
    tokens = phrase.split()
    if tokens and tokens[0] in _INDEFINITE:
        return True
    return not last or (len(tokens) > 1 and tokens[-1] in words().determiners) or last[0] in words().vague


def is_all_capital(name: str) -> bool:
    """Whether no word of a name begins with a small letter."""
    return all(not word[:1].islower() for word in name.split())


def is_person_end(end: str) -> bool:
    """Whether this end of a relation is always a person."""
    return end in _PERSON_ENDS


def head_of(name: str) -> str:
    """The last word of a name before any "of"."""
    return _OF.split(name.lower())[0].split()[-1] if name.split() else ""


def after_class_noun(phrase: str) -> str:
    """ "MF Lunde" of "ferry MF Lunde"; "Leila" of "little sister Leila"."""
    tokens = phrase.split()
    for i, token in enumerate(tokens[:-1]):
        if token[:1].isupper() or not token.isalpha():
            break
        if (
            token.lower() in words().class_nouns | words().kin
            and tokens[i + 1][:1].isupper()
            and not tokens[i + 1][0].isdigit()
        ):
            return " ".join(tokens[i + 1 :])
    return phrase


def without_kind_of_code(phrase: str) -> str:
    """ "ZL-40" of "ticket ZL-40"; a mere number keeps its noun ("order 5531")."""
    kind, _, code = phrase.rpartition(" ")
    return code if kind.lower() in words().lists["ticket"] and _LETTERED_CODE.fullmatch(code) else phrase


def without_participle(phrase: str) -> str:
    """ "flight" of "flight carrying Mo"."""
    return re.sub(r"(?<=[a-z]) [a-z]+(?:ing|ed) (?=[A-Z]).*$", "", phrase)


def without_post(name: str) -> str:
    """ "Dougal Frayne" of "Founder Dougal Frayne", at the head of a sentence."""
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _POSTS and len(rest.split()) > 1 and is_all_capital(rest) else name


def without_count(name: str) -> str:
    """ "SCOBY shares" of "twenty SCOBY shares"."""
    first, _, rest = name.partition(" ")
    return rest if rest.endswith("s") and first in words().numbers else name


def is_group_end(end: str) -> bool:
    """Whether this end of a relation is a firm, club, team or project."""
    return any(word in end for word in _GROUP_WORDS)


def list_parts(phrase: str) -> list[str]:
    """The items of "Alba, Bjarke and Cleo"."""
    return [p.strip() for p in re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+", phrase) if p.strip()]


def title_gender(title: str) -> str | None:
    """Gender of whoever is called so: "m" or "f"."""
    known = words()
    return "m" if title in known.titles_male else "f" if title in known.titles_female else None


def kin_gender(word: str) -> str | None:
    """Gender of a "brother" or "aunt": "m" or "f"."""
    known = words()
    return "m" if word.lower() in known.kin_male else "f" if word.lower() in known.kin_female else None
