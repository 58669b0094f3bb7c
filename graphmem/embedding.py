"""Asking an embedder: foreign code, so what it gives is checked and what it raises becomes ours."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.errors import GraphmemError, MalformedAnswer, ModelError
from graphmem.ports import Embedded, Embedder, TextKind, TokenEmbedder

__all__ = ["embed_texts"]


async def embed_texts(embedder: Embedder, texts: Sequence[str], kind: TextKind) -> Embedded:
    """The vectors of texts, and those of their tokens where the embedder gives them (else `tokens` is empty).

    Raises ModelError, whatever the embedder raised.
    """
    try:
        if isinstance(embedder, TokenEmbedder):
            embedded = await embedder.embed_tokens(texts, kind)
        else:
            embedded = Embedded(vectors=await embedder.embed(texts, kind), tokens=())
    except GraphmemError:
        raise
    except Exception as error:
        # No word of it: it may hold the text.
        raise ModelError(f"the embedder failed with {type(error).__name__}") from error
    wanted = (len(texts), embedder.model.dimension)
    if embedded.vectors.shape != wanted or (embedded.tokens and len(embedded.tokens) != len(texts)):
        raise MalformedAnswer(f"the embedder gave vectors of shape {embedded.vectors.shape}, not {wanted}")
    return embedded
