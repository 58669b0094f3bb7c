"""JSON over HTTP with the standard library, for endpoints that need no client of their own."""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphmem.errors import ConfigError, ModelUnavailable

__all__ = ["HttpReply", "exchange"]

_PIECE = 65_536


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpReply:
    """A response of any status, its headers in small letters."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def exchange(url: str, *, content: Mapping[str, object] | None, key: str | None, timeout_s: float) -> HttpReply:
    """POST the content, or GET without one. Raises ModelUnavailable where nothing whole comes back in time, ConfigError for
    what is no address.

    It blocks: run it in a thread. A server that sends a byte now and then is given up on like one that sends nothing.
    """
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    body = None if content is None else json.dumps(content).encode()
    try:
        request = urllib.request.Request(url, data=body, headers=headers)
    except ValueError as error:
        raise ConfigError(f"{url} is no address: {error}") from error
    deadline = time.monotonic() + timeout_s
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            return HttpReply(
                status=response.status, body=_read(response, url, deadline), headers=_small(response.headers.items())
            )
    except urllib.error.HTTPError as error:
        with error:
            return HttpReply(status=error.code, body=_read(error, url, deadline), headers=_small(error.headers.items()))
    except (OSError, http.client.HTTPException) as error:
        raise ModelUnavailable(f"{url} cannot be reached: {error}") from error


def _read(response: http.client.HTTPResponse | urllib.error.HTTPError, url: str, deadline: float) -> bytes:
    pieces = []
    try:
        while piece := response.read(_PIECE):
            pieces.append(piece)
            if time.monotonic() > deadline:
                raise ModelUnavailable(f"{url} is too slow: its answer was not whole in time")
    except (OSError, http.client.HTTPException) as error:
        raise ModelUnavailable(f"{url} broke off in the midst of its answer: {error}") from error
    expected = response.headers.get("content-length", "")
    if expected.isdigit() and sum(map(len, pieces)) < int(expected):
        raise ModelUnavailable(f"{url} broke off in the midst of its answer")
    return b"".join(pieces)


def _small(headers: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers}
