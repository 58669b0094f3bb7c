"""What goes to Anthropic's Messages API and what comes back, as plain JSON; no client, no network."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from pydantic import BaseModel, ValidationError

from graphmem.errors import ModelError, ModelUnavailable
from graphmem.inference.json_body import Count, read_body
from graphmem.inference.model_health import ModelHealth
from graphmem.inference.model_table import ModelFacts
from graphmem.inference.provider_errors import error_of_status
from graphmem.ports import BatchProgress, BatchResult, ModelAnswer, ModelRequest, ModelUsage, StopReason

__all__ = ["Json", "fault_in", "parameters_of", "parsed_answer", "parsed_batch", "parsed_health", "parsed_result"]

Json: TypeAlias = dict[str, object]

_STOPS = {
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.CONTEXT_EXCEEDED,
    "refusal": StopReason.REFUSAL,
}

_STATUS_OF = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class _OutputDetails(BaseModel):
    thinking_tokens: Count = 0


class _Usage(BaseModel):
    input_tokens: Count = 0
    cache_read_input_tokens: Count = 0
    cache_creation_input_tokens: Count = 0
    output_tokens: Count = 0
    output_tokens_details: _OutputDetails | None = None


class _Block(BaseModel):
    type: str
    text: str | None = None


class _StopDetails(BaseModel):
    category: str | None = None


class _ModelInfo(BaseModel):
    lifecycle: str = "active"
    retires_at: datetime | None = None
    max_input_tokens: int | None = None


class _Counts(BaseModel):
    processing: int = 0
    succeeded: int = 0
    errored: int = 0
    canceled: int = 0
    expired: int = 0


class _Batch(BaseModel):
    id: str
    processing_status: str
    request_counts: _Counts


class _Message(BaseModel):
    """Of an answer only what is read, so that news in the API breaks nothing."""

    id: str
    model: str
    content: list[_Block]
    stop_reason: str | None
    stop_details: _StopDetails | None = None
    usage: _Usage = _Usage()


class _FaultDetails(BaseModel):
    error_code: str | None = None


class _Fault(BaseModel):
    type: str
    message: str = ""
    details: _FaultDetails | None = None

    @property
    def code(self) -> str:
        """The finest word for the cause there is."""
        return (self.details and self.details.error_code) or self.type


class _ErrorResponse(BaseModel):
    error: _Fault


class _Result(BaseModel):
    type: str
    message: _Message | None = None
    error: _ErrorResponse | None = None


class _Line(BaseModel):
    custom_id: str
    result: _Result


def parameters_of(request: ModelRequest, facts: ModelFacts, *, bare: bool) -> Json:
    """The parameters of `messages.create`. `bare`: without those that steer thinking, for a model that takes none.

    No temperature and no forced tool: the newest models refuse both.
    """
    output: Json = {}
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": request.schema}
    if facts.takes_effort and not bare:
        output["effort"] = request.effort.value
    parameters: Json = {
        "model": facts.name,
        "max_tokens": min(request.max_output_tokens, facts.most_output_tokens),
        "messages": [{"role": "user", "content": request.prompt}],
    }
    if request.system:
        parameters["system"] = [{"type": "text", "text": request.system, "cache_control": {"type": "ephemeral"}}]
    if output:
        parameters["output_config"] = output
    if facts.thinking is not None and not bare:
        parameters["thinking"] = {"type": facts.thinking}
    return parameters


def parsed_answer(text: str, request_id: str) -> ModelAnswer:
    """The answer in the body of a response. Raises ModelUnavailable for one that is none: a gateway's page, a cut text."""
    message = read_body(_Message, text)
    if message is None:
        raise ModelUnavailable(f"what came back is no message of the API but {len(text):,} other characters")
    return _answer(message, request_id)


def fault_in(body: object, status: int) -> tuple[int, str, str]:
    """Status, message and code of an error response, the words empty where it is none of the API's.

    An error in the midst of a stream comes with the status of success: what it says of itself counts then.
    """
    try:
        fault = _ErrorResponse.model_validate(body).error
    except ValidationError:
        return (status if status >= 400 else 500), "", ""
    return (status if status >= 400 else _STATUS_OF.get(fault.type, 500)), fault.message, fault.code


def parsed_health(text: str) -> ModelHealth:
    """What the provider says of a model. Raises ModelUnavailable for a body that is no description of one."""
    info = read_body(_ModelInfo, text)
    if info is None:
        raise ModelUnavailable("what came back is no description of a model")
    ends = f", retires on {info.retires_at:%Y-%m-%d}" if info.retires_at else ""
    context = f", {info.max_input_tokens:,} tokens of prompt" if info.max_input_tokens else ""
    return ModelHealth(words=f"{info.lifecycle}{ends}{context}", is_well=info.lifecycle != "retired")


def parsed_batch(text: str) -> tuple[str, BatchProgress]:
    """Id and progress of a batch. Raises ModelUnavailable for a body that is no description of one."""
    batch = read_body(_Batch, text)
    if batch is None:
        raise ModelUnavailable("what came back is no description of a batch")
    counts = batch.request_counts
    return batch.id, BatchProgress(
        is_ended=batch.processing_status == "ended",
        waiting=counts.processing,
        answered=counts.succeeded,
        failed=counts.errored + counts.canceled + counts.expired,
    )


def parsed_result(line: str, name: str) -> BatchResult:
    """One line of the results of a batch. Raises ModelUnavailable for a line that is none: the results were cut off."""
    found = read_body(_Line, line)
    if found is None:
        raise ModelUnavailable(f"a line of the results of {name} cannot be read: ask for them again")
    result = found.result
    outcome: ModelAnswer | ModelError
    if result.type == "succeeded" and result.message is not None:
        outcome = _answer(result.message, "")
    elif result.type == "errored" and result.error is not None:
        fault = result.error.error
        outcome = error_of_status(name, _STATUS_OF.get(fault.type, 500), message=fault.message, code=fault.code)
    else:
        outcome = ModelUnavailable(f"{name} did not come to this request of the batch ({result.type}): hand it in anew")
    return BatchResult(custom_id=found.custom_id, outcome=outcome)


def _answer(message: _Message, request_id: str) -> ModelAnswer:
    if message.stop_reason is None:  # a stream that is cut ends like one that is over, but for this
        raise ModelUnavailable(f"{message.model} broke off in the midst of its answer")
    usage, details = message.usage, message.stop_details
    return ModelAnswer(
        text="".join(block.text or "" for block in message.content if block.type == "text"),
        stop=_STOPS.get(message.stop_reason, StopReason.END),
        refusal_category=(details.category or "") if details else "",
        usage=ModelUsage(
            input_tokens=usage.input_tokens,
            cache_read_tokens=usage.cache_read_input_tokens,
            cache_write_tokens=usage.cache_creation_input_tokens,
            output_tokens=usage.output_tokens,
            thinking_tokens=usage.output_tokens_details.thinking_tokens if usage.output_tokens_details else 0,
        ),
        model=message.model,
        request_id=request_id or message.id,
    )
