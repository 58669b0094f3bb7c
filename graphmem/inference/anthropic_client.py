"""Anthropic's own client, narrowed to what is used of it: texts in, texts out, and errors of ours."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TypeVar

from graphmem.errors import ConfigError, GraphmemError, ModelNotAuthorized, ModelUnavailable, NotFound
from graphmem.inference.anthropic_wire import Json, fault_in
from graphmem.inference.patience import retry_after_s
from graphmem.inference.provider_errors import error_of_status

__all__ = ["AnthropicClient", "Reply"]

_SHORT_S = 30.0
_NO_KEY = "no key for Anthropic: set ANTHROPIC_API_KEY (https://platform.claude.com), or use another model or 'rules'"
_BEWILDERED = (AssertionError, AttributeError, LookupError, TypeError)
"""What the client raises at a stream of something else, such as a page: it takes for granted what the events hold."""
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The body of a response that is said to be an answer, with its headers in small letters."""

    body: str
    headers: Mapping[str, str]


class AnthropicClient:
    """One attempt at each call. Raises ConfigError where the extra or what the client needs is missing.

    The client's own retries are off: it sleeps for as long as a server asks, be it a month.
    """

    def __init__(self, name: str, *, key: str | None, base_url: str | None) -> None:
        self._name = name
        self._sdk = _sdk()
        self._broken_off = _transport_errors()
        key = (key or os.environ.get("ANTHROPIC_API_KEY", "")).strip()
        try:
            self._client = self._sdk.AsyncAnthropic(api_key=key or None, base_url=base_url, max_retries=0)
        except self._sdk.CredentialsError as error:
            raise ConfigError(f"{_NO_KEY}. What there is cannot be used: {error}") from error

    async def message(self, parameters: Json, *, timeout_s: float) -> Reply:
        """The message these parameters ask for."""

        async def ask() -> Reply:
            raw = await self._client.messages.with_raw_response.create(**parameters, timeout=timeout_s)
            return Reply(body=await raw.text(), headers=_small(raw.headers))

        return await self._asked(ask)

    async def streamed_message(self, parameters: Json, *, timeout_s: float) -> Reply:
        """The same, sent piece by piece, for answers that take minutes."""

        async def ask() -> Reply:
            async with self._client.messages.stream(**parameters, timeout=timeout_s) as stream:
                try:
                    message = await stream.get_final_message()
                except _BEWILDERED as error:
                    raise ModelUnavailable(f"{self._name} sent no stream of a message") from error
                body = json.dumps(message.model_dump(warnings=False), default=str)
                return Reply(body=body, headers=_small(stream.response.headers))

        return await self._asked(ask)

    async def model(self, model: str) -> str:
        """What the provider says of a model."""

        async def ask() -> str:
            raw = await self._client.models.with_raw_response.retrieve(model, timeout=_SHORT_S)
            return str(await raw.text())

        return await self._asked(ask)

    async def create_batch(self, entries: Sequence[Json], *, timeout_s: float) -> str:
        """Hand in a batch; its description."""

        async def ask() -> str:
            raw = await self._client.messages.batches.with_raw_response.create(requests=entries, timeout=timeout_s)
            return str(await raw.text())

        return await self._asked(ask)

    async def batch(self, batch_id: str) -> str:
        """The description of a batch. Raises NotFound."""

        async def ask() -> str:
            raw = await self._client.messages.batches.with_raw_response.retrieve(batch_id, timeout=_SHORT_S)
            return str(await raw.text())

        return await self._asked(ask, batch_id=batch_id)

    async def batch_lines(self, batch_id: str) -> AsyncGenerator[str, None]:
        """The results of a batch that has ended, one JSON text each. Raises NotFound."""
        calls = self._client.messages.batches.with_streaming_response
        try:
            async with calls.results(batch_id, timeout=_SHORT_S) as response, aclosing(response.iter_lines()) as lines:
                async for line in lines:
                    if line.strip():
                        yield line
        except (self._sdk.AnthropicError, TypeError, *self._broken_off) as error:
            raise self._ours(error, batch_id) from error

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _asked(self, ask: Callable[[], Awaitable[_T]], *, batch_id: str = "") -> _T:
        try:
            return await ask()
        except (self._sdk.AnthropicError, TypeError, json.JSONDecodeError, *self._broken_off) as error:
            raise self._ours(error, batch_id) from error

    def _ours(self, error: Exception, batch_id: str) -> GraphmemError:
        sdk, name = self._sdk, self._name
        if isinstance(error, sdk.APIStatusError):
            if error.status_code == 404 and batch_id:
                return NotFound(
                    f"{name} knows no batch {batch_id!r}: it may have been archived; hand its requests in anew"
                )
            status, message, code = fault_in(error.body, error.status_code)
            return error_of_status(
                name,
                status,
                message=message or error.message,
                code=code,
                wait_s=retry_after_s(error.response.headers.get("retry-after")),
            )
        if isinstance(error, sdk.CredentialsError) or (isinstance(error, TypeError) and "authentication" in str(error)):
            return ModelNotAuthorized(_NO_KEY)  # the client finds out about a missing key when it is first used
        if isinstance(error, TypeError):
            raise error
        cause = error.__cause__ or error
        return ModelUnavailable(f"{name} broke off or cannot be reached: {cause or type(cause).__name__}")


def _sdk() -> ModuleType:
    try:
        return import_module("anthropic")
    except ImportError as error:
        raise ConfigError("Claude needs the extra `anthropic`: pip install 'graphmem[anthropic]'") from error


def _transport_errors() -> tuple[type[Exception], ...]:
    """What a stream that is cut raises: errors of the HTTP library below the client, which passes them on as they are."""
    libraries = [import_module(name) for name in ("httpx2", "httpx") if find_spec(name) is not None]
    return tuple(library.HTTPError for library in libraries)


def _small(headers: Mapping[str, str]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}
