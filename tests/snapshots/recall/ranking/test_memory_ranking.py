"""One question to one memory, from words to explained hits. Rows: R2, R3, R6, R7, P4."""

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest

from memory_platform.providers.registry import embedders
from snapshots.embedding.index_row_packing import pack_vector_pair
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy, ScoringPolicy
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.memory_indexes.memory_index import build_index
from snapshots.recall.question import make_probe
from snapshots.recall.ranking.memory_ranking import choose_best_rows, rank_memories, rank_replies
from snapshots.recall.ranking.memory_scores import score_memories
from snapshots.recall.ranking.score_factors import DIGITS
from snapshots.recall.values import RankedHit, RecallQuery
from snapshots.receipts.candidate_packing import name_explanation_values
from snapshots.relevance.config import RELEVANCE
from tests.growth import assert_linear
from tests.snapshots.recall.world import EMBEDDER, NOW, ask, conversation, id_of, index_of, memory, probe_of

BOOK, LAMP = "I'd recommend Kafka on the Shore", "The lamp costs 40 euros"
INDEX = index_of([memory(BOOK, kind="reply"), memory(LAMP, kind="reply")])
QUESTION = "what was the novel called again?"


def rank(asks: float, question: str = QUESTION, *, named: bool = False) -> list[RankedHit]:
    probe = replace(probe_of(question), replies=asks)
    return rank_replies(RecallQuery(question, NOW, replies_named=named), probe, INDEX, DEFAULT_RECALL)


def test_a_question_that_asks_for_something_else_gets_none() -> None:
    assert rank(0.0) == []


def test_a_question_that_may_ask_for_them_gets_them_and_the_surer_the_more_relevant() -> None:
    doubtful, sure = rank(RELEVANCE.asked_from), rank(1.0)
    assert {hit.id for hit in doubtful} == {hit.id for hit in sure} == {id_of(BOOK), id_of(LAMP)}
    assert sure[0].semantic > doubtful[0].semantic


def test_one_that_very_probably_helps_comes_unasked() -> None:
    (encoder,) = embedders("use")
    rows = []
    for text in (BOOK, LAMP):
        vectors = encoder.embed([text])[0]
        rows.append(memory(text, kind="reply", dense=pack_vector_pair(vectors, vectors), space=encoder.name))
    index = build_index(rows, {encoder.name: encoder.dimensions})

    def find_replies(question: str) -> list[UUID]:
        probe = make_probe(question, {encoder.name: encoder.embed([question])[0]}, DEFAULT_RECALL.scoring)
        return [hit.id for hit in rank_replies(RecallQuery(question, NOW), probe, index, DEFAULT_RECALL)]

    assert find_replies("What does the lamp cost?") == [id_of(LAMP)]
    assert find_replies("When do I swim?") == []


def test_they_come_where_the_caller_or_the_words_ask_for_them() -> None:
    assert len(rank(0.0, named=True)) == len(rank(0.0, "what did you recommend?")) == 2


DAY = timedelta(days=1)


def ids(hits: list[RankedHit]) -> set[object]:
    return {hit.id for hit in hits}


def test_the_memory_that_answers_comes_first_in_english_and_chinese() -> None:
    index = index_of(
        [
            memory("I prefer aisle seats on long flights"),
            memory("My daughter plays the cello"),
            memory("我对花生过敏"),
            memory("我家在上海市浦东新区"),
        ]
    )
    assert ask("Which seat does she like on flights?", index)[0].id == id_of("I prefer aisle seats on long flights")
    assert ask("对什么过敏?", index)[0].id == id_of("我对花生过敏")
    assert ask("對什麼過敏?", index, dense=False)[0].id == id_of("我对花生过敏")


def test_scores_fall_and_no_more_than_top_k_come_back() -> None:
    hits = ask("apple", index_of([memory(f"apple number {i}") for i in range(30)]), top_k=5)
    assert len(hits) == 5
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.semantic <= 1 for hit in hits)


def test_of_equal_memories_the_newest_stay_where_a_lane_ends() -> None:
    scores = np.full(200, 0.5, np.float32)
    scores[:5] = 0.9
    best = choose_best_rows(scores, np.ones(200, np.bool_), 50)
    assert best.tolist() == [4, 3, 2, 1, 0, *range(199, 154, -1)]


def test_by_keywords_alone_what_does_not_match_is_not_an_answer() -> None:
    index = index_of([memory("aisle seats"), memory("cello lessons")])
    assert ids(ask("aisle", index, dense=False)) == {id_of("aisle seats")}
    assert ask("zebra", index, dense=False) == []


def test_what_expired_was_retired_or_is_no_longer_valid_does_not_answer() -> None:
    index = index_of(
        [
            memory("aisle alive"),
            memory("aisle expired", expires_at=NOW - DAY),
            memory("aisle retired", retired_at=NOW - DAY),
            memory("aisle replaced", invalid_at=NOW - DAY),
            memory("aisle later", valid_at=NOW + DAY),
        ]
    )
    assert ids(ask("aisle", index)) == {id_of("aisle alive")}


def test_what_a_clock_a_minute_ahead_said_answers_at_once() -> None:
    index = index_of([memory("aisle", said_at=NOW + timedelta(minutes=1), valid_at=NOW + timedelta(minutes=1))])
    assert len(ask("aisle", index)) == 1


def test_a_clock_ahead_is_allowed_for_now_and_not_for_a_moment_that_is_named() -> None:
    then = NOW - DAY
    index = index_of([memory("aisle", said_at=then, valid_at=then + timedelta(minutes=1))])
    assert ask("aisle", index, as_of=then) == []
    assert len(ask("aisle", index, as_of=then + timedelta(minutes=1))) == 1


def test_as_of_asks_what_was_true_then_and_known_at_what_was_held_then() -> None:
    index = index_of(
        [
            memory("seat aisle", valid_at=NOW - 9 * DAY, invalid_at=NOW - 3 * DAY, created_at=NOW - 9 * DAY),
            memory("seat window", valid_at=NOW - 3 * DAY, created_at=NOW - 2 * DAY),
            memory("seat middle", created_at=NOW - 9 * DAY, retired_at=NOW - 4 * DAY),
        ]
    )
    assert ids(ask("seat", index)) == {id_of("seat window")}
    assert ids(ask("seat", index, as_of=NOW - 5 * DAY)) == {id_of("seat aisle")}
    assert ids(ask("seat", index, known_at=NOW - 5 * DAY)) == {id_of("seat middle")}
    assert ids(ask("seat", index, as_of=NOW - 5 * DAY, known_at=NOW - 5 * DAY)) == {
        id_of("seat aisle"),
        id_of("seat middle"),
    }


def test_kind_topic_time_and_filter_narrow_the_answer() -> None:
    old = datetime(2024, 1, 1, tzinfo=UTC)
    index = index_of(
        [
            memory("seat one", kind="manual"),
            memory("seat two", topics=("flights",)),
            memory("seat three", said_at=old),
            memory("seat four", name="Ada"),
            memory("seat five", said_at=None),
        ]
    )
    assert ids(ask("seat", index, kinds=frozenset({"manual"}))) == {id_of("seat one")}
    assert ids(ask("seat", index, topics=frozenset({"flights", "x"}))) == {id_of("seat two")}
    assert ids(ask("seat", index, until=old)) == {id_of("seat three")}
    assert id_of("seat three") not in ids(ask("seat", index, since=old + DAY))
    assert ids(ask("seat", index, filter=parse_filter({"name": {"eq": "Ada"}}))) == {id_of("seat four")}
    assert ask("seat", index, kinds=frozenset({"unheard-of"})) == []


def test_a_confirmed_memory_outranks_an_equal_one_that_was_only_seen() -> None:
    index = index_of(
        [
            memory("aisle seats", provenance="observation"),
            memory("aisle seats please", provenance="confirmed_by_user", confidence=1.0),
            memory("cello"),
        ]
    )
    assert ask("aisle seats", index)[0].id == id_of("aisle seats please")


def test_every_hit_explains_itself() -> None:
    index = index_of([memory("aisle seats"), memory("window seats"), memory("cello lessons", embed=False)])
    best, second = ask("aisle seats", index)[:2]
    assert best.explain is not None
    assert second.explain is not None
    assert best.explain.keyword is not None
    assert best.explain.dense is not None
    assert (best.explain.keyword.rank, best.explain.dense.rank) == (1, 1)
    assert -1 <= best.explain.dense.score <= 1.01
    assert best.explain.keyword.score > 0
    assert best.explain.fused > second.explain.fused
    assert (best.explain.keyword.view, best.explain.dense.view) == ("own", "own")


def test_the_parts_of_an_explanation_make_the_score_of_every_hit() -> None:
    said = conversation("hotel in Paris", "yes", "nice room", "我对花生过敏", "fine", name="Ada")
    index = index_of([*said, memory("Paris", importance=0.9, said_at=NOW - 50 * DAY, confidence=0.37), memory("music")])
    for policy in (DEFAULT_RECALL, *(with_curve(curve) for curve in ("hyperbolic", "episode"))):
        for question in ("Which hotel in Paris did Ada like?", "花生", "nothing of the kind"):
            hits = ask(question, index, policy)
            for hit in hits:
                shown = name_explanation_values(hit.explain) if hit.explain else {}
                assert shown["semantic"] == hit.semantic
                assert round(shown["semantic"] * math.prod(shown["factors"].values()), DIGITS) == round(
                    hit.score, DIGITS
                )


def with_curve(curve: str) -> RecallPolicy:
    return replace(DEFAULT_RECALL, ranking=replace(DEFAULT_RECALL.ranking, recency_curve=curve))


@pytest.mark.parametrize("dense", [True, False])
def test_a_hit_always_says_which_lane_found_it(dense: bool) -> None:
    index = index_of(
        [*conversation("hotel in Paris", "yes", "nice", "good"), memory("Paris 我对花生过敏", embed=False)]
    )
    for question in ("Paris", "花生"):
        hits = ask(question, index, dense=dense)
        assert hits
        assert all(hit.explain and (hit.explain.keyword or hit.explain.dense) for hit in hits)


def test_what_the_words_around_it_found_says_so() -> None:
    index = index_of([*conversation("hotel in Paris", "yes"), memory("music")])
    why = {hit.id: hit.explain for hit in ask("Paris", index, dense=False)}
    hotel, yes = why[id_of("hotel in Paris")], why[id_of("yes")]
    assert hotel is not None
    assert hotel.keyword is not None
    assert yes is not None
    assert yes.keyword is not None
    assert (hotel.keyword.view, yes.keyword.view) == ("own", "window")
    assert yes.smoothed > 0


def test_without_a_common_word_a_memory_must_be_near_enough() -> None:
    rows = [memory("aisle seats"), memory("loud music")]
    index, probe = index_of(rows), probe_of("aisle")
    asked = RecallQuery(text="aisle", asked_at=NOW)
    near = float(score_memories(index, probe, ScoringPolicy()).dense.max(axis=0)[1])

    def answers(floor: float) -> set[object]:
        scoring = ScoringPolicy(cosine_floors=((EMBEDDER.name, floor),))
        return ids(rank_memories(asked, probe, index, replace(DEFAULT_RECALL, scoring=scoring)))

    assert answers(near) == {id_of("aisle seats"), id_of("loud music")}
    assert answers(near + 0.01) == {id_of("aisle seats")}
    assert answers(2.0) == {id_of("aisle seats")}, "a word is reason enough"


def test_a_space_whose_floor_was_not_measured_has_none() -> None:
    unmeasured = replace(DEFAULT_RECALL, scoring=ScoringPolicy(cosine_floors=()))
    index = index_of([memory("aisle seats"), memory("loud music")])
    assert len(rank_memories(RecallQuery("aisle", asked_at=NOW), probe_of("aisle"), index, unmeasured)) == 2


def test_a_lane_that_did_not_find_a_hit_says_nothing_of_it() -> None:
    index = index_of([memory("aisle seats"), memory("cello lessons"), memory("loud music", embed=False)])
    by_id = {hit.id: hit.explain for hit in ask("aisle music", index)}
    cello, music = by_id[id_of("cello lessons")], by_id[id_of("loud music")]
    assert cello is not None
    assert cello.keyword is None
    assert music is not None
    assert music.dense is None


@pytest.mark.parametrize(
    "asked",
    [
        "", " ", "a", "我", "?", "🎉🎉", "the of and", "'; drop table snapshot; --", "a & b | !c <-> (d:*", "%_\\",
        "\x00",
        "def f(x): return x['aisle']", "\ud800", "e" + "\u0301" * 40_000, "aisle " * 10_000,
        " ".join(f"word{i}" for i in range(9_000)), "座" * 20_000,
    ],
    ids=lambda asked: ascii(asked)[:20],
)  # fmt: skip
def test_any_question_is_answered_in_time_by_its_length(asked: str) -> None:
    index = index_of(conversation(*(f"aisle seat number {i} 座位" for i in range(100))))
    assert all(hit.score == hit.score and hit.score >= 0 for hit in ask(asked, index))
    assert_linear(lambda text: ask(text, index), asked)


def test_nobody_asked_about_is_nothing_remembered() -> None:
    assert ask("aisle", index_of([])) == []
