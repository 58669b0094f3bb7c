"""A memory of a few lines for tests of questions: claims are folded, facts are read from a list.

    Memory.of(
        "Ann WORKS_AT Acme, said 2025-02-10",
        "Ann WORKS_AT Globex, start 2026-05, said 2026-06-03",
        "Ann STOP WORKS_AT Globex, end 2026-07, said 2026-08-01",
    )

A name is its own entity id. Times are a year, a month or a day, in UTC.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from graphmem.model import DatedFact, Entity, Fact, FactVersion, Name, Scope
from graphmem.relations import builtin_relations, fact_text, relation_of
from graphmem.retrieve.known_facts import KnownFacts
from graphmem.retrieve.name_spotting import NameIndex
from graphmem.retrieve.query import Query
from graphmem.retrieve.question import QuestionReader
from graphmem.retrieve.relation_words import RelationWords
from graphmem.terms import name_key
from graphmem.timeline import Claim, Granule, Instant, Kind, Relation, Row, fold
from graphmem.timeline import calendar as cut
from graphmem.timeline.instants import MAX, MIN, to_instant

GROUP = "g"
_CLAIM = re.compile(
    r"(?P<subject>.+?) (?:(?P<kind>HOLD|EVENT|STOP|PAST|NEVER) )?(?P<relation>[A-Z]+(?:_[A-Z]+)+|[A-Z]{3,}) (?P<object>.+)"
)


def moment(text: str) -> datetime:
    """Noon of a day: when questions are asked and claims are said."""
    return datetime.fromisoformat(text).replace(hour=12, tzinfo=UTC)


def granule(text: str) -> Granule:
    parts = [int(part) for part in text.split("-")]
    if len(parts) == 1:
        return cut.year(parts[0], UTC)
    return cut.month(parts[0], parts[1], UTC) if len(parts) == 2 else cut.day(date(*parts), UTC)


@dataclass(frozen=True, kw_only=True)
class Memory:
    claims: tuple[Claim, ...]
    relations: Mapping[str, Relation]

    @classmethod
    def of(cls, *lines: str, relations: Sequence[Relation] = ()) -> Memory:
        declared = {relation.name: relation for relation in relations}
        return cls(claims=tuple(_claim(line, at, declared) for at, line in enumerate(lines)), relations=declared)

    def facts(self, known_at: Instant) -> list[DatedFact]:
        known = [claim for claim in self.claims if claim.ref <= known_at]
        names = sorted({claim.relation for claim in known})
        rows = [
            row
            for name in names
            for row in fold([c for c in known if c.relation == name], relation_of(name, self.relations))
        ]
        return [self._dated(row) for row in rows]

    def _dated(self, row: Row) -> DatedFact:
        ends = [Entity(entity_id=name, group_id=GROUP, name=name, created_at=0) for name in (row.subject, row.object)]
        text = fact_text(relation_of(row.relation, self.relations), row.subject, row.object)
        fact_id = f"{row.subject} {row.relation} {row.object}"
        fact = Fact(
            fact_id=fact_id, group_id=GROUP, subject=row.subject, relation=row.relation, object=row.object, text=text
        )
        version = FactVersion(
            version_id=f"{fact_id} {row.valid_at} {row.invalid_at}",
            fact_id=fact_id,
            group_id=GROUP,
            subject=row.subject,
            relation=row.relation,
            object=row.object,
            valid_at=row.valid_at,
            invalid_at=row.invalid_at,
            start=row.start,
            end=row.end,
            start_stated=row.start_stated,
            end_stated=row.end_stated,
            trusted=row.trusted,
            created_at=0,
        )
        episodes = tuple(sorted(row.support))
        return DatedFact(fact=fact, version=version, subject=ends[0], object=ends[1], episode_ids=episodes)

    async def __call__(
        self,
        scope: Scope,
        *,
        subjects: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        objects: Sequence[str] | None = None,
        touching: Sequence[str] | None = None,
        limit: int | None = None,
    ) -> list[DatedFact]:
        found = [
            fact
            for fact in self.facts(scope.known_at)
            if _is_among(fact.version.subject, subjects)
            and _is_among(fact.version.object, objects)
            and _is_among(fact.version.relation, relations)
            and (touching is None or fact.version.subject in touching or fact.version.object in touching)
            and _is_in(fact.version, scope)
        ]
        found.sort(key=lambda fact: MIN - 1 if fact.version.valid_at is None else fact.version.valid_at)
        return found[:limit]

    def reader(self, *more_names: str) -> QuestionReader:
        spellings = dict.fromkeys([*(n for c in self.claims for n in (c.subject, c.object)), *more_names])
        names = [Name(group_id=GROUP, key=name_key(name), entity_id=name, spelling=name) for name in spellings]
        known = {claim.relation: relation_of(claim.relation, self.relations) for claim in self.claims}
        return QuestionReader(
            names=NameIndex(names),
            words=RelationWords.of({**known, **self.relations}),
            relations={**builtin_relations(), **known},
        )

    def read(self, question: str, asked_at: str = "2026-06-03", *more_names: str) -> Query | None:
        facts = KnownFacts(claim.key for claim in self.claims)
        return self.reader(*more_names).read(question, asked_at=moment(asked_at), group_ids=(GROUP,), facts=facts)


def _claim(line: str, at: int, relations: Mapping[str, Relation]) -> Claim:
    text, *marks = [part.strip() for part in line.split(",")]
    said = dict(mark.split(" ", 1) for mark in marks)
    found = _CLAIM.fullmatch(text)
    assert found is not None, f"not a claim: {line!r}"
    start = granule(said["start"]) if "start" in said else None
    is_event = relation_of(found["relation"], relations).event
    kind = Kind(found["kind"] or ("EVENT" if is_event else "HOLD"))
    return Claim(
        claim_id=f"c{at}",
        kind=kind,
        subject=found["subject"],
        relation=found["relation"],
        object=found["object"],
        ref=to_instant(moment(said.get("said", "2026-01-01"))),
        seq=at,
        start=start or (granule("2026") if kind is Kind.EVENT else None),
        end=granule(said["end"]) if "end" in said else None,
    )


def _is_among(item: str, selection: Sequence[str] | None) -> bool:
    return selection is None or item in selection


def _is_in(version: FactVersion, scope: Scope) -> bool:
    low, high = version.valid_at, version.invalid_at
    if scope.possible:
        low, high = version.start.lo, max(version.end.hi, version.invalid_at)
        low = MIN if version.valid_at is None else low
    return low is not None and low < scope.window.until and high > scope.window.start and high <= MAX
