"""What was said again takes one place of an answer; what says anything else keeps its own. Rows: R2, R3."""

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import uuid4

import numpy as np
import pytest

from memory_platform.providers.contracts import Embedder
from memory_platform.providers.registry import embedder
from snapshots.embedding.index_row_packing import pack_postings, pack_vector_pair
from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.embedding.near_duplicates import REPEATS_NOTHING
from snapshots.recall.config import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.memory_indexes.memory_index import MemoryIndex, build_index
from snapshots.recall.question import make_probe
from snapshots.recall.ranking.memory_ranking import choose_candidates, rank_memories
from snapshots.recall.values import MemoryRow, RecallQuery
from tests.snapshots.recall.world import NOW

DAY = timedelta(days=1)
KEPT = replace(DEFAULT_RECALL, ranking=replace(DEFAULT_RECALL.ranking, say_once=False))


def model_of(text: str) -> Embedder:
    """Return the shipped model that reads the language of ``text``."""
    found = embedder("wordllama" if text.isascii() else "use")
    assert found is not None
    return found


def utter(
    text: str, at: datetime = NOW - DAY, *, name: str | None = None, previous: str | None = None, **columns: object
) -> MemoryRow:
    """Return a memory of ``text``, its vectors by the shipped model."""
    model = model_of(text)
    indexed = index_text(SpokenTurn(text, name, at), previous=SpokenTurn(previous) if previous else None)
    dense = pack_vector_pair(*model.embed([indexed.dated, indexed.continued]))
    plain = MemoryRow(uuid4(), "statement", pack_postings(indexed), NOW, dense, model.name, name=name, said_at=at)
    return replace(plain, saying=indexed.saying, **columns)  # type: ignore[arg-type]


def index_of(rows: list[MemoryRow]) -> MemoryIndex:
    return build_index(rows, {model.name: model.dimensions for model in (model_of("a"), model_of("我"))})


def answer(question: str, rows: list[MemoryRow], policy: RecallPolicy = DEFAULT_RECALL, top_k: int = 8) -> list[object]:
    """Return the places in ``rows`` of what they answer to ``question``."""
    model = model_of(question)
    probe = make_probe(question, {model.name: model.embed([question])[0]}, policy.scoring)
    hits = rank_memories(RecallQuery(text=question, asked_at=NOW, top_k=top_k), probe, index_of(rows), policy)
    number = {row.id: place for place, row in enumerate(rows)}
    return [number[hit.id] for hit in hits]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I love jazz", "Does she love jazz?"),
        ("我喜欢听爵士乐，也喜欢弹钢琴", "她喜欢爵士乐吗?"),
    ],
)
def test_of_what_was_said_on_three_days_the_newest_takes_the_place(text: str, question: str) -> None:
    said_again = [utter(text, NOW - days * DAY) for days in (90, 40, 1)]
    other = utter("My jazz records love dust" if text.isascii() else "他喜欢打篮球")
    rows = [*said_again, other]

    assert set(answer(question, rows, KEPT)) == {0, 1, 2, 3}
    assert answer(question, rows) == [2, 3]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I love jazz", "Who loves jazz?"),
        ("I love jazz, and my brother Tom plays the cello in a quartet of the harbour workers", "Who loves jazz?"),
        ("我喜欢听爵士乐，我哥哥在港口工人的四重奏里拉大提琴，妈妈不喜欢音乐", "谁喜欢爵士乐?"),
    ],
)
def test_a_saying_of_any_length_takes_one_place_after_whatever_turn(text: str, question: str) -> None:
    turns = ("What do you like?", "你平时做什么？", "Tell me of your family")
    rows = [utter(text, NOW - days * DAY, previous=turn) for days, turn in enumerate(turns, 1)]
    assert len(answer(question, rows)) == 1


def test_other_wording_of_the_same_saying_is_no_other_saying() -> None:
    rows = [
        utter("Well, I love JAZZ!", NOW - 9 * DAY),
        utter("I love jazz"),
        utter("我喜歡聽爵士樂", NOW - 9 * DAY),
        utter("其实我喜欢听爵士乐。"),
    ]
    assert answer("Who loves jazz?", rows) == [1]
    assert answer("谁喜欢爵士乐", rows) == [3]


def test_the_best_stays_not_the_newest() -> None:
    confirmed = utter("I love jazz", NOW - 40 * DAY, provenance="confirmed_by_user", confidence=1.0)
    rows = [
        confirmed,
        utter("I love jazz"),
        utter("My jazz records of the last century gather dust in the attic"),
    ]
    assert answer("Does she love jazz?", rows) == [0, 2]


@pytest.mark.parametrize(
    ("one", "other", "question"),
    [
        ("I ran 5 miles", "I ran 6 miles", "How far did I run?"),
        ("I moved to Lisbon", "I moved to Porto", "Where did I move?"),
        ("I moved from Lisbon to Porto", "I moved from Porto to Lisbon", "Where did I move, Lisbon or Porto?"),
        ("I saw Ann yesterday", "I saw Ann on Monday", "When did I see Ann?"),
        ("I love jazz", "I don't love jazz", "Do I love jazz?"),
        ("I love jazz", "I love jazz?", "Do I love jazz?"),
        ("I called Ann", "Ann called me", "Who called Ann?"),
        ("It is -5 outside", "It is 5 outside", "How cold is it outside, 5?"),
        ("I drink tea before coffee", "I drink coffee before tea", "Do I drink tea or coffee?"),
        ("My sister Ann called Tom", "Tom called my sister Ann", "Who called Tom?"),
        ("Ann paid £20", "Ann paid $20", "What has Ann paid?"),
        ("我跑了5公里", "我跑了6公里", "跑了几公里?"),
        ("我搬到了上海", "我搬到了北京", "搬到哪里?"),
        ("我从上海搬到北京", "我从北京搬到上海", "从哪里搬到哪里?"),
        ("我从Lisbon搬到Porto", "我从Porto搬到Lisbon", "从哪里搬到哪里?"),
        ("我会说法语", "我不会说法语", "会说法语吗?"),
        ("我去北京", "我没有去北京", "去北京了吗?"),
        ("他去上海", "她去上海", "谁去上海?"),
        ("我喜欢他", "他喜欢我", "谁喜欢他?"),
        ("妈妈喜欢李雷", "李雷喜欢妈妈", "谁喜欢李雷?"),
        ("不，要糖和牛奶", "不要糖和牛奶", "要糖吗?"),
        ("三月五日去医院", "三月六日去医院", "几号去医院?"),
    ],
)
def test_what_says_something_else_is_never_a_repeat(one: str, other: str, question: str) -> None:
    for first, second in ((NOW - DAY, NOW - DAY), (NOW - 40 * DAY, NOW - DAY)):
        assert set(answer(question, [utter(one, first), utter(other, second)])) == {0, 1}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("I ran to the lake yesterday", "When did I run to the lake?"),
        ("I lost my keys again", "When did I lose my keys?"),
        ("昨天我去跑步了", "什么时候跑步?"),
    ],
)
def test_the_same_words_with_a_time_in_them_mean_another_time(text: str, question: str) -> None:
    assert set(answer(question, [utter(text, NOW - 9 * DAY), utter(text, NOW - DAY)])) == {0, 1}


def test_the_same_words_of_two_speakers_are_two_sayings() -> None:
    rows = [
        utter("I love jazz", name="Ada"),
        utter("I love jazz", name="Lin"),
        utter("I love jazz", name="Lin"),
    ]
    assert sorted(answer("Who loves jazz?", rows), key=str) == [0, 2]


def test_the_same_reply_to_other_questions_says_something_else() -> None:
    rows = [
        utter("Yes, really", NOW - 9 * DAY, previous="Are you allergic to nuts?"),
        utter("Yes, really", previous="Do you play chess?"),
    ]
    assert set(answer("really", rows)) == {0, 1}


def test_what_is_a_repeat_does_not_hang_on_vectors() -> None:
    rows = [utter("I love jazz", NOW - days * DAY) for days in (9, 1)]
    assert answer("jazz", [replace(row, dense=None) for row in rows]) == [1]
    assert answer("jazz", [replace(rows[0], dense=None), rows[1]]) == [1]


def test_a_row_that_was_never_read_for_its_saying_repeats_nothing() -> None:
    rows = [replace(utter("I love jazz", NOW - days * DAY), saying=REPEATS_NOTHING) for days in (9, 1)]
    assert set(answer("jazz", rows)) == {0, 1}


def test_what_may_not_answer_hides_nothing() -> None:
    ended = utter("I love jazz", invalid_at=NOW - DAY)
    assert answer("jazz", [utter("I love jazz", NOW - 40 * DAY), ended]) == [0]


def test_an_answer_is_full_even_where_one_saying_fills_the_lane() -> None:
    noise = [utter("I love good jazz", NOW - days * DAY) for days in range(1, 131)]
    rest = [utter(f"Jazz in club number {number} of the town") for number in range(5)]
    found = answer("I love good jazz", [*noise, *rest], top_k=6)
    assert len(found) == 6
    assert set(range(130, 135)) < set(found)


def test_one_thing_said_thousands_of_times_leaves_room_for_all_else_in_one_pass() -> None:
    again = utter("I like tea")
    rest = [utter(f"Tea pot number {number} is blue") for number in range(9)]
    index = index_of([*(replace(again, id=uuid4()) for _ in range(3_000)), *rest])
    alive, words = np.ones(len(index.ids), np.bool_), np.linspace(1, 0, len(index.ids), dtype=np.float32)
    rows = choose_candidates(words, alive, 4, index.columns, DEFAULT_RECALL)
    assert rows.tolist() == list(range(3_007)), "as far as eight things that differ"
    assert choose_candidates(words, alive, 8, index.columns, DEFAULT_RECALL).tolist() == list(range(3_009))
    assert choose_candidates(words, alive, 4, index.columns, KEPT).tolist() == list(range(50))
