"""Holidays by their English names: the day each falls on in a year."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, timedelta

__all__ = ["HOLIDAY", "HOLIDAY_WORDS", "easter", "holiday_on"]


def easter(year: int) -> date:
    """Easter Sunday of the western churches (Gregorian computus, Meeus/Jones/Butcher)."""
    golden, (hundreds, rest) = year % 19, divmod(year, 100)
    leap_hundreds, over_hundreds = divmod(hundreds, 4)
    drift = (hundreds - (hundreds + 8) // 25 + 1) // 3
    epact = (19 * golden + hundreds - leap_hundreds - drift + 15) % 30
    weekday = (32 + 2 * over_hundreds + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


def _nth(month: int, weekday: int, number: int) -> Callable[[int], date]:
    """The Nth weekday (Monday is 0) of a month; -1: the last."""

    def on(year: int) -> date:
        if number > 0:
            first = date(year, month, 1)
            return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (number - 1))
        last = date(year, month, calendar.monthrange(year, month)[1])
        return last - timedelta(days=(last.weekday() - weekday) % 7)

    return on


def _fixed(month: int, day: int) -> Callable[[int], date]:
    return lambda year: date(year, month, day)


def _after(first: Callable[[int], date], days: int) -> Callable[[int], date]:
    return lambda year: first(year) + timedelta(days=days)


_THANKSGIVING = _nth(11, 3, 4)
_NAMES: dict[str, Callable[[int], date]] = {
    "christmas eve": _fixed(12, 24),
    "christmas day": _fixed(12, 25),
    "christmas": _fixed(12, 25),
    "xmas": _fixed(12, 25),
    "boxing day": _fixed(12, 26),
    "new year's eve": _fixed(12, 31),
    "new years eve": _fixed(12, 31),
    "new year's day": _fixed(1, 1),
    "new years day": _fixed(1, 1),
    "new year's": _fixed(1, 1),
    "new year": _fixed(1, 1),
    "epiphany": _fixed(1, 6),
    "martin luther king day": _nth(1, 0, 3),
    "mlk day": _nth(1, 0, 3),
    "groundhog day": _fixed(2, 2),
    "valentine's day": _fixed(2, 14),
    "valentines day": _fixed(2, 14),
    "valentine's": _fixed(2, 14),
    "presidents' day": _nth(2, 0, 3),
    "presidents day": _nth(2, 0, 3),
    "president's day": _nth(2, 0, 3),
    "st patrick's day": _fixed(3, 17),
    "st. patrick's day": _fixed(3, 17),
    "saint patrick's day": _fixed(3, 17),
    "april fools": _fixed(4, 1),
    "april fool's day": _fixed(4, 1),
    "april fools' day": _fixed(4, 1),
    "earth day": _fixed(4, 22),
    "ash wednesday": _after(easter, -46),
    "palm sunday": _after(easter, -7),
    "maundy thursday": _after(easter, -3),
    "good friday": _after(easter, -2),
    "easter sunday": easter,
    "easter monday": _after(easter, 1),
    "easter": easter,
    "pentecost": _after(easter, 49),
    "may day": _fixed(5, 1),
    "cinco de mayo": _fixed(5, 5),
    "mother's day": _nth(5, 6, 2),
    "mothers day": _nth(5, 6, 2),
    "memorial day": _nth(5, 0, -1),
    "juneteenth": _fixed(6, 19),
    "father's day": _nth(6, 6, 3),
    "fathers day": _nth(6, 6, 3),
    "independence day": _fixed(7, 4),
    "bastille day": _fixed(7, 14),
    "labor day": _nth(9, 0, 1),
    "labour day": _nth(9, 0, 1),
    "columbus day": _nth(10, 0, 2),
    "halloween": _fixed(10, 31),
    "all saints' day": _fixed(11, 1),
    "guy fawkes night": _fixed(11, 5),
    "bonfire night": _fixed(11, 5),
    "veterans day": _fixed(11, 11),
    "armistice day": _fixed(11, 11),
    "thanksgiving day": _THANKSGIVING,
    "thanks giving day": _THANKSGIVING,
    "thanksgiving": _THANKSGIVING,
    "black friday": _after(_THANKSGIVING, 1),
    "cyber monday": _after(_THANKSGIVING, 4),
}

HOLIDAY = "(?:" + "|".join(sorted(_NAMES, key=len, reverse=True)).replace(".", r"\.") + ")"
"""Pattern of a holiday's name."""

HOLIDAY_WORDS = frozenset(name.split()[0].partition("'")[0].rstrip(".") for name in _NAMES)
"""The words a holiday's name can begin with."""


def holiday_on(name: str, year: int) -> date:
    """The day of a holiday that HOLIDAY matched.

    >>> holiday_on("easter monday", 2025)
    datetime.date(2025, 4, 21)
    """
    return _NAMES[name](year)
