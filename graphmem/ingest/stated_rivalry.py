"""Statements about relations themselves: whether a new value of an open relation ends the old one, as one more claim (R20b)."""

from __future__ import annotations

from datetime import datetime

from graphmem.errors import InvalidClaim, InvalidInput
from graphmem.groups import shown
from graphmem.ingest.accept import NewEpisode, storable
from graphmem.model import EntityKind, Source, Statement
from graphmem.timeline.claims import Kind, Rivalry
from graphmem.timeline.told_rivalry import HAS_RIVALRY, RIVALRY_NODES, relation_node, rivalry_node

__all__ = ["checked_rivalry", "episode_of_rivalry", "rivalry_sentence", "rivalry_stated", "rivalry_statement"]

_HEADING = "Rivalry.\n"
_SENTENCES = {
    Rivalry.NONE: "Values of {relation} stand side by side.",
    Rivalry.SUBJ: "A new value of {relation} ends the old one.",
    Rivalry.BOTH: "A new value of {relation} ends the old one, at either end.",
}
_MOST_CHARACTERS = 256


def rivalry_sentence(relation: str, rivalry: Rivalry) -> str:
    """What is said of a relation, in words.

    >>> rivalry_sentence("DRIVES", Rivalry.SUBJ)
    'A new value of DRIVES ends the old one.'
    """
    return _SENTENCES[rivalry].replace("{relation}", relation)


def rivalry_statement(
    relation: str, rivalry: Rivalry, *, quote: tuple[int, int] | None, inferred: bool = False
) -> Statement:
    """The statement that a relation has this rivalry."""
    return Statement(
        kind=Kind.HOLD,
        subject=relation,
        subject_id=relation_node(relation),
        subject_kind=EntityKind.VALUE,
        relation=HAS_RIVALRY,
        object=rivalry.value,
        object_id=rivalry_node(rivalry),
        object_kind=EntityKind.VALUE,
        quote=quote,
        inferred=inferred,
    )


def rivalry_stated(statement: Statement) -> tuple[str, Rivalry] | None:
    """The relation and the rivalry a statement is about; None for one about anything else."""
    rivalry = RIVALRY_NODES.get(statement.object_id or "")
    if rivalry is None or statement.relation != HAS_RIVALRY:
        return None
    return (statement.subject, rivalry) if statement.subject_id == relation_node(statement.subject) else None


def checked_rivalry(rivalry: Rivalry | str) -> Rivalry:
    """The rivalry of this name. Raises InvalidInput."""
    try:
        return Rivalry(rivalry)
    except ValueError:
        raise InvalidInput(f"a rivalry is {', '.join(Rivalry)}, not {shown(rivalry)}") from None


def episode_of_rivalry(
    relation: str, rivalry: Rivalry, *, group_id: str, said_at: datetime, speaker: str | None, reason: str
) -> NewEpisode:
    """The episode that says what the rivalry of a relation is. Raises InvalidClaim for a name that cannot be one."""
    if not isinstance(relation, str) or not relation.strip() or len(relation) > _MOST_CHARACTERS:
        raise InvalidClaim(f"a relation's name has 1 to {_MOST_CHARACTERS} characters, not {shown(relation)}")
    name = storable(relation).strip()
    sentence = rivalry_sentence(name, rivalry)
    quote = (len(_HEADING), len(_HEADING) + len(sentence))
    return NewEpisode(
        text=f"{_HEADING}{sentence}\n{reason}".rstrip(),
        group_id=group_id,
        source=Source.TEXT,
        speaker=speaker,
        said_at=said_at,
        statements=(rivalry_statement(name, rivalry, quote=quote),),
    )
