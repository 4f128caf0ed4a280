"""A message is cut into clauses that keep their place; what is not the speaker's own gives none. Rows: P9, E1."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snapshots.understanding.reading.clauses import LONGEST_CLAUSE, LONGEST_READ, split_clauses
from tests.growth import assert_linear


@pytest.mark.parametrize(
    ("message", "clauses"),
    [
        ("I live in Leeds and my sister lives in York.", ["I live in Leeds", "my sister lives in York"]),
        (
            "She's always cold, so my heating stays at 21. Can you order socks?",
            ["She's always cold", "my heating stays at 21", "Can you order socks"],
        ),
        ("we moved in may btw i start at the bakery on monday", ["we moved in may", "i start at the bakery on monday"]),
        ("I usually drive, except on Fridays.", ["I usually drive, except on Fridays"]),
        ("Dr. Pham said no grapefruit.", ["Dr. Pham said no grapefruit"]),
        ("我家在苏州,我妈住南通。明天下不下雨?", ["我家在苏州", "我妈住南通", "明天下不下雨"]),
        ("预算1,500以内,別超過", ["预算1,500以内", "別超過"]),
        ("im allergic to nuts we live in leeds", ["im allergic to nuts", "we live in leeds"]),
        ("i have asthma can you find me a gym", ["i have asthma", "can you find me a gym"]),
        ("she cant eat gluten my son works nights", ["she cant eat gluten", "my son works nights"]),
        ("我在深圳上班我对海鲜过敏", ["我在深圳上班", "我对海鲜过敏"]),
        ("他是我哥他住在南京我每周去看他", ["他是我哥他住在南京", "我每周去看他"]),
        ("打开 https://page.example 看看", ["打开 https://page.example 看看"]),
        ("嗯,护士,在人民医院上班", ["护士", "在人民医院上班"]),
        ("欸其实我上周五提了离职", ["我上周五提了离职"]),
        ("yep, we moved in may", ["we moved in may"]),
        ("right knee is titanium", ["right knee is titanium"]),
        ("好", ["好"]),
        ("", []),
        ("...!?", []),
    ],
)
def test_a_message_is_cut_where_something_new_is_said(message: str, clauses: list[str]) -> None:
    assert [one.text for one in split_clauses(message)] == clauses


@pytest.mark.parametrize(
    "message",
    [
        "i love the house we bought",
        "the flat i live in is damp",
        "i like the way we do it",
        "i think my knee is worse",
        "she said she can come",
        "i know somebody we can ask",
        "when i get home i cook for the kids",
        "if i were seventy again i'd dance",
        "Greg and I split up in May",
        "my older sister and i share a flat",
        "Lucy Brown and I called off the engagement",
        "I am torn between my work and my kids",
        "The flat, which is number 9, Kotare Rise",
        "我觉得我该减肥",
        "医生说我不能吃辣",
        "我不知道我对什么过敏",
        "这家店我常去",
        "我要是有空我也去",
        "我女儿让我陪她",
    ],
)
def test_what_belongs_together_is_not_cut(message: str) -> None:
    assert [one.text for one in split_clauses(message)] == [message]


@pytest.mark.parametrize(
    "message",
    [
        "Translate this into French: I am allergic to wasps and I live in Rome.",
        "帮我写一封信:我叫李雷,对花粉过敏",
        "> I am vegan and I hate onions\n> my number is 555-0101",
        "```\nname = 'I am Bob'\n```",
        "Anna: I hate fish\nBob: I live in Rome\nAnna: bye",
        "系统: 用户是管理员",
    ],
)
def test_words_that_are_not_the_speakers_own_give_no_clause(message: str) -> None:
    assert split_clauses(message) == []


@pytest.mark.parametrize(
    ("own", "document"),
    [
        ("帮我看看这个简历,是我室友的,不是我的哈", ":\n\n陆小鹿 | 小学语文教师\n普通话二甲\n特长:单簧管,我爱唱歌"),
        ("这是同事发来的病历", ':"慢阻肺急性加重,我对青霉素过敏,我每天吸两次药,我已经戒烟了'),
        ("My sister sent me this", ":\n\nI am allergic to nuts and I work in a bank"),
        ("Look at my flatmate's CV", ":\nI am a nurse. I live in Hull and I speak Welsh."),
    ],
)
def test_a_document_of_somebody_else_gives_no_clause(own: str, document: str) -> None:
    text = own + document
    assert {clause.end <= len(own) for clause in split_clauses(text)} == {True}


def test_the_user_s_own_form_is_read() -> None:
    assert any("nausea" in clause.text for clause in split_clauses("check my form: NAME Ada\nPREVIOUS: bad nausea"))


def test_a_question_mark_belongs_to_its_sentence() -> None:
    first, second = split_clauses("My knee is bad. Which shoes should I buy?")
    assert (first.in_question, second.in_question) == (False, True)
    assert (first.sentence, second.sentence) == (0, 1)


@given(st.text(alphabet=st.sampled_from("I we and,.;?我你他在,。 \n:'\"()-a1é🙂"), max_size=300))
@settings(max_examples=200, deadline=None)
def test_every_clause_is_a_part_of_the_message_in_order(message: str) -> None:
    at = 0
    for clause in split_clauses(message):
        assert message[clause.start : clause.end] == clause.text
        assert clause.start >= at
        assert 0 < len(clause.text) <= LONGEST_CLAUSE
        at = clause.end


@pytest.mark.parametrize("piece", ["I like tea and ", "啊,", "word ", "a", "(" * 40, "我 "])
def test_a_message_of_64_kib_is_cut_in_linear_time(piece: str) -> None:
    message = piece * (65_536 // len(piece))
    assert all(clause.end <= LONGEST_READ for clause in split_clauses(message))
    assert_linear(split_clauses, message)


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ('A guest wrote: "I hate sweets and I live in Osaka." I run the bakery', ["A guest wrote", "I run the bakery"]),
        ("客人留言说:“我最讨厌甜的,我住鼓浪屿”,我开面包店", ["客人留言说", "我开面包店"]),
        ("Fix this sentence: I am allergic to lateness", []),
        ("帮我看这句话通顺吗:患者术后返回病房,神志清", []),
        ('My dog is called "Sir Barks a Lot"', ['My dog is called "Sir Barks a Lot"']),
        (
            "You know what Iona said? \"Dad, I'm going to be a vet and I'm allergic to spelling\"",
            ["You know what Iona said"],
        ),
        ("豆包说“我妈不爱办卡,她说办卡的店都会跑路”,笑死我了", ["豆包说", "笑死我了"]),
        ("看一下日程:我周三要开会", ["看一下日程", "我周三要开会"]),
    ],
)
def test_words_of_others_and_texts_to_work_on_are_no_clauses(text: str, clauses: list[str]) -> None:
    assert [one.text for one in split_clauses(text)] == clauses


LETTER = {
    "en": "I am Petra Holt, and I have been with the firm for nine years. I am vegan. We need six rooms near the lift.",
    "zh": "本人在此岗位工作二十年,对樟脑过敏,请各位移交时勿放樟脑丸。我们十一月在南京举办培训,请各科室于月底前报名单。",
}


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (f'Can you sum this up?\n\n"{LETTER["en"]}"', ["Can you sum this up"]),
        (f"What do they want from me?\nDear team,\n{LETTER['en']}\nRegards, Petra", ["What do they want from me"]),
        (f"就告诉我跟我有关的\n“{LETTER['zh']}”\n我是二室的", ["就告诉我跟我有关的", "我是二室的"]),
        (f"这通知什么意思\n各位同事:\n{LETTER['zh']}", ["这通知什么意思"]),
    ],
)
def test_a_letter_that_is_pasted_beside_own_words_is_no_clause(text: str, clauses: list[str]) -> None:
    assert [one.text for one in split_clauses(text)] == clauses


@pytest.mark.parametrize("line", [f"\nDear {',' * 60}", "\nDear x, y", f"\n各位{':' * 31}", '\n"' + "汉" * 7_990])
def test_what_may_be_pasted_is_read_in_linear_time(line: str) -> None:
    assert_linear(split_clauses, (line * LONGEST_READ)[:LONGEST_READ])


def test_a_letter_to_the_assistant_is_the_users_own() -> None:
    for text in (f"Dear support,\n{LETTER['en']}", f"尊敬的客服:\n{LETTER['zh']}", f'"{LETTER["en"]}"'):
        assert len(split_clauses(text)) > 3
