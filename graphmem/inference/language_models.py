"""Language models by name: Claude, any OpenAI-compatible endpoint, or none, so that the offline rules read."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from graphmem.errors import ConfigError
from graphmem.inference.meter import Meter
from graphmem.inference.model_health import ModelHealth
from graphmem.inference.model_table import FREE, ModelFacts, ModelTable, model_table
from graphmem.inference.token_estimates import TokenEstimates
from graphmem.ports import LanguageModel

if TYPE_CHECKING:
    from graphmem.inference.anthropic import AnthropicModel
    from graphmem.inference.openai_chat import OpenAICompatibleModel

__all__ = ["RULES", "ModelName", "facts_of", "model_health", "open_model", "parse_model"]

RULES = "rules"
_ANTHROPIC = "anthropic:"
_OPENAI = "openai:"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelName:
    """What the name of a model means."""

    model: str
    url: str = ""
    """Of an OpenAI-compatible endpoint; empty: Anthropic."""


def parse_model(name: str) -> ModelName | None:
    """What a name means; None for "rules". Raises ConfigError for anything that cannot be one.

    >>> parse_model("openai:http://localhost:11434/v1#qwen3:4b")
    ModelName(model='qwen3:4b', url='http://localhost:11434/v1')
    """
    if name == RULES:
        return None
    if name.startswith(_ANTHROPIC) and name != _ANTHROPIC:
        return ModelName(model=name.removeprefix(_ANTHROPIC))
    url, _, model = name.removeprefix(_OPENAI).partition("#")
    if url.startswith(("http://", "https://")) and (host := _host_of(url)) and model:
        if "@" in urlsplit(url).netloc:  # the name is kept with every claim
            raise ConfigError(f"the name of a model holds no password: put the key for {host} into OPENAI_API_KEY")
        return ModelName(model=model, url=url)
    raise ConfigError(
        f"no language model {name!r}: use 'rules', 'anthropic:claude-haiku-5-5' or 'openai:https://HOST/v1#MODEL'"
    )


def facts_of(name: ModelName, table: ModelTable) -> ModelFacts:
    """What is known of a model. One on this computer or in its own network that the table does not name costs nothing."""
    facts = table.facts_of(name.model)
    if name.url and not facts.is_known and _is_near(_host_of(name.url)):
        return replace(facts, prices=FREE, is_known=True, most_output_tokens=128_000)
    return facts


def open_model(
    name: str,
    *,
    meter: Meter | None = None,
    cache: Path | None = None,
    estimates: Path | None = None,
    table: Path | None = None,
) -> LanguageModel | None:
    """The model that a name means, with a meter on it; None for "rules". Nothing is asked of it yet.

    `anthropic:MODEL`: Claude by the extra `anthropic`; the key is read from ANTHROPIC_API_KEY.
    `openai:http(s)://HOST/v1#MODEL`: an OpenAI-compatible endpoint; its key, where it needs one, from OPENAI_API_KEY.

    `cache`: a folder of answers; a model with one takes no batches. `estimates`: the file where the length of tokens is learned.
    `table`: prices laid over those of the package. Raises ConfigError for anything else, and where the extra is missing.
    """
    parsed = parse_model(name)
    if parsed is None:
        return None
    from graphmem.inference.answer_cache import CachedModel
    from graphmem.inference.metering import metered

    facts = facts_of(parsed, model_table(table))
    counted = meter or Meter()
    learned = None if estimates is None else TokenEstimates(estimates)
    model = metered(_client(parsed, facts), facts=facts, meter=counted, estimates=learned)
    return model if cache is None else CachedModel(model, cache, meter=counted)


async def model_health(name: str) -> ModelHealth | None:
    """What the provider says of a model, asked now; None for "rules". Raises ConfigError, ModelError."""
    parsed = parse_model(name)
    if parsed is None:
        return None
    client = _client(parsed, facts_of(parsed, model_table()))
    try:
        return await client.health()
    finally:
        await client.aclose()


def _client(name: ModelName, facts: ModelFacts) -> AnthropicModel | OpenAICompatibleModel:
    if name.url:
        from graphmem.inference.openai_chat import OpenAICompatibleModel

        return OpenAICompatibleModel(name.url, name.model, key=os.environ.get("OPENAI_API_KEY"))
    from graphmem.inference.anthropic import AnthropicModel

    return AnthropicModel(name.model, facts=facts)


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:  # such as a bracket that is not closed
        return ""


def _is_near(host: str) -> bool:
    """Whether a host is this computer, or in a network of one's own."""
    if host == "localhost" or "." not in host.strip("."):
        return True
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host.endswith((".local", ".internal"))
