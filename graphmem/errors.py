"""Every error graphmem raises, sorted by who can act.

GraphmemError
├── InvalidInput            the caller: the call cannot mean anything; nothing was written
│   ├── InvalidEpisode      empty text, unknown source, text that is too long
│   ├── InvalidTime         a naive datetime, an unreadable date, an interval that ends before it begins
│   ├── InvalidGroup        an empty list of groups, a group id with characters outside [A-Za-z0-9_-]
│   ├── InvalidClaim        a claim without subject, relation or object, or of a kind that lacks its date
│   ├── InvalidMetadata     metadata that is not a flat mapping of strings
│   ├── InvalidQuery        a question or filter that cannot be asked
│   ├── InvalidLimit        a limit that is no whole number from 1 up to its cap
│   ├── InvalidPath         a file that cannot be written or read there
│   └── InvalidImport       a file that is not what the importer reads
├── IdempotencyConflict     the caller: this id was used for another text
├── NotFound                the caller: no such fact, episode, entity, group or job
│   └── Erased              it was there and has been erased
├── Busy                    wait: the call took longer than it was given; the work goes on
├── StoreError
│   ├── StoreUnavailable    try again: locked for too long, away, closed
│   ├── ReadOnlyStore       the file or the server takes no writes
│   ├── CommitConflict      read again and redo: somebody else committed in between
│   ├── LeaseLost           stop: another worker holds the job now
│   ├── SchemaMismatch      the file is no graphmem store, or holds another schema
│   │   ├── SchemaTooNew    written by a newer graphmem: upgrade
│   │   └── EmbedderMismatch its vectors are of another embedding model: open it with that one, or reembed
│   ├── StoreFull           free some space
│   └── StoreCorrupt        restore a backup, or repair
├── ModelError
│   ├── ModelUnavailable    try again later, or use another model
│   │   └── RateLimited     too many calls: try again after `retry_after_s`
│   ├── ModelHalted         no call will succeed until somebody acts: work stops, its jobs stay queued
│   │   ├── SpendLimitReached   the account's limit, or the one given to graphmem, is reached
│   │   ├── ModelNotAuthorized  the key is missing, wrong, or has no right to the model
│   │   └── ModelMisconfigured  no such model, or a request it never takes
│   ├── ModelRefused        the model will not read this text
│   ├── PromptTooLong       the text does not fit: split it
│   └── MalformedAnswer     the model's answer cannot be read
│       └── AnswerTruncated it was cut off at the limit of its output
├── ConfigError             the user: a setting or an extra is missing
└── ResourceMissing         our packaging: a file of the package is not there
"""

from __future__ import annotations

__all__ = [
    "AnswerTruncated",
    "Busy",
    "CommitConflict",
    "ConfigError",
    "EmbedderMismatch",
    "Erased",
    "GraphmemError",
    "IdempotencyConflict",
    "InvalidClaim",
    "InvalidEpisode",
    "InvalidGroup",
    "InvalidImport",
    "InvalidInput",
    "InvalidLimit",
    "InvalidMetadata",
    "InvalidPath",
    "InvalidQuery",
    "InvalidTime",
    "LeaseLost",
    "MalformedAnswer",
    "ModelError",
    "ModelHalted",
    "ModelMisconfigured",
    "ModelNotAuthorized",
    "ModelRefused",
    "ModelUnavailable",
    "NotFound",
    "PromptTooLong",
    "RateLimited",
    "ReadOnlyStore",
    "ResourceMissing",
    "SchemaMismatch",
    "SchemaTooNew",
    "SpendLimitReached",
    "StoreCorrupt",
    "StoreError",
    "StoreFull",
    "StoreUnavailable",
]


class GraphmemError(Exception):
    """Whatever graphmem raises on purpose."""


class InvalidInput(GraphmemError, ValueError):
    """The call cannot mean anything; nothing was written."""


class InvalidEpisode(InvalidInput):
    """The text or the source of an episode cannot be taken."""


class InvalidTime(InvalidInput):
    """A naive datetime, an unreadable date, or an interval that ends before it begins."""


class InvalidGroup(InvalidInput):
    """A list of groups is empty, or a group id is not made of letters, digits, `_` and `-`."""


class InvalidClaim(InvalidInput):
    """A claim lacks its subject, relation or object, or the date its kind needs."""


class InvalidMetadata(InvalidInput):
    """Metadata is not a flat mapping of strings to strings."""


class InvalidQuery(InvalidInput):
    """A question or a filter cannot be asked."""


class InvalidLimit(InvalidInput):
    """A limit is no whole number from 1 up to its cap."""


class InvalidPath(InvalidInput):
    """A file cannot be read or written at this path."""


class InvalidImport(InvalidInput):
    """A file is not what its importer reads; the message names the line."""


class IdempotencyConflict(GraphmemError):
    """The id of an episode was used before, for another text."""


class NotFound(GraphmemError, LookupError):
    """There is no such fact, episode, entity, group or job."""


class Erased(NotFound):
    """It was there and has been erased on request."""


class Busy(GraphmemError):
    """The work took longer than the caller would wait; it goes on."""


class StoreError(GraphmemError):
    """The store could not do it."""


class StoreUnavailable(StoreError):
    """The store cannot be reached or is locked; trying again may help."""


class ReadOnlyStore(StoreError):
    """The file, the folder or the server takes no writes."""


class CommitConflict(StoreError):
    """Somebody else committed to the group in between: read again and redo."""


class LeaseLost(StoreError):
    """Another worker holds the job now; what this one did was not written."""


class SchemaMismatch(StoreError):
    """The file is no graphmem store, or holds a schema this version cannot use."""


class SchemaTooNew(SchemaMismatch):
    """The store was written by a newer graphmem."""


class EmbedderMismatch(SchemaMismatch):
    """The vectors of the store were made by another embedding model."""


class StoreFull(StoreError):
    """The disk or the quota is full; nothing of the transaction was written."""


class StoreCorrupt(StoreError):
    """What the store gave back cannot be right."""


class ModelError(GraphmemError):
    """A language model or an embedder failed."""


class ModelUnavailable(ModelError):
    """The model cannot be reached, or refuses for now."""


class RateLimited(ModelUnavailable):
    """Too many calls or tokens for now; `retry_after_s` is how long the provider asks to wait (0: it does not say)."""

    def __init__(self, message: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelHalted(ModelError):
    """No call to the model will succeed until somebody acts: work stops and its jobs stay queued."""


class SpendLimitReached(ModelHalted):
    """The spend limit of the account, or the one given to graphmem, is reached."""


class ModelNotAuthorized(ModelHalted):
    """The key is missing or wrong, unpaid, or has no right to the model."""


class ModelMisconfigured(ModelHalted):
    """There is no such model, or it never takes a request like this one."""


class ModelRefused(ModelError):
    """The model will not read this text; `category` is the provider's word for why, empty when it gives none."""

    def __init__(self, message: str, *, category: str = "") -> None:
        super().__init__(message)
        self.category = category


class PromptTooLong(ModelError):
    """The text does not fit into the model: split it."""


class MalformedAnswer(ModelError):
    """The model's answer cannot be read."""


class AnswerTruncated(MalformedAnswer):
    """The model's answer was cut off at the limit of its output."""


class ConfigError(GraphmemError):
    """A setting is wrong, or an extra is not installed."""


class ResourceMissing(GraphmemError):
    """A file that ships with graphmem is not there: the installation is broken."""
