"""Language models behind any endpoint that speaks OpenAI's chat protocol: Ollama, llama.cpp, vLLM, OpenAI itself."""

from __future__ import annotations

import asyncio
import json
from functools import partial

from pydantic import BaseModel

from graphmem.errors import ConfigError, ModelMisconfigured, ModelUnavailable
from graphmem.inference.http_json import HttpReply, exchange
from graphmem.inference.json_body import Count, read_body
from graphmem.inference.limiter import Limiter
from graphmem.inference.model_health import HEALTH_PATIENCE, ModelHealth
from graphmem.inference.openai_errors import error_of_reply
from graphmem.inference.pace import Pace, Replied
from graphmem.inference.patience import Patience
from graphmem.ports import ModelAnswer, ModelRequest, ModelUsage, StopReason

__all__ = ["OpenAICompatibleModel"]

_STOPS = {"length": StopReason.MAX_TOKENS, "content_filter": StopReason.REFUSAL}
_FORMATS = ("json_schema", "json_object", "none")
"""How an answer is bound to its schema, strictest first; where one is refused, the next is used from then on."""


class _Details(BaseModel):
    cached_tokens: Count = 0
    reasoning_tokens: Count = 0


class _Usage(BaseModel):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    prompt_tokens_details: _Details | None = None
    completion_tokens_details: _Details | None = None


class _Part(BaseModel):
    text: str = ""


class _Message(BaseModel):
    content: str | list[_Part] | None = None
    refusal: str | None = None

    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class _Choice(BaseModel):
    message: _Message
    finish_reason: str | None = None


class _Completion(BaseModel):
    id: str = ""
    model: str = ""
    choices: list[_Choice]
    usage: _Usage | None = None


class _Listed(BaseModel):
    id: str


class _Models(BaseModel):
    data: list[_Listed]


class OpenAICompatibleModel:
    """A `graphmem.ports.LanguageModel` over `POST URL/chat/completions`. The key, where one is needed, is given."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        patience: Patience | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")) or not model:
            raise ConfigError(f"an endpoint is named like 'openai:https://HOST/v1#MODEL', not {url!r} with {model!r}")
        self._url = url.rstrip("/")
        self._model = model
        self._key = (key or "").strip() or None
        patience = patience or Patience(attempt_s=300.0, total_s=600.0)
        self._pace = Pace(name=self.name, patience=patience, limiter=limiter or Limiter())
        self._format = 0
        self._limit_word = "max_tokens"

    @property
    def name(self) -> str:
        return f"openai:{self._url}#{self._model}"

    @property
    def concurrency(self) -> int:
        """How many calls may be out at once just now."""
        return self._pace.limiter.width

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        return await self._pace.answer(request, partial(self._attempt, request))

    async def health(self) -> ModelHealth:
        """Whether the endpoint lists the model. Raises as `complete` does."""
        reply = await HEALTH_PATIENCE.carry(
            self.name, lambda: self._exchange("/models", None, HEALTH_PATIENCE.attempt_s)
        )
        listed = read_body(_Models, reply.body)
        if listed is None:
            return ModelHealth(words="the endpoint answers, but lists no models", is_well=True)
        names = [one.id for one in listed.data]
        if self._model in names:
            return ModelHealth(words=f"there, one of {len(names)}", is_well=True)
        words = f"not listed; there are {', '.join(sorted(names)[:5]) or 'none'}"
        return ModelHealth(words=words, is_well=None if len(names) == 1 else False)  # one model may answer to any name

    async def aclose(self) -> None:
        """Nothing is held between calls."""

    async def _attempt(self, request: ModelRequest, timeout_s: float) -> Replied:
        while True:
            asked = (self._format, self._limit_word)
            try:
                reply = await self._exchange("/chat/completions", self._parameters(request), timeout_s)
                return Replied(answer=_answer(reply, self.name), headers=reply.headers)
            except ModelMisconfigured as error:
                if asked == (self._format, self._limit_word) and not self._asks_for_less(error):
                    raise

    def _asks_for_less(self, error: ModelMisconfigured) -> bool:
        """Whether something that was refused can be left out or said otherwise, from now on."""
        words = str(error)
        if "max_completion_tokens" in words and self._limit_word == "max_tokens":
            self._limit_word = "max_completion_tokens"
            return True
        if any(word in words for word in ("response_format", "json_schema", "json_object", "grammar", "schema")):
            self._format += 1
            return self._format < len(_FORMATS)
        return False

    def _parameters(self, request: ModelRequest) -> dict[str, object]:
        system = request.system
        parameters: dict[str, object] = {"model": self._model, self._limit_word: request.max_output_tokens}
        if request.schema is not None:
            form = _FORMATS[min(self._format, len(_FORMATS) - 1)]
            if form == "json_schema":
                named = {"name": request.schema_name, "schema": request.schema, "strict": True}
                parameters["response_format"] = {"type": form, "json_schema": named}
            else:
                system += (
                    f"\n\nAnswer with one JSON object of this schema and nothing else:\n{json.dumps(request.schema)}"
                )
            if form == "json_object":
                parameters["response_format"] = {"type": form}
        told = [{"role": "system", "content": system}] if system else []
        parameters["messages"] = [*told, {"role": "user", "content": request.prompt}]
        return parameters

    async def _exchange(self, path: str, content: dict[str, object] | None, timeout_s: float) -> HttpReply:
        reply = await asyncio.to_thread(exchange, self._url + path, content=content, key=self._key, timeout_s=timeout_s)
        if reply.status != 200:
            raise error_of_reply(reply, self.name)
        return reply


def _answer(reply: HttpReply, name: str) -> ModelAnswer:
    completion = read_body(_Completion, reply.body)
    if completion is None or not completion.choices:
        raise ModelUnavailable(f"what {name} sent is no answer but {len(reply.body):,} other bytes")
    choice = completion.choices[0]
    usage = completion.usage or _Usage()
    read = usage.prompt_tokens_details.cached_tokens if usage.prompt_tokens_details else 0
    thought = usage.completion_tokens_details.reasoning_tokens if usage.completion_tokens_details else 0
    stop = _STOPS.get(choice.finish_reason or "", StopReason.END)
    return ModelAnswer(
        text=choice.message.text(),
        stop=StopReason.REFUSAL if choice.message.refusal else stop,
        refusal_category="content_filter" if stop is StopReason.REFUSAL else "",
        usage=ModelUsage(
            input_tokens=max(0, usage.prompt_tokens - read),
            cache_read_tokens=read,
            output_tokens=usage.completion_tokens,
            thinking_tokens=thought,
        ),
        model=completion.model,
        request_id=reply.headers.get("x-request-id", completion.id),
    )
