"""What goes wrong with a server becomes an error of graphmem that names the server and the way out."""

from __future__ import annotations

import asyncio

import pytest

from graphmem.errors import (
    ConfigError,
    GraphmemError,
    InvalidInput,
    ReadOnlyStore,
    SchemaMismatch,
    StoreCorrupt,
    StoreFull,
    StoreUnavailable,
)
from graphmem.stores.neo4j_settings import Neo4jSettings, neo4j_settings

exceptions = pytest.importorskip("neo4j.exceptions", reason="needs the neo4j extra")

from graphmem.stores.neo4j import open_neo4j  # noqa: E402 - after the check for the driver
from graphmem.stores.neo4j_errors import translated  # noqa: E402

HERE = Neo4jSettings(url="bolt://here:7687", user="ann", password="pw-canary", database="db")


def server_error(code: str, message: str = "told") -> Exception:
    error: Exception = exceptions.Neo4jError._basic_hydrate(neo4j_code=code, message=message)
    return error


@pytest.mark.parametrize(
    ("code", "message", "ours"),
    [
        ("Neo.ClientError.Security.Unauthorized", "no", ConfigError),
        ("Neo.ClientError.Security.AuthenticationRateLimit", "no", StoreUnavailable),
        ("Neo.ClientError.Security.Forbidden", "no writes for you", ReadOnlyStore),
        ("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase", "read only", ReadOnlyStore),
        ("Neo.ClientError.Cluster.NotALeader", "ask another", ReadOnlyStore),
        ("Neo.ClientError.Statement.AccessMode", "read mode", ReadOnlyStore),
        ("Neo.ClientError.Database.DatabaseNotFound", "db", ConfigError),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", "exists", InvalidInput),
        ("Neo.ClientError.Procedure.ProcedureCallFailed", "There is no such fulltext schema index: x", SchemaMismatch),
        ("Neo.ClientError.Statement.SyntaxError", "CALL () {", SchemaMismatch),
        ("Neo.DatabaseError.Statement.ExecutionFailed", "Property value is too large to index", InvalidInput),
        ("Neo.TransientError.General.OutOfMemoryError", "heap", StoreUnavailable),
        ("Neo.ClientError.Transaction.TransactionTimedOut", "late", StoreUnavailable),
        ("Neo.DatabaseError.Transaction.TransactionLogError", "No space left on device", StoreFull),
        ("Neo.DatabaseError.General.UnknownError", "broken", StoreCorrupt),
        ("Neo.ClientError.General.Odd", "odd", StoreUnavailable),
    ],
)
def test_an_error_of_the_server_becomes_ours(code: str, message: str, ours: type[GraphmemError]) -> None:
    with pytest.raises(ours) as caught, translated(HERE):
        raise server_error(code, message)

    assert type(caught.value) is ours
    assert "bolt://here:7687" in str(caught.value)
    assert "pw-canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (exceptions.ServiceUnavailable("refused"), StoreUnavailable),
        (exceptions.SessionExpired("gone"), StoreUnavailable),
        (exceptions.WriteServiceUnavailable("no leader"), ReadOnlyStore),
        (exceptions.ConfigurationError("scheme"), ConfigError),
        (exceptions.UnsupportedServerProduct("HTTP"), SchemaMismatch),
        (exceptions.ConnectionAcquisitionTimeoutError("pool"), StoreUnavailable),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "canary"), InvalidInput),
        (OverflowError("2**70"), InvalidInput),
    ],
)
def test_an_error_of_the_driver_becomes_ours(error: Exception, ours: type[GraphmemError]) -> None:
    with pytest.raises(ours), translated(HERE):
        raise error


async def test_a_server_that_is_away_is_told_so() -> None:
    store = open_neo4j("bolt://127.0.0.1:1?timeout_s=1&patience_s=0.1")

    with pytest.raises(StoreUnavailable, match=r"no Neo4j answers at bolt://127\.0\.0\.1:1"):
        await store.ensure_schema()
    await store.close()


async def test_a_closed_store_is_told_so_and_closing_twice_is_nothing() -> None:
    store = open_neo4j("bolt://127.0.0.1:1")
    await store.close()
    await store.close()

    with pytest.raises(StoreUnavailable, match="closed"):
        await store.groups()


@pytest.mark.neo4j
async def test_a_wrong_password_is_told_so_without_the_password(neo4j_url: str) -> None:
    settings = neo4j_settings(neo4j_url)
    if not settings.password:
        pytest.skip("this server asks for no password")
    place = settings.url.partition("://")[2]
    store = open_neo4j(f"bolt://nobody:canary@{place}?patience_s=0.1")

    with pytest.raises(ConfigError, match="NEO4J_PASSWORD") as caught:
        await store.ensure_schema()

    assert "canary" not in str(caught.value)
    await store.close()


@pytest.mark.neo4j
async def test_a_database_that_is_not_there_is_named(neo4j_url: str) -> None:
    store = open_neo4j(f"{neo4j_url}/no-such-database")

    with pytest.raises(ConfigError, match="no-such-database"):
        await store.ensure_schema()
    await store.close()


@pytest.mark.neo4j
def test_a_store_is_used_in_one_event_loop(neo4j_url: str) -> None:
    store = open_neo4j(neo4j_url)
    first, second = asyncio.new_event_loop(), asyncio.new_event_loop()
    try:
        first.run_until_complete(store.ensure_schema())
        with pytest.raises(StoreUnavailable, match="event loop"):
            second.run_until_complete(store.groups())
        first.run_until_complete(store.close())
    finally:
        first.close()
        second.close()
