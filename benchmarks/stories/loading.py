"""Reads a folder of stories: `stories.jsonl` (one story a line) and `relations.json`."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from zoneinfo import ZoneInfo

from graphmem import Relation, Rivalry

__all__ = [
    "Anchored",
    "Difficulty",
    "Forbidden",
    "GoldClaim",
    "Probe",
    "Span",
    "Story",
    "StoryEpisode",
    "StoryQuestion",
    "StorySet",
    "fold_of",
    "load_stories",
    "sample_of",
]

Span: TypeAlias = tuple[datetime | None, datetime | None]
"""Half-open [lo, hi) in UTC; None: an open side."""

Difficulty: TypeAlias = str
"""One of "plain", "natural", "hard"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryEpisode:
    episode_id: str
    said_at: datetime
    """In the story's zone."""
    learned_at: datetime
    speaker: str | None
    source: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class GoldClaim:
    """What an episode says, in canonical names."""

    episode_id: str
    kind: str
    subject: str
    relation: str
    object: str
    start: Span | None
    end: Span | None
    phrase: str | None
    """Its time words, verbatim."""
    implied: bool
    """Its date is not in the words; an extractor may leave it out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Forbidden:
    """A fact that a careless extractor would take from the episode."""

    episode_id: str
    subject: str
    relation: str
    object: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Anchored:
    """The fact by which a probe fixes its time."""

    position: str
    subject: str | None
    relation: str
    object: str | None
    n: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """A question as a formal query over canonical names; None: free."""

    op: str
    subject: str | None
    relation: str | None
    object: str | None
    path: tuple[str, ...]
    n: int | None
    anchor: Anchored | None
    possible: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class StoryQuestion:
    n: int
    """Its place in the story, from 0."""
    text: str
    asked_at: datetime
    type: str
    valid: Span | None
    known_at: datetime | None
    answers: tuple[tuple[str, ...], ...]
    """For each item its aliases; ordered for histories; empty: there is no answer."""
    granule: Span | None
    durations: tuple[str, ...]
    """Lengths that must all lie in the span that is answered: "14m"."""
    probe: Probe | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Story:
    story_id: str
    group_id: str
    difficulty: Difficulty
    zone: str
    names: Mapping[str, tuple[str, ...]]
    """Other names by canonical name."""
    episodes: tuple[StoryEpisode, ...]
    """In the order in which the memory gets them."""
    claims: tuple[GoldClaim, ...]
    must_not: tuple[Forbidden, ...]
    questions: tuple[StoryQuestion, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class StorySet:
    stories: tuple[Story, ...]
    relations: Mapping[str, Relation]


def load_stories(folder: Path) -> StorySet:
    """The stories in file order. Raises OSError or ValueError for a folder of another form."""
    declared = json.loads((folder / "relations.json").read_text(encoding="utf-8"))
    lines = (folder / "stories.jsonl").read_text(encoding="utf-8").splitlines()
    return StorySet(
        stories=tuple(_story(json.loads(line)) for line in lines if line.strip()),
        relations={
            name: Relation(
                name=name,
                rivalry=Rivalry(row["rivalry"]),
                symmetric=row["symmetric"],
                event=row["type"] == "event",
            )
            for name, row in declared.items()
        },
    )


def fold_of(stories: Sequence[Story], number: int, folds: int) -> Sequence[Story]:
    """Fold `number` (from 1) of as many equal ones as `folds`, in file order."""
    return stories[(number - 1) * len(stories) // folds : number * len(stories) // folds]


def sample_of(stories: Sequence[Story], count: int, seed: int) -> list[Story]:
    """`count` stories in file order, of each difficulty its share."""
    by_difficulty: defaultdict[str, list[Story]] = defaultdict(list)
    for story in stories:
        by_difficulty[story.difficulty].append(story)
    shuffled = random.Random(seed)
    ranked: list[tuple[float, str]] = []
    for members in by_difficulty.values():
        shuffled.shuffle(members)
        ranked += [((place + 0.5) / len(members), story.story_id) for place, story in enumerate(members)]
    chosen = {story_id for _, story_id in sorted(ranked)[:count]}
    return [story for story in stories if story.story_id in chosen]


def _story(row: dict[str, object]) -> Story:
    fields = _Fields(row, str(row["tz"]))
    episodes = [_episode(e) for e in fields.rows("episodes")]
    return Story(
        story_id=fields.text("id"),
        group_id=fields.text("group_id"),
        difficulty=fields.text("difficulty"),
        zone=fields.text("tz"),
        names=_names(row["entities"]),
        episodes=tuple(sorted(episodes, key=lambda e: e.learned_at)),
        claims=tuple(_claim(c) for c in fields.rows("claims")),
        must_not=tuple(_forbidden(m) for m in fields.rows("must_not")),
        questions=tuple(_question(q, n) for n, q in enumerate(fields.rows("questions"))),
    )


class _Fields:
    """One JSON object of the set, read field by field with the type each must have."""

    def __init__(self, row: Mapping[str, object], zone: str) -> None:
        self._row = row
        self._zone = ZoneInfo(zone)
        self._zone_name = zone

    def text(self, name: str) -> str:
        value = self._row[name]
        if not isinstance(value, str):
            raise ValueError(f"{name!r} must be text, not {value!r:.40}")
        return value

    def text_or_none(self, name: str) -> str | None:
        return None if self._row.get(name) is None else self.text(name)

    def number_or_none(self, name: str) -> int | None:
        value = self._row.get(name)
        if value is not None and not isinstance(value, int):
            raise ValueError(f"{name!r} must be a whole number, not {value!r:.40}")
        return value

    def flag(self, name: str) -> bool:
        return bool(self._row.get(name, False))

    def moment(self, name: str) -> datetime:
        return datetime.fromisoformat(self.text(name)).astimezone(self._zone)

    def moment_or_none(self, name: str) -> datetime | None:
        return None if self._row.get(name) is None else self.moment(name)

    def span(self, name: str) -> Span | None:
        value = self._row.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError(f"{name!r} must be a pair of moments, not {value!r:.40}")
        lo, hi = (None if side is None else datetime.fromisoformat(side).astimezone(UTC) for side in value)
        return lo, hi

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(str(item) for item in self._list(name))

    def rows(self, name: str) -> list[_Fields]:
        return [_Fields(item, self._zone_name) for item in self._list(name) if isinstance(item, dict)]

    def row_or_none(self, name: str) -> _Fields | None:
        value = self._row.get(name)
        return _Fields(value, self._zone_name) if isinstance(value, dict) else None

    def alias_lists(self, name: str) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(str(alias) for alias in item) for item in self._list(name) if isinstance(item, list))

    def _list(self, name: str) -> list[object]:
        value = self._row.get(name) or []
        if not isinstance(value, list):
            raise ValueError(f"{name!r} must be a list, not {value!r:.40}")
        return value


def _names(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"'entities' must be names by canonical name, not {value!r:.40}")
    return {str(name): tuple(str(other) for other in others) for name, others in value.items()}


def _episode(row: _Fields) -> StoryEpisode:
    return StoryEpisode(
        episode_id=row.text("id"),
        said_at=row.moment("at"),
        learned_at=row.moment("learned_at"),
        speaker=row.text_or_none("speaker"),
        source=row.text("source"),
        text=row.text("text"),
    )


def _claim(row: _Fields) -> GoldClaim:
    return GoldClaim(
        episode_id=row.text("episode"),
        kind=row.text("kind"),
        subject=row.text("subject"),
        relation=row.text("relation"),
        object=row.text("object"),
        start=row.span("start"),
        end=row.span("end"),
        phrase=row.text_or_none("phrase"),
        implied=row.flag("implied"),
    )


def _forbidden(row: _Fields) -> Forbidden:
    return Forbidden(
        episode_id=row.text("episode"),
        subject=row.text("subject"),
        relation=row.text("relation"),
        object=row.text("object"),
    )


def _question(row: _Fields, n: int) -> StoryQuestion:
    probe = row.row_or_none("probe")
    return StoryQuestion(
        n=n,
        text=row.text("q"),
        asked_at=row.moment("asked_at"),
        type=row.text("type"),
        valid=row.span("valid"),
        known_at=row.moment_or_none("known_at"),
        answers=row.alias_lists("answers"),
        granule=row.span("granule"),
        durations=row.texts("durations"),
        probe=None if probe is None else _probe(probe),
    )


def _probe(row: _Fields) -> Probe:
    anchor = row.row_or_none("anchor")
    return Probe(
        op=row.text("op"),
        subject=row.text_or_none("s"),
        relation=row.text_or_none("r"),
        object=row.text_or_none("o"),
        path=row.texts("path"),
        n=row.number_or_none("n"),
        anchor=None if anchor is None else _anchor(anchor),
        possible=row.flag("possible"),
    )


def _anchor(row: _Fields) -> Anchored:
    return Anchored(
        position=row.text("pos"),
        subject=row.text_or_none("s"),
        relation=row.text("r"),
        object=row.text_or_none("o"),
        n=row.number_or_none("n"),
    )
