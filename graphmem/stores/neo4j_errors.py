"""What errors of Neo4j and its driver mean to us: the one place where they become ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    Forbidden,
    ForbiddenOnReadOnlyDatabase,
    Neo4jError,
    NotALeader,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
    UnsupportedServerProduct,
    WriteServiceUnavailable,
)

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
from graphmem.stores.neo4j_settings import Neo4jSettings

__all__ = ["translated"]

_READ_ONLY = (ForbiddenOnReadOnlyDatabase, NotALeader, WriteServiceUnavailable, Forbidden)
_NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"
_RATE_LIMIT = "Neo.ClientError.Security.AuthenticationRateLimit"
_ACCESS_MODE = "Neo.ClientError.Statement.AccessMode"
_TIMED_OUT = "Neo.ClientError.Transaction.TransactionTimedOut"


@contextmanager
def translated(settings: Neo4jSettings) -> Iterator[None]:
    """Let only errors of graphmem out; the server is named in their messages, never a password or a text."""
    try:
        yield
    except UnicodeEncodeError:
        # Not chained: the codec's error carries the whole text.
        raise InvalidInput("a text holds half a surrogate pair, which is no character: replace it") from None
    except OverflowError:
        raise InvalidInput("a number does not fit into 64 bits") from None
    except Neo4jError as error:
        raise _of_server(error, settings) from error
    except DriverError as error:
        raise _of_driver(error, settings) from error


def _of_server(error: Neo4jError, settings: Neo4jSettings) -> GraphmemError:
    url, code, told = settings.url, error.code or "", error.message or ""
    if code == _RATE_LIMIT:
        return StoreUnavailable(
            f"{url} refuses more attempts to log in for some seconds: correct the password, then wait"
        )
    if isinstance(error, _READ_ONLY):
        return ReadOnlyStore(f"{url} takes no writes here ({told}): use the leader (neo4j://) or a user who may write")
    if isinstance(error, AuthError):
        return ConfigError(_who_are_you(settings))
    if isinstance(error, ConstraintError):
        return InvalidInput(f"{url}: an id that was to be new exists already")
    if code == _NO_DATABASE:
        return ConfigError(f"{url} has no database {settings.database!r}: create it, or name another in the URL's path")
    if code == _ACCESS_MODE:
        return ReadOnlyStore(f"{url} takes no writes in a session for reading ({told})")
    if "no such fulltext schema index" in told or "no such index" in told.lower():
        return SchemaMismatch(f"{url} lacks a full-text index ({told}): call ensure_schema()")
    if "too large to index" in told:
        return InvalidInput(f"{url}: an id, a name or a relation is longer than the 8,000 bytes an index takes")
    if "No space left" in told or "disk is full" in told.lower():
        return StoreFull(f"{url}: its disk is full; nothing of this was written")
    return _by_code(error, code, url)


def _by_code(error: Neo4jError, code: str, url: str) -> GraphmemError:
    if isinstance(error, TransientError) or code == _TIMED_OUT:
        return StoreUnavailable(f"{url} could not do it now ({code}): try again")
    if code.startswith("Neo.ClientError.Statement"):
        return SchemaMismatch(f"{url} does not take a statement of this graphmem ({code}): is it Neo4j 5.26 or newer?")
    if code.startswith("Neo.DatabaseError"):
        return StoreCorrupt(f"{url} failed ({code}): look into its log")
    return StoreUnavailable(f"{url} refused ({code})")


def _of_driver(error: DriverError, settings: Neo4jSettings) -> GraphmemError:
    url = settings.url
    if isinstance(error, WriteServiceUnavailable):
        return ReadOnlyStore(f"{url} has no member that takes writes just now")
    if isinstance(error, UnsupportedServerProduct):
        return SchemaMismatch(f"{url} is no Neo4j server this driver can speak to: use Neo4j 5.26 or newer")
    if isinstance(error, ConfigurationError):
        return ConfigError(f"{url}: {error}")
    if isinstance(error, ServiceUnavailable | SessionExpired):
        return StoreUnavailable(f"no Neo4j answers at {url} ({_cause(error)}): is it started, is this its Bolt port?")
    return StoreUnavailable(f"{url}: {type(error).__name__}")


def _who_are_you(settings: Neo4jSettings) -> str:
    if not settings.password:
        return f"{settings.url} wants a password: set NEO4J_PASSWORD (and NEO4J_USERNAME), or use bolt://user:password@host"
    return f"{settings.url} refuses the password of user {settings.user!r}: check NEO4J_USERNAME and NEO4J_PASSWORD"


def _cause(error: DriverError) -> str:
    return str(error).splitlines()[0][:200].rstrip(": ") if str(error) else type(error).__name__
