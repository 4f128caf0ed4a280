"""The embedders that need no network. Rows: L1, S5, R8."""

import logging
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from django.db import transaction

from memory_platform.env.model_names import EMBEDDERS
from memory_platform.providers.config import EMBEDDED, EmbeddedConfig
from memory_platform.providers.contracts import Embedder, normalise_rows
from memory_platform.providers.embedders.universal_sentence_encoder import UseEmbedder
from memory_platform.providers.embedders.wordllama import WordLlamaEmbedder
from memory_platform.providers.open_transaction_guard import ModelCallInTransaction
from memory_platform.providers.registry import UnknownProvider, embedder, embedders, find_embedder_for, word_relations


@pytest.fixture(params=["wordllama", "use", "hashing"])
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


def test_wordllama_reads_a_long_text_in_pieces_that_say_what_all_of_it_says() -> None:
    topics = (
        "the sailing boat left the harbour",
        "her tax return is due",
        "a recipe for plum cake",
        "he broke his arm",
    )
    pages = [f"On day {day} {topics[day // 125 % 4]} once more. " for day in range(1_500)]
    text = "".join(pages)
    whole = WordLlamaEmbedder(EmbeddedConfig(static_text_chars=len(text)))
    read = WordLlamaEmbedder()
    assert float(whole.embed([text])[0] @ read.embed([text])[0]) > 0.97
    short = text[: EMBEDDED.static_text_chars]
    assert np.array_equal(whole.embed([short]), read.embed([short]))
    assert np.array_equal(read.embed(["x" * 40_000 + "jazz"]), read.embed(["x" * 40_004]))


def test_wordllama_names_the_words_near_a_word_best_first() -> None:
    relations = word_relations(embedders("use,wordllama"))
    assert relations is not None
    near = relations.related_words("Dog")
    words, cosines = zip(*near, strict=True)
    assert {"dogs", "animal", "pet"} <= set(words[:6])
    assert "dog" not in words
    assert list(cosines) == sorted(cosines, reverse=True)
    assert all(0.4 < cosine <= 1 for cosine in cosines)
    assert relations.related_words("dog") == near
    assert dict(relations.related_words("painted"))["painting"] > 0.6


@pytest.mark.parametrize("word", ["", "ab", "我喜欢", "dog cat", "x" * 65_536, "\ud800\ud800\ud800", "3d2"])
def test_what_is_no_english_word_has_no_relations(word: str) -> None:
    assert WordLlamaEmbedder().related_words(word) == ()


def test_the_words_named_are_bounded_and_carry_meaning() -> None:
    model = WordLlamaEmbedder(EmbeddedConfig(related_cosine=-1, related_words=5))
    assert len(model.related_words("garden")) == 5
    everything = WordLlamaEmbedder(EmbeddedConfig(related_cosine=-1, related_words=20_000)).related_words("garden")
    words = {word for word, _ in everything}
    assert 10_000 < len(words) == len(everything)
    assert "the" not in words


def test_models_that_know_no_words_have_no_relations() -> None:
    assert word_relations(embedders("use,hashing")) is None


def test_use_knows_meaning_in_chinese_and_across_languages() -> None:
    model = embedder("use")
    assert model is not None
    assert (model.name, model.languages) == ("use-multilingual-v3", ("zh", "ja", "ko", "other"))
    asked, said, japanese, other = model.embed(
        ["我的狗叫什么名字", "我家狗狗名叫小白", "うちの犬の名前はシロです", "今天股票大跌"]
    )
    assert asked @ said > 0.6
    assert asked @ japanese > 0.4
    assert asked @ other < 0.3


def use_with(**config: int) -> UseEmbedder:
    """Return an embedder of its own configuration with the weights that are loaded already."""
    model, loaded = UseEmbedder(EmbeddedConfig(**config)), embedder("use")
    assert isinstance(loaded, UseEmbedder)
    loaded.prepare()
    model._model = loaded._model
    return model


def test_use_reads_what_is_shouted_as_what_is_said() -> None:
    model = use_with()
    shouted, said, short, spelt = model.embed(["WHO RUNS OUR STAGING", "who runs our staging", "我的BMI", "我的bmi"])
    assert shouted @ said > 0.999
    assert short @ spelt < 0.999


def test_a_long_text_costs_use_no_more_than_its_beginning() -> None:
    model = use_with(text_chars=20)
    long = "用户喜欢在靠窗的位置坐着看书喝茶聊天听雨" + "我" * 65_536
    assert np.array_equal(model.embed([long]), model.embed([long[:20]]))
    ligatures = model.embed(["我" + "\ufdfa" * 65_536, "我\ufdfa"])  # 18 characters each to the model
    assert np.allclose(ligatures[0], ligatures[1], atol=1e-5)  # sums are ordered by the batch
    spaced = model.embed(["\u200b" * 10 + " " * 10 + "我喜欢喝茶", "我喜欢喝茶"])
    assert np.allclose(spaced[0], spaced[1], atol=1e-5)


def test_a_question_asked_again_is_not_worked_out_again_and_cannot_be_spoilt() -> None:
    model = use_with(questions_kept=2)
    first = model.embed_questions(["我的狗叫什么名字"])
    again = model.embed_questions([" 我的狗叫什么名字 ", "今天天气很好"])
    assert np.array_equal(first[0], again[0])
    again[:] = 0
    assert np.array_equal(first, model.embed_questions(["我的狗叫什么名字"]))
    assert np.array_equal(first, model.embed(["我的狗叫什么名字"]))
    assert model.embed_questions([]).shape == (0, model.dimensions)


def test_two_threads_load_use_once() -> None:
    model = UseEmbedder()
    with ThreadPoolExecutor(4) as threads:
        rows = list(threads.map(lambda text: model.embed([text])[0], ["导航回家"] * 4))
    assert model.ready
    assert all(np.array_equal(rows[0], row) for row in rows)


def test_a_list_names_embedders_in_order_and_each_text_goes_to_the_first_that_knows_it() -> None:
    both = embedders("wordllama, use")
    assert [one.name for one in both] == ["wordllama-l2_supercat-256", "use-multilingual-v3"]
    assert embedders("wordllama,use") == both
    assert find_embedder_for("en", both) is both[0]
    assert find_embedder_for("zh", both) is both[1]
    assert find_embedder_for("und", both) is None
    assert embedders("none") == ()


def test_what_may_be_listed_is_what_can_be_made() -> None:
    for name in EMBEDDERS:
        embedder(name.replace("LENGTH", "32"))
    with pytest.raises(UnknownProvider):
        embedder("openai:")


def test_none_is_no_embedder_and_a_wrong_name_is_refused() -> None:
    assert embedder("none") is None
    with pytest.raises(UnknownProvider):
        embedder("word2vec")


def test_unit_rows_turns_what_is_not_finite_into_zero() -> None:
    rows = normalise_rows(np.array([[3, 4], [0, 0], [np.inf, 1], [np.nan, 1]], np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0], [0, 0], [0, 0]]


@pytest.mark.django_db(transaction=True)
def test_no_model_is_called_inside_a_transaction(model: Embedder) -> None:
    with transaction.atomic(), pytest.raises(ModelCallInTransaction):
        model.embed(["Ada"])
    assert model.embed(["Ada"]).shape == (1, model.dimensions)
