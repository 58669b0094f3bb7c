"""What a model is asked: a system text that never changes, then the context and the messages, all of it data in tags."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from math import ceil

from graphmem.ingest.by_model.answer_form import answer_schema
from graphmem.ingest.by_model.grounding import shown_text
from graphmem.ingest.claim import said_moment
from graphmem.model import Episode
from graphmem.ontology import Ontology
from graphmem.ports import ExtractionContext, ModelRequest
from graphmem.relations import builtin_relations, ends_of
from graphmem.resources import prompt
from graphmem.timeline.day_names import WEEKDAYS

__all__ = ["CONTEXT_TOKENS", "CONTEXT_TURNS", "Instructions", "estimated_tokens", "session_turns"]

CONTEXT_TURNS = 10
CONTEXT_TOKENS = 600
"""Of the whole context: the summary of the session, what is known by name, and the turns before."""
_TURN_CHARACTERS = 400
_SUMMARY_CHARACTERS = 700
_NAMES = 30
_CHARACTERS_PER_TOKEN = 3.5
_TAG = re.compile(r"<(?=/?\s*(?:message|context|turn|summary|names)\b)", re.IGNORECASE)


def estimated_tokens(text: str) -> int:
    """Tokens of a text where nobody can count them: one for 3.5 characters."""
    return ceil(len(text) / _CHARACTERS_PER_TOKEN)


@dataclass(frozen=True, kw_only=True)
class Instructions:
    """The unchanging part of the prompt, and the requests made with it."""

    ontology: Ontology | None = None
    name: str = "extract"

    @cached_property
    def system(self) -> str:
        """The same bytes at every call, so that the provider can keep them."""
        relations = " ".join(_relation_words(self.ontology))
        described = "" if self.ontology is None else self.ontology.as_text()
        return prompt(self.name).replace("{relations}", relations).replace("{ontology}", described)

    @cached_property
    def digest(self) -> str:
        """The hash of what is always asked; kept with what it produced."""
        return blake2b(self.system.encode(), digest_size=6).hexdigest()

    def request(self, episodes: Sequence[Episode], context: ExtractionContext, *, most_tokens: int) -> ModelRequest:
        """The request that reads these messages of one conversation, numbered from 1."""
        shown = [_message(number, episode) for number, episode in enumerate(episodes, start=1)]
        return ModelRequest(
            system=self.system,
            prompt="\n".join([*_context(episodes[0], context), *shown]),
            schema=answer_schema(() if self.ontology is None else self.ontology.type_names),
            schema_name="facts",
            max_output_tokens=most_tokens,
            stage="extract",
        )


def session_turns(episode: Episode, context: ExtractionContext) -> list[Episode]:
    """The last turns of the episode's session before it, oldest first."""
    same = [e for e in context.previous if e.session_id == episode.session_id and e.episode_id != episode.episode_id]
    return same[-CONTEXT_TURNS:]


def _relation_words(ontology: Ontology | None) -> list[str]:
    """The relations by name, with what stands at the far end where the name alone does not tell."""
    names = builtin_relations() if ontology is None else ontology.relations
    return [name if "_" in name or ontology else f"{name}({_far_end(name)})" for name in names]


def _far_end(name: str) -> str:
    return ends_of(name)[1].split(",")[0].split(" or ")[0]


def _context(first: Episode, context: ExtractionContext) -> list[str]:
    """Lines of context within its budget: the summary, the names, then as many of the last turns as fit."""
    budget = CONTEXT_TOKENS
    head: list[str] = []
    if context.summary:
        head.append(f"<summary>{_safe(_cut(context.summary, _SUMMARY_CHARACTERS))}</summary>")
    known = [entity.name for entity in (context.entities or {}).values() if len(entity.name) <= _TURN_CHARACTERS // 4]
    if known:
        head.append(f"<names>{_safe('; '.join(dict.fromkeys(known[:_NAMES])))}</names>")
    frame = ["<context>", *head, "</context>"]
    budget -= estimated_tokens("\n".join(frame))
    turns: list[str] = []
    for episode in reversed(session_turns(first, context)):
        turn = f"<turn{_attributes(episode)}>{_safe(_cut(episode.text, _TURN_CHARACTERS))}</turn>"
        budget -= estimated_tokens(turn) + 1
        if budget < 0:
            break
        turns.insert(0, turn)
    return ["<context>", *head, *turns, "</context>"] if head or turns else []


def _message(number: int, episode: Episode) -> str:
    return f'<message n="{number}"{_attributes(episode)}>{_safe(episode.text)}</message>'


def _attributes(episode: Episode) -> str:
    speaker = "" if not episode.speaker else f' from="{_safe(episode.speaker).replace(chr(34), chr(39))}"'
    return f'{speaker} at="{_moment(said_moment(episode))}"'


def _moment(moment: datetime) -> str:
    """The weekday and minute, in words that no locale changes."""
    return f"{WEEKDAYS[moment.weekday()][:3]} {moment:%Y-%m-%d %H:%M}"


def _safe(text: str) -> str:
    """Text that cannot close the tag it stands in."""
    return _TAG.sub("< ", shown_text(text))


def _cut(text: str, most: int) -> str:
    """The text up to so many characters, ended at a word."""
    return text if len(text) <= most else text[:most].rpartition(" ")[0] + " …"
