"""The embedders that need no network. Rows: L1, S5, R8."""

import logging

import numpy as np
import pytest
from django.db import transaction

from memory_platform.providers.base import ModelCallInTransaction
from memory_platform.providers.contracts import Embedder, unit_rows
from memory_platform.providers.registry import UnknownProvider, embedder


@pytest.fixture(params=["wordllama", "hashing"])
def model(request: pytest.FixtureRequest) -> Embedder:
    found = embedder(request.param)
    assert found is not None
    return found


def test_every_row_is_unit_length_or_zero(model: Embedder) -> None:
    rows = model.embed(["Ada prefers aisle seats", "", "我是程序员", "a" * 65_536])
    assert rows.shape == (4, model.dimensions)
    assert rows.dtype == np.float32
    lengths = np.linalg.norm(rows, axis=1)
    assert np.all(np.isclose(lengths, 1, atol=1e-5) | (lengths == 0))
    assert lengths[1] == 0


def test_the_same_text_has_the_same_vector_in_any_batch(model: Embedder) -> None:
    alone = model.embed(["seats on a plane"])[0]
    beside = model.embed(["a much longer text that comes first in the batch", "seats on a plane"])[1]
    assert np.allclose(alone, beside, atol=1e-6)


def test_nothing_to_embed_is_no_rows(model: Embedder) -> None:
    assert model.embed([]).shape == (0, model.dimensions)


def test_hostile_text_has_finite_vectors(model: Embedder) -> None:
    assert np.isfinite(model.embed(["\ud800", "\x00", "e" + "\u0301" * 5_000, "'; drop table subject; --"])).all()


def test_wordllama_knows_meaning_and_says_which_language() -> None:
    model = embedder("wordllama")
    assert model is not None
    assert model.languages == ("en",)
    dog, puppy, tax = model.embed(["dog", "puppy", "income tax declaration"])
    assert dog @ puppy > dog @ tax


def test_hashing_brings_texts_with_common_terms_together_in_chinese() -> None:
    model = embedder("hashing")
    assert model is not None
    home, same, other = model.embed(["导航回家", "回家导航", "今天天气很好"])
    assert home @ same > home @ other


def test_loading_a_model_leaves_the_root_logger_alone(model: Embedder) -> None:
    handlers, level = logging.getLogger().handlers[:], logging.getLogger().level
    model.embed(["anything"])
    assert (logging.getLogger().handlers, logging.getLogger().level) == (handlers, level)


def test_none_is_no_embedder_and_a_wrong_name_is_refused() -> None:
    assert embedder("none") is None
    with pytest.raises(UnknownProvider):
        embedder("word2vec")


def test_unit_rows_turns_what_is_not_finite_into_zero() -> None:
    rows = unit_rows(np.array([[3, 4], [0, 0], [np.inf, 1], [np.nan, 1]], np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0], [0, 0], [0, 0]]


@pytest.mark.django_db(transaction=True)
def test_no_model_is_called_inside_a_transaction(model: Embedder) -> None:
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model.embed(["Ada"])
    assert model.embed(["Ada"]).shape == (1, model.dimensions)
