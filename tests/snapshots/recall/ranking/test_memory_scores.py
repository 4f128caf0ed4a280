"""BM25 and dense, two views each, fused and smoothed. Rows: R2, R6."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.embedding.index_row_packing import Float32, hash_term, pack_postings
from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.recall.config import ScoringPolicy
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index
from snapshots.recall.question import NO_RELATED, make_probe, weigh_terms_by_sentence
from snapshots.recall.ranking.keyword_scores import choose_scored_terms, score_bm25
from snapshots.recall.ranking.memory_scores import compute_reciprocal_ranks, compute_z_scores, score_memories
from tests.snapshots.recall.world import EMBEDDER, NOW, conversation, index_of, memory, probe_of

POLICY = ScoringPolicy()


def words(text: str, index: MemoryIndex, policy: ScoringPolicy = POLICY, **bounds: int) -> Float32:
    """Return BM25 of ``text`` in the three views."""
    return score_bm25(
        index, choose_scored_terms(index, weigh_terms_by_sentence(text, policy), NO_RELATED, policy), policy, **bounds
    )


def keyword(text: str, index: MemoryIndex) -> list[float]:
    return [float(score) for score in words(text, index)[0]]


def test_bm25_is_the_textbook_formula() -> None:
    texts = ["red apple", "green apple apple", "blue sky above"]
    index = index_of([memory(text, said_at=None) for text in texts])
    tokens = [split_terms(text) for text in texts]
    mean = sum(map(len, tokens)) / 3
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    expected = [
        idf * (tf := words.count("appl")) / (tf + 1.2 * (1 - 0.75 + 0.75 * len(words) / mean)) for words in tokens
    ]
    assert keyword("apple", index) == pytest.approx(expected, rel=1e-5)


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    index = index_of([memory(f"apple {word}", said_at=None) for word in ("red", "red", "quince")])
    scores = keyword("apple quince", index)
    assert scores[2] > scores[0] > 0


def test_the_date_and_the_speaker_are_found_like_words() -> None:
    index = index_of([memory("went sailing", name="Ada"), memory("went hiking", name="Gil")])
    assert keyword("Ada", index)[0] > keyword("Ada", index)[1] == 0
    assert min(keyword("8 May 2026", index)) > 0


def test_chinese_is_found_by_characters_and_bigrams_in_either_script() -> None:
    index = index_of([memory("我喜欢靠过道的座位"), memory("我对花生过敏")])
    assert keyword("花生", index)[1] > keyword("花生", index)[0] == 0
    assert keyword("過敏", index) == keyword("过敏", index)


def test_the_window_lends_the_words_of_two_turns_before_and_after() -> None:
    index = index_of(conversation("hotel in Paris", "yes", "nice", "good", "fine"))
    window = words("Paris", index)[1]
    assert (window > 0).tolist() == [True, True, True, False, False]


def test_the_turn_before_that_is_no_memory_lends_its_words_to_the_window_only() -> None:
    answer = index_text(SpokenTurn("the second one"), previous=SpokenTurn("window or aisle?"), previous_is_memory=False)
    index = index_of([replace(memory("the second one"), lex=pack_postings(answer)), memory("cello")])
    dated, window, _ = words("aisle", index)
    assert dated.tolist() == [0, 0]
    assert window[0] > window[1] == 0


def test_scoring_in_many_steps_or_in_one_is_the_same() -> None:
    index = index_of(conversation(*(f"apple {i} pear {i % 3} plum" for i in range(30))))
    question = "apple pear plum 3 7 11"
    assert np.allclose(words(question, index, cells=1), words(question, index), rtol=1e-5)


def test_of_a_long_question_the_rarest_terms_are_asked() -> None:
    index = index_of([memory(f"common word{i}", said_at=None) for i in range(20)])
    question = "common " + " ".join(f"word{i}" for i in range(20))
    scores = words(question, index, replace(POLICY, query_terms=20))[0]
    asked_for_less = words("common", index, replace(POLICY, query_terms=20))[0]
    assert scores.min() > 0
    assert asked_for_less.min() > 0
    assert np.allclose(scores, scores[0])


def test_a_flat_view_says_nothing() -> None:
    views = compute_z_scores(np.array([[0, 1, 2], [7, 7, 7]], np.float32))
    assert views[1].tolist() == [0, 0, 0]
    assert views[0].tolist() == pytest.approx([-1.2247, 0, 1.2247], abs=1e-4)


def test_ranks_count_from_the_best_equals_share_one_and_what_is_in_no_list_gets_nothing() -> None:
    ranks = compute_reciprocal_ranks(np.array([[0, 3, 5, 3, 1]], np.float32), k=60)
    assert ranks[0].tolist() == pytest.approx([0, 1 / 62, 1 / 61, 1 / 62, 1 / 64])


def test_fusion_by_ranks_asks_where_a_memory_stands_not_by_how_much() -> None:
    index = index_of([memory("jazz jazz jazz jazz jazz"), memory("jazz and much else"), memory("tea"), memory("milk")])

    own_words = replace(POLICY, keyword_window=0.0, keyword_sitting=0.0, longer=0.0)
    probe = probe_of("jazz", dense=False)
    by_scores = score_memories(index, probe, own_words).fused
    by_ranks = score_memories(index, probe, replace(own_words, fusion="ranks")).fused
    assert by_scores[0] - by_scores[1] > 2 * (by_ranks[0] - by_ranks[1]) > 0


def test_a_question_is_compared_only_in_the_spaces_it_has_a_vector_in() -> None:
    rows = [memory("aisle seats"), replace(memory("window seats"), space="another")]
    index = build_index(rows, {EMBEDDER.name: 64, "another": 64})
    assert score_memories(index, probe_of("seats"), POLICY).dense_held.tolist() == [True, False]
    assert not score_memories(index, probe_of("seats", dense=False), POLICY).dense_held.any()


def test_a_memory_without_a_vector_is_judged_by_its_words() -> None:
    index = index_of([memory("aisle seats", embed=False), memory("loud music"), memory("window seats")])
    scores = score_memories(index, probe_of("aisle"), POLICY)
    assert scores.fused.argmax() == 0
    assert scores.dense_held.tolist() == [False, True, True]


@pytest.mark.parametrize("vector", [np.zeros(64, np.float32), np.full(64, np.nan, np.float32)])
def test_a_question_without_a_meaning_to_the_model_is_asked_by_keywords(vector: Float32) -> None:
    probe = make_probe("aisle", {EMBEDDER.name: vector}, POLICY)
    scores = score_memories(index_of([memory("aisle seats"), memory("music")]), probe, POLICY)
    assert np.isfinite(scores.fused).all()
    assert not scores.dense_held.any()


def test_smoothing_lifts_the_neighbours_of_a_good_memory() -> None:
    index = index_of([*conversation("the hotel was in Paris", "Hotel du Nord"), memory("music")])
    plain = score_memories(
        index, probe_of("Paris", dense=False), replace(POLICY, smooth_previous=0, smooth_next=0)
    ).fused
    smoothed = score_memories(index, probe_of("Paris", dense=False), POLICY).fused
    assert smoothed[1] - smoothed[2] > plain[1] - plain[2]


def test_the_speaker_named_in_the_question_is_preferred() -> None:
    rows = [memory("went sailing last week", name="Ada"), memory("went sailing last week too", name="Gil")]
    scores = score_memories(index_of(rows), probe_of("When did Gil go sailing?", dense=False), POLICY)
    assert scores.fused.argmax() == 1


def test_a_question_of_nothing_but_a_name_still_asks_for_it() -> None:
    rows = [memory("went sailing", name="Ada"), memory("Ada is my friend", name="Gil")]
    assert score_memories(index_of(rows), probe_of("Ada", dense=False), POLICY).matches.all()


def test_what_is_said_in_a_sitting_speaks_for_all_of_it() -> None:
    trip = conversation("we went to Paris", "what a week", "so tired", "bread every day", "rain too", "home now")
    work = conversation("the report is late", "again", "and tomorrow too", "bread", conversation_id="c2")
    sitting = words("Paris", index_of([*trip, *work]))[2]
    assert min(sitting[:6]) > 0
    assert sitting[6:].tolist() == [0] * 4


def test_a_long_silence_begins_a_new_sitting() -> None:
    morning = memory("went to Paris", conversation_id="c1", seq=1, said_at=NOW - timedelta(hours=20))
    evening = memory("bread again", conversation_id="c1", seq=2, said_at=NOW)
    later = memory("rain too", conversation_id="c1", seq=3, said_at=NOW)
    assert index_of([morning, evening, later]).sittings.of.tolist() == [0, 1, 1]


def test_where_every_memory_is_a_sitting_of_its_own_the_sitting_says_nothing() -> None:
    index = index_of([memory("went to Paris"), memory("bread again")])
    assert words("Paris", index)[2].tolist() == [0, 0]


@pytest.mark.parametrize(
    ("question", "answer"),
    [("What music does Jonah play?", "Jonah has taken up the oboe"), ("孔令辉玩什么乐器?", "孔令辉最近在学双簧管")],
)
def test_what_was_asked_before_stands_behind_what_answers(question: str, answer: str) -> None:
    texts = [question, f"{answer}.", "The train was late again.", "Who rang?", *(f"day {n} was long" for n in range(9))]
    index, probe = index_of([memory(text) for text in texts]), probe_of(question)
    known = replace(POLICY, alike_cosines=((EMBEDDER.name, 0.6),))
    first, later = (score_memories(index, probe, policy).fused for policy in (POLICY, known))
    assert first.argmax() == 0, "in a space of which nothing is known"
    assert later.argmax() == 1
    assert first[1:].tolist() == pytest.approx(later[1:].tolist())


def test_a_question_is_a_worse_answer_than_a_statement() -> None:
    asked, told = memory("Do you like cello music?"), memory("I do like cello music")
    scores = score_memories(index_of([asked, told]), probe_of("cello music"), POLICY)
    assert scores.preferred[1] - scores.preferred[0] > POLICY.asking / 2
    assert scores.fused.argmax() == 1


@pytest.mark.parametrize(
    ("question", "timed", "untimed"),
    [
        ("When did Gil go sailing?", "went sailing yesterday", "went sailing alone"),
        ("我是什么时候搬家的?", "我去年五月搬家了", "我搬家了,很累"),
    ],
)
def test_a_question_for_a_time_prefers_what_names_one(question: str, timed: str, untimed: str) -> None:
    index = index_of([memory(untimed), memory(timed)])
    asked = score_memories(index, probe_of(question), POLICY).preferred
    otherwise = score_memories(index, probe_of("sailing 搬家"), POLICY).preferred
    assert (asked - otherwise).tolist() == pytest.approx([0, POLICY.named_time], abs=1e-6)


class Horses:
    """Knows that a stallion is a horse, and no more."""

    def related_words(self, word: str) -> list[tuple[str, float]]:
        return [("horses", 0.8), ("pony", 0.7), ("mare", 0.3)] if word == "stallion" else []


def test_a_word_finds_its_nearest_of_the_subjects_own_words() -> None:
    index = index_of([memory("I ride horses"), memory("my mare is old"), memory("loud music")])
    probe = make_probe("the stallion", {}, POLICY, Horses())
    scores = score_memories(index, probe, POLICY)
    assert scores.matches.tolist() == [True, False, False], "pony is not among the words, mare not near enough"
    share = POLICY.related_share * 0.8
    assert scores.keyword[0, 0] == pytest.approx(share * words("horse", index)[0, 0])


def test_without_the_model_of_words_a_question_asks_with_its_own() -> None:
    class Away:
        def related_words(self, word: str) -> list[tuple[str, float]]:
            raise EmbeddingUnavailable

    probe = make_probe("stallion", {}, POLICY, Away())
    assert (list(probe.terms), len(probe.related.keys)) == ([hash_term("stallion")], 0)


def test_a_word_of_the_question_is_never_lent_to_another() -> None:
    probe = make_probe("stallion horses", {}, POLICY, Horses())
    assert hash_term("hors") not in probe.related.keys.tolist()


def test_a_long_question_asks_with_its_own_words_alone() -> None:
    many = " ".join(f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(POLICY.related_words))
    assert len(make_probe(f"stallion {many}", {}, POLICY, Horses()).related.keys) == 0


@pytest.mark.parametrize(
    ("text", "first"),
    [("I ride. I like music.", "ride"), ("我骑马。我喜欢音乐。", "骑马"), ("I ride\nI like music", "ride")],
)
def test_the_last_sentence_of_a_question_counts_most(text: str, first: str) -> None:
    weights = weigh_terms_by_sentence(text, POLICY)
    assert {weights[key] for key in weigh_terms_by_sentence(first, POLICY)} == {POLICY.sentence_decay}
    assert max(weights.values()) == 1


def test_of_a_page_the_first_sentences_still_count() -> None:
    probe = probe_of("cello. " + "music. " * 100, dense=False)
    assert probe.terms[hash_term("cello")] == POLICY.sentence_least


_texts = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80)


@given(st.lists(_texts, max_size=6), _texts)
def test_every_score_is_finite_whatever_is_remembered_or_asked(remembered: list[str], asked: str) -> None:
    index = index_of(conversation(*remembered, name="Ada"))
    scores = score_memories(index, probe_of(asked), POLICY)
    for column in (scores.keyword, scores.dense, scores.fused):
        assert np.isfinite(column).all()
        assert column.shape[-1] == len(remembered)


def test_equal_memories_score_the_same_wherever_they_stand() -> None:
    said = " ".join(f"word{i} " * (i % 3 + 1) for i in range(58))
    others = [memory(" ".join(f"word{i}" for i in range(n * n % 55, 58)) + f" n{n}") for n in range(200)]
    index = index_of([memory(said), *others[:100], memory(said), *others[100:], memory(said)])
    views = words(said, index, replace(POLICY, query_terms=60))
    assert (views[:, [0, 101, -1]] == views[:, [0]]).all()
