"""The form of a model's answer: flat lists of small objects, every field required, so that any provider can hold a model to it.

What comes back is read more kindly than it is asked for: see `read_answer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from graphmem.model import EntityKind
from graphmem.timeline.claims import Kind

__all__ = ["AnswerForm", "Certainty", "FactForm", "ThingForm", "VerbTense", "answer_schema", "schema_of"]

MAX_NAME_CHARACTERS = 256
MAX_WORDS_CHARACTERS = 2_000


class VerbTense(StrEnum):
    """Which way open time words look."""

    PAST = "past"
    FUTURE = "future"


class Certainty(StrEnum):
    """How sure the text itself is."""

    STATED = "stated"
    CONCLUDED = "concluded"
    """It follows from the words, nobody said it."""
    DOUBTFUL = "doubtful"
    """Said as a guess, a hope or hearsay that the speaker doubts."""


def _kindly(value: object) -> object:
    return value.strip().lower() if isinstance(value, str) else value


def _text(value: object) -> object:
    return "" if value is None else value


Words = Annotated[str, BeforeValidator(_text), StringConstraints(max_length=MAX_WORDS_CHARACTERS)]
Number = Annotated[
    int, BeforeValidator(lambda value: int(value) if isinstance(value, str) and value.isdigit() else value)
]


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, json_schema_serialization_defaults_required=True)


class ThingForm(_Form):
    """One entity as the model gives it."""

    n: Number = Field(validation_alias=AliasChoices("n", "id"), ge=0)
    name: str = Field(
        validation_alias=AliasChoices("name", "entity_name", "entity"), min_length=1, max_length=MAX_NAME_CHARACTERS
    )
    kind: Annotated[EntityKind, BeforeValidator(_kindly)] = EntityKind.THING
    words: Words = ""
    also: Words = ""
    type: Words = ""
    """Of an ontology; without one nobody asks for it."""


class FactForm(_Form):
    """One statement as the model gives it."""

    message: Number = Field(default=0, ge=0)
    kind: Annotated[Kind, BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)]
    subject: Number = Field(validation_alias=AliasChoices("subject", "source"), ge=0)
    relation: str = Field(min_length=1, max_length=MAX_NAME_CHARACTERS)
    object: Number = Field(validation_alias=AliasChoices("object", "target"), ge=0)
    quote: str = Field(min_length=1, max_length=MAX_WORDS_CHARACTERS)
    sentence: Words = Field(default="", validation_alias=AliasChoices("sentence", "fact"))
    at: Words = ""
    start: Words = ""
    end: Words = ""
    tense: Annotated[VerbTense, BeforeValidator(_kindly)] = VerbTense.PAST
    certainty: Annotated[Certainty, BeforeValidator(_kindly)] = Certainty.STATED
    says: Words = ""


class AnswerForm(_Form):
    """The whole answer; only its schema is used, its items are read one by one."""

    entities: list[ThingForm]
    facts: list[FactForm]


@cache
def answer_schema(types: tuple[str, ...] = ()) -> Mapping[str, object]:
    """The JSON schema of an extraction; with the types of an ontology each entity chooses one of them, or "" for none."""
    return schema_of(AnswerForm, (("entities", "type", ("", *types)),))


@cache
def schema_of(
    form: type[BaseModel], choices: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
) -> Mapping[str, object]:
    """The JSON schema of a form within the limits of the providers: no lengths, no defaults, nothing optional, no references.

    `choices`: (list, field, values) of fields of listed items that take one of these values; with a single value the field goes.
    """
    raw = form.model_json_schema(mode="serialization")
    plain = _plain(raw, raw.get("$defs", {}))
    for listed, name, values in choices:
        item = plain["properties"][listed]["items"]
        if len(values) > 1:
            item["properties"][name] = {"type": "string", "enum": list(values)}
        else:
            del item["properties"][name]
            item["required"].remove(name)
    return plain


_KEPT = ("type", "enum", "items", "properties", "required")


def _plain(node: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    reference = node.get("$ref")
    if isinstance(reference, str):
        return _plain(definitions[reference.rpartition("/")[2]], definitions)
    plain = {key: node[key] for key in _KEPT if key in node}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    if "properties" in plain:
        plain["properties"] = {name: _plain(child, definitions) for name, child in node["properties"].items()}
        plain["required"] = list(node["properties"])
        plain["additionalProperties"] = False
    return plain
