"""JSON records read by their keys: the key that names the thing, and the fields that say something of it (records.toml)."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from graphmem.model import EntityKind, Statement
from graphmem.relations import ends_of
from graphmem.resources import read
from graphmem.timeline.claims import Kind
from graphmem.timeline.phrases import TimePhrase, TimeRole

__all__ = ["RecordKeys", "default_keys", "fields_in", "keys_from", "read_record"]

_Json: TypeAlias = "str | bool | list[_Json] | dict[str, _Json] | None"

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NOT_WORD = re.compile(r"[^a-z0-9]+")
_SHORT = re.compile(r"\d+|\w{1,2}")
_CODE = re.compile(r"[A-Z0-9]{1,4}")
_MAX_DEPTH = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordKeys:
    """Which keys name the thing, which say what of it, and which date the record."""

    things: frozenset[str]
    persons: frozenset[str]
    groups: frozenset[str]
    names: frozenset[str]
    kinds: frozenset[str]
    """Keys that only say what sort of record it is."""
    prefixed: frozenset[str]
    fields: Mapping[str, str]
    """Relation by key."""
    person_fields: Mapping[str, str]
    times: Mapping[str, TimeRole]
    stays: Mapping[str, TimeRole]
    """Keys that date only where a person lodges."""
    real_keys: frozenset[str]
    real_values: frozenset[str]
    """A record whose `real_keys` hold another value tells of a test bed."""


@cache
def default_keys() -> RecordKeys:
    """The keys of records.toml."""
    return keys_from(read("ingest/rules/records.toml"))


def keys_from(text: str) -> RecordKeys:
    """The keys of a table written like records.toml."""
    table = tomllib.loads(text)
    subject = {name: frozenset(value.split()) for name, value in table["subject"].items()}
    return RecordKeys(
        things=subject["things"],
        persons=subject["persons"],
        groups=subject["groups"],
        names=subject["names"],
        kinds=subject["kinds"],
        prefixed=frozenset(table["prefixed"]["keys"].split()),
        fields={key: relation for relation, keys in table["fields"].items() for key in keys.split()},
        person_fields={key: relation for relation, keys in table["person_fields"].items() for key in keys.split()},
        real_keys=frozenset(table["real"]["keys"].split()),
        real_values=frozenset(table["real"]["values"].split()),
        times=_roles(table["times"]),
        stays=_roles(table["stays"]),
    )


def _roles(table: Mapping[str, str]) -> Mapping[str, TimeRole]:
    return {key: TimeRole(role) for role, keys in table.items() for key in keys.split()}


_LINE = re.compile(r"([A-Za-z][A-Za-z /_-]{1,24}): +([^:]{1,80}?)[.,]?")


def read_record(text: str, keys: RecordKeys | None) -> tuple[Statement, ...] | None:
    """The statements of a JSON text, record by record; None when it is no JSON object or list."""
    try:
        value: _Json = json.loads(text, parse_float=str, parse_int=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    return tuple(dict.fromkeys(_records(value, keys or default_keys(), depth=0)))


def fields_in(text: str) -> str | None:
    """A text whose lines are all of labels and values ("Name: Bo Hill"), as a JSON record; None for any other text."""
    lines = [line.strip(" -*•\t") for line in re.split(r"[\n;|]", text) if line.strip(" -*•\t")]
    fields = [(found[1], found[2]) for line in lines if (found := _LINE.fullmatch(line)) is not None]
    record = dict(fields)
    if len(record) < 2 or len(record) < len(lines):
        return None
    return json.dumps(record)


def _records(value: _Json, keys: RecordKeys, *, depth: int) -> Iterator[Statement]:
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _records(item, keys, depth=depth + 1)
    elif isinstance(value, dict):
        yield from _record(_flat(value), keys, depth)


def _flat(record: dict[str, _Json]) -> dict[str, _Json]:
    return {_NOT_WORD.sub("_", _CAMEL.sub("_", key).lower()).strip("_"): value for key, value in record.items()}


def _record(record: dict[str, _Json], keys: RecordKeys, depth: int, about: str | None = None) -> Iterator[Statement]:
    """The statements of one record; `about`: the key that names its subject, where that is known already."""
    if any(isinstance(v := record.get(k), str) and v.lower() not in keys.real_values for k in keys.real_keys):
        return
    subject_key = about or _subject_key(record, keys)
    subject = _name(subject_key, record[subject_key], keys) if subject_key is not None else None
    times = _times(record, keys.times)
    is_person = subject_key in keys.persons or (subject_key in keys.names and _tells_of_person(list(record), keys))
    if subject is not None and not is_person:
        yield from _of_its_person(record, keys)
    for key, value in record.items():
        if key == subject_key and not isinstance(value, dict | list):
            continue
        relation = _relation(key, subject_key, keys, is_person=is_person)
        if subject is not None and relation is not None:
            yield from _field(subject, relation, key, value, times, keys, is_person=is_person)
        if isinstance(value, dict):
            inner = _flat(value)
            if subject is not None and subject_key is not None and _subject_key(inner, keys) is None:
                inner = {subject_key: subject, **inner}
            yield from _record(inner, keys, depth + 1) if depth < _MAX_DEPTH else ()
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict) and is_person and subject is not None and depth < _MAX_DEPTH:
                    yield from _belonging(subject, _flat(item), keys, depth + 1)
                elif isinstance(item, dict | list):
                    yield from _records(item, keys, depth=depth + 1)


def _times(record: Mapping[str, _Json], roles: Mapping[str, TimeRole]) -> tuple[TimePhrase, ...]:
    return tuple(
        TimePhrase(text=_dated(value, role), role=role)
        for key, role in roles.items()
        if isinstance(value := record.get(key), str) and value.strip()
    )


def _of_its_person(record: dict[str, _Json], keys: RecordKeys) -> Iterator[Statement]:
    """What a record about a thing says of the person in it: where the guest of a booking lodges, and when."""
    key = next((k for k in record if k in keys.persons), None)
    person = _name(key, record[key], keys) if key is not None else None
    for other, value in record.items() if person is not None else ():
        relation = keys.person_fields.get(other)
        if relation is not None and other not in keys.fields and other not in keys.things and other != key:
            is_lodging = ends_of(relation)[1] == "lodging"
            times = _times(record, keys.stays if is_lodging else keys.times)
            yield from _field(str(person), relation, other, value, times, keys, is_person=True)


def _belonging(person: str, item: dict[str, _Json], keys: RecordKeys, depth: int) -> Iterator[Statement]:
    """An item of a person's list: what the person has by it, and what it says of that ("drug", with its dose)."""
    key = next((k for k in item if k in keys.person_fields and k not in keys.fields), None)
    if key is not None:
        yield from _field(person, keys.person_fields[key], key, item[key], (), keys, is_person=True)
    yield from _record(item, keys, depth, key)


def _subject_key(record: Mapping[str, _Json], keys: RecordKeys) -> str | None:
    usable = [
        key for key, value in record.items() if isinstance(value, str) and value.strip() and key not in keys.kinds
    ]
    told_of_person = [key for key in usable if key in keys.names and _tells_of_person(usable, keys)]
    if told_of_person:
        return told_of_person[0]
    for wanted in (keys.things, keys.persons, keys.groups):
        found = next((key for key in usable if key in wanted), None)
        if found is not None:
            return found
    fields = keys.fields.keys() | keys.person_fields.keys() | keys.times.keys() | keys.names
    other = next((key for key in usable if key not in fields), None) if usable else None
    named = next((key for key in usable if key in keys.names), None)
    return (other if other is not None and other == usable[0] else None) or named


def _tells_of_person(usable: list[str], keys: RecordKeys) -> bool:
    """Whether a record with a bare name has the fields of a person: two of them, and no key that names something else."""
    if any(key in keys.things | keys.persons for key in usable):
        return False
    return sum(key in keys.person_fields and key not in keys.fields for key in usable) >= 2


def _relation(key: str, subject_key: str | None, keys: RecordKeys, *, is_person: bool) -> str | None:
    if is_person:
        told = keys.fields.get(key) if key not in keys.names else None
        fits = told is not None and any(word in ends_of(told)[0] for word in ("person", "traveller", "player", "pupil"))
        return keys.person_fields.get(key) or (told if fits else None)
    if key in keys.names:
        return keys.fields.get(key) if subject_key in keys.groups else None
    return keys.fields.get(key)


def _field(
    subject: str,
    relation: str,
    key: str,
    value: _Json,
    times: tuple[TimePhrase, ...],
    keys: RecordKeys,
    *,
    is_person: bool,
) -> Iterator[Statement]:
    for item in value if isinstance(value, list) else [value]:
        name = _name(key, item, keys)
        if name is not None and name.lower() != subject.lower():
            yield Statement(
                kind=Kind.HOLD,
                subject=subject,
                relation=relation,
                object=name,
                subject_kind=EntityKind.PERSON if is_person else EntityKind.THING,
                object_kind=EntityKind.PERSON
                if ends_of(relation)[1] in ("person", "manager", "its one leader")
                else EntityKind.THING,
                times=times,
            )


def _name(key: str, value: _Json, keys: RecordKeys) -> str | None:
    """The name a value gives: itself, with its key where alone it says too little, or the name inside a nested record."""
    if isinstance(value, dict):
        inner = _flat(value)
        found = next((inner[k] for k in ("name", "full_name", "title", "id") if isinstance(inner.get(k), str)), None)
        return found.strip() if isinstance(found, str) else None
    if not isinstance(value, str) or not value.strip() or value.strip().lower() in ("null", "none", "n/a", "-"):
        return None
    name = value.strip()
    bare_number = (
        name.isdigit() and key not in keys.fields and key not in keys.names and not key.endswith(("_id", "_no"))
    )
    if (
        bare_number
        or (key in keys.prefixed and _SHORT.fullmatch(name))
        or (key in keys.things and _CODE.fullmatch(name))
    ):
        return f"{key.replace('_', ' ')} {name}"
    return name


def _dated(value: str, role: TimeRole) -> str:
    return f"{'since' if role is TimeRole.START else 'until'} {value.strip()}"
