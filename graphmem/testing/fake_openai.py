"""An OpenAI-compatible endpoint on loopback: chat completions, embeddings, the list of models, and how they fail."""

from __future__ import annotations

import hashlib
import itertools
import json
import threading
from collections.abc import Mapping, Sequence

from graphmem.testing.loopback import Exchange, LoopbackServer
from graphmem.testing.replies import Asked, BreaksOff, Fails, Hangs, Replies, Reply, Says, SaysHtml, Script

__all__ = ["FakeOpenAI"]

_STOPS = {"max_tokens": "length", "model_context_window_exceeded": "length", "refusal": "content_filter"}


class FakeOpenAI(LoopbackServer):
    """A server that any client of OpenAI's protocol talks to; its base URL is `base_url`.

    `formats`: the kinds of `response_format` it takes; another one is refused, as small local servers do. Embeddings are made of
    a hash of the text, `dimension` numbers each.
    """

    def __init__(
        self,
        script: Script = "{}",
        *,
        models: Sequence[str] = ("local-model",),
        formats: Sequence[str] = ("json_schema", "json_object"),
        dimension: int = 8,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.requests: list[Asked] = []
        """What it was asked to complete, in order."""
        self.embedded: list[str] = []
        self.headers: dict[str, str] = dict(headers or {})
        """Sent with every answer, such as x-ratelimit-remaining-requests."""
        self._replies = Replies(script)
        self._models = tuple(models)
        self._formats = frozenset(formats)
        self._dimension = dimension
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """What a client is given as its endpoint."""
        return f"{self.url}/v1"

    def then(self, *replies: str | Reply) -> None:
        """Give these once each, before the script goes on."""
        with self._lock:
            self._replies.put_first(replies)

    def handle(self, exchange: Exchange) -> None:
        match exchange.path:
            case "/v1/chat/completions":
                self._complete(exchange)
            case "/v1/embeddings":
                self._embed(exchange)
            case "/v1/models":
                listed = [{"id": model, "object": "model"} for model in self._models]
                exchange.send_json(200, {"object": "list", "data": listed}, self._ids())
            case _:
                self._fail(exchange, Fails(status=404, kind="not_found_error", message=exchange.path))

    def _complete(self, exchange: Exchange) -> None:
        asked = _asked(exchange)
        with self._lock:
            self.requests.append(asked)
            reply = self._refused(asked.body) or self._replies.next(asked)
        match reply:
            case Says():
                exchange.send_json(200, self._said(asked, reply), {**self._ids(), **reply.headers})
            case Fails():
                self._fail(exchange, reply)
            case Hangs():
                self.stopping.wait(reply.seconds)
                exchange.cut()
            case BreaksOff():
                said = json.dumps(self._said(asked, Says(text=reply.text))).encode()
                exchange.send(200, said, "application/json", self._ids(), share=reply.share)
            case SaysHtml():
                exchange.send(reply.status, reply.body.encode(), reply.content_type, self._ids())

    def _refused(self, body: Mapping[str, object]) -> Fails | None:
        wanted = body.get("response_format")
        kind = wanted.get("type") if isinstance(wanted, dict) else None
        if body.get("model") not in self._models:
            return Fails(status=404, kind="not_found_error", message=f"model {body.get('model')!r} not found")
        if kind is not None and kind not in self._formats:
            return Fails(status=400, kind="invalid_request_error", message=f"response_format {kind} is not supported")
        return None

    def _said(self, asked: Asked, says: Says) -> dict[str, object]:
        output = max(1, len(says.text) // 4) if says.output_tokens is None else says.output_tokens
        return {
            "id": f"chatcmpl-{next(self._numbers):06d}",
            "object": "chat.completion",
            "model": asked.body.get("model"),
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": says.text},
                    "finish_reason": _STOPS.get(says.stop, "stop"),
                }
            ],
            "usage": {
                "prompt_tokens": asked.prompt_tokens,
                "completion_tokens": output + says.thinking_tokens,
                "completion_tokens_details": {"reasoning_tokens": says.thinking_tokens},
            },
        }

    def _embed(self, exchange: Exchange) -> None:
        given = exchange.body().get("input")
        texts = [given] if isinstance(given, str) else [str(text) for text in given] if isinstance(given, list) else []
        with self._lock:
            self.embedded += texts
        rows = [{"index": n, "object": "embedding", "embedding": self._vector(text)} for n, text in enumerate(texts)]
        exchange.send_json(200, {"object": "list", "data": rows}, self._ids())

    def _vector(self, text: str) -> list[float]:
        digest = hashlib.shake_256(text.encode("utf-8", "replace")).digest(self._dimension)
        return [byte / 127.5 - 1.0 for byte in digest]

    def _fail(self, exchange: Exchange, failure: Fails) -> None:
        error = {"message": failure.message, "type": failure.kind, "code": failure.code or None}
        exchange.send_json(failure.status, {"error": error}, {**self._ids(), **failure.headers})

    def _ids(self) -> dict[str, str]:
        return {"x-request-id": f"req_{next(self._numbers):06d}", **self.headers}


def _asked(exchange: Exchange) -> Asked:
    body = exchange.body()
    messages = body.get("messages")
    texts = {"system": "", "user": ""}
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict) and message.get("role") in texts:
            texts[str(message["role"])] += str(message.get("content", ""))
    return Asked(
        path=exchange.path,
        body=body,
        headers=exchange.headers,
        system=texts["system"],
        prompt=texts["user"],
        prompt_tokens=len(texts["system"]) // 4 + len(texts["user"]) // 4,
    )
