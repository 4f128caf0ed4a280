"""Which questions ask for all that is remembered. Rows: X12, R7."""

import pytest

from snapshots.context.turn.all_or_past_questions import asks_for_all

ALL = """What do you know about me?
So what do you remember about me
What have you learned about me so far?
Tell me everything you know about me
what can you tell me about me?
你都知道我些什么?
你记得我什么？
你了解我多少
把你知道的关于我的事都告诉我
关于我你都知道些什么
说说你知道的关于我的一切""".splitlines()
SOME = """What do you know about my cat?
what do you know about jazz
Tell me everything about Paris
Do you remember me?
你知道我家在哪吗
你记得我妈的生日吗
你知道我对什么过敏吗
你知道我喜欢什么颜色""".splitlines()


@pytest.mark.parametrize("query", ALL)
def test_a_question_may_ask_for_all(query: str) -> None:
    assert asks_for_all(query)


@pytest.mark.parametrize("query", [*SOME, "What do you know about me?" + " and so on" * 10])
def test_most_questions_ask_for_something(query: str) -> None:
    assert not asks_for_all(query)
