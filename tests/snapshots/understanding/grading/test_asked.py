"""What an assistant's turn asks; a turn that only acknowledges changes nothing of what follows it. Rows: P9."""

import pytest

from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage, find_question
from snapshots.understanding.reading.clauses import split_clauses

ACKNOWLEDGES = [
    "Noted.",
    "Sure.",
    "OK, noted.",
    "Got it!",
    "Good to know.",
    "Okay, I'll remember that.",
    "Thanks for telling me.",
    "Updated.",
    "Alright, saved.",
    "Perfect!",
    "I've noted it down.",
    "Will do.",
    "Done.",
    "Great, thanks!",
    "I see.",
    "Right.",
    "Of course.",
    "Duly noted.",
    "Understood.",
    "Sure thing!",
    "好的。",
    "好的,记住了。",
    "收到",
    "知道了。",
    "明白!",
    "嗯嗯",
    "已更新。",
    "已记录",
    "记下了。",
    "没问题!",
    "好嘞",
    "了解。",
    "行,记好了。",
    "谢谢告诉我。",
    "我记住了。",
    "好啊",
    "已经帮你记下了。",
    "当然。",
    "明白了,已保存。",
    "好的好的",
]
SAYS_MORE = [
    "Noted. Which airport?",
    "Sure, is that for two?",
    "The Alps are lovely in July.",
    "Done, it's booked for 9.",
    "Got it: window seats only?",
    "OK. When do you leave?",
    "Right, the dentist is at ten.",
    "Great choice, Porto.",
    "Saved under Mum.",
    "I see two flights.",
    "Good evening to you in Leeds.",
    "Thanks, what's her name?",
    "Will do that on Monday.",
    "Updated to 9:40.",
    "Perfect weather for a hike.",
    "Fine dining or a pub?",
    "I'll remember: no peanuts at all for you and Sam and Ann.",
    "Of course Lisbon is warmer.",
    "Understood as a no?",
    "Alright, table for four.",
    "好的,几点?",
    "收到,周三对吗?",
    "大理三月很美。",
    "已更新到9点40。",
    "记住了:不吃花生。",
    "明白,哪家医院?",
    "没问题,靠窗吗?",
    "好的,给妈妈打电话。",
    "知道了,周四。",
    "嗯,叫什么名字?",
    "行,订两位。",
    "已保存到通讯录。",
    "了解,过敏吗?",
    "当然可以去丽江。",
    "谢谢,她多大了?",
    "我记住了,房租3200。",
    "收到快递了",
    "好的餐厅很多。",
    "已经订好周五。",
    "好啊,哪天?",
]


@pytest.mark.parametrize("turn", ACKNOWLEDGES)
def test_an_acknowledgement_asks_nothing(turn: str) -> None:
    assert find_question(turn) == ""


@pytest.mark.parametrize("turn", SAYS_MORE)
def test_a_turn_that_says_more_is_read_with_its_answer(turn: str) -> None:
    assert find_question(turn) != ""


@pytest.mark.parametrize("said", ["以后用FedEx不用DHL", "不能吃辣了,胃不行", "Window seat for me from now on"])
def test_what_follows_it_lasts_as_if_nothing_had_been_said(said: str) -> None:
    clauses = tuple(split_clauses(said))
    alone, after = grade_messages([SpokenMessage(said, clauses), SpokenMessage(said, clauses, find_question("Noted."))])
    assert [one.lasting for one in after] == [one.lasting for one in alone]
