"""A model double that knows the story: it gives each episode's gold claims in the answer format of the extraction prompt."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from itertools import product
from zoneinfo import ZoneInfo

from benchmarks.stories.loading import GoldClaim, Span, Story, StoryEpisode
from benchmarks.stories.spelling import plain
from graphmem.inference.scripted import ScriptedModel
from graphmem.ports import ModelRequest
from graphmem.timeline.bounds import bounds_of
from graphmem.timeline.claims import Kind
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MAX, MIN, to_instant
from graphmem.timeline.phrases import Tense, TimePhrase, TimeRole

__all__ = ["gold_model"]

_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|\n+")


def gold_model(story: Story) -> ScriptedModel:
    """The model that reads this story perfectly. Two names are the same for it only where the gold claims spell them alike."""

    def reply(request: ModelRequest) -> str:
        if request.stage != "extract":
            return json.dumps({"matches": []})
        said = request.prompt.rpartition("<message ")[2].partition(">")[2]
        (episode,) = {e.text: e for e in story.episodes if said.startswith(e.text)}.values()
        return _answer(story, episode)

    return ScriptedModel(reply, name="scripted-gold")


def _answer(story: Story, episode: StoryEpisode) -> str:
    claims = [claim for claim in story.claims if claim.episode_id == episode.episode_id]
    things: dict[tuple[str, str], int] = {}
    facts = [_fact(story, episode, claim, things) for claim in claims]
    entities = [
        {"n": n, "name": name, "kind": kind, "words": _words(story, episode, name), "also": ""}
        for (name, kind), n in things.items()
    ]
    return json.dumps({"entities": entities, "facts": facts}, ensure_ascii=False)


def _fact(
    story: Story, episode: StoryEpisode, claim: GoldClaim, things: dict[tuple[str, str], int]
) -> dict[str, object]:
    is_name = plain(claim.subject) == plain(claim.object)
    subject = things.setdefault((claim.subject, "thing"), len(things) + 1)
    obj = things.setdefault((claim.object, "value" if is_name else "thing"), len(things) + 1)
    return {
        "message": 1,
        "kind": claim.kind,
        "subject": subject,
        "relation": claim.relation,
        "object": obj,
        "quote": _quote(story, episode, claim),
        "sentence": "",
        **_times(story, episode, claim),
        "certainty": "stated",
        "says": "",
    }


def _times(story: Story, episode: StoryEpisode, claim: GoldClaim) -> dict[str, str]:
    """The time words where they date the claim by themselves; dates, where they only point at something said before."""
    said_at = episode.said_at.astimezone(ZoneInfo(story.zone))
    wanted = (_bound(claim.start), None if claim.kind == "EVENT" else _bound(claim.end))
    empty = {"at": "", "start": "", "end": "", "tense": "past"}
    if wanted == (None, None):
        return empty
    for role, tense in product(TimeRole, (None, Tense.FUTURE)) if claim.phrase else ():
        phrase = TimePhrase(text=claim.phrase or "", role=role, tense=tense)
        found = bounds_of(Kind(claim.kind), [phrase], said_at)
        if (_sides(found.start), _sides(found.end)) == wanted:
            return {**empty, role.value: phrase.text, "tense": "future" if tense else "past"}
    start = "at" if claim.kind in ("EVENT", "NEVER") else "start"
    end = "" if claim.kind == "EVENT" else _date(claim.end, said_at)
    return {**empty, start: _date(claim.start, said_at), "end": end}


def _bound(span: Span | None) -> tuple[int, int] | None:
    if span is None:
        return None
    lo, hi = span
    if lo is None and hi is None:
        return MIN, MIN
    return MIN if lo is None else to_instant(lo), MAX if hi is None else to_instant(hi)


def _sides(granule: Granule | None) -> tuple[int, int] | None:
    return None if granule is None else (granule.lo, granule.hi)


def _date(span: Span | None, said_at: datetime) -> str:
    """A span as the format writes it: first and last day, or first and last minute."""
    if span is None or span[0] is None or span[1] is None:
        return ""
    lo, hi = (side.astimezone(said_at.tzinfo) for side in span if side is not None)
    if (lo.hour, lo.minute, hi.hour, hi.minute) == (0, 0, 0, 0):
        last = datetime.fromordinal(hi.toordinal() - 1)
        return f"{lo:%Y-%m-%d}/{last:%Y-%m-%d}"
    return f"{lo:%Y-%m-%dT%H:%M}/{hi - timedelta(minutes=1):%Y-%m-%dT%H:%M}"


def _words(story: Story, episode: StoryEpisode, name: str) -> str:
    """How the text calls it: by one of its names, else somehow, and then the whole text is the best witness."""
    called = [alias for alias in (name, *story.names.get(name, ())) if alias.lower() in episode.text.lower()]
    return called[0] if called else episode.text


def _quote(story: Story, episode: StoryEpisode, claim: GoldClaim) -> str:
    """The sentence with the time words, else the one that names most of what it is about, else the whole text."""
    sentences = [sentence for sentence in _SENTENCE_END.split(episode.text) if sentence.strip()]
    names = [n.lower() for end in (claim.subject, claim.object) for n in (end, *story.names.get(end, ()))]
    wanted = (claim.phrase or "").lower()

    def witness(sentence: str) -> tuple[bool, int]:
        low = sentence.lower()
        return bool(wanted) and wanted in low, sum(name in low for name in names)

    best = max(sentences, key=witness, default=episode.text)
    return best if any(witness(best)) else episode.text
