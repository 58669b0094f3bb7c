"""What an extractor found, held against the gold claims: matches with and without dates, and six kinds of mistake."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Protocol

from benchmarks.stories.loading import GoldClaim, Span, Story
from benchmarks.stories.spelling import answer_key, plain
from graphmem import Relation, Rivalry

__all__ = ["BelievedFact", "ClaimCounts", "EmittedClaim", "Folding", "count_claims"]

_ASSERTING = ("HOLD", "EVENT")
_POSSESSIVE = re.compile(r"['’]s\b")
_ISO_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}")


class Triple(Protocol):
    """Anything with a subject, a relation and an object."""

    @property
    def subject(self) -> str: ...
    @property
    def relation(self) -> str: ...
    @property
    def object(self) -> str: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class EmittedClaim:
    """One claim as the extractor made it."""

    episode_id: str
    kind: str
    subject: str
    relation: str
    object: str
    start: Span | None = None
    end: Span | None = None

    @property
    def asserts(self) -> bool:
        """Whether it says that the fact is or was so."""
        return self.kind in _ASSERTING


@dataclass(frozen=True, kw_only=True, slots=True)
class BelievedFact:
    """One fact that holds at the end of a story, as the memory knows it then."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimCounts:
    """Sums over stories."""

    emitted: int = 0
    """Claims in the set's relations."""
    outside: int = 0
    """Claims in other relations; they count nowhere else but in `facts`."""
    gold: int = 0
    matched: int = 0
    undated: int = 0
    """Matched when dates are left aside."""
    facts: int = 0
    """Emitted claims that assert a fact; the mistakes below are shares of them."""
    must_not: int = 0
    violated: int = 0
    wrong_speaker: int = 0
    invented: int = 0
    duplicate: int = 0
    contradictory: int = 0
    stale: int = 0
    """Facts of the gold that are believed still, and hold no longer by the gold."""

    def __add__(self, other: ClaimCounts) -> ClaimCounts:
        return ClaimCounts(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)})


def count_claims(
    story: Story,
    emitted: Sequence[EmittedClaim],
    believed: Sequence[BelievedFact],
    relations: Mapping[str, Relation],
    holding: Sequence[BelievedFact] = (),
) -> ClaimCounts:
    """The counts of one story; `believed` are the facts that hold at its end, `holding` those that do by its gold claims."""
    folding = Folding(story.names, relations)
    asserted = [claim for claim in emitted if claim.asserts]
    texts = {e.episode_id: _searchable(f"{e.speaker or ''}: {e.text}") for e in story.episodes}
    outside = sum(not folding.is_known_relation(claim.relation) for claim in emitted)
    return ClaimCounts(
        emitted=len(emitted) - outside,
        outside=outside,
        gold=len(story.claims),
        matched=_matched(emitted, story.claims, lambda e, g: folding.is_same_claim(e, g) and dates_agree(e, g)),
        undated=_matched(emitted, story.claims, folding.is_same_claim),
        facts=len(asserted),
        must_not=len(story.must_not),
        violated=sum(
            any(c.episode_id == row.episode_id and folding.is_same_fact(c, row) for c in asserted)
            for row in story.must_not
        ),
        wrong_speaker=sum(folding.has_wrong_subject(claim, story.claims) for claim in asserted),
        invented=sum(folding.is_invented(claim, story.claims, texts[claim.episode_id]) for claim in asserted),
        duplicate=sum(
            any(folding.is_same_fact(fact, earlier) for earlier in believed[:i]) for i, fact in enumerate(believed)
        ),
        contradictory=sum(
            any(folding.are_rivals(fact, earlier) for earlier in believed[:i]) for i, fact in enumerate(believed)
        ),
        stale=sum(
            any(folding.is_same_fact(fact, claim) for claim in story.claims)
            and not any(folding.is_same_fact(fact, held) for held in holding)
            for fact in believed
        ),
    )


class Folding:
    """Names of one story brought to what they mean, so that "Mara" equals "Mara Lindqvist"."""

    def __init__(self, names: Mapping[str, Sequence[str]], relations: Mapping[str, Relation]) -> None:
        self._canonical: defaultdict[str, set[str]] = defaultdict(set)
        self._spellings = {name: (name, *others) for name, others in names.items()}
        for name, spellings in self._spellings.items():
            for spelling in spellings:
                self._canonical[answer_key(spelling)].add(name)
        self._relations = {_relation_key(name): relation for name, relation in relations.items()}

    def is_known_relation(self, relation: str) -> bool:
        return _relation_key(relation) in self._relations

    def is_same_fact(self, one: Triple, other: Triple) -> bool:
        if _relation_key(one.relation) != _relation_key(other.relation):
            return False
        if self._are_same(one.subject, other.subject) and self._are_same(one.object, other.object):
            return True
        crossed = self._are_same(one.subject, other.object) and self._are_same(one.object, other.subject)
        return crossed and self._relation(one).symmetric

    def is_same_claim(self, emitted: EmittedClaim, gold: GoldClaim) -> bool:
        """Apart from its dates."""
        return (
            emitted.episode_id == gold.episode_id and _kind(emitted) == _kind(gold) and self.is_same_fact(emitted, gold)
        )

    def has_wrong_subject(self, claim: EmittedClaim, gold: Sequence[GoldClaim]) -> bool:
        """Whether its relation and object match a claim of the episode, but no such claim has its subject."""
        alike = [
            g
            for g in gold
            if g.episode_id == claim.episode_id
            and _relation_key(g.relation) == _relation_key(claim.relation)
            and self._are_same(g.object, claim.object)
        ]
        return bool(alike) and not any(self.is_same_fact(claim, g) for g in alike)

    def is_invented(self, claim: EmittedClaim, gold: Sequence[GoldClaim], plain_text: str) -> bool:
        """Whether its object stands nowhere in its episode. Dates are said in words, and what the gold has too is right."""
        if _ISO_DATE.fullmatch(claim.object.strip()) or self._is_named_in(claim.object, plain_text):
            return False
        return not any(g.episode_id == claim.episode_id and self.is_same_fact(claim, g) for g in gold)

    def _is_named_in(self, name: str, plain_text: str) -> bool:
        spellings = [spelling for one in self._fold(name) for spelling in self._spellings.get(one, ())]
        keys = {answer_key(spelling) for spelling in (name, *spellings)} | {plain(name)}
        return any(f" {key} " in plain_text for key in keys if key)

    def are_rivals(self, one: Triple, other: Triple) -> bool:
        """Whether both cannot hold at one instant by the set's relations."""
        relation = self._relation(one)
        if _relation_key(one.relation) != _relation_key(other.relation) or relation.rivalry is Rivalry.NONE:
            return False
        if self.is_same_fact(one, other):
            return False
        shared = self._are_same(one.subject, other.subject)
        if relation.rivalry is Rivalry.BOTH:
            shared = shared or self._are_same(one.object, other.object)
        if relation.symmetric:
            shared = shared or self._are_same(one.subject, other.object) or self._are_same(one.object, other.subject)
        return shared

    def _relation(self, triple: Triple) -> Relation:
        return self._relations.get(_relation_key(triple.relation), Relation(name=triple.relation))

    def _are_same(self, one: str, other: str) -> bool:
        return bool(self._fold(one) & self._fold(other))

    def _fold(self, name: str) -> set[str]:
        key = answer_key(name)
        return self._canonical.get(key) or {key}


def _searchable(text: str) -> str:
    return f" {plain(_POSSESSIVE.sub('', text))} "


def dates_agree(emitted: EmittedClaim, gold: GoldClaim) -> bool:
    """Both absent, or overlapping; a date that the words of the gold claim only imply may be missing."""
    if not _date_agrees(emitted.start, gold.start, gold.implied):
        return False
    return _kind(gold) == "EVENT" or _date_agrees(emitted.end, gold.end, gold.implied)


def _date_agrees(emitted: Span | None, gold: Span | None, implied: bool) -> bool:
    if emitted is None or gold is None:
        return emitted is None and (gold is None or implied)
    if (emitted == (None, None)) != (gold == (None, None)):
        return False
    lo = max((side for side in (emitted[0], gold[0]) if side is not None), default=None)
    hi = min((side for side in (emitted[1], gold[1]) if side is not None), default=None)
    return lo is None or hi is None or lo < hi


def _kind(claim: EmittedClaim | GoldClaim) -> str:
    is_point = claim.kind == "HOLD" and claim.start is not None and claim.start == claim.end
    return "EVENT" if is_point else claim.kind


def _relation_key(relation: str) -> str:
    return re.sub(r"[ -]", "_", relation).casefold()


def _matched(
    emitted: Sequence[EmittedClaim],
    gold: Sequence[GoldClaim],
    is_match: Callable[[EmittedClaim, GoldClaim], bool],
) -> int:
    """The size of the largest one-to-one pairing, by augmenting paths."""
    pairs = {i: [j for j, g in enumerate(gold) if is_match(e, g)] for i, e in enumerate(emitted)}
    taken: dict[Hashable, int] = {}

    def place(i: int, tried: set[int]) -> bool:
        for j in pairs[i]:
            if j in tried:
                continue
            tried.add(j)
            if j not in taken or place(taken[j], tried):
                taken[j] = i
                return True
        return False

    return sum(place(i, set()) for i in pairs)
