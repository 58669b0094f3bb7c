"""What a fake model server can do when it is asked: answer, fail, hang, break off, or send something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = [
    "Asked",
    "BreaksOff",
    "Fails",
    "Hangs",
    "Replies",
    "Reply",
    "Says",
    "SaysHtml",
    "Script",
    "insufficient_quota",
    "invalid_request",
    "model_not_found",
    "not_authorized",
    "overloaded",
    "payment_required",
    "permission_denied",
    "prompt_too_long",
    "rate_limited",
    "refuses",
    "request_too_large",
    "server_error",
    "spend_limit_reached",
    "truncated",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One request as the server got it."""

    path: str
    body: Mapping[str, object]
    headers: Mapping[str, str]
    """By names in small letters."""
    system: str = ""
    prompt: str = ""
    prompt_tokens: int = 0
    """Of system and prompt together, a quarter of their characters."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Says:
    """An answer. `stop`: Anthropic's word for why it stopped; the OpenAI-compatible server translates it."""

    text: str
    stop: str = "end_turn"
    refusal_category: str | None = None
    output_tokens: int | None = None
    """Default: a quarter of the characters."""
    thinking_tokens: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Fails:
    """An error response. `code`: the provider's own word for the cause."""

    status: int
    kind: str
    message: str = "scripted"
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Hangs:
    """No answer, for so long or until the server stops."""

    seconds: float = 3_600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class BreaksOff:
    """An answer whose connection is cut after this share of its bytes."""

    text: str = "cut"
    share: float = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class SaysHtml:
    """A gateway's page, with the status of success; or any other body of any other type."""

    status: int = 200
    body: str = "<html><body>Welcome to the hotel's network</body></html>"
    content_type: str = "text/html"


Reply: TypeAlias = Says | Fails | Hangs | BreaksOff | SaysHtml

Script: TypeAlias = str | Reply | Iterable[str | Reply] | Callable[[Asked], "str | Reply"]
"""The same answer for ever; one after the other, the last for ever; or whatever a function makes of the request."""


class Replies:
    """Plays a script."""

    def __init__(self, script: Script) -> None:
        self._first: list[Reply] = []
        self._function: Callable[[Asked], str | Reply] | None = None
        self._rest: list[Reply] = []
        if callable(script):
            self._function = script
        elif isinstance(script, str | Reply):
            self._rest = [_reply(script)]
        else:
            self._rest = [_reply(one) for one in script]
        if self._function is None and not self._rest:
            raise ValueError("a script without a reply answers nothing: give it one")

    def put_first(self, replies: Iterable[str | Reply]) -> None:
        """Give these once, before the script goes on."""
        self._first += [_reply(one) for one in replies]

    def next(self, asked: Asked) -> Reply:
        """What this request gets."""
        if self._first:
            return self._first.pop(0)
        if self._function is not None:
            return _reply(self._function(asked))
        return self._rest.pop(0) if len(self._rest) > 1 else self._rest[0]


def _reply(given: str | Reply) -> Reply:
    return Says(text=given) if isinstance(given, str) else given


# ---- the failures that a client must survive


def truncated(text: str) -> Says:
    """An answer cut off at the limit of its output."""
    return Says(text=text, stop="max_tokens")


def refuses(category: str | None = None, text: str = "") -> Says:
    """A refusal; with a text it looks like an answer."""
    return Says(text=text, stop="refusal", refusal_category=category)


def overloaded() -> Fails:
    """529: the provider has too much to do."""
    return Fails(status=529, kind="overloaded_error", message="Overloaded")


def server_error(status: int = 500) -> Fails:
    """A fault of the provider."""
    return Fails(status=status, kind="api_error", message="Internal server error")


def rate_limited(retry_after_s: float | None = None) -> Fails:
    """429: too fast. The provider may ask for any wait, be it a day."""
    headers = {} if retry_after_s is None else {"retry-after": f"{retry_after_s:g}"}
    return Fails(status=429, kind="rate_limit_error", message="Too many requests", headers=headers)


def spend_limit_reached(code: str = "enforced_spend_limit_reached") -> Fails:
    """429 that does not pass: Anthropic's limit on spending."""
    return Fails(status=429, kind="rate_limit_error", message="You have reached your spend limit", code=code)


def insufficient_quota() -> Fails:
    """429 that does not pass: OpenAI's limit on spending."""
    return Fails(status=429, kind="insufficient_quota", message="You exceeded your quota", code="insufficient_quota")


def payment_required() -> Fails:
    """402: there is no credit."""
    return Fails(status=402, kind="billing_error", message="Your credit balance is too low")


def not_authorized() -> Fails:
    """401: the key is wrong."""
    return Fails(status=401, kind="authentication_error", message="invalid x-api-key")


def permission_denied() -> Fails:
    """403: the key has no right to this."""
    return Fails(status=403, kind="permission_error", message="not allowed for this workspace")


def model_not_found(model: str = "claude-nowhere") -> Fails:
    """404: there is no such model."""
    return Fails(status=404, kind="not_found_error", message=f"model: {model}")


def invalid_request(message: str = "output_config: schema is too complex") -> Fails:
    """400: a request that is never taken."""
    return Fails(status=400, kind="invalid_request_error", message=message)


def prompt_too_long() -> Fails:
    """400: the prompt does not fit."""
    return invalid_request("prompt is too long: 1,204,113 tokens > 1,000,000 maximum")


def request_too_large() -> Fails:
    """413: the request has too many bytes."""
    return Fails(status=413, kind="request_too_large", message="Request exceeds the maximum size")
