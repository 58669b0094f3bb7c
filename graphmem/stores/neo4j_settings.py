"""How a Neo4j server is reached: from a URL, with what the environment adds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from graphmem.errors import ConfigError

__all__ = ["Neo4jSettings", "neo4j_settings"]

_OPTIONS = frozenset({"pool_size", "timeout_s", "patience_s"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Neo4jSettings:
    """A server, who we are there, and how long we wait."""

    url: str
    """Scheme, host and port; shown in messages."""
    user: str = ""
    """Empty: no authentication."""
    password: str = field(default="", repr=False)
    database: str | None = None
    """None: the user's home database."""
    pool_size: int = 32
    timeout_s: float = 10.0
    """For a connection to open, and for one of the pool to become free."""
    patience_s: float = 15.0
    """How long a transaction is tried again when the server is away or a lock is held."""


def neo4j_settings(url: str, environ: Mapping[str, str] | None = None) -> Neo4jSettings:
    """The settings of `bolt://user:password@host:7687/database?pool_size=32&timeout_s=10&patience_s=15`.

    User, password and database may be left to NEO4J_USERNAME, NEO4J_PASSWORD and NEO4J_DATABASE. Raises ConfigError.

    >>> neo4j_settings("bolt://localhost:7687/movies", {"NEO4J_PASSWORD": "secret"})
    Neo4jSettings(url='bolt://localhost:7687', user='neo4j', database='movies', pool_size=32, timeout_s=10.0, patience_s=15.0)
    """
    environ = os.environ if environ is None else environ
    parts = _parts(url)
    options = _options(parts.query)
    password = unquote(parts.password or "") or environ.get("NEO4J_PASSWORD", "")
    return Neo4jSettings(
        url=f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}",
        user=(unquote(parts.username or "") or environ.get("NEO4J_USERNAME", "neo4j")) if password else "",
        password=password,
        database=unquote(parts.path.strip("/")) or environ.get("NEO4J_DATABASE") or None,
        **options,  # type: ignore[arg-type]
    )


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError as error:
        raise ConfigError(
            f"the URL of the Neo4j server cannot be read ({error}): it is like bolt://host:7687"
        ) from None
    if not is_whole:
        raise ConfigError("the URL of the Neo4j server names no host: it is like bolt://host:7687")
    return parts


def _options(query: str) -> dict[str, float]:
    options: dict[str, float] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        if name not in _OPTIONS:
            raise ConfigError(f"{name!r} is no option of a Neo4j URL: there are {', '.join(sorted(_OPTIONS))}")
        options[name] = _positive(name, text)
    return options


def _positive(name: str, text: str) -> float:
    try:
        number = int(text) if name == "pool_size" else float(text)
    except ValueError:
        number = 0
    if not 0 < number < 1e6:
        raise ConfigError(f"{name}={text!r} in the Neo4j URL must be a positive number")
    return number
