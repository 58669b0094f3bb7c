"""Telling turns without reading facts in them, where only turns are searched for."""

from __future__ import annotations

from graphmem.model import Episode
from graphmem.ports import Extraction, ExtractionContext

__all__ = ["TurnsAlone"]


class TurnsAlone:
    """States nothing; implements `graphmem.ports.Extractor`."""

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        return Extraction(origin="none")
