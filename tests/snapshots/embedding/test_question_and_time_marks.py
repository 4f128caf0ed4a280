"""What kind of thing a text says. Rows: R2, S4."""

import pytest

from snapshots.embedding.indexed_text import SpokenTurn, index_text
from snapshots.embedding.question_and_time_marks import QUESTION, TIME, detect_question_and_time_marks
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
