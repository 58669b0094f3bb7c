"""What a refusal of a provider means, whichever client it came by: which of our errors, by status, code and words."""

from __future__ import annotations

from graphmem.errors import (
    ModelError,
    ModelMisconfigured,
    ModelNotAuthorized,
    ModelUnavailable,
    PromptTooLong,
    RateLimited,
    SpendLimitReached,
)

__all__ = ["error_of_status"]

_SHOWN = 300
_SPENT_CODES = ("spend_limit", "insufficient_quota", "billing_hard_limit")
_SPENT_WORDS = ("credit balance is too low",)
_TOO_LONG_CODES = ("context_length_exceeded", "exceed_context_size_error", "request_too_large")
_TOO_LONG_WORDS = (
    "prompt is too long",
    "context length",
    "context size",
    "context window",
    "too large to process",
    "tokens per request",
)
_PASSING = frozenset({408, 409, 425})


def error_of_status(name: str, status: int, *, message: str, code: str = "", wait_s: float = 0.0) -> ModelError:
    """The error for a response that is no answer.

    `name`: the model, for the message. `code`: the provider's own word for the cause, empty where there is none. A limit on
    spending is told from a limit on speed, which passes. Providers say "too long" with several statuses and in several words.

    >>> type(error_of_status("m", 429, message="slow down", wait_s=2.0)).__name__
    'RateLimited'
    """
    said = f"{name} answered {status}: {message[:_SHOWN].strip() or 'no reason given'}"
    words = message.lower()
    if status == 402 or any(part in code for part in _SPENT_CODES) or any(part in words for part in _SPENT_WORDS):
        return SpendLimitReached(f"{said}. Raise the limit or add credit; the jobs stay queued")
    if (
        status == 413
        or code in _TOO_LONG_CODES
        or (status in (400, 500) and any(part in words for part in _TOO_LONG_WORDS))
    ):
        return PromptTooLong(said)
    if status == 429:
        return RateLimited(said, retry_after_s=wait_s)
    if status in (401, 403):
        return ModelNotAuthorized(f"{said}. Check the key and what it may be used for")
    if status in _PASSING or status >= 500 or code == "overloaded_error":
        return ModelUnavailable(said)
    if status == 404:
        return ModelMisconfigured(f"{said}. Check the name of the model and the address")
    return ModelMisconfigured(said)
