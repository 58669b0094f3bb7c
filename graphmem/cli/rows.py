"""Facts, episodes and jobs as rows of a report."""

from __future__ import annotations

from datetime import tzinfo

from graphmem.cli.output import Cell, Row
from graphmem.cli.times import utc_text
from graphmem.model import DatedFact, Episode, FactVersion, Job
from graphmem.timeline.day_names import day_name
from graphmem.timeline.granules import Granule
from graphmem.timeline.instants import MAX, MIN, to_datetime
from graphmem.timeline.render import render_granule, render_moment

__all__ = ["FACT_COLUMNS", "VERSION_COLUMNS", "dates", "episode_row", "fact_row", "job_row"]

FACT_COLUMNS = {"text": "fact", "from": "from", "to": "to", "confirmed": "last confirmed"}
VERSION_COLUMNS = {"text": "fact", "from": "from", "to": "to", "believed_from": "believed from", "believed_to": "to"}


def fact_row(fact: DatedFact, zone: tzinfo) -> Row:
    """One version of a fact. `from`, `to` and `confirmed` are words; everything ending in _at is ISO in UTC."""
    version = fact.version
    return {
        "text": fact.text,
        "subject": fact.subject.name,
        "relation": fact.relation,
        "object": fact.object.name,
        "from": _from(version, zone),
        "to": _to(version, zone),
        "confirmed": "" if fact.last_confirmed_at is None else day_name(fact.last_confirmed_at.astimezone(zone)),
        "valid_at": utc_text(fact.valid_at),
        "invalid_at": utc_text(fact.invalid_at),
        "start": _granule(version.start, version.start_stated),
        "end": _granule(version.end, version.end_stated),
        "created_at": utc_text(fact.created_at),
        "expired_at": utc_text(fact.expired_at),
        "believed_from": render_moment(version.created_at, zone),
        "believed_to": "" if version.expired_at >= MAX else render_moment(version.expired_at, zone),
        "last_confirmed_at": utc_text(fact.last_confirmed_at),
        "is_certain": fact.is_certain,
        "is_trusted": version.trusted,
        "group_id": fact.fact.group_id,
        "fact_id": fact.fact.fact_id,
        "version_id": version.version_id,
        "episode_ids": list(fact.episode_ids),
        "told_by": list(dict.fromkeys(name for _, name in fact.told_by)),
    }


def dates(fact: DatedFact, zone: tzinfo) -> str:
    """The dates of a fact in brackets: "(since early May 2026)", "(known from 10 February 2025 until 1 May 2026)"."""
    version, ends = fact.version, _to(fact.version, zone)
    if version.valid_at is None:
        return f"(some time {ends})"
    begins = _begins(version, zone)
    if _is_dated(version):
        return f"({begins} until {ends})" if ends else f"(since {begins})"
    return f"(known from {begins} until {ends})" if ends else f"(known from {begins})"


def episode_row(episode: Episode, zone: tzinfo) -> Row:
    said_at = to_datetime(episode.said_at)
    return {
        "text": episode.text,
        "speaker": episode.speaker,
        "said": render_moment(episode.said_at, zone),
        "said_at": utc_text(said_at),
        "source": episode.source.value,
        "session_id": episode.session_id,
        "metadata": dict(episode.metadata),
        "is_trusted": episode.trusted,
        "group_id": episode.group_id,
        "episode_id": episode.episode_id,
    }


def job_row(job: Job, zone: tzinfo) -> Row:
    return {
        "job_id": job.job_id,
        "group_id": job.group_id,
        "state": job.state.value,
        "attempts": job.attempts,
        "reason": job.reason,
        "accepted": render_moment(job.accepted_at, zone) if job.accepted_at > MIN else "",
        "accepted_at": utc_text(to_datetime(job.accepted_at)),
        "run_after": utc_text(to_datetime(job.run_after)),
    }


def _from(version: FactVersion, zone: tzinfo) -> str:
    begins = _begins(version, zone)
    return begins if _is_dated(version) or not begins else f"by {begins}"


def _begins(version: FactVersion, zone: tzinfo) -> str:
    if version.valid_at is None:
        return ""
    return render_granule(version.start, zone) if _is_dated(version) else _day_of(version.valid_at, zone)


def _is_dated(version: FactVersion) -> bool:
    """Whether it was said when it began; else it is known from the first time somebody spoke of it."""
    return version.start_stated or (version.valid_at is not None and version.valid_at <= MIN)


def _to(version: FactVersion, zone: tzinfo) -> str:
    if version.invalid_at >= MAX:
        return ""
    if version.end_stated or version.valid_at is not None:
        return render_granule(version.end, zone)
    return f"before {_day_of(version.invalid_at, zone)}"


def _day_of(instant: int, zone: tzinfo) -> str:
    moment = to_datetime(instant)
    return render_moment(instant, zone) if moment is None else day_name(moment.astimezone(zone))


def _granule(granule: Granule, is_stated: bool) -> Cell:
    return {
        "earliest_at": utc_text(to_datetime(granule.lo)),
        "latest_at": utc_text(to_datetime(granule.hi)),
        "unit": granule.unit.value,
        "is_stated": is_stated,
    }
