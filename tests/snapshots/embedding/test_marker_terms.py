"""What kind of thing a text says. Rows: R2, S4."""

import pytest

from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.embedding.marker_terms import (
    QUESTION,
    TIME,
    detect_question_and_time_marks,
    list_possible_name_marks,
    make_alias_marks,
)
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Do you like it?", (QUESTION,)),
        ("Look at this, isn't it nice? [photo: a red boat]", (QUESTION,)),
        ("你喜欢吗", (QUESTION,)),
        ("他喜欢什么？", (QUESTION,)),
        ("Why? Because I said so.", ()),
        ("We moved last week", (TIME,)),
        ("It was in May 2023", (TIME,)),
        ("我们上周搬家了", (TIME,)),
        ("爸爸五一带我去了海边", (TIME,)),
        ("Did you move yesterday?", (QUESTION, TIME)),
        ("I may come", ()),
        ("我喜欢靠过道的座位", ()),
        ("", ()),
    ],
)
def test_a_text_is_marked_by_what_it_does(text: str, marks: tuple[str, ...]) -> None:
    assert detect_question_and_time_marks(text) == marks


def test_marks_stand_beside_the_date_and_never_among_the_words() -> None:
    indexed = index_text(SpokenTurn("Did you move yesterday?"))
    assert indexed.about == (QUESTION, TIME)
    assert indexed.text == ("move", "yesterday")


@pytest.mark.parametrize("unit", ["?", "[", "last ", "上个", "一", "吗", "? [a] "])
def test_a_hostile_page_is_read_in_linear_time(unit: str) -> None:
    page = unit * (65_536 // len(unit.encode()))
    assert_linear(detect_question_and_time_marks, page)


def names(question: str, *aliases: str) -> bool:
    return not list_possible_name_marks(question).isdisjoint(make_alias_marks(aliases))


@pytest.mark.parametrize(
    ("question", "alias"),
    [
        ("what's my k8s deploy story?", "K8s"),
        ("GHA secrets config", "gha"),
        ("does the point of view change?", "point_of_view"),
        ("REDIS eviction", "Redis"),
        ("Reedis eviction", "Redis"),
        ("eror handling patterns", "error handling"),
        ("typsecript config", "TypeScript"),
        ("two session token kinds", "session tokens"),
        ("我们公司在哪里?", "公司"),
        ("what about 张三's number", "张三"),
    ],
)
def test_a_question_names_a_memory_by_an_alias(question: str, alias: str) -> None:
    assert names(question, alias)


@pytest.mark.parametrize(
    ("question", "alias"),
    [
        ("mango pooling", "Mongo"),  # a slip in its first letters is another word
        ("k9s pods", "k8s"),  # a short name has no slips
        ("a classic car", "class"),
        ("point of interest", "point of view"),
        ("我们公园在哪里?", "公司"),
        ("", "Redis"),
        ("anything", ""),
    ],
)
def test_another_word_names_nothing(question: str, alias: str) -> None:
    assert not names(question, alias)


def test_marks_are_bounded_for_any_text() -> None:
    assert len(list_possible_name_marks("字" * 100_000)) < 20
    assert len(list_possible_name_marks(" ".join(map(str, range(10_000))))) < 20_000
