"""What folding one timeline of rivals costs."""

from __future__ import annotations

import statistics
from datetime import timedelta

from benchmarks.performance.timing import Stopwatch
from benchmarks.performance.world import FIRST_DAY
from graphmem import Granule, Kind, Relation, Rivalry, Unit
from graphmem.timeline.claims import Claim
from graphmem.timeline.fold import fold
from graphmem.timeline.instants import to_instant

__all__ = ["measure_fold"]

_EMPLOYERS = 7


def measure_fold(claims: int, repeats: int) -> float:
    """Milliseconds to fold so many claims about one person's employers; the median."""
    relation = Relation(name="WORKS_AT", rivalry=Rivalry.SUBJ)
    told = [_claim(number) for number in range(claims)]
    watch = Stopwatch()
    for _ in range(repeats):
        with watch.lap():
            fold(told, relation)
    return round(statistics.median(watch.seconds) * 1_000, 3)


def _claim(number: int) -> Claim:
    """A start told a week late, of one of a few employers in turn, every third without its date, every tenth ended."""
    day = to_instant(FIRST_DAY + timedelta(days=30 * (number * 17 % 997)))
    ref = to_instant(FIRST_DAY + timedelta(days=30 * number + 7))
    granule = Granule(lo=day, hi=day + 86_400_000_000, unit=Unit.DAY)
    return Claim(
        claim_id=f"c{number:06}",
        kind=Kind.STOP if number % 10 == 9 else Kind.HOLD,
        subject="alice",
        relation="WORKS_AT",
        object=f"employer {number % _EMPLOYERS}",
        ref=ref,
        start=None if number % 3 == 0 or number % 10 == 9 else granule,
        end=granule if number % 10 == 9 else None,
    )
