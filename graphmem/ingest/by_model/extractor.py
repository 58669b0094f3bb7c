"""The extractor that asks a language model: one call for a message, or for a window of short ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphmem.errors import AnswerTruncated, MalformedAnswer, PromptTooLong
from graphmem.ingest.by_model.answer_room import first_room, goes_in_circles, second_room
from graphmem.ingest.by_model.believed import believed
from graphmem.ingest.by_model.read_answer import ReadAnswer, read_answer
from graphmem.ingest.by_model.request import Instructions, estimated_tokens, session_turns
from graphmem.ingest.split import joined, parts_of, shifted
from graphmem.model import Episode
from graphmem.ontology import Ontology
from graphmem.ports import Extraction, ExtractionContext, LanguageModel, ModelAnswer, ModelRequest

__all__ = ["ModelExtractor"]

MAX_OUTPUT_TOKENS = 8_000
WINDOW_TOKENS = 600
WINDOW_MESSAGES = 10
SIDE_BY_SIDE = 16
_SMALLEST_PART = 200
"""Characters below which a text that fills an answer is not cut again: the model loops, the text is not long."""
_REMINDER = "The answer must be one JSON object of the schema, with the lists entities and facts, and nothing else."


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """What calls for one window gave."""

    answer: ReadAnswer
    calls: int
    tokens: int


class ModelExtractor:
    """Reads statements by a `LanguageModel`; implements `graphmem.ports.WindowExtractor`.

    An answer may take the room that a text of this length can need. One that is cut off is asked for once more with all the room
    there is, unless it goes in circles; then the text is split. An answer that is no JSON is asked for once more. Facts are
    believed where their quote stands in the text of their message.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        ontology: Ontology | None = None,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
        window_tokens: int = WINDOW_TOKENS,
        side_by_side: int = SIDE_BY_SIDE,
    ) -> None:
        """`window_tokens`: messages of one session are read together up to so many; 0: each by itself.

        `side_by_side`: so many calls may be out at once; the model itself lets out fewer where its provider wants it so.
        """
        self._model = model
        self._instructions = Instructions(ontology=ontology)
        self._max_output_tokens = max_output_tokens
        self._window_tokens = window_tokens
        self.side_by_side = side_by_side

    @property
    def origin(self) -> str:
        """The model and the hash of the prompt: what is kept with every claim."""
        return f"{self._model.name} {self._instructions.name}@{self._instructions.digest}"

    @property
    def model(self) -> LanguageModel:
        return self._model

    async def extract(self, episode: Episode, context: ExtractionContext) -> Extraction:
        """The statements of the episode. Raises ModelError when the model failed; ModelRefused when it would not read it."""
        (extraction,) = await self._read([episode], context)
        return extraction

    async def extract_window(self, episodes: Sequence[Episode], context: ExtractionContext) -> Sequence[Extraction]:
        """The statements of each of these messages of one session, read in one call; what it cost stands with the first."""
        return await self._read(episodes, context)

    def windows_of(self, episodes: Sequence[Episode]) -> Sequence[Sequence[Episode]]:
        """The episodes in order, those of one session that are short side by side in one window."""
        windows: list[list[Episode]] = []
        filled = 0
        for episode in episodes:
            size = estimated_tokens(episode.text) + 25
            last = windows[-1][-1] if windows else None
            joins = (
                last is not None
                and episode.session_id is not None
                and (last.session_id, last.group_id, last.source)
                == (episode.session_id, episode.group_id, episode.source)
                and filled + size <= self._window_tokens
                and len(windows[-1]) < WINDOW_MESSAGES
            )
            if joins:
                windows[-1].append(episode)
                filled += size
            else:
                windows.append([episode])
                filled = size
        return windows

    def request(self, episodes: Sequence[Episode], context: ExtractionContext) -> ModelRequest:
        """What the model is asked for a window; for estimates and batches."""
        most_tokens = first_room(episodes, self._max_output_tokens)
        return self._instructions.request(episodes, context, most_tokens=most_tokens)

    def read(
        self, answer: ModelAnswer, episodes: Sequence[Episode], context: ExtractionContext
    ) -> Sequence[Extraction]:
        """The statements of each message from an answer to `request`. Raises ModelError when it cannot be used."""
        asked = _Asked(answer=self._parsed(answer), calls=1, tokens=answer.usage.total_tokens)
        return self._extractions(asked, episodes, context)

    # ---- asking

    async def _read(self, episodes: Sequence[Episode], context: ExtractionContext) -> Sequence[Extraction]:
        try:
            asked = await self._asked(episodes, context)
        except (AnswerTruncated, PromptTooLong):
            return await self._read_in_parts(episodes, context)
        return self._extractions(asked, episodes, context)

    async def _asked(self, episodes: Sequence[Episode], context: ExtractionContext) -> _Asked:
        """The answer to the request, or to the one other way of putting it. Raises ModelError."""
        request = self.request(episodes, context)
        answer = await self._model.complete(request)
        tokens = answer.usage.total_tokens
        try:
            return _Asked(answer=self._parsed(answer), calls=1, tokens=tokens)
        except AnswerTruncated:
            if goes_in_circles(answer.text):
                raise
            most_tokens = second_room(request.max_output_tokens, self._max_output_tokens)
            request = replace(request, max_output_tokens=most_tokens)
        except MalformedAnswer:
            request = replace(request, prompt=f"{request.prompt}\n{_REMINDER}")
        answer = await self._model.complete(request)
        return _Asked(answer=self._parsed(answer), calls=2, tokens=tokens + answer.usage.total_tokens)

    def _parsed(self, answer: ModelAnswer) -> ReadAnswer:
        return read_answer(answer.whole_text(), self._instructions.name)

    async def _read_in_parts(self, episodes: Sequence[Episode], context: ExtractionContext) -> Sequence[Extraction]:
        """Each message by itself, or the halves of a single one. Raises AnswerTruncated for one too short to cut."""
        if len(episodes) > 1:
            return [(await self._read([episode], context))[0] for episode in episodes]
        (episode,) = episodes
        if len(episode.text) < 2 * _SMALLEST_PART:
            raise AnswerTruncated(f"{self._model.name} fills its answer on a text of {len(episode.text)} characters")
        read: list[Extraction] = []
        for offset, text in parts_of(episode.text, longest=-(-len(episode.text) // 2)):
            (part,) = await self._read([replace(episode, text=text)], context)
            read.append(shifted(part, offset))
        return [joined(read)]

    # ---- believing

    def _extractions(
        self, asked: _Asked, episodes: Sequence[Episode], context: ExtractionContext
    ) -> Sequence[Extraction]:
        heard = [
            *(f"{e.speaker or ''} {e.text}" for e in session_turns(episodes[0], context)),
            *(name.spelling for name in context.names),
            *(entity.name for entity in (context.entities or {}).values()),
            context.summary,
        ]
        found = believed(asked.answer, episodes, heard)
        return [
            Extraction(
                statements=tuple(found.statements[number]),
                aliases=tuple(found.aliases[number]),
                origin=self.origin,
                notes=tuple(found.notes[number]),
                calls=asked.calls if number == 0 else 0,
                tokens=asked.tokens if number == 0 else 0,
            )
            for number in range(len(episodes))
        ]
