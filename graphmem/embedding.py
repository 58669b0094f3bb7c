"""Asking an embedder: foreign code, so what it gives is checked and what it raises becomes ours."""

from __future__ import annotations

from collections.abc import Sequence

from graphmem.errors import GraphmemError, MalformedAnswer, ModelError
from graphmem.ports import Embedded, Embedder, TextKind, TokenEmbedder

__all__ = ["embed_texts"]

_TOO_LARGE = 1e15
"""The squares of larger ones leave what float32 holds."""


async def embed_texts(embedder: Embedder, texts: Sequence[str], kind: TextKind) -> Embedded:
    """The vectors of texts, and those of their tokens where the embedder gives them (else `tokens` is empty).

    Raises ModelError, whatever the embedder raised.
    """
    import numpy as np  # here: a command that embeds nothing can do without

    try:
        if isinstance(embedder, TokenEmbedder):
            given = await embedder.embed_tokens(texts, kind)
        else:
            given = Embedded(vectors=await embedder.embed(texts, kind), tokens=())
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused below
            vectors = np.asarray(given.vectors, dtype=np.float32)
            tokens = tuple(np.asarray(rows, dtype=np.float32) for rows in given.tokens)
        dimension = embedder.model.dimension
    except GraphmemError:
        raise
    except Exception as error:
        # No word of it: it may hold the text.
        raise ModelError(f"the embedder failed with {type(error).__name__}") from error
    wanted = (len(texts), dimension)
    if vectors.shape != wanted or (tokens and len(tokens) != len(texts)):
        raise MalformedAnswer(f"the embedder gave vectors of shape {vectors.shape}, not {wanted}")
    if any(rows.ndim != 2 or rows.shape[1] != dimension for rows in tokens):
        raise MalformedAnswer(f"the embedder gave vectors of tokens that are not of {dimension} dimensions")
    if not all((np.abs(numbers) < _TOO_LARGE).all() for numbers in (vectors, *tokens)):
        raise MalformedAnswer("the embedder gave a number that is not finite, or too large for a row of length 1")
    return Embedded(vectors=vectors, tokens=tokens)
