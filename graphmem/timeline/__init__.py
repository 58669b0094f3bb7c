"""Time: instants and granules, what claims say, and the fold of claims into rows. Pure; nothing here does I/O."""

from graphmem.timeline.claims import Claim, FactKey, Kind, Relation, Rivalry, Sensitivity
from graphmem.timeline.fold import fold
from graphmem.timeline.granules import ALWAYS, Granule, Unit
from graphmem.timeline.instants import MAX, MICROSECOND, MIN, Instant, to_datetime, to_instant
from graphmem.timeline.rows import Row, identity
from graphmem.timeline.timelines import TimelineReads, reads_for

__all__ = [
    "ALWAYS",
    "MAX",
    "MICROSECOND",
    "MIN",
    "Claim",
    "FactKey",
    "Granule",
    "Instant",
    "Kind",
    "Relation",
    "Rivalry",
    "Row",
    "Sensitivity",
    "TimelineReads",
    "Unit",
    "fold",
    "identity",
    "reads_for",
    "to_datetime",
    "to_instant",
]
