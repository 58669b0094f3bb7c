"""The command line: start and stop a server, print its URL."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.neo4j_server.maven import NEWEST, MavenServer, ServerFailed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.neo4j_server", description="A Neo4j server without Docker.")
    parser.add_argument("command", choices=("start", "stop"))
    parser.add_argument("--version", default=NEWEST, help="%(default)s, or 5.26.30 for the long-term release")
    parser.add_argument("--home", type=Path, help="folder of its data (default: in the user's cache)")
    parser.add_argument("--bolt-port", type=int, default=7687)
    parser.add_argument("--http-port", type=int, default=7474)
    parser.add_argument("--heap", default="1g")
    parser.add_argument("--page-cache", default="512m")
    asked = parser.parse_args()
    server = MavenServer(
        home=(asked.home or _default_home(asked.version)).absolute(),
        version=asked.version,
        bolt_port=asked.bolt_port,
        http_port=asked.http_port,
        password=os.environ.get("NEO4J_PASSWORD", ""),
        heap=asked.heap,
        page_cache=asked.page_cache,
    )
    try:
        if asked.command == "stop":
            server.stop()
        elif server.is_running:
            raise ServerFailed(f"a server runs in {server.home} already: stop it first")
        else:
            server.start()
            print(server.url)
    except ServerFailed as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _default_home(version: str) -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "graphmem" / f"neo4j-{version}"


if __name__ == "__main__":
    sys.exit(main())
