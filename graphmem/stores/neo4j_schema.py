"""The schema of a Neo4j store: is it ours, which version, is every index there, and how it comes to be."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from neo4j import Record

from graphmem.errors import SchemaMismatch, SchemaTooNew, StoreUnavailable
from graphmem.resources import read
from graphmem.stores.neo4j_connections import Connections, Transaction

__all__ = ["MIGRATIONS", "OLDEST", "check_schema", "ensure_schema"]

MIGRATIONS = ("0001_schema", "0002_told_by")
"""In order; the `schema` of the node (:Meta {id: 'graphmem'}) is how many of them the database has had."""

OLDEST = (5, 26)
"""The oldest release of the server that takes our statements."""

FILTERS_IN_INDEX = (2026, 2)
"""From here on vector indexes look for groups themselves."""

_WAIT_S = 300
_CREATES = re.compile(
    r"(?:CYPHER 25 )?CREATE (?P<kind>CONSTRAINT|INDEX|FULLTEXT INDEX|VECTOR INDEX) (?P<name>\w+) IF NOT EXISTS "
    r"FOR \S*?\[?\w*:(?P<on>\w+)\S*? (?:REQUIRE|ON|ON EACH) (?P<properties>.*?)(?: IS UNIQUE| OPTIONS|$)",
    re.DOTALL,
)
_KINDS = {"FULLTEXT INDEX": "FULLTEXT", "VECTOR INDEX": "VECTOR"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Index:
    """What an index is: its kind ("RANGE", "FULLTEXT"), on which label or type, over which properties."""

    kind: str
    on: str
    properties: tuple[str, ...]


async def check_schema(connections: Connections) -> None:
    """Do nothing if the server is new enough and the database is a store of this schema; reads only.

    Raises SchemaMismatch or SchemaTooNew.
    """
    await _check_server(connections)
    done = await _migrations_done(connections)
    if done < len(MIGRATIONS):
        raise SchemaMismatch(
            f"{_place(connections)} holds schema {done}, this graphmem needs {len(MIGRATIONS)}: call ensure_schema() first"
        )
    _check_indexes(connections, await _indexes(connections))


async def ensure_schema(connections: Connections) -> None:
    """Create or migrate the schema; every statement may be run again, so many processes may try at once."""
    await _check_server(connections)
    done = await _migrations_done(connections)
    if done == 0:
        await _refuse_foreign(connections)
    found = await _indexes(connections)
    if done < len(MIGRATIONS) or any(name not in found for name, _ in _wanted(connections)):
        await _migrate(connections)
        found = await _indexes(connections)
    _check_indexes(connections, found)


async def _migrate(connections: Connections) -> None:
    for file in _files(connections):
        for statement in _statements(file):
            await connections.define(statement)
    await connections.read("await_indexes", timeout_s=_WAIT_S)
    secret = secrets.token_bytes(32).hex()

    async def number(transaction: Transaction) -> None:
        await transaction.run("put_schema_number", secret=secret, number=len(MIGRATIONS))

    await connections.write(number)


async def _check_server(connections: Connections) -> None:
    [found] = await connections.read("server_version")
    version = str(found["version"])
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise SchemaMismatch(
            f"{connections.settings.url} is Neo4j {version}: graphmem needs {oldest} or newer, upgrade it"
        )
    connections.filters_in_index = numbers >= FILTERS_IN_INDEX


async def _migrations_done(connections: Connections) -> int:
    [found] = await connections.read("schema_number")
    done = 0 if found["schema"] is None else int(found["schema"])
    if done > len(MIGRATIONS):
        raise SchemaTooNew(
            f"{_place(connections)} holds schema {done}, this graphmem knows {len(MIGRATIONS)}: upgrade graphmem"
        )
    return done


async def _refuse_foreign(connections: Connections) -> None:
    for found in await connections.read("foreign_label"):
        raise SchemaMismatch(
            f"{_place(connections)} holds {found['label']!r} nodes of another program: use another server, or another "
            "database where the edition has several; it was left as it is"
        )


async def _indexes(connections: Connections) -> dict[str, Record]:
    """Those of the database by their names."""
    return {str(row["name"]): row for row in await connections.read("indexes")}


def _check_indexes(connections: Connections, found: Mapping[str, Record]) -> None:
    """`IF NOT EXISTS` is satisfied with any index of that name, and with one of another name on the same properties."""
    for name, wanted in _wanted(connections):
        row = found.get(name)
        if row is None:
            raise SchemaMismatch(
                f"{_place(connections)} lacks the index {name!r} on {wanted.on} ({', '.join(wanted.properties)}): drop any "
                "other index on these, then call ensure_schema()"
            )
        present = _Index(kind=row["type"], on=(row["on_what"] or [""])[0], properties=tuple(row["properties"] or ()))
        if present != wanted or (wanted.kind == "FULLTEXT" and row["analyzer"] != "whitespace"):
            raise SchemaMismatch(
                f"{_place(connections)} has an index {name!r} of another kind: DROP INDEX {name}, then call ensure_schema()"
            )
        if row["state"] != "ONLINE":
            raise StoreUnavailable(
                f"{_place(connections)}: the index {name!r} is {row['state']}: try again when it is ONLINE"
            )


def _wanted(connections: Connections) -> Iterator[tuple[str, _Index]]:
    for file in _files(connections):
        for statement in _statements(file):
            if created := _CREATES.match(statement):
                properties = tuple(re.findall(r"n\.(\w+)", created["properties"]))
                kind = _KINDS.get(created["kind"], "RANGE")
                yield created["name"], _Index(kind=kind, on=created["on"], properties=properties)


def _files(connections: Connections) -> tuple[str, ...]:
    return (*MIGRATIONS, "0001_vectors" if connections.filters_in_index else "0001_vectors_5")


def _statements(file: str) -> Iterator[str]:
    lines = (line for line in read(f"cypher/migrations/{file}.cypher").splitlines() if not line.startswith("//"))
    for statement in "\n".join(lines).split(";\n"):
        if stripped := statement.strip().removesuffix(";"):
            yield stripped


def _place(connections: Connections) -> str:
    settings = connections.settings
    return settings.url if settings.database is None else f"database {settings.database!r} of {settings.url}"
