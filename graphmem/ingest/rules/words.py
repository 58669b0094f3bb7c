"""The words the rules know by class, from words.toml, and the forms of verbs."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from graphmem.resources import read

__all__ = ["Form", "Words", "form_of", "verb_forms", "words"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """Word classes; all in lower case."""

    breaks: frozenset[str]
    auxiliaries: frozenset[str]
    fillers: frozenset[str]
    openers: frozenset[str]
    kin_male: frozenset[str]
    kin_female: frozenset[str]
    kin: frozenset[str]
    titles: frozenset[str]
    titles_male: frozenset[str]
    titles_female: frozenset[str]
    class_nouns: frozenset[str]
    vague: frozenset[str]
    determiners: frozenset[str]
    lists: dict[str, frozenset[str]]
    """Lists a slot may be held to: "language", "game" …"""
    numbers: dict[str, int]
    irregular: dict[str, tuple[str, ...]]
    kin_relations: dict[str, str]
    """The relation whose object is the owner's "boss"."""
    value_relations: dict[str, tuple[str, ...]]
    """The relations whose objects are values of a type of slot."""


_CLASSES = frozenset(
    (
        "break auxiliary filler opener kin_male kin_female kin_other title title_male title_female class_noun number"
        " irregular vague determiner"
    ).split()
)


@cache
def words() -> Words:
    """The table, read once."""
    table = tomllib.loads(read("ingest/rules/words.toml"))
    sets = {name: frozenset(value.split()) for name, value in table.items() if isinstance(value, str)}
    return Words(
        breaks=sets["break"],
        auxiliaries=sets["auxiliary"],
        fillers=sets["filler"],
        openers=sets["opener"],
        kin_male=sets["kin_male"],
        kin_female=sets["kin_female"],
        kin=sets["kin_male"] | sets["kin_female"] | sets["kin_other"],
        titles=sets["title"],
        titles_male=sets["title_male"],
        titles_female=sets["title_female"],
        class_nouns=sets["class_noun"],
        vague=sets["vague"],
        determiners=sets["determiner"],
        lists={name: members for name, members in sets.items() if name not in _CLASSES},
        numbers={word: int(value) for word, value in (pair.split("=") for pair in table["number"].split())},
        kin_relations=dict(table["kin_relations"]),
        value_relations={kind: tuple(names.split()) for kind, names in table["value_relations"].items()},
        irregular={verb: tuple(forms.split()) for verb, forms in table["irregular"].items()},
    )


class Form:
    """What the form of a verb tells: of "work", "works", "worked", "working"."""

    BASE = "base"
    THIRD = "third"
    PAST = "past"
    PARTICIPLE = "participle"
    PROGRESSIVE = "progressive"
    EITHER = "either"
    """Present or past, one cannot see which: "put"."""


@cache
def verb_forms(lemma: str) -> tuple[str, ...]:
    """Base, third person, past, participle, progressive and any further form.

    >>> verb_forms("work")
    ('work', 'works', 'worked', 'worked', 'working')
    >>> verb_forms("study")[:3]
    ('study', 'studies', 'studied')
    """
    irregular = words().irregular.get(lemma)
    third = _third(lemma)
    if irregular is None:
        past = _with_ending(lemma, "ed")
        return (lemma, third, past, past, _with_ending(lemma, "ing"))
    return (lemma, third, *irregular)


def form_of(lemma: str, word: str) -> str:
    """Which form of the verb a word is; the past where past and participle are one."""
    forms = verb_forms(lemma)
    names = (Form.BASE, Form.THIRD, Form.PAST, Form.PARTICIPLE, Form.PROGRESSIVE)
    if lemma == "be":
        return {
            "was": Form.PAST,
            "were": Form.PAST,
            "been": Form.PARTICIPLE,
            "being": Form.PROGRESSIVE,
            "be": Form.BASE,
        }.get(word, Form.THIRD)
    if word == lemma and lemma in forms[2:4]:
        return Form.EITHER
    return next((name for name, form in zip(names, forms, strict=False) if form == word), Form.THIRD)


def _third(lemma: str) -> str:
    if lemma.endswith(("s", "x", "z", "ch", "sh", "o")):
        return lemma + "es"
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + "ies"
    return lemma + "s"


def _with_ending(lemma: str, ending: str) -> str:
    if lemma.endswith("e") and not lemma.endswith("ee"):
        return lemma[:-1] + ending
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou") and ending == "ed":
        return lemma[:-1] + "ied"
    return lemma + ending
