"""Embeddings over HTTP: what is sent, what comes back, and what may go wrong. The endpoint is a server on loopback."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from graphmem.errors import ConfigError, MalformedAnswer, ModelNotAuthorized, ModelUnavailable, PromptTooLong
from graphmem.inference.embedders import open_embedder
from graphmem.inference.openai_compatible import OpenAICompatibleEmbedder
from graphmem.ports import EmbeddingModel, TextKind


@dataclass
class Endpoint:
    """Answers every request with a vector for each text, or with what it is told to."""

    url: str = ""
    status: int = 200
    raw: bytes | None = None
    pause_s: float = 0.0
    """Between any two bytes."""
    longest: int | None = None
    """So many characters in one request are taken."""
    asked: list[dict[str, object]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)

    def answer(self, body: dict[str, object]) -> bytes:
        self.asked.append(body)
        if self.raw is not None:
            return self.raw
        texts = body["input"]
        assert isinstance(texts, list)
        if self.longest is not None:
            self.status = 200
        if self.longest is not None and sum(map(len, texts)) > self.longest:
            self.status = 400
            return json.dumps({"error": {"message": "the input length exceeds the context length"}}).encode()
        rows = [{"index": n, "embedding": [float(len(text)), 0.0, 1.0]} for n, text in enumerate(texts)]
        return json.dumps({"data": rows[::-1]}).encode()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    told = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.keys.append(self.headers["Authorization"])
            answer = told.answer(body)
            self.send_response(told.status)
            self.end_headers()
            for byte in [answer] if not told.pause_s else (answer[at : at + 1] for at in range(len(answer))):
                time.sleep(told.pause_s)
                self.wfile.write(byte)

        def log_message(self, format: str, *args: object) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}/v1"
    yield told
    server.shutdown()
    thread.join()
    server.server_close()


async def test_texts_are_sent_in_batches_and_come_back_in_order_at_length_one(endpoint: Endpoint) -> None:
    embedder = OpenAICompatibleEmbedder(endpoint.url, "m", key="secret")
    texts = ["x" * n for n in range(1, 200)]

    vectors = await embedder.embed(texts, TextKind.DOCUMENT)

    assert vectors.shape == (199, 3)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1.0] * 199, abs=1e-5)
    assert (vectors[:, 0] / vectors[:, 2]).round().tolist() == list(range(1, 200))
    assert [len(asked["input"]) for asked in endpoint.asked] == [128, 71]  # type: ignore[arg-type]
    assert endpoint.keys == ["Bearer secret"] * 2
    assert endpoint.asked[0]["model"] == "m"


def test_the_dimension_is_asked_for_once(endpoint: Endpoint) -> None:
    embedder = OpenAICompatibleEmbedder(endpoint.url, "m")

    assert [embedder.model, embedder.model] == [EmbeddingModel(name="m", dimension=3)] * 2
    assert len(endpoint.asked) == 1
    assert endpoint.keys == [None]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{}",
        b'{"data": []}',
        b'{"data": [{"index": 1, "embedding": [1]}]}',
        b'{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}',
        b'{"data": [{"index": 0, "embedding": ["a"]}]}',
        b'{"data": [{"index": 0, "embedding": [1e999]}]}',
    ],
)
async def test_an_answer_without_embeddings_is_malformed(endpoint: Endpoint, raw: bytes) -> None:
    endpoint.raw = raw

    with pytest.raises(MalformedAnswer):
        await OpenAICompatibleEmbedder(endpoint.url, "m").embed(["tea"], TextKind.QUERY)


async def test_an_endpoint_that_refuses_or_is_away_is_unavailable(endpoint: Endpoint) -> None:
    endpoint.status = 429
    with pytest.raises(ModelUnavailable, match="429"):
        await OpenAICompatibleEmbedder(endpoint.url, "m").embed(["tea"], TextKind.QUERY)
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await OpenAICompatibleEmbedder("http://127.0.0.1:9/v1", "m", timeout_s=5).embed(["tea"], TextKind.QUERY)


async def test_what_is_too_long_for_an_endpoint_is_sent_in_less(endpoint: Endpoint) -> None:
    endpoint.longest = 1_000
    embedder = OpenAICompatibleEmbedder(endpoint.url, "m")
    vectors = await embedder.embed(["tea", "x" * 600, "y" * 5_000, "cake"], TextKind.DOCUMENT)

    assert vectors[:, 2] / vectors[:, 0] == pytest.approx([1 / 3, 1 / 600, 1 / 625, 1 / 4])
    endpoint.longest = 0
    with pytest.raises(PromptTooLong):
        await embedder.embed(["tea"], TextKind.QUERY)


async def test_an_endpoint_that_will_never_answer_says_so(endpoint: Endpoint) -> None:
    endpoint.status = 401
    with pytest.raises(ModelNotAuthorized, match="401"):
        await OpenAICompatibleEmbedder(endpoint.url, "m").embed(["tea"], TextKind.QUERY)


async def test_an_endpoint_that_sends_a_byte_now_and_then_is_given_up_on(endpoint: Endpoint) -> None:
    endpoint.pause_s = 0.02
    with pytest.raises(ModelUnavailable, match="too slow"):
        await OpenAICompatibleEmbedder(endpoint.url, "m", timeout_s=0.2).embed(["tea"], TextKind.QUERY)


def test_an_endpoint_is_named_with_its_model(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k\n")
    opened = open_embedder(f"{endpoint.url}#m")

    assert opened is not None
    assert opened.model == EmbeddingModel(name="m", dimension=3)
    assert endpoint.keys == ["Bearer k"]
    with pytest.raises(ConfigError, match="#MODEL"):
        open_embedder(endpoint.url)
