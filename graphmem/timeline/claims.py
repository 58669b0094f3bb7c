"""Claims: what one episode states about one fact, and how relations make facts rivals."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from graphmem.errors import InvalidClaim, InvalidInput
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import Instant

__all__ = ["Claim", "FactKey", "Kind", "OpenRelation", "Relation", "Rivalry", "Sensitivity"]


class Kind(StrEnum):
    """What a claim says of its fact."""

    HOLD = "HOLD"
    """It is or was so; start and end optional."""
    EVENT = "EVENT"
    """It happened within its start granule."""
    STOP = "STOP"
    """It ended, within its end granule if one is stated."""
    PAST = "PAST"
    """It used to be so, nobody said when."""
    NEVER = "NEVER"
    """It was never so; with a start granule: this occurrence never was (R19)."""


class Rivalry(StrEnum):
    """Which facts of a relation exclude one another at one instant (R20)."""

    NONE = "none"
    SUBJ = "subj"
    """One object a subject: employer, home."""
    BOTH = "both"
    """One object a subject and one subject an object: CEO of, married to."""


class Sensitivity(StrEnum):
    """What a policy may keep out."""

    ORDINARY = "ordinary"
    CONTACT = "contact"
    HEALTH = "health"
    FINANCE = "finance"
    BELIEF = "belief"


@dataclass(frozen=True, kw_only=True, slots=True)
class Relation:
    """How the facts of one relation behave."""

    name: str
    rivalry: Rivalry = Rivalry.NONE
    symmetric: bool = False
    event: bool = False
    """Its facts happen instead of lasting; questions about it mean "ever" (R27a)."""
    timeless: bool = False
    """Certain at any instant: a birthplace (R20a)."""
    sensitivity: Sensitivity = Sensitivity.ORDINARY
    phrase: str = ""
    """How a fact is said, for example "{subject} works at {object}"; empty: made from the name."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidInput(f"a relation needs a name, not {self.name!a:.60}")
        for what, kind in (("rivalry", Rivalry), ("sensitivity", Sensitivity)):
            object.__setattr__(self, what, _member(kind, f"the {what} of {self.name!a:.60}", getattr(self, what)))
        for what in ("symmetric", "event", "timeless"):
            if not isinstance(getattr(self, what), bool):
                raise InvalidInput(
                    f"{what} of {self.name!a:.60} must be True or False, not {getattr(self, what)!a:.60}"
                )
        if not isinstance(self.phrase, str):
            raise InvalidInput(f"the phrase of {self.name!a:.60} must be str, not {self.phrase!a:.60}")


def _member(kind: type[StrEnum], what: str, value: object) -> StrEnum:
    try:
        return value if isinstance(value, kind) else kind(str(value))
    except ValueError:
        raise InvalidInput(f"{what} is one of {', '.join(kind)}, not {value!a:.60}") from None


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenRelation(Relation):
    """A relation that nobody declared: its rivalry is what claims say, and NONE until one says so (R20b)."""

    def __post_init__(self) -> None:
        """Nothing is checked: one is made for whatever name is looked up, again and again."""


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class FactKey:
    """Subject, relation and object, as ids; for a symmetric relation the smaller id comes first (R21)."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """One statement of one episode about one fact. Immutable; the same id twice is a no-op (R8)."""

    claim_id: str
    kind: Kind
    subject: str
    relation: str
    object: str
    ref: Instant
    """Reference time: when the episode was said."""
    seq: int = 0
    """Position in the episode."""
    start: Granule | None = None
    end: Granule | None = None
    inferred: bool = False
    """A model's or a rule's conclusion, not stated in the text (R33)."""
    trusted: bool = True
    """False: from an untrusted channel (R34)."""

    def __post_init__(self) -> None:
        if self.kind is Kind.EVENT and self.start is None:
            raise InvalidClaim(f"claim {self.claim_id!r}: an EVENT needs the date it happened on")
        if self.kind is Kind.PAST and (self.start or self.end):
            raise InvalidClaim(f"claim {self.claim_id!r}: a PAST has no dates; use HOLD with an end, or STOP")

    @property
    def order(self) -> tuple[Instant, int, str]:
        """Testimony order (R9): newer outranks older."""
        return (self.ref, self.seq, self.claim_id)

    @property
    def key(self) -> FactKey:
        return FactKey(subject=self.subject, relation=self.relation, object=self.object)
