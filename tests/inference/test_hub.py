"""A model fetched from a hub, once. The hub is a server on loopback that speaks the part of its protocol that is used."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from graphmem.errors import ConfigError, ModelUnavailable
from graphmem.inference.embedders import is_local_installed, open_embedder
from graphmem.inference.hub import hub_files
from graphmem.inference.packaged_model import packaged_minilm
from graphmem.ports import TextKind

pytest.importorskip("huggingface_hub", reason="the extra `local` is not installed")

REVISION = "0123456789abcdef0123456789abcdef01234567"
NAME = f"owner/small-model@{REVISION}"
FILES = {"onnx/model.onnx": b"the weights", "tokenizer.json": b"{}", "onnx/model_int8.onnx": b"fewer weights"}


@dataclass
class Hub:
    """Has one revision of one model, and counts what is asked of it."""

    url: str = ""
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    asked: list[str] = field(default_factory=list)
    stop: threading.Event = field(default_factory=threading.Event)

    def content(self, path: str) -> bytes | None:
        prefix = f"/owner/small-model/resolve/{REVISION}/"
        return self.files.get(path.removeprefix(prefix)) if path.startswith(prefix) else None


@pytest.fixture
def hub() -> Iterator[Hub]:
    told = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.answer(with_body=False)

        def do_GET(self) -> None:
            self.answer(with_body=True)

        def answer(self, *, with_body: bool) -> None:
            told.asked.append(f"{self.command} {self.path}")
            content = told.content(self.path)
            self.send_response(404 if content is None else 200)
            if content is None:
                self.send_header("X-Error-Code", "EntryNotFound" if REVISION in self.path else "RevisionNotFound")
            else:
                self.send_header("X-Repo-Commit", REVISION)
                self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            if with_body:
                self.wfile.write(content or b"")

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}"
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_model_is_fetched_once_and_read_from_the_disk_from_then_on(hub: Hub, tmp_path: Path) -> None:
    files = hub_files(NAME, endpoint=hub.url, cache=tmp_path)

    assert files.name == "owner/small-model"
    assert (files.model.read_bytes(), files.tokenizer.read_bytes()) == (b"the weights", b"{}")
    asked = len(hub.asked)
    assert asked > 0
    assert hub_files(NAME, endpoint=hub.url, cache=tmp_path) == files
    assert hub_files(NAME, endpoint="http://127.0.0.1:9", cache=tmp_path) == files
    assert len(hub.asked) == asked


def test_another_file_of_the_model_may_be_named(hub: Hub, tmp_path: Path) -> None:
    files = hub_files(f"{NAME}#onnx/model_int8.onnx", endpoint=hub.url, cache=tmp_path)
    assert files.model.read_bytes() == b"fewer weights"


def test_a_hub_that_cannot_be_reached_is_named_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"owner/small-model@0123456789ab.*name a folder"):
        hub_files(NAME, endpoint="http://127.0.0.1:9", cache=tmp_path)


@pytest.mark.parametrize("name", [f"owner/small-model@{'f' * 40}", f"{NAME}#onnx/none.onnx"])
def test_what_the_hub_does_not_have_is_named(name: str, hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the hub has no onnx/"):
        hub_files(name, endpoint=hub.url, cache=tmp_path)


@pytest.mark.parametrize(
    "name", ["owner/small-model", "owner/small-model@main", "small-model@" + REVISION, "", "a b@c"]
)
def test_only_a_commit_is_a_revision(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="hub:OWNER/NAME@REVISION"):
        hub_files(name, endpoint="http://127.0.0.1:9", cache=tmp_path)


@pytest.mark.skipif(not is_local_installed(), reason="the extra `local` is not installed")
async def test_an_embedder_is_opened_by_its_name_on_the_hub(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = packaged_minilm()
    hub.files = {"onnx/model.onnx": local.model.read_bytes(), "tokenizer.json": local.tokenizer.read_bytes()}
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))

    opened = open_embedder(f"hub:{NAME}")

    assert opened is not None
    assert opened.model.name == "owner/small-model@8199be6f699a"
    assert (await opened.embed(["tea"], TextKind.QUERY)).shape == (1, 384)
