"""One Neo4j server from its Maven artifacts: start, stop, kill, in a folder of its own."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LONG_TERM", "NEWEST", "MavenServer", "ServerFailed", "free_port", "missing_tool"]

NEWEST = "2026.08.1"
LONG_TERM = "5.26.30"

_POM = Path(__file__).with_name("pom.xml")
_START_S = 300.0
_STOP_S = 60.0
_PAUSE_S = 0.2
_JVM_OPTIONS = (
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--add-modules=jdk.incubator.vector",
    "-Dfile.encoding=UTF-8",
)

_SHORT_LIVED = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""A server of a test run is mostly starting and planning; the better compiler costs it more than it gives."""
_KEEPS_PLANS = "dbms.cypher.min_replan_interval=1h"
"""Every test begins with an empty database, and a new plan for every statement each ten seconds is half of the server's work."""

_CHILDREN: dict[int, subprocess.Popen[bytes]] = {}
"""Servers this process started: asked of themselves, since a child that ended and was not waited for still has its id."""


class ServerFailed(Exception):
    """The server could not be started; the message has the end of its log."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MavenServer:
    """A server in a folder; the same folder keeps its data from one start to the next."""

    home: Path
    version: str = NEWEST
    bolt_port: int = 7687
    http_port: int = 7474
    password: str = ""
    """Empty: authentication is off."""
    heap: str = "1g"
    page_cache: str = "512m"
    is_short_lived: bool = False
    """Made for a run of tests: quick to start and to plan, slower in the long run."""

    @property
    def url(self) -> str:
        return f"bolt://127.0.0.1:{self.bolt_port}"

    def start(self) -> None:
        """Start it and wait until Bolt answers (15 to 30 s; the first time Maven also fetches 150 MB)."""
        java = _java_for(self.version)
        for name in ("conf", "data", "logs", "import", "plugins"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        classpath = self._classpath()
        (self.home / "conf" / "neo4j.conf").write_text(self._configuration(), encoding="utf-8")
        if self.password and not (self.home / "data" / "databases" / "system").exists():
            self._set_password(java, classpath)
        with (self.home / "logs" / "console.log").open("ab") as log:
            process = subprocess.Popen(
                self._command(java, classpath),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        _CHILDREN[process.pid] = process
        self._pid_file.write_text(str(process.pid), encoding="utf-8")
        self._wait_for_bolt(process)

    def stop(self) -> None:
        """Stop it gently, so that the next start is quick; nothing happens where none runs."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self._end(signal.SIGKILL)

    @property
    def is_running(self) -> bool:
        pid = self._pid()
        return pid is not None and _is_alive(pid)

    @property
    def _pid_file(self) -> Path:
        return self.home / "neo4j.pid"

    def _pid(self) -> int | None:
        try:
            return int(self._pid_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None

    def _end(self, sign: signal.Signals) -> None:
        pid = self._pid()
        if pid is None:
            return
        deadline = time.monotonic() + _STOP_S
        if _is_alive(pid):
            os.kill(pid, sign)
        while _is_alive(pid):
            if time.monotonic() > deadline:
                raise ServerFailed(f"Neo4j (pid {pid}) did not stop within {_STOP_S:.0f} s")
            time.sleep(_PAUSE_S)
        self._pid_file.unlink(missing_ok=True)

    def _classpath(self) -> str:
        kept = self.home / f"classpath-{self.version}"
        if not kept.exists() or not kept.stat().st_size:
            done = subprocess.run(
                [
                    "mvn", "-q", "-B", "-f", str(_POM), f"-Dneo4j.version={self.version}",
                    "dependency:build-classpath", f"-Dmdep.outputFile={kept}",
                ],
                capture_output=True,
                text=True,
                check=False,
            )  # fmt: skip
            if done.returncode:
                raise ServerFailed(f"Maven cannot get Neo4j {self.version}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return kept.read_text(encoding="utf-8").strip()

    def _configuration(self) -> str:
        return "\n".join(
            (
                "server.default_listen_address=127.0.0.1",
                f"server.bolt.listen_address=127.0.0.1:{self.bolt_port}",
                f"server.http.listen_address=127.0.0.1:{self.http_port}",
                "server.https.enabled=false",
                f"server.memory.heap.initial_size={self.heap}",
                f"server.memory.heap.max_size={self.heap}",
                f"server.memory.pagecache.size={self.page_cache}",
                f"dbms.security.auth_enabled={str(bool(self.password)).lower()}",
                "dbms.usage_report.enabled=false",
                "db.tx_log.rotation.retention_policy=1 days 512M",
                _KEEPS_PLANS if self.is_short_lived else "",
                "",
            )
        )

    def _set_password(self, java: str, classpath: str) -> None:
        main = "org.neo4j.server.startup.Neo4jAdminCommand"
        environment = {**os.environ, "NEO4J_HOME": str(self.home), "NEO4J_CONF": str(self.home / "conf")}
        subprocess.run(
            [java, "-cp", classpath, main, "dbms", "set-initial-password", self.password],
            env=environment,
            check=True,
            capture_output=True,
        )

    def _command(self, java: str, classpath: str) -> list[str]:
        entry = "CommunityEntryPoint" if self.version.startswith("5.") else "Neo4jCommunity"
        memory = (f"-Xms{self.heap}", f"-Xmx{self.heap}")
        tuning = _SHORT_LIVED if self.is_short_lived else ("-XX:+UseG1GC",)
        folders = (f"--home-dir={self.home}", f"--config-dir={self.home / 'conf'}")
        return [java, *memory, *tuning, *_JVM_OPTIONS, "-cp", classpath, f"org.neo4j.server.{entry}", *folders]

    def _wait_for_bolt(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + _START_S
        while process.poll() is None and time.monotonic() < deadline:
            if _bolt_answers(self.bolt_port):
                return
            time.sleep(_PAUSE_S)
        if process.poll() is None:
            process.kill()
        log = (self.home / "logs" / "console.log").read_text(encoding="utf-8", errors="replace")
        raise ServerFailed(f"Neo4j {self.version} did not start:\n{log[-3000:]}")


def missing_tool(version: str) -> str | None:
    """What a server of this version needs and this machine lacks; None if it can be started."""
    if shutil.which("mvn") is None:
        return "Maven is not installed"
    try:
        _java_for(version)
    except ServerFailed as error:
        return str(error)
    return None


def free_port() -> int:
    """A port of the loopback interface that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _java_for(version: str) -> str:
    # 5.26 runs on Java 17 or 21; the calendar releases need 21 or newer.
    for candidate in _javas():
        major = _major(candidate)
        if major in (17, 21) if version.startswith("5.") else major >= 21:
            return candidate
    wanted = "17 or 21" if version.startswith("5.") else "21 or newer"
    raise ServerFailed(f"Neo4j {version} needs Java {wanted}; set JAVA_HOME to one")


def _javas() -> Iterator[str]:
    if os.environ.get("JAVA_HOME"):
        yield str(Path(os.environ["JAVA_HOME"]) / "bin" / "java")
    if found := shutil.which("java"):
        yield found
    yield from sorted(str(path) for path in Path("/usr/lib/jvm").glob("*/bin/java"))


def _major(java: str) -> int:
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return 0
    found = re.search(r'version "(\d+)', told)
    return int(found.group(1)) if found else 0


def _bolt_answers(port: int) -> bool:
    handshake = bytes.fromhex("6060b017") + bytes.fromhex("00000005000000040000000000000000")
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(handshake)
            return len(connection.recv(4)) == 4
    except OSError:
        return False


def _is_alive(pid: int) -> bool:
    child = _CHILDREN.get(pid)
    if child is not None:
        if child.poll() is None:
            return True
        del _CHILDREN[pid]
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
