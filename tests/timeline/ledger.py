"""A bi-temporal memory in a list: the smallest thing that folds claims into versions, to ask what was believed when."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from graphmem.timeline import MAX, MIN, Claim, FactKey, Instant, Relation, Row, fold, identity, reads_for
from graphmem.timeline.rivalry import fact_of
from tests.timeline.cutting import cut_timelines


@dataclass(kw_only=True, eq=False)
class Version:
    """A row with its transaction time."""

    row: Row
    created_at: Instant
    expired_at: Instant = MAX


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the log: a claim made, or the id of one withdrawn."""

    tau: Instant
    claim: Claim | None = None
    retracted: str | None = None


class Ledger:
    """Claims in, versions kept, answers as of any moment. Refolds only the timelines that a transaction touches."""

    def __init__(self, relations: Mapping[str, Relation]) -> None:
        self._relations = relations
        self.log: list[Entry] = []
        self.versions: list[Version] = []
        self.tau = MIN

    def relation(self, name: str) -> Relation:
        return self._relations.get(name) or Relation(name=name)

    # ---- writes

    def tell(self, claims: Iterable[Claim], *, now: Instant) -> Instant:
        """Take in claims at the clock's `now`; the transaction time, which always grows (R23)."""
        tau = self._tick(now)
        told = list(claims)
        self.log += [Entry(tau=tau, claim=claim) for claim in told]
        self._refold(told, tau)
        return tau

    def retract(self, claim_ids: Collection[str], *, now: Instant) -> Instant:
        tau = self._tick(now)
        withdrawn = [claim for claim in self.claims() if claim.claim_id in claim_ids]
        self.log += [Entry(tau=tau, retracted=claim_id) for claim_id in claim_ids]
        self._refold(withdrawn, tau)
        return tau

    def erase(self, claim_ids: Collection[str]) -> None:
        """Forget the claims at every transaction time: replay the rest at its old ones (R31)."""
        old = [
            entry
            for entry in self.log
            if entry.retracted not in claim_ids and (entry.claim is None or entry.claim.claim_id not in claim_ids)
        ]
        self.log, self.versions = [], []
        for tau in sorted({entry.tau for entry in old}):
            entries = [entry for entry in old if entry.tau == tau]
            touched = [entry.claim for entry in entries if entry.claim is not None]
            touched += [claim for claim in self.claims() if claim.claim_id in {entry.retracted for entry in entries}]
            self.log += entries
            self._refold(touched, tau)

    def _tick(self, now: Instant) -> Instant:
        self.tau = max(now, self.tau + 1)
        return self.tau

    def _refold(self, touched: list[Claim], tau: Instant) -> None:
        claims = self._whole_timelines(touched)
        facts = {(c.relation, fact_of(c, self.relation(c.relation))) for c in [*claims, *touched]}
        rows = {identity(row): row for row in self.fold(claims)}
        for version in self.versions:
            row = version.row
            if version.expired_at != MAX or (row.relation, (row.subject, row.object)) not in facts:
                continue
            if rows.pop(identity(row), None) is None:
                version.expired_at = tau
        self.versions += [Version(row=row, created_at=tau) for row in rows.values()]

    def _whole_timelines(self, touched: list[Claim]) -> list[Claim]:
        """The active claims of the touched timelines, read step by step as an engine reads them."""
        claims, reads = list(touched), None
        while reads != (reads := reads_for([*touched, *claims], self.relation)):
            claims = [
                claim
                for claim in self.claims()
                if self._key(claim) in reads.facts
                or (claim.relation, claim.subject) in reads.subjects
                or (claim.relation, claim.object) in reads.objects
            ]
        return claims

    def _key(self, claim: Claim) -> FactKey:
        subject, obj = fact_of(claim, self.relation(claim.relation))
        return FactKey(subject=subject, relation=claim.relation, object=obj)

    # ---- reads

    def claims(self, known: Instant = MAX) -> list[Claim]:
        """The claims that stand at a transaction time."""
        standing: dict[str, Claim] = {}
        for entry in self.log:
            if entry.tau > known:
                break
            if entry.claim is not None:
                standing.setdefault(entry.claim.claim_id, entry.claim)
            if entry.retracted is not None:
                standing.pop(entry.retracted, None)
        return list(standing.values())

    def fold(self, claims: Iterable[Claim]) -> list[Row]:
        """The rows of claims of any relations, timeline by timeline."""
        by_relation: dict[str, list[Claim]] = {}
        for claim in claims:
            by_relation.setdefault(claim.relation, []).append(claim)
        return [
            row
            for name, said in by_relation.items()
            for timeline in cut_timelines(said, self.relation(name))
            for row in fold(timeline, self.relation(name))
        ]

    def rows(self, known: Instant | None = None) -> set[Row]:
        """The rows believed at a transaction time (R26)."""
        at = self.tau if known is None else known
        return {version.row for version in self.versions if version.created_at <= at < version.expired_at}

    def ask(
        self,
        relation: str,
        *,
        start: Instant,
        until: Instant,
        subject: str | None = None,
        object: str | None = None,
        known: Instant | None = None,
        possible: bool = False,
    ) -> list[str]:
        """The answers of the rows that overlap the window, in the order in which they began (R28, R29)."""
        found: list[tuple[Instant, str]] = []
        for row in self.rows(known):
            answer = self._answer(row, relation, subject, object)
            lo, hi = (row.start.lo, row.end.hi) if possible else (row.valid_at, row.invalid_at)
            if answer is not None and lo is not None and lo < until and start < hi:
                found.append((max(lo, start), answer))
        return [answer for _, answer in sorted(found)]

    def _answer(self, row: Row, relation: str, subject: str | None, object: str | None) -> str | None:
        if row.relation != relation:
            return None
        ends = {row.subject: row.object}
        if self.relation(relation).symmetric:
            ends[row.object] = row.subject
        if subject is not None:
            return ends.get(subject)
        return next((given for given, other in ends.items() if object in (None, other)), None)

    def last_confirmed(self, row: Row, known: Instant = MAX) -> Instant:
        """The newest ref of the row's support as known then (R35)."""
        claims = self.claims(known)
        support = next(other.support for other in self.fold(claims) if other == row)
        return max(claim.ref for claim in claims if claim.claim_id in support)
