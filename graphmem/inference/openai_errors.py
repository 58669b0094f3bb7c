"""What an endpoint of OpenAI's protocol means by a response that is no answer."""

from __future__ import annotations

from pydantic import BaseModel

from graphmem.errors import ModelError
from graphmem.inference.http_json import HttpReply
from graphmem.inference.json_body import read_body
from graphmem.inference.patience import retry_after_s
from graphmem.inference.provider_errors import error_of_status

__all__ = ["error_of_reply"]


class _Fault(BaseModel):
    message: str = ""
    type: str | None = None
    code: str | int | None = None


class _Failure(BaseModel):
    error: _Fault | str


def error_of_reply(reply: HttpReply, name: str) -> ModelError:
    """The error for it; `name`: who answered so, for the message."""
    failure = read_body(_Failure, reply.body)
    fault = reply.body.decode(errors="replace") if failure is None else failure.error
    told = _Fault(message=fault) if isinstance(fault, str) else fault
    return error_of_status(
        name,
        reply.status,
        message=told.message,
        code=told.code if isinstance(told.code, str) else told.type or "",
        wait_s=retry_after_s(reply.headers.get("retry-after")),
    )
