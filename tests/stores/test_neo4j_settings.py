"""How the URL of a server is read."""

from __future__ import annotations

import pytest

from graphmem.errors import ConfigError
from graphmem.stores.neo4j_settings import Neo4jSettings, neo4j_settings


def test_a_url_names_server_user_database_and_waiting_times() -> None:
    url = "neo4j+s://ann:p%40ss@db.example:7688/memories?pool_size=4&timeout_s=2.5&patience_s=1"

    assert neo4j_settings(url, {}) == Neo4jSettings(
        url="neo4j+s://db.example:7688",
        user="ann",
        password="p@ss",
        database="memories",
        pool_size=4,
        timeout_s=2.5,
        patience_s=1,
    )


def test_the_environment_fills_what_the_url_leaves_out() -> None:
    environ = {"NEO4J_USERNAME": "ann", "NEO4J_PASSWORD": "secret", "NEO4J_DATABASE": "memories"}

    found = neo4j_settings("bolt://[::1]:7687", environ)

    assert (found.url, found.user, found.password, found.database) == (
        "bolt://[::1]:7687",
        "ann",
        "secret",
        "memories",
    )
    assert neo4j_settings("bolt://bob:other@h/db", environ).user == "bob"
    assert neo4j_settings("bolt://h", {}) == Neo4jSettings(url="bolt://h")


def test_a_password_is_never_shown() -> None:
    assert "secret" not in repr(neo4j_settings("bolt://ann:secret@h", {}))


@pytest.mark.parametrize(
    "url",
    [
        "bolt://",
        "bolt://h:port",
        "bolt://h:0",
        "bolt://h?pool=3",
        "bolt://h?pool_size=0",
        "bolt://h?timeout_s=soon",
        "bolt://[h",
    ],
)
def test_a_url_that_means_nothing_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        neo4j_settings(url, {})
