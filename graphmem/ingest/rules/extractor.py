"""The offline extractor: plain English and JSON records in, statements out, by rules alone."""

from __future__ import annotations

from collections import OrderedDict

from graphmem.ingest.rules.records import RecordKeys
from graphmem.ingest.rules.telling import Reading, go_through, read_episode
from graphmem.ingest.rules.who import Discourse
from graphmem.model import Episode
from graphmem.ports import Extraction, ExtractionContext

__all__ = ["RuleExtractor"]

_REMEMBERED = 512
"""Readings kept, so that the episodes before a new one are not read again."""


class RuleExtractor:
    """Reads statements by the tables of sayings/; implements `graphmem.ports.Extractor`.

    An episode is read after those of `context.previous`, which settle who and what its words mean. What was read in them is
    remembered for a while; forgetting it costs time only.
    """

    def __init__(self, *, record_keys: RecordKeys | None = None) -> None:
        """`record_keys`: how JSON records are read; None: by records.toml."""
        self._record_keys = record_keys
        self._readings: OrderedDict[tuple[str, str], Reading] = OrderedDict()

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        """The statements of the episode; see `read`."""
        return self.read(episode, context)

    def read(self, episode: Episode, context: ExtractionContext) -> Extraction:
        """The statements of the episode, in the order of its text; empty when it states nothing.

        Raises InvalidTime when the episode's zone is unknown.
        """
        discourse = Discourse()
        for earlier in context.previous:
            discourse.turn(earlier.speaker)
            reading = self._readings.get((earlier.episode_id, earlier.text))
            if reading is None:
                self._remember(earlier, read_episode(earlier, discourse, self._record_keys))
            else:
                go_through(reading, discourse)
        discourse.turn(episode.speaker, context.names)
        reading = read_episode(episode, discourse, self._record_keys)
        self._remember(episode, reading)
        aliases = tuple((other, name) for other, name in reading.aliases if other.lower() != name.lower())
        return Extraction(statements=reading.statements, aliases=aliases, origin="rules")

    def _remember(self, episode: Episode, reading: Reading) -> None:
        self._readings[episode.episode_id, episode.text] = reading
        while len(self._readings) > _REMEMBERED:
            self._readings.popitem(last=False)
