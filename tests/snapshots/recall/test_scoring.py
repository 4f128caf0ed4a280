"""BM25 and dense, two views each, fused and smoothed. Rows: R2, R6."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.kernel.terms import terms
from snapshots.embedding.contextual import Turn, index_text
from snapshots.embedding.rows import Float32, encode_lex, term_key
from snapshots.recall.image import Image
from snapshots.recall.policy import ScoringPolicy
from snapshots.recall.scoring import bm25, fuse, make_probe, score_memories
from tests.snapshots.recall.world import EMBEDDER, conversation, image_of, memory

POLICY = ScoringPolicy()


def keyword(text: str, image: Image) -> list[float]:
    return [float(score) for score in bm25(image, make_probe(text, None).terms, POLICY)[0]]


def test_bm25_is_the_textbook_formula() -> None:
    texts = ["red apple", "green apple apple", "blue sky above"]
    image = image_of([memory(text, said_at=None) for text in texts])
    tokens = [terms(text) for text in texts]
    mean = sum(map(len, tokens)) / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [
        idf * (tf := words.count("appl")) / (tf + 1.2 * (1 - 0.75 + 0.75 * len(words) / mean)) for words in tokens
    ]
    assert keyword("apple", image) == pytest.approx(expected, rel=1e-5)


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    image = image_of([memory(f"apple {word}", said_at=None) for word in ("red", "red", "quince")])
    scores = keyword("apple quince", image)
    assert scores[2] > scores[0] > 0


def test_the_date_and_the_speaker_are_found_like_words() -> None:
    image = image_of([memory("went sailing", name="Ada"), memory("went hiking", name="Gil")])
    assert keyword("Ada", image)[0] > keyword("Ada", image)[1] == 0
    assert min(keyword("8 May 2026", image)) > 0


def test_chinese_is_found_by_characters_and_bigrams_in_either_script() -> None:
    image = image_of([memory("我喜欢靠过道的座位"), memory("我对花生过敏")])
    assert keyword("花生", image)[1] > keyword("花生", image)[0] == 0
    assert keyword("過敏", image) == keyword("过敏", image)


def test_the_window_lends_the_words_of_two_turns_before_and_after() -> None:
    image = image_of(conversation("hotel in Paris", "yes", "nice", "good", "fine"))
    window = bm25(image, make_probe("Paris", None).terms, POLICY)[1]
    assert (window > 0).tolist() == [True, True, True, False, False]


def test_the_turn_before_that_is_no_memory_lends_its_words_to_the_window_only() -> None:
    answer = index_text(Turn("the second one"), previous=Turn("window or aisle?"), previous_is_memory=False)
    image = image_of([replace(memory("the second one"), lex=encode_lex(answer)), memory("cello")])
    dated, window = bm25(image, {term_key("aisl"): 1}, POLICY)
    assert dated.tolist() == [0, 0]
    assert window[0] > window[1] == 0


def test_scoring_in_many_steps_or_in_one_is_the_same() -> None:
    image = image_of(conversation(*(f"apple {i} pear {i % 3} plum" for i in range(30))))
    query = make_probe("apple pear plum 3 7 11", None).terms
    assert np.allclose(bm25(image, query, POLICY, cells=1), bm25(image, query, POLICY), rtol=1e-5)


def test_of_a_long_question_the_rarest_terms_are_asked() -> None:
    image = image_of([memory(f"common word{i}", said_at=None) for i in range(20)])
    question = "common " + " ".join(f"word{i}" for i in range(20))
    scores = bm25(image, make_probe(question, None).terms, replace(POLICY, query_terms=20))[0]
    asked_for_less = bm25(image, make_probe("common", None).terms, replace(POLICY, query_terms=20))[0]
    assert scores.min() > 0
    assert asked_for_less.min() > 0
    assert np.allclose(scores, scores[0])


def test_a_flat_view_says_nothing_and_the_others_share_its_weight() -> None:
    telling = np.array([0, 1, 2], np.float32)
    alone = fuse(np.array([telling]), np.array([0.3], np.float32))
    beside = fuse(np.array([telling, np.full(3, 7, np.float32)]), np.array([0.3, 0.7], np.float32))
    assert np.allclose(alone, beside)


def test_dense_is_left_out_for_a_language_the_space_does_not_know() -> None:
    rows = [memory("我喜欢靠过道的座位"), memory("aisle seats"), memory("window seats")]
    english_only = image_of(rows, languages=("en",))
    asked = make_probe("座位", EMBEDDER.embed(["座位"])[0])
    assert not score_memories(english_only, asked, POLICY).dense_held.any()
    assert score_memories(image_of(rows), asked, POLICY).dense_held.all()


def test_a_memory_without_a_vector_is_judged_by_its_words() -> None:
    image = image_of([memory("aisle seats", embed=False), memory("loud music"), memory("window seats")])
    scores = score_memories(image, make_probe("aisle", EMBEDDER.embed(["aisle"])[0]), POLICY)
    assert scores.fused.argmax() == 0
    assert scores.dense_held.tolist() == [False, True, True]


@pytest.mark.parametrize("vector", [np.zeros(64, np.float32), np.full(64, np.nan, np.float32), None])
def test_a_question_without_a_meaning_to_the_model_is_asked_by_keywords(vector: Float32 | None) -> None:
    scores = score_memories(image_of([memory("aisle seats"), memory("music")]), make_probe("aisle", vector), POLICY)
    assert np.isfinite(scores.fused).all()
    assert not scores.dense_held.any()


def test_smoothing_lifts_the_neighbours_of_a_good_memory() -> None:
    image = image_of([*conversation("the hotel was in Paris", "Hotel du Nord"), memory("music")])
    plain = score_memories(image, make_probe("Paris", None), replace(POLICY, smooth_previous=0, smooth_next=0)).fused
    smoothed = score_memories(image, make_probe("Paris", None), POLICY).fused
    assert smoothed[1] - smoothed[2] > plain[1] - plain[2]


def test_the_speaker_named_in_the_question_is_preferred() -> None:
    rows = [memory("went sailing last week", name="Ada"), memory("went sailing last week too", name="Gil")]
    scores = score_memories(image_of(rows), make_probe("When did Gil go sailing?", None), POLICY)
    assert scores.fused.argmax() == 1


def test_a_question_of_nothing_but_a_name_still_asks_for_it() -> None:
    rows = [memory("went sailing", name="Ada"), memory("Ada is my friend", name="Gil")]
    assert score_memories(image_of(rows), make_probe("Ada", None), POLICY).found.all()


_texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80)


@given(st.lists(_texts, max_size=6), _texts)
def test_every_score_is_finite_whatever_is_remembered_or_asked(remembered: list[str], asked: str) -> None:
    image = image_of(conversation(*remembered, name="Ada"))
    scores = score_memories(image, make_probe(asked, EMBEDDER.embed([asked])[0]), POLICY)
    for column in (scores.keyword, scores.dense, scores.fused):
        assert np.isfinite(column).all()
        assert column.shape[-1] == len(remembered)
