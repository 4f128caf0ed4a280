"""What a yes or no to a question states, what evades one, and which questions offer to remember. Row: A4."""

import pytest

from snapshots.understanding.heard.bare_answers import is_evasive, restate_answer, restate_offer
from snapshots.understanding.heard.remember_offers import (
    find_clause_after_yes,
    find_offered_clause,
    may_remember_offer,
    parse_offer,
)

STATED = {
    ("Are you still working at Acme?", "Yes"): "I am working at Acme",
    ("Are you still working at Acme?", "No"): "I am no longer working at Acme",
    ("Do you still live in Oslo?", "nope"): "I no longer live in Oslo",
    ("Do you have any allergies?", "No"): "I do not have any allergies",
    ("You live in Leeds, right?", "yes"): "I live in Leeds",
    ("Is your office still in Leeds?", "Yes"): "My office is in Leeds",
    ("你还在华为上班吗?", "是的"): "我在华为上班",
    ("你还在华为上班吗?", "不在了"): "我不再在华为上班",
    ("您吃素吗?", "对"): "我吃素",
    ("您吃素吗?", "不吃"): "我不吃素",
    ("您吃辣吗?", "不吃"): "我不吃辣",
    ("你喝咖啡吗?", "喝的"): "我喝咖啡",
    ("您喜欢听什么音乐?", "民谣"): "我喜欢听民谣",
    ("你平时喝什么?", "美式"): "我平时喝美式",
    ("What kind of music do you like?", "folk"): "I like folk music",
    ("What do you like to eat?", "ramen"): "I like to eat ramen",
}
NOT_STATED = """Do you want me to book it?
Are you ready?
Is there anything else?
Would you like some tea?
Shall we go?
Are you sure?
Do you need a receipt?
Do you know the way?
Are you looking for a hotel?
What do you eat?
Do you mean Berlin?
Have you arrived?
Can I help?
您需要帮忙吗?
你准备好了吗?
要不要导航?
你确定吗?
你知道路吗?
你叫什么名字?
可以开始了吗?
还有别的吗?""".splitlines()
EVASIVE = """Why do you ask?
not telling
none of your business
I'd rather not say
maybe later
I don't know
skip
who's asking?
不告诉你
不想说
为什么问这个
随便
你猜
以后再说""".splitlines()
OFFERS = {
    "Shall I remember that you like window seats?": "you like window seats",
    "Would you like me to remember that?": "",
    "Should I keep that in mind?": "",
    "Great choice! Shall I remember this for next time?": "",
    "Want me to make a note of that?": "",
    "要我记住吗?": "",
    "需要我帮您记下来吗?": "",
    "要我记住您喜欢靠窗的座位吗?": "您喜欢靠窗的座位",
}
NO_OFFERS = """Do you remember that?
Shall I book it?
Can I help you with something else?
Shall I keep the windows closed?
Would you like me to save the file?
Do you want me to store the luggage at the hotel?
Should I record a video?
Do you remember when we met?
May I keep you company?
Would you like to note anything?
I'll remember that.
What should I remember?
你记住了吗?
你还记得我吗?
要我订靠窗的座位吗?
要我记账吗?
您记得密码吗?
要我开空调吗?
我记下了。
要保存文件吗?""".splitlines()


@pytest.mark.parametrize(("asked", "states"), STATED.items())
def test_what_a_yes_or_no_states(asked: tuple[str, str], states: str) -> None:
    question, answer = asked
    assert restate_answer(answer, question) == states


@pytest.mark.parametrize("question", NOT_STATED)
@pytest.mark.parametrize("answer", ["yes", "好的"])
def test_a_yes_to_a_question_of_the_moment_states_nothing(question: str, answer: str) -> None:
    assert restate_answer(answer, question) == ""


@pytest.mark.parametrize("answer", EVASIVE)
def test_what_evades(answer: str) -> None:
    assert is_evasive(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "I always run later in the day",
        "My private address is 5 Elm Street",
        "I guess people for fun at the airport",
        "We skip breakfast on most days",
        "Personal trainer",
        "以前在上海,现在在成都",
        "我可能性最大的就是吃素",
    ],
)
def test_what_only_uses_such_words_does_not_evade(answer: str) -> None:
    assert not is_evasive(answer)


@pytest.mark.parametrize(("turn", "offer"), OFFERS.items())
def test_offers_to_remember(turn: str, offer: str) -> None:
    assert parse_offer(turn) == offer


@pytest.mark.parametrize("turn", NO_OFFERS)
def test_other_questions_offer_nothing_to_remember(turn: str) -> None:
    assert parse_offer(turn) is None


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("您喜欢听什么音乐?", "随便"),
        ("您喜欢听什么音乐?", "你猜"),
        ("您想听什么音乐?", "民谣"),
        ("您想喝什么?", "美式"),
        ("您喜欢听什么音乐?", "我不听音乐,换个话题吧"),
        ("What would you like to eat?", "ramen"),
        ("What do you like to eat?", "you tell me"),
        ("What do you mean?", "ramen"),
        ("您叫什么?", "不吃"),
        ("您吃素吗?", "不喝"),
    ],
)
def test_answers_of_the_moment_state_nothing(question: str, answer: str) -> None:
    assert restate_answer(answer, question) == ""


def test_a_yes_to_an_offer_states_its_words() -> None:
    assert restate_offer("you like window seats") == "I like window seats"
    assert restate_offer("您喜欢靠窗的座位") == "我喜欢靠窗的座位"
    assert may_remember_offer("您喜欢靠窗的座位")
    assert not may_remember_offer("您住延安路")


def test_an_offer_means_the_clause_that_is_nearest_to_its_words() -> None:
    clause = find_offered_clause("I like window seats. The coffee was cold", "you like window seats")
    assert clause is not None
    assert clause.text == "I like window seats"
    assert find_offered_clause("Turn it up", "you like window seats") is None


def test_a_yes_may_tell_something_beside() -> None:
    offer = "Shall I remember that you prefer window seats?"
    clause = find_clause_after_yes("Sure, go ahead. I like the aisle.", offer)
    assert clause is not None
    assert clause.text == "I like the aisle"
    for text in ("Sure, go ahead.", "I like the aisle", "No, I like the aisle", "Sure, play some music"):
        assert find_clause_after_yes(text, offer) is None
    assert find_clause_after_yes("Sure, go ahead. I like the aisle.", "Shall I book it?") is None
