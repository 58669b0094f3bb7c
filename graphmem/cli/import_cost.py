"""What reading a file with a model would cost, before anything is asked of one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from graphmem.ingest.accept import NewEpisode
from graphmem.ingest.by_model.answer_form import answer_schema
from graphmem.ingest.by_model.extractor import WINDOW_MESSAGES, WINDOW_TOKENS
from graphmem.ingest.by_model.request import CONTEXT_TOKENS, CONTEXT_TURNS, Instructions, estimated_tokens
from graphmem.ports import ModelRequest

__all__ = ["requests_of"]

_MESSAGE_TOKENS = 25
"""What frames a message: its number, speaker and moment."""


def requests_of(episodes: Iterable[NewEpisode]) -> Iterator[ModelRequest]:
    """About the requests that these episodes would make: short messages of a session together, the turns before as context."""
    system, schema = Instructions().system, answer_schema()
    before: deque[str] = deque(maxlen=CONTEXT_TURNS)
    for window in _windows(episodes):
        context = "\n".join(before)[-CONTEXT_TOKENS * 3 :]
        framed = [text + " " * _MESSAGE_TOKENS * 3 for text in window]
        yield ModelRequest(system=system, prompt=context + "\n".join(framed), schema=schema, stage="extract")
        before.extend(window)


def _windows(episodes: Iterable[NewEpisode]) -> Iterator[list[str]]:
    window: list[str] = []
    session, filled = None, 0
    for episode in episodes:
        size = estimated_tokens(episode.text) + _MESSAGE_TOKENS
        is_full = filled + size > WINDOW_TOKENS or len(window) == WINDOW_MESSAGES
        if window and (is_full or episode.session_id is None or episode.session_id != session):
            yield window
            window, filled = [], 0
        window.append(episode.text)
        session, filled = episode.session_id, filled + size
    if window:
        yield window
