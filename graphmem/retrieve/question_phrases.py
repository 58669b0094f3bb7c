"""Phrases that shape a question: words of knowing and of truth, fillers, what asks for a history, a date, a length, a number."""

from __future__ import annotations

import re

__all__ = [
    "ASKS_FOR_ALL",
    "ASKS_FOR_DATE",
    "ASKS_FOR_EDGE",
    "ASKS_FOR_END",
    "ASKS_FOR_HISTORY",
    "ASKS_FOR_LENGTH",
    "ASKS_FOR_PAST",
    "ASKS_HOW_OFTEN",
    "ASKS_OF_THE_PAST",
    "COUNTED_UNIT",
    "DOWN",
    "FILLERS",
    "IN_TRUTH",
    "KNOWING",
    "ORDER",
    "PRESENT",
    "REFERS_BACK",
    "SURE_FILLERS",
    "blanked",
]


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})\b", re.IGNORECASE)


def blanked(pattern: re.Pattern[str], text: str) -> str:
    """The text with what matches overwritten by blanks, so that places in it stay."""
    return pattern.sub(lambda match: " " * len(match.group()), text)


_UNITS = "years?|months?|weeks?|days?|hours?|minutes?|nights?|decades?"
_RECORDS = "records?|notes?|books?|files?|knowledge|memory|minutes|database|logs?|information|documents?|data"
_KNOWERS = rf"we|you|i|they|everyone|people|the team|our (?:{_RECORDS})"
_MEANWHILE = (
    "already|still|then|wrongly|falsely|first|originally|initially|previously|currently|really|all|have|be|been"
)
_KNOW = (
    r"on record|on file|noted down|think|thought|believe[ds]?|know|knew|known|assume[ds]?|assuming|expect(?:ed)?|hear|heard|"
    r"say|said|suppose[ds]?|understand|understood|record(?:ed)?|noted?|thinking|believing|expecting|told|count(?:ed)?|show|list|read|"
    r"reckon(?:ed)?|take|have|had"
)
_THAT = r"as|that|about|of|in|on (?:file|record)|down|to be|it"

KNOWING = _any(
    r"(?:as far as|as|from what|so far as|for all)\s+(?:we|i|you|they)\s+(?:\w+\s+){0,2}?"
    r"(?:knew|understood|could tell)\b(?:\s+(?:it|things|then))*",
    r"(?:going by|based on|given|from|with) what\s+(?:we|i|you|they)\s+(?:\w+\s+)?"
    r"(?:knew|known|believed|thought|understood)\b(?:\s+(?:then|at the time))?",
    rf"(?:according to|in|on|per|by|going by)\s+(?:our|the|my|your|their)\s+(?:\w+\s+)?(?:{_RECORDS})",
    rf"(?:did|do|does|had|have|would|could|can|was|were)\s+(?:{_KNOWERS})(?:\s+(?:{_MEANWHILE}))*\s+(?:{_KNOW})"
    rf"\b(?:\s+(?:{_THAT})\b)*",
    r"(?:we|i)\s+(?:had|have)\s+(?:on file|on record|noted|recorded|written down)",
    r"on (?:file|record)",
)
"""Asks what was thought, heard or written down: "did we think that", "according to our notes"."""

IN_TRUTH = _any(
    r"(?:as|from what|given what|with what|by what)(?: far as)?\s+(?:we|i|you)\s+(?:now\s+|today\s+|currently\s+)?"
    r"(?:know|understand)(?:\s+it)?(?:\s+(?:now|today|currently))?",
    "in truth|in fact|in reality|as a matter of fact|actually|really|truly|in actual fact|as it turned out",
    "as is known now|now known|with hindsight|in hindsight|looking back",
)
"""Asks what was so, whatever was thought."""

SURE_FILLERS = _any("exactly|roughly|approximately|please|just")
FILLERS = _any(
    "right now|just now|now|at the moment|at present|these days|nowadays|currently|presently|today",
    "by now|so far|to date|thus far",
    "already|still|yet|ever|exactly|roughly|approximately|about how|please|tell me|can you say|do you know|remind me|say|just",
    "back|again|altogether|in total|in all|all told|anyway|all (?:the )?places",
    r"(?:on |in )?(?:that(?: very| same)?|the same) (?:day|week|month|year|morning|evening|time)",
)
"""Words that change nothing of what is asked."""

_SEQUENCES = (
    r"in (?:what |which |their |chronological )?order",
    r"in sequence|first to last|one after (?:another|the other)|oldest first|earliest first|over time|over the years",
    r"(\w+) by \1",
)
ORDER = re.compile(rf",?\s*\b(?:{'|'.join(_SEQUENCES)})\b", re.IGNORECASE)
ASKS_FOR_HISTORY = _any(
    *_SEQUENCES,
    r"how (?:has|have|did) .{1,80}?\b(?:developed?|changed?|evolved?)",
    r"in turn|history|timeline|chronological\w*|successive\w*|through which|from first to|step by step",
    r"(?:has|have|had) .{1,60} (?:been|gone) through|all the (?:places|jobs)",
    r"where (?:has|have) (?:\S+ ){1,5}(?:lived|worked|studied|taught|played|stayed)(?: (?:so far|before|ever))?(?=\W*$)",
)
ASKS_FOR_ALL = re.compile(
    r"^\W*(?:(?:what|all|everything)\b.{0,40}?\b(?:know|knew|known|hold|remember|recorded?|file)\b(?: of| on)? about\s+"
    r"\S+(?:\s+\S+){0,4}$|tell me (?:all |everything )?(?:you know )?about\b|(?:and )?what about\b|describe\b)",
    re.IGNORECASE,
)
ASKS_FOR_PAST = _any(
    r"used? to(?! be (?:set|called))",
    "former(?:ly)?|once|no longer",
    "not any ?more",
    r"previous(?:ly)?(?! to\b)",
    r"(?:before(?:hand)?|earlier)(?=[\s?!.]*$)",
)
REFERS_BACK = re.compile(
    r"\b(?:(?:before|after|until|till|since|by) (?:that|this|then)|(?:back )?then|(?:at|around|during) that time|at that point"
    r"|in those days)[\s?!.]*$",
    re.IGNORECASE,
)
"""A time that the question does not name itself."""
ASKS_FOR_DATE = _any(
    r"(?:what|which)\s+(?:exact\s+|precise\s+|calendar\s+)?"
    r"(?:date|day|month|year|week|decade|season|quarter|weekday|century|time|hour|half"
    r"|morning|afternoon|evening|night)\b(?!\s+(?:is|was|will|are)\s+the\b)",
    r"on\s+(?:what|which)\s+(?:exact\s+)?(?:date|day|morning|afternoon|evening|night)",
    r"(?:date|day) of birth|birth ?date",
)
ASKS_FOR_EDGE = re.compile(
    r"(?P<begins>\bfirst)\b(?:\s+(?:ever|working|full|official))?\s+(?:day|night|week|month|year)\b"
    r"|\b(?:last|final)(?:\s+(?:ever|working|full|official))?\s+(?:day|night|week|month|year)\b",
    re.IGNORECASE,
)
"""A first or a last day, which is a beginning or an end."""
DOWN = re.compile(r"\bdown\b(?=\W*$|\s+(?:for|as|in)\b)", re.IGNORECASE)
"""Written down, where the question is of what was known."""
ASKS_FOR_LENGTH = _any(rf"how\s+(?:long|(?:many|much)\s+(?:full\s+|whole\s+|more\s+)?(?:{_UNITS}|time))")
ASKS_HOW_OFTEN = _any(
    r"how\s+often|how\s+many\s+(?:\w+\s+)?(?:times|spells|stints|occasions|periods|stretches|terms|stays|runs)"
)
COUNTED_UNIT = re.compile(
    rf"(?<=\bhow many)\s+(?:(?:full|whole|more)\s+)?(?:{_UNITS}|times|spells|stints|occasions|periods|stretches)\b",
    re.IGNORECASE,
)
ASKS_FOR_END = _any(
    r"(?:until|till|up to) (?:when|(?:what|which) \w+)|last until",
    "stop(?:s|ped)?|end(?:s|ed)?|finish(?:es|ed)?|ceas(?:e|es|ed)|expire[sd]?|terminate[sd]?",
    "(?:is|was|are|were|be|been) over|ran out|run out",
    "(?:my|your|his|her|its|our|their) (?:very )?last",
)
ASKS_OF_THE_PAST = re.compile(
    r"^\W*(?:(?:and|but|so|then|well|also)\b[,\s]*)*"
    r"(?:did|was|were|had|(?:has|have)(?!\b.*\bbeen\s+\w+ing\b))\b(?!.*\bstill\b)",
    re.IGNORECASE,
)
"""A question that yes or no answers, about what was so at some time up to now."""
PRESENT = re.compile(r"\b(?:do|does|is|are)\b|\b(?:who|what|where|which|how|when)['’]s\b", re.IGNORECASE)
