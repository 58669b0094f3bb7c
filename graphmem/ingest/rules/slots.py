"""What the slots of the sayings take: an expression over the plain form for every type of slot.

A type is one of `SLOT_TYPES`, or the name of a list in words.toml: a noun phrase with one of its words as the head.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from graphmem.ingest.rules.heads import HeadedPhrase
from graphmem.ingest.rules.plain import BREAK, HAS_DIGIT, HAS_EMAIL, HAS_OWNER, HAS_TIME, MARKS
from graphmem.ingest.rules.words import words

__all__ = [
    "CAPITAL_FIRST",
    "NAME",
    "NP",
    "OWNER",
    "OWNER_WORDS",
    "WORD",
    "after_slot",
    "fits_type",
    "headed_phrase",
    "leading_slot",
    "slot",
    "slot_body",
    "slot_needs",
]


def _any_of(name: str) -> str:
    """Any word of a list of words.toml, the longest first."""
    return "|".join(re.escape(w) for w in sorted(words().lists[name], key=len, reverse=True))


_UPPER = "A-ZÀ-ÖØ-ÞĀ-ŽΑ-ΩА-ЯẀ-ỿ"
"""Capitals; the ranges hold some small letters that begin hardly any English word. An exact class takes seconds to compile."""
WORD = rf"(?:[^\s{BREAK},{MARKS}]|,(?=\d))+"
CAPITAL_FIRST = rf"(?=[^\s]*[{_UPPER}\ue100-\ue1ff]){WORD}"
_CAPITAL = rf"(?=[^\s]*[{_UPPER}\d\ue100-\ue1ff]){WORD}"
_ENDS = rf"(?![^\s{BREAK},{MARKS}])"
_OF = rf"{BREAK}(?:of|Of)"
_THE = r"(?:(?:[Tt]he|[Aa]n?) )?"
_SMALL = r"(?:de|den|der|van|von|la|le|du|del|di|da|y|&|the|el|al|ten|ter)"
_INNER = rf"(?:{BREAK}(?:and|of|the|in|on|to|for|a|with|at|from) |{_SMALL} )*"
NP = rf"(?:{WORD} ){{1,7}}(?:{_OF} (?:{WORD} ){{1,5}})?"
NAME = rf"{_THE}{CAPITAL_FIRST} (?:(?:(?:{_OF} |{_SMALL} )*)(?:{_CAPITAL}|&) )*"
_TITLE = rf"{_THE}{_CAPITAL} (?:{_INNER}(?:{_CAPITAL}|&) )*"
_PRONOUN = rf"{BREAK}(?:[Ii]|[Yy]ou|[Hh]e|[Ss]he|[Ii]t|[Ww]e|[Tt]hey|HE|SHE|IT) "
_OBJECT_PRONOUN = rf"{BREAK}(?:me|you|him|it|us|them) "
_OWNING = r"(?:my|our|his|her|their)"
OWNER = rf"(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]ers?|[Ii]ts|[Tt]heirs?|(?:{WORD} ){{0,4}}?{WORD}(?:'s|s')) "
_NUMBER = r"(?:\d[\d.,]*\d|\d)"
_COUNT_WORD = "(?i:" + "|".join(sorted(words().numbers, key=len, reverse=True)) + ")"
_SIGN = "[€£$¥₹]"
_DOTTED_BODY = r"v?\d+(?:\.\d+)+[\w.-]* "
_NO_UNIT = rf"(?!(?:%|{_any_of('unit')}) )"
_CODE = rf"(?:[{_UPPER}]{{1,6}}-\d[\w-]*|[{_UPPER}]{{2,}}\d[\w-]*|\d{{3,6}}) "
_PERSON = "|".join(
    (
        _OBJECT_PRONOUN,
        rf"{BREAK}I ",
        rf"(?:some|an?) (?:[a-z]+ ){{1,3}}(?:called|named) {_CAPITAL} ",
        rf"(?:(?:{_OWNING}|the) )?(?:[^\W\d_][\w-]* ){{0,3}}{_CAPITAL} (?:(?:{_SMALL} )*{_CAPITAL} )*",
        rf"{_OWNING} (?:[^\W\d_][\w'-]* ){{1,3}}",
    )
)
_NO_CURRENCY = "a|an|per|each|or|every|extra|the|mg|mcg|ml|kg|people|employees|members"
_MONEY = "|".join(
    (
        rf"(?:[^\W\d]{{1,3}}|{_SIGN}){_NUMBER}k? ",
        rf"[{_UPPER}]{{3}} {_NUMBER} ",
        rf"{_NUMBER}k? ?{_SIGN} ",
        rf"{_NUMBER}k? (?:million |thousand )?(?:(?!(?:{_NO_CURRENCY}) )[^\W\d]+ )?",
    )
)

SLOT_TYPES = {
    "": rf"(?:{_OBJECT_PRONOUN}|{_PRONOUN}|{NP})",
    "np": NP,
    "thing": rf"(?:{BREAK}it |{NP})",
    "it": rf"(?:{BREAK}[Ii]t |[Tt]he (?:former|latter|first|second|other) (?:one )?|[Bb]oth )",
    "object": rf"(?:{BREAK}[Ii]t |(?:{WORD} ){{0,5}}(?:[a-z][\w-]*|[^\s]*\d[^\s]*) )",
    "definite": rf"(?:{BREAK}it |[Tt]he {NP}|(?:{_CAPITAL} )+|{WORD} [^\s]*\d[^\s]* )",
    "generic": rf"(?:the|our) (?:{_any_of('group_noun')}) ",
    "project": rf"(?:the {NP}|{NAME})",
    "led": rf"(?:(?:[Tt]he|{_OWNING}) {NP}|{NAME})",
    "spot": rf"(?:(?:the|{_OWNING}|an?) {NP}|{NAME}|{WORD} \d\w* )",
    "name": NAME,
    "place": NAME,
    "town": rf"(?:[{_UPPER}][^\W\d]+ ){{1,3}}",
    "bare": rf"{_CAPITAL} (?:(?:{_CAPITAL}|&) ){{0,3}}",
    "plural": rf"(?:[Tt]he )(?:{_CAPITAL} )*(?=[{_UPPER}])[^\s]+s ",
    "liked": rf"(?!(?:{_any_of('pointing')}) (?![{_UPPER}]))(?:{WORD} ){{1,6}}(?:{_OF} (?:{WORD} ){{1,4}})?",
    "vaccine": r"(?:flu|tetanus|covid|rabies|hepatitis|polio|measles|booster|allergy) (?:shot|jab|booster|vaccine) ",
    "headship": rf"(?:the |a )?(?:head|director|manager|chief|vice-president|vp) {BREAK}of [a-z][a-z-]* ",
    "small": r"(?:[a-z][^\s,]* ){1,3}",
    "title": _TITLE,
    "person": rf"(?:{_PERSON})",
    "titled": rf"(?:(?i:{_any_of('polite')}) (?:{_CAPITAL} ){{1,3}})",
    "word": rf"{WORD} ",
    "words": rf"(?:{BREAK}?{WORD} ){{1,6}}",
    "state": rf"(?:{BREAK}(?:in|on|under|out|up|off|at|with|for) )?{NP}(?:{BREAK}(?:for|on|by|of|to|in) {NP})?",
    "money": rf"(?:{_MONEY})",
    "price": rf"(?:{_SIGN}{_NUMBER}k? |{_NUMBER}k? ?{_SIGN} |{_NUMBER} (?:{_any_of('currency')}) )",
    "number": rf"(?:(?!0\d){_NUMBER}|{_COUNT_WORD}(?:-{_COUNT_WORD})?) ",
    "countword": rf"{_COUNT_WORD} ",
    "amount": rf"(?:{_NUMBER}|{_COUNT_WORD}) ?(?:%|[^\W\d]+) |{_NUMBER} ",
    "percent": rf"{_NUMBER} ?(?:%|{BREAK}?per cent|percent) ",
    "weight": rf"{_NUMBER} ?(?:{_any_of('weight_unit')}) ",
    "dose": rf"(?:{_NUMBER}|{_COUNT_WORD}) ?(?:{_any_of('dose_unit')}) ",
    "version": r"v?\d+(?:\.\d+)*[\w.-]* ",
    "dotted": _DOTTED_BODY,
    "release": rf"(?:{_CAPITAL} )?v?\d[\w.]* ",
    "release_no": rf"(?:(?i:firmware|version|release|software|build) v?\d[\w.-]* |{_DOTTED_BODY}{_NO_UNIT})",
    "date": rf"[{MARKS}] ",
    "email": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+ ",
    "phone": r"\+?\d[\d()/-]*(?: [\d()/-]+)* ",
    "telephone": r"\+?(?=(?:[\d()/-] ?){7,} )\d[\d()/-]*(?: [\d()/-]+)* ",
    "street": rf"\d+\w* {NAME}",
}
_NAME_ENDS = (
    rf"(?!(?!full|part|any|anymore|these|this|that|every|each|right|with|after|last|next)[a-z][^\s{BREAK},{MARKS}]*)"
)
"""A name as an object is not the beginning of a longer phrase ("the LGBTQ centre")."""
_STRICT = frozenset("vehicle team role drug doctor company insurer bank club condition event race".split())
"""Lists whose word must end its noun phrase where it is an object ("the search", not "the search party")."""
OWNER_WORDS = frozenset(("my", "our", "his", "her", "hers", "its", "their", "theirs", HAS_OWNER))

_WITH_PRONOUN = frozenset(("", "np", "person", "name", "thing", "led"))
_BARE_HEADS = frozenset(("team", "diet"))
"""Lists whose words stand alone."""
_CAPITAL_HEADS = frozenset(("company", "insurer"))
_DRUG_ENDS = (
    "ol pril zole mab tan pam lone xime statin cillin mycin profen triptan formin oxetine idone"
    " azine parin oxen acin pram lukast grel terol fenac coxib gliptin gliflozin semide thiazide triptyline cycline xaban dronate"
)
_ENDINGS = {
    "drug": rf"[a-z]{{3,}}(?:{'|'.join(_DRUG_ENDS.split())}|prin|artan|ipine|ylline)|[a-z]{{4,}}ine",
    "condition": r"[a-z]{3,}(?:itis|emia|aemia|osis|algia|pathy)|"
    r"(?:broken|sprained|torn|fractured|bruised|twisted|swollen|stress) [a-z]+",
}
"""Ends of words that tell a medicine or an illness."""
_MORE_THAN_HEADS = frozenset(("coded", "status", "ticket", *_BARE_HEADS, *_ENDINGS))
"""Lists whose slots take more, or less, than a noun phrase with the head."""
_AFTER_HEAD = rf"(?:{_OF} (?:{WORD} ){{1,3}}|(?:{_CAPITAL} )+)?"
_DIGIT_TYPES = frozenset(
    "release_no money number amount percent version dotted phone telephone weight dose release countword price street".split()
)


_AFTER = {
    "bare": _ENDS,
    "countword": rf"(?=$|[,{BREAK}{MARKS}])",
    "dotted": _NO_UNIT,
    "money": r"(?!(?:mg|mcg|µg|ml|g|kg|kilos?|grams?|units?|tablets?|pills?|drops?|people|members|%) )",
    "number": rf"(?!\d|{BREAK}of (?!{BREAK}us ))",
    "liked": rf"(?=$|[,{BREAK}{MARKS}])(?!{BREAK}(?:{_any_of('particle')}) )",
}
"""What must stand after a slot of the type."""


def slot(kind: str) -> str:
    """The expression of a type of slot, with what must stand after it."""
    return slot_body(kind) + after_slot(kind, last=False)


@cache
def slot_body(kind: str) -> str:
    """The expression of a type of slot."""
    return SLOT_TYPES.get(kind) or _listed(kind)


def after_slot(kind: str, *, last: bool) -> str:
    """What must stand after a slot of the type, empty if anything may; `last`: it is the last part of its saying."""
    if last and kind in ("name", "place"):
        return _NAME_ENDS
    return _ENDS if kind in _BARE_HEADS or (last and kind in _STRICT) else _AFTER.get(kind, "")


def headed_phrase(kind: str) -> HeadedPhrase | None:
    """The same as `slot_body` for a type that is a list and nothing else; None for other types."""
    if kind in SLOT_TYPES or kind in _MORE_THAN_HEADS:
        return None
    listed, is_capital = words().lists[kind], kind in _CAPITAL_HEADS
    return HeadedPhrase(
        heads=frozenset(word.capitalize() if is_capital else word.lower() for word in listed),
        is_capital=is_capital,
        word=_word(),
        after_head=_after_head(),
    )


@cache
def _word() -> re.Pattern[str]:
    return re.compile(WORD)


@cache
def _after_head() -> re.Pattern[str]:
    return re.compile(_AFTER_HEAD)


@cache
def leading_slot(kind: str) -> str:
    """The expression of a type of slot as the subject of a clause: pronouns too, for most."""
    one = slot("np" if kind in ("", "person") else kind)
    return rf"(?:{_PRONOUN}|{one})" if kind in _WITH_PRONOUN else one


@cache
def _listed(kind: str) -> str:
    """A noun phrase with a word of a list as its head, and what may follow it ("ticket BJ-31", "School of Art")."""
    options = _any_of("ticket" if kind == "coded" else kind)
    if kind in _ENDINGS:
        options += "|" + _ENDINGS[kind]
    if kind == "coded":
        return rf"(?:(?:{WORD} ){{0,2}}?(?i:{options}) (?:{_CAPITAL} )+|{_CODE})"
    if kind == "status":
        phrases = rf"{BREAK}(?:in|under|on) (?i:{_any_of('status_phrase')}) "
        plain = rf"(?i:{options}) (?:{BREAK}for (?:{WORD} ){{1,3}})?"
        stopped = rf"(?i:waiting|blocked|stuck) {BREAK}(?:on|by|with) (?:{WORD} ){{1,3}}"
        return rf"(?:{phrases}|{stopped}|{plain})"
    if kind in _BARE_HEADS:
        return rf"(?:the )?(?i:{options}) "
    capital = "|".join(w.capitalize() for w in options.split("|"))
    heads = rf"(?:{capital})" if kind in _CAPITAL_HEADS else rf"(?i:{options})"
    phrase = rf"(?:(?![^\s]+'s ){WORD} ){{0,4}}?(?:{heads} )+{_AFTER_HEAD}"
    return rf"(?:{phrase}|{_CODE})" if kind == "ticket" else phrase


def slot_needs(kind: str) -> frozenset[str]:
    """Words, or signs of the plain form, of which a clause needs one for a slot of this type; empty: none."""
    if kind in _DIGIT_TYPES:
        return frozenset((HAS_DIGIT,))
    if kind in ("ticket", "coded"):
        return words().lists["ticket"] | {HAS_DIGIT}
    if kind == "status":
        return words().lists["status"] | words().lists["status_phrase"]
    if kind in _SIGNS:
        return _SIGNS[kind]
    return frozenset() if kind in _ENDINGS or kind in SLOT_TYPES else words().lists.get(kind, frozenset())


_SIGNS = {
    "date": frozenset((HAS_TIME,)),
    "it": frozenset("it former latter first second other both".split()),
    "poss": OWNER_WORDS,
    "email": frozenset((HAS_EMAIL,)),
}


@cache
def _type_expression(kind: str) -> re.Pattern[str]:
    return re.compile(slot(kind))


@lru_cache(maxsize=4_096)
def fits_type(name: str, kind: str) -> bool:
    """Whether a name could fill a slot of this type by itself."""
    return _type_expression(kind).fullmatch(name + " ") is not None
