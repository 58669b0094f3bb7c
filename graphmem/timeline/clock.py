"""Clock times in English: "3:30 pm", "14:30", "noon", "ten o'clock", "half past nine"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from graphmem.timeline.numerals import amount_of

__all__ = ["CLOCK", "HOURS", "LOOSE_CLOCK", "Clock", "clock_of"]

HOURS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HALF_OF_DAY = r"(?:[ap]m(?![a-z])|[ap]\.m\.)"
_SPOKEN = rf"(?:half|quarter) past (?:{HOURS})|quarter to (?:{HOURS})|noon|midday|midnight"
CLOCK = (
    rf"(?:\d{{1,2}}(?:[:.][0-5]\d(?::[0-5]\d)?)? ?{_HALF_OF_DAY}|\d{{1,2}}:[0-5]\d(?::[0-5]\d)?(?![\d:])"
    rf"|(?:{HOURS}) ?{_HALF_OF_DAY}|(?:{HOURS}|\d{{1,2}}) o'?clock|{_SPOKEN})"
)
"""Pattern of a clock time that needs no context to be one."""

LOOSE_CLOCK = (
    rf"(?:\d{{1,2}}(?:[:.][0-5]\d)?(?: ?{_HALF_OF_DAY})?"
    rf"|(?:{HOURS})(?: ?{_HALF_OF_DAY}| o'?clock)?(?![a-z-])|{_SPOKEN})"
)
"""Pattern of a clock time within a range of them."""

_DIGITS = re.compile(r"(\d{1,2})(?:[:.](\d\d))?(?::(\d\d))?")
_HOUR_WORD = re.compile(rf"\b({HOURS})\b")
_NAMED = {"noon": 12, "midday": 12, "midnight": 0}


@dataclass(frozen=True, kw_only=True, slots=True)
class Clock:
    """A time of the day. `is_settled`: the words tell morning from afternoon."""

    hour: int
    minute: int = 0
    second: int = 0
    is_settled: bool = False

    @property
    def as_minutes(self) -> int:
        return self.hour * 60 + self.minute

    def in_second_half(self) -> Clock:
        """The same in the afternoon or evening, unless the words say otherwise."""
        return self if self.is_settled or self.hour >= 12 else replace(self, hour=self.hour + 12)

    def at_usual_hour(self) -> Clock:
        """Nobody meets "at five" in the morning: one to six are afternoon hours unless the words say otherwise."""
        return self.in_second_half() if 1 <= self.hour <= 6 else self


def clock_of(words: str) -> Clock | None:
    """The time that CLOCK or LOOSE_CLOCK matched; None where there is no such time.

    >>> clock_of("half past nine")
    Clock(hour=9, minute=30, second=0, is_settled=False)
    >>> clock_of("25:00") is None
    True
    """
    if words in _NAMED:
        return Clock(hour=_NAMED[words], is_settled=True)
    if digits := _DIGITS.match(words):
        hour, minute, second = (int(group or 0) for group in digits.groups())
    elif spoken := _HOUR_WORD.search(words):
        (hour, minute), second = _spoken(words, int(amount_of(spoken[1]).number)), 0
    else:
        return None
    half = re.search(r"([ap])\.?m\.?$", words)
    if half and 1 <= hour <= 12:
        hour = hour % 12 + (12 if half[1] == "p" else 0)
    if hour > 23 or minute > 59:
        return None
    is_settled = half is not None or hour > 12 or words.startswith("0")
    return Clock(hour=hour, minute=minute, second=second, is_settled=is_settled)


def _spoken(words: str, hour: int) -> tuple[int, int]:
    if words.startswith("half past"):
        return hour, 30
    if words.startswith("quarter past"):
        return hour, 15
    return ((hour - 1) % 24, 45) if words.startswith("quarter to") else (hour, 0)
