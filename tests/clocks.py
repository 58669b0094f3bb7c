"""A clock and ids that tests set by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count


class SetClock:
    """Stands still until it is set; tests that need time to pass move it."""

    def __init__(self, moment: datetime | None = None) -> None:
        self.moment = moment or datetime(2026, 1, 1, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def set(self, moment: datetime) -> None:
        self.moment = moment

    def tick(self, step: timedelta = timedelta(seconds=1)) -> None:
        self.moment += step


class CountedIds:
    """e_0001, e_0002, …"""

    def __init__(self) -> None:
        self._numbers = count(1)

    def new_id(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers):04d}"


def day(text: str) -> datetime:
    """A moment in UTC from an ISO date or datetime."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
