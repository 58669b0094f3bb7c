"""Anthropic's API on loopback: messages, streams, batches, models, token counts, and every way in which they fail."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphmem.testing.loopback import Exchange, LoopbackServer
from graphmem.testing.replies import Asked, BreaksOff, Fails, Hangs, Replies, Reply, Says, SaysHtml, Script
from graphmem.testing.schema_rules import faults_of_schema

__all__ = ["FakeAnthropic"]

DEFAULT_MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-haiku-4-5")
CACHED_FROM_TOKENS = 512
_BATCHES = "/v1/messages/batches"


@dataclass
class _Batch:
    """A batch and how often it must be looked at before it has ended."""

    batch_id: str
    entries: Sequence[Mapping[str, object]]
    looks_left: int
    lines: list[str] = field(default_factory=list)


class FakeAnthropic(LoopbackServer):
    """A server that the real client talks to: give it `url` as `base_url` and any key.

    `script`: what it answers, see `graphmem.testing.replies`. `requests` holds what it was asked for messages, in order; batches
    count each of their requests. It refuses what the API refuses: no key, a temperature, a forced tool, `thinking` a model
    does not take, a schema beyond the limits. `polls`: how often a batch is in progress before it has ended.

    >>> with FakeAnthropic("hello") as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(
        self,
        script: Script = "{}",
        *,
        models: Sequence[str] = DEFAULT_MODELS,
        polls: int = 0,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.requests: list[Asked] = []
        self.paths: list[str] = []
        """Every request with its method, in order: "POST /v1/messages" …"""
        self.most_at_once = 0
        """How many messages were in hand at the same time at most."""
        self.headers: dict[str, str] = dict(headers or {})
        """Sent with every answer, such as anthropic-ratelimit-requests-remaining."""
        self._replies = Replies(script)
        self._models = tuple(models)
        self._polls = polls
        self._batches: dict[str, _Batch] = {}
        self._cached: set[str] = set()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._in_hand = 0

    def then(self, *replies: str | Reply) -> None:
        """Give these once each, before the script goes on."""
        with self._lock:
            self._replies.put_first(replies)

    # ---- requests

    def handle(self, exchange: Exchange) -> None:
        with self._lock:
            self.paths.append(f"{exchange.method} {exchange.path}")
        if not exchange.headers.get("x-api-key") and not exchange.headers.get("authorization"):
            self._fail(exchange, Fails(status=401, kind="authentication_error", message="x-api-key header is required"))
        elif exchange.path == "/v1/messages":
            self._message(exchange)
        elif exchange.path == "/v1/messages/count_tokens":
            exchange.send_json(200, {"input_tokens": _asked(exchange.path, exchange.body(), {}).prompt_tokens})
        elif exchange.path.startswith(_BATCHES):
            self._batch(exchange, exchange.path.removeprefix(_BATCHES).strip("/").split("/"))
        elif exchange.path.startswith("/v1/models"):
            self._model(exchange, exchange.path.removeprefix("/v1/models").strip("/"))
        else:
            self._fail(exchange, Fails(status=404, kind="not_found_error", message=exchange.path))

    def _message(self, exchange: Exchange) -> None:
        body = exchange.body()
        asked, reply = self._reply_to(exchange.path, body, exchange.headers)
        with self._lock:
            self._in_hand += 1
            self.most_at_once = max(self.most_at_once, self._in_hand)
        try:
            self._give(exchange, asked, reply, is_streamed=body.get("stream") is True)
        finally:
            with self._lock:
                self._in_hand -= 1

    def _reply_to(self, path: str, body: Mapping[str, object], headers: Mapping[str, str]) -> tuple[Asked, Reply]:
        asked = _asked(path, body, headers)
        with self._lock:
            self.requests.append(asked)
            refused = _refused(body, self._models)
            return asked, refused or self._replies.next(asked)

    def _give(self, exchange: Exchange, asked: Asked, reply: Reply, *, is_streamed: bool) -> None:
        match reply:
            case Says() if is_streamed:
                exchange.send_events(_events(self._said(asked, reply)), {**self._ids(), **reply.headers})
            case Says():
                exchange.send_json(200, self._said(asked, reply), {**self._ids(), **reply.headers})
            case Fails(status=200):  # an error in the midst of a stream
                start = list(_events(self._said(asked, Says(text="begun"))))[:3]
                exchange.send_events([*start, _event("error", _error(reply))], self._ids())
            case Fails():
                self._fail(exchange, reply)
            case Hangs():
                self.stopping.wait(reply.seconds)
                exchange.cut()
            case BreaksOff() if is_streamed:
                events = list(_events(self._said(asked, Says(text=reply.text))))
                exchange.send_events(events[: max(1, int(len(events) * reply.share))], self._ids())
            case BreaksOff():
                said = json.dumps(self._said(asked, Says(text=reply.text))).encode()
                exchange.send(200, said, "application/json", self._ids(), share=reply.share)
            case SaysHtml():
                exchange.send(reply.status, reply.body.encode(), reply.content_type, self._ids())

    def _fail(self, exchange: Exchange, failure: Fails) -> None:
        exchange.send_json(failure.status, _error(failure), {**self._ids(), **failure.headers})

    def _ids(self) -> dict[str, str]:
        return {"request-id": f"req_{next(self._numbers):06d}", **self.headers}

    def _said(self, asked: Asked, says: Says) -> dict[str, object]:
        """The message, with the usage that a cache of prefixes would give."""
        tokens = len(asked.system) // 4
        blocks = asked.body.get("system")
        is_marked = isinstance(blocks, list) and any(isinstance(b, dict) and "cache_control" in b for b in blocks)
        written = read = 0
        if is_marked and tokens >= CACHED_FROM_TOKENS:
            with self._lock:
                read, written = (tokens, 0) if asked.system in self._cached else (0, tokens)
                self._cached.add(asked.system)
        output = max(1, len(says.text) // 4) if says.output_tokens is None else says.output_tokens
        is_silent = says.stop == "refusal" and not says.text
        return {
            "id": f"msg_{next(self._numbers):06d}",
            "type": "message",
            "role": "assistant",
            "model": asked.body.get("model"),
            "content": [] if is_silent else [{"type": "text", "text": says.text}],
            "stop_reason": says.stop,
            "stop_sequence": None,
            "stop_details": _stop_details(says),
            "usage": {
                "input_tokens": asked.prompt_tokens - read - written,
                "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read,
                "output_tokens": output + says.thinking_tokens,
                "output_tokens_details": {"thinking_tokens": says.thinking_tokens},
            },
        }

    # ---- batches and models

    def _batch(self, exchange: Exchange, parts: Sequence[str]) -> None:
        if exchange.method == "POST" and parts == [""]:
            batch = _Batch(
                batch_id=f"msgbatch_{next(self._numbers):06d}", entries=_entries(exchange), looks_left=self._polls
            )
            self._batches[batch.batch_id] = batch
            exchange.send_json(200, self._described(batch), self._ids())
            return
        found = self._batches.get(parts[0])
        if found is None:
            self._fail(exchange, Fails(status=404, kind="not_found_error", message=f"batch {parts[0]}"))
        elif parts[1:] == ["results"]:
            exchange.send(200, "".join(self._lines(found)).encode(), "application/x-jsonl", self._ids())
        else:
            exchange.send_json(200, self._described(found), self._ids())
            found.looks_left = max(0, found.looks_left - 1)

    def _described(self, batch: _Batch) -> dict[str, object]:
        is_ended = batch.looks_left == 0
        kinds = [json.loads(line)["result"]["type"] for line in self._lines(batch)] if is_ended else []
        counts = {kind: kinds.count(kind) for kind in ("succeeded", "errored", "canceled", "expired")}
        return {
            "id": batch.batch_id,
            "type": "message_batch",
            "processing_status": "ended" if is_ended else "in_progress",
            "request_counts": {**counts, "processing": 0 if is_ended else len(batch.entries)},
            "results_url": f"{self.url}{_BATCHES}/{batch.batch_id}/results" if is_ended else None,
            "created_at": "2026-11-01T00:00:00Z",
            "expires_at": "2026-11-02T00:00:00Z",
            "ended_at": "2026-11-01T01:00:00Z" if is_ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
        }

    def _lines(self, batch: _Batch) -> list[str]:
        """The results, last request first: their order means nothing. Made once."""
        if not batch.lines:
            for entry in reversed(batch.entries):
                result = {"custom_id": entry["custom_id"], "result": self._result(entry)}
                batch.lines.append(json.dumps(result) + "\n")
        return batch.lines

    def _result(self, entry: Mapping[str, object]) -> dict[str, object]:
        parameters = entry["params"]
        asked, reply = self._reply_to(_BATCHES, parameters if isinstance(parameters, dict) else {}, {})
        match reply:
            case Says():
                return {"type": "succeeded", "message": self._said(asked, reply)}
            case Fails():
                return {"type": "errored", "error": _error(reply)}
            case _:
                return {"type": "expired"}

    def _model(self, exchange: Exchange, model: str) -> None:
        if not model:
            listed = [_model_info(one) for one in self._models]
            ends = {"first_id": self._models[0], "last_id": self._models[-1]} if self._models else {}
            exchange.send_json(200, {"data": listed, "has_more": False, **ends}, self._ids())
        elif model in self._models:
            exchange.send_json(200, _model_info(model), self._ids())
        else:
            self._fail(exchange, Fails(status=404, kind="not_found_error", message=f"model: {model}"))


def _asked(path: str, body: Mapping[str, object], headers: Mapping[str, str]) -> Asked:
    system, prompt = _text(body.get("system")), ""
    messages = body.get("messages")
    for message in messages if isinstance(messages, list) else []:
        prompt += _text(message.get("content")) if isinstance(message, dict) else ""
    tokens = len(system) // 4 + len(prompt) // 4
    return Asked(path=path, body=body, headers=headers, system=system, prompt=prompt, prompt_tokens=tokens)


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "".join(str(block.get("text", "")) for block in blocks if isinstance(block, dict))


def _refused(body: Mapping[str, object], models: Iterable[str]) -> Fails | None:
    """What the API would say to a request that it never takes."""
    model, thinking, choice = str(body.get("model")), body.get("thinking"), body.get("tool_choice")
    kind = thinking.get("type") if isinstance(thinking, dict) else None
    if model not in models:
        return Fails(status=404, kind="not_found_error", message=f"model: {model}")
    if "temperature" in body or "top_p" in body or "top_k" in body:
        return Fails(status=400, kind="invalid_request_error", message="temperature is not supported by this model")
    if isinstance(choice, dict) and choice.get("type") in ("tool", "any"):
        return Fails(status=400, kind="invalid_request_error", message="tool_choice: forced tool use is not supported")
    if kind == "disabled" and ("sonnet-5-5" in model or "opus" in model):
        return Fails(
            status=400, kind="invalid_request_error", message="thinking: disabled is not supported by this model"
        )
    if not isinstance(body.get("max_tokens"), int):
        return Fails(status=400, kind="invalid_request_error", message="max_tokens: Field required")
    faults = faults_of_schema(_schema(body))
    return Fails(status=400, kind="invalid_request_error", message=f"output_config: {faults[0]}") if faults else None


def _schema(body: Mapping[str, object]) -> Mapping[str, object]:
    config = body.get("output_config")
    form = config.get("format") if isinstance(config, dict) else None
    schema = form.get("schema") if isinstance(form, dict) else None
    return schema if isinstance(schema, dict) else {}


def _stop_details(says: Says) -> dict[str, object] | None:
    if says.stop != "refusal":
        return None
    return {"type": "refusal", "category": says.refusal_category, "explanation": None}


def _error(failure: Fails) -> dict[str, object]:
    error: dict[str, object] = {"type": failure.kind, "message": failure.message}
    if failure.code:
        error["details"] = {"error_code": failure.code}
    return {"type": "error", "error": error, "request_id": "req_scripted"}


def _events(message: Mapping[str, object]) -> Iterator[bytes]:
    """The message as the events of a stream, its text in pieces of twenty characters."""
    blocks = message["content"]
    started = {**message, "content": [], "stop_reason": None, "stop_details": None}
    yield _event("message_start", {"type": "message_start", "message": started})
    for index, block in enumerate(blocks if isinstance(blocks, list) else []):
        text = block["text"]
        start = {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
        yield _event("content_block_start", start)
        for at in range(0, len(text), 20):
            delta = {"type": "text_delta", "text": text[at : at + 20]}
            yield _event("content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta})
        yield _event("content_block_stop", {"type": "content_block_stop", "index": index})
    ended = {name: message[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    yield _event("message_delta", {"type": "message_delta", "delta": ended, "usage": message["usage"]})
    yield _event("message_stop", {"type": "message_stop"})


def _event(name: str, content: object) -> bytes:
    return f"event: {name}\ndata: {json.dumps(content)}\n\n".encode()


def _entries(exchange: Exchange) -> list[Mapping[str, object]]:
    requests = exchange.body().get("requests")
    return [entry for entry in requests if isinstance(entry, dict)] if isinstance(requests, list) else []


def _model_info(model: str) -> dict[str, object]:
    return {
        "type": "model",
        "id": model,
        "display_name": model,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 1_000_000,
        "max_tokens": 128_000,
        "capabilities": None,
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
    }
