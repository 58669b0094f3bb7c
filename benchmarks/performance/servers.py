"""The Neo4j server that is measured: one that is named, or one of the run's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.neo4j_server.find import NoServer, asked_version, running_server
from tests.neo4j_server.maven import MavenServer, free_port, missing_tool

__all__ = ["MeasuredServer", "NoServer", "measured_server"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeasuredServer:
    url: str
    own: MavenServer | None = None
    """None: its files are not seen from here."""

    def bytes_used(self) -> int | None:
        """What data and indexes take on disk once all is written out: the server is stopped and started for it."""
        if self.own is None:
            return None
        self.own.stop()
        folder = self.own.home / "data" / "databases" / "neo4j"
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        self.own.start()
        return size


@contextmanager
def measured_server(url: str | None) -> Iterator[MeasuredServer]:
    """The server at the URL, else one from Maven artifacts with the memory of the compose file, else one in Docker.

    Raises NoServer.
    """
    version = asked_version()
    if url is not None:
        yield MeasuredServer(url=url)
    elif missing_tool(version) is None:
        with TemporaryDirectory(prefix="performance-neo4j-") as folder:
            own = MavenServer(home=Path(folder), version=version, bolt_port=free_port(), http_port=free_port())
            own.start()
            try:
                yield MeasuredServer(url=own.url, own=own)
            finally:
                own.stop()
    else:
        with running_server() as found:
            yield MeasuredServer(url=found)
