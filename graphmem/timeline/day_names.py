"""Days and months by their English names. Not from `calendar` or "%B", which speak the machine's language."""

from __future__ import annotations

from datetime import date

__all__ = ["MONTHS", "WEEKDAYS", "day_name", "month_name"]

MONTHS = tuple("January February March April May June July August September October November December".split())
WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())


def day_name(day: date) -> str:
    """A day as people write it.

    >>> day_name(date(2025, 3, 3))
    '3 March 2025'
    """
    return f"{day.day} {month_name(day)}"


def month_name(day: date) -> str:
    """The month of a day, with its year: "March 2025"."""
    return f"{MONTHS[day.month - 1]} {day.year}"
