"""Which questions ask for what was so before. Rows: X11."""

import pytest

from snapshots.context.turn.all_or_past_questions import LONGEST_ABOUT_PAST as LONGEST
from snapshots.context.turn.all_or_past_questions import asks_about_past


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        ("Where did I live before?", True),
        ("What was my old job?", True),
        ("Who was my dentist before Dr Okafor?", True),
        ("What did I use to do on Tuesdays?", True),
        ("My previous address?", True),
        ("Where do I live?", False),
        ("What should I do before the trip?", False),
        ("How old is my daughter?", False),
        ("What did I say about dinner?", False),
        ("我以前住哪", True),
        ("我女儿之前在哪个学校？", True),
        ("我上一个牙医是谁？", True),
        ("我过去在哪上班？", True),
        ("我住哪？", False),
        ("你之前推荐的那本书叫什么？", False),
        ("之前你让我听的那张专辑叫什么？", False),
        ("这个洞我钻得过去吗？", False),
        ("出门之前要带什么？", False),
        ("我说过晚饭吃什么？", False),
    ],
)
def test_which_questions_ask_for_what_was_before(query: str, asks: bool) -> None:
    assert asks_about_past(query) is asks


def test_a_pasted_text_asks_for_nothing() -> None:
    assert not asks_about_past("Where did I live before? " + "word " * LONGEST)
