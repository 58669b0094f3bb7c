"""A model's text → its items, one by one: a bad one is left out and told apart, the others stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from graphmem.errors import MalformedAnswer
from graphmem.ingest.accept import storable
from graphmem.ingest.by_model.answer_form import FactForm, ThingForm
from graphmem.ingest.by_model.json_text import object_in

__all__ = ["ReadAnswer", "items_of", "read_answer"]

MAX_ITEMS = 400
"""More facts than this in one answer are a loop of the model, not facts."""
_ENTITIES = ("entities", "extracted_entities", "nodes")
_FACTS = ("facts", "edges", "statements")

_Item = TypeVar("_Item", bound=BaseModel)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadAnswer:
    """The items of an answer that have the form they were asked for."""

    things: tuple[ThingForm, ...]
    facts: tuple[FactForm, ...]
    notes: tuple[str, ...] = ()
    """What was left out and why, without its text."""


def read_answer(text: str, prompt_name: str) -> ReadAnswer:
    """Read an answer. Raises MalformedAnswer when it holds no list of facts at all."""
    answer = object_in(text, prompt_name, keys=frozenset({*_ENTITIES, *_FACTS}))
    things, thing_notes = items_of(ThingForm, _numbered(_listed(answer, _ENTITIES, prompt_name)), "entity")
    facts, fact_notes = items_of(FactForm, _listed(answer, _FACTS, prompt_name), "fact")
    return ReadAnswer(things=things, facts=facts, notes=(*thing_notes, *fact_notes))


def items_of(form: type[_Item], raw: Sequence[object], what: str) -> tuple[tuple[_Item, ...], tuple[str, ...]]:
    """The items that have this form, and a note for each that has not."""
    items: list[_Item] = []
    notes: list[str] = []
    for position, item in enumerate(raw[:MAX_ITEMS]):
        try:
            items.append(form.model_validate(_storable(item)))
        except ValidationError as error:
            notes.append(f"{what} {position} of the answer was left out: {_fault(error)}")
    if len(raw) > MAX_ITEMS:
        notes.append(f"{len(raw) - MAX_ITEMS} more of the answer were left out: at most {MAX_ITEMS} are read")
    return tuple(items), tuple(notes)


def _listed(answer: dict[str, object], names: tuple[str, ...], prompt_name: str) -> Sequence[object]:
    found = next((answer[name] for name in names if name in answer), [])
    if not isinstance(found, list):
        raise MalformedAnswer(f"{names[0]!r} in the answer to prompt {prompt_name!r} is no list")
    return found


def _numbered(entities: Sequence[object]) -> Sequence[object]:
    """Entities that the model gave no numbers have those of their places, from 0, as models count that leave them out."""
    if any(isinstance(entity, dict) and {"n", "id"} & entity.keys() for entity in entities):
        return entities
    return [{**entity, "n": place} if isinstance(entity, dict) else entity for place, entity in enumerate(entities)]


def _storable(value: object) -> object:
    """Lone surrogates and NUL characters, which JSON can spell, cannot be stored."""
    if isinstance(value, str):
        return storable(value).replace("\0", "")
    if isinstance(value, dict):
        return {str(key): _storable(child) if isinstance(child, str) else child for key, child in value.items()}
    return value


def _fault(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
