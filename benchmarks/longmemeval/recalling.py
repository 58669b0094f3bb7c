"""What a memory holds for a question: its haystack is told, the fact block is written, and kept for a run that is resumed."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import TypeAdapter, ValidationError

import graphmem
from benchmarks.evidence.asking import NONE, tell
from benchmarks.evidence.remembering import RememberingEmbedder
from benchmarks.evidence.turns import Haystack
from benchmarks.longmemeval.loading import Case
from graphmem import Memory
from graphmem.inference.whole_file import write_whole
from graphmem.ports import Embedder

__all__ = ["Recalled", "Recalling"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """The fact block of one question, and what it took."""

    text: str
    tokens: int
    turn_ids: tuple[str, ...]
    """Of the turns that stand in it."""
    told_turns: int
    tell_s: float
    context_s: float
    is_kept: bool = False
    """Whether it was written by an earlier run."""


_RECALLED: TypeAdapter[Recalled] = TypeAdapter(Recalled)


class Recalling:
    """Writes the blocks of cases, each from a memory of its own.

    A block is kept in the folder by a hash of all it is made from, the code of graphmem among it: a resumed run tells no haystack
    twice, and a change of the code is never answered with an old block.
    """

    def __init__(self, folder: Path, *, embedder: str, budget_tokens: int, store: str | None = None) -> None:
        self._folder = folder
        self._embedder = embedder
        self._budget_tokens = budget_tokens
        self._store = store

    async def block_of(self, case: Case) -> Recalled:
        """The block for the case's question on its day, with both sides of its sessions in the memory."""
        path = self._path(case)
        kept = _kept(path)
        if kept is not None:
            return replace(kept, is_kept=True)
        with TemporaryDirectory(prefix="longmemeval-") as folder:
            written = await self._written(case, self._store or str(Path(folder) / "haystack.db"))
        write_whole(path, _RECALLED.dump_json(written))
        return written

    async def _written(self, case: Case, url: str) -> Recalled:
        talk = case.talk()
        async with await Memory.open(url, embedder=self._opened) as memory:
            began = time.perf_counter()
            await tell(memory, Haystack(haystack_id=case.question_id, turns=talk, questions=()))
            if self._embedder != NONE:
                await memory.reembed()  # what the telling left for later
            told = time.perf_counter()
            block = await memory.context(
                case.text, group_ids=case.question_id, asked_at=case.asked_at, budget_tokens=self._budget_tokens
            )
            done = time.perf_counter()
        return Recalled(
            text=block.text,
            tokens=block.tokens,
            turn_ids=tuple(episode.episode_id for episode in block.episodes),
            told_turns=len(talk),
            tell_s=round(told - began, 3),
            context_s=round(done - told, 4),
        )

    @cached_property
    def _opened(self) -> str | Embedder:
        return self._embedder if self._embedder == NONE else RememberingEmbedder(self._embedder)

    def _path(self, case: Case) -> Path:
        made_of = [_source_hash(), self._embedder, self._budget_tokens, case.text, case.asked_at.isoformat()]
        made_of += [[turn.turn_id, turn.speaker, turn.said_at.isoformat(), turn.text] for turn in case.talk()]
        key = sha256(json.dumps(made_of).encode()).hexdigest()
        return self._folder / f"{key}.json"


@cache
def _source_hash() -> str:
    """A hash over the files of the graphmem package."""
    root = Path(graphmem.__file__).parent
    total = sha256()
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        total.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _kept(path: Path) -> Recalled | None:
    try:
        return _RECALLED.validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError:
        return None  # torn by a full disk, or of another version: it is written anew
