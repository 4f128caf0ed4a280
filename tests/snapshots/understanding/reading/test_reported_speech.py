"""What somebody else is told to have said is theirs, with and without quotation marks. Rows: P9, A10."""

import pytest

from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.reported_speech import find_reported_speech
from snapshots.understanding.slots.slot_reading import read_slots
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ('他说:"我叫李雷,住在北京"', ["他说"]),
        ('他告诉我:"我对青霉素过敏"', ["他告诉我"]),
        ("妈妈说:“我住在苏州平江路3号”", ["妈妈说"]),
        ("我弟弟说:我在美团上班", ["我弟弟说"]),
        ("客户说:“我们公司在苏州”", ["客户说"]),
        ("他喊:我叫赵云!", ["他喊"]),
        ("昨天我同事跟我说:我怀孕了。我住在杭州", ["昨天我同事跟我说", "我住在杭州"]),
        ("王芳回我:“我不吃辣”,我在做饭", ["王芳回我", "我在做饭"]),
        ("她在群里写道:我有哮喘", ["她在群里写道"]),
        ("小刘表示:我们家有两只猫", ["小刘表示"]),
        ("网友留言:我姓陈", ["网友留言"]),
        ("“我叫孙权”,他说", ["他说"]),
        ("My brother said: I work at Shell", ["My brother said"]),
        ('he shouted, "I am Zorro"', ["he shouted"]),
        ('The waiter asked: "Am I late?" I\'m vegan', ["The waiter asked", "I'm vegan"]),
        ("My flatmate texted me: I'm diabetic. I like tea.", ["My flatmate texted me", "I like tea"]),
        ('Priya wrote "I hate fish" on the board', ["Priya wrote", "on the board"]),
        ('"I live in Leeds," said my uncle', []),
        ("“我对花生过敏”是我姐的口头禅", []),
        ("“我住在北京”这句话她天天挂嘴边。我住在苏州", ["我住在苏州"]),
        ("我姐的口头禅是“我对花生过敏”", ["我姐的口头禅是"]),
        ('"I\'m allergic to nuts" is what my sister always says', []),
        ('"I\'m allergic to nuts" was on his T-shirt and I live in Leeds', ["I live in Leeds"]),
        ("“I have asthma” isn't an excuse for everything. I like tea.", ["I like tea"]),
        ("She always says: my name is Bond", ["She always says"]),
    ],
)
def test_what_others_say_is_theirs(message: str, own: list[str]) -> None:
    assert [one.text for one in split_clauses(message)] == own


@pytest.mark.parametrize(
    "message", ["他喊:我叫赵云!", '他说:"我叫李雷"', 'he shouted, "I am Zorro"', "My boss said: my name is Kim"]
)
def test_nobody_gets_the_name_of_somebody_else(message: str) -> None:
    assert read_slots(message, message_key="m") == []


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("我跟他说:我对花生过敏", "我对花生过敏"),
        ("我告诉客户:我们公司在苏州", "我们公司在苏州"),
        ("老板,我跟你说:我对虾过敏", "我对虾过敏"),
        ("总的来说:我喜欢喝茶", "我喜欢喝茶"),
        ("老实说:我不吃香菜", "我不吃香菜"),
        ("看一下日程:我周三要开会", "我周三要开会"),
        ("医生说:少吃盐", "少吃盐"),
        ("我妈妈说我对花生过敏", "我妈妈说我对花生过敏"),
        ("I told the waiter: I'm allergic to nuts", "I'm allergic to nuts"),
        ("One thing I told you: I live in Leith", "I live in Leith"),
        ("My doctor said: no grapefruit", "My doctor said: no grapefruit"),
        ("Just to be clear: I'm vegan", "Just to be clear: I'm vegan"),
        ('My dog is called "Rex"', 'My dog is called "Rex"'),
        ('"War and Peace" is my favourite book', '"War and Peace" is my favourite book'),
        ("《活着》是我最喜欢的书", "《活着》是我最喜欢的书"),
        ('"I\'m vegan" is what I always say', '"I\'m vegan" is what I always say'),
        ('"I\'m allergic to nuts"', "I'm allergic to nuts"),
        ("“我对花生过敏”", "我对花生过敏"),
        ('My screen is 27"', 'My screen is 27"'),
    ],
)
def test_what_users_say_themselves_stays_theirs(message: str, own: str) -> None:
    assert own in [one.text for one in split_clauses(message)]


@pytest.mark.parametrize("piece", ["他说", "他说:", 'he said "', "the man said ", "我妈的", "老师", "A a "])
def test_speakers_are_found_in_linear_time(piece: str) -> None:
    message = piece * (8_000 // len(piece))
    assert_linear(lambda text: list(find_reported_speech(text)), message)
