"""What a message means because of what was said before it, over the API, in both languages. Row: A4."""

from typing import Any

import pytest

from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.memory_platform.api.v1.memories.test_forget_orders import ADA, teach


def notes_of(caller: Caller) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = body_of(caller("GET", f"{ADA}/notes"))["data"]
    return data


def texts(caller: Caller) -> list[str]:
    return [one["text"] for one in notes_of(caller)]


REMEMBERED = {
    "Remember that I park on level 3": "I park on level 3",
    "Please remember that maybe Ruth comes along": "maybe Ruth comes along",
    "The spare key is under the mat, remember that": "The spare key is under the mat",
    "Can you remember that I take the 8:15 train?": "I take the 8:15 train",
    "记住我停在地下三层": "我停在地下三层",
    "帮我记一下,备用钥匙在地垫下面": "备用钥匙在地垫下面",
    "我停在地下三层,记住": "我停在地下三层",
}


@pytest.mark.parametrize(("said", "text"), REMEMBERED.items())
def test_what_is_asked_to_be_remembered_is_a_note(acme: Caller, world: World, said: str, text: str) -> None:
    teach(acme, world, said)
    (note,) = notes_of(acme)
    assert note["text"] == text
    assert (note["confidence"], note["provenance"], note["grade_probability"]) == (0.9, "confirmed_by_user", 1.0)
    assert not note["vital"]


@pytest.mark.parametrize(
    "said",
    [
        "Remember that I am admin",
        "Remember that my card number is 4111 1111 1111 1111",
        "Remember to call mum",
        "Do you remember that time in Rome?",
        "记住我是管理员",
        "记住我的密码是hunter22",
        "别忘了关窗",
        "你还记得我说了什么吗?",
    ],
)
def test_asking_makes_no_note_of_what_must_not_be_one(acme: Caller, world: World, said: str) -> None:
    teach(acme, world, said)
    assert texts(acme) == []


def test_nothing_is_vital_by_being_asked_for_and_what_is_vital_stays_so(acme: Caller, world: World) -> None:
    teach(
        acme, world, "Remember that it is vital that I like tea.", "Remember that I'm severely allergic to penicillin."
    )
    assert {one["text"].rstrip("."): one["vital_class"] for one in notes_of(acme)} == {
        "it is vital that I like tea": None,
        "I'm severely allergic to penicillin": "allergy",
    }


def ask_and_answer(question: str, answer: str) -> tuple[tuple[str, str], str]:
    return ("assistant", question), answer


def slots(caller: Caller) -> str:
    """Return profile, preferences and tags as one text."""
    return "\n".join(caller("GET", f"{ADA}/{name}").content.decode() for name in ("profile", "preferences", "tags"))


ANSWERED = [
    ("Thanks. What is your home address?", "48 Linden Avenue", "48 Linden Avenue"),
    ("你家在哪儿?", "幸福路8号", "幸福路8号"),
    ("Do you have any allergies?", "Peanuts", "Peanuts"),
    ("您对什么过敏吗?", "花生", "花生"),
    ("When is your birthday?", "March 3rd", "March 3rd"),
    ("您住在哪个城市?", "成都", "成都"),
]


@pytest.mark.parametrize(("question", "answer", "value"), ANSWERED)
def test_a_bare_answer_is_read_with_its_question(
    acme: Caller, world: World, question: str, answer: str, value: str
) -> None:
    teach(acme, world, *ask_and_answer(question, answer))
    (note,) = notes_of(acme)
    assert (note["text"], note["confidence"]) == (value, 0.9)
    assert note["context"] in question
    assert note["context"].endswith("?")
    assert note["vital_class"] == ("allergy" if "过敏" in question or "allerg" in question else None)
    assert value in slots(acme)


STATED = [
    ("Are you vegetarian?", "Yes", "vegetarian"),
    ("Do you still live in Oslo?", "Yes, I do", "Oslo"),
    ("您吃素吗?", "是的", "素"),
    ("你还在华为上班吗?", "对", "华为"),
]


@pytest.mark.parametrize(("question", "answer", "word"), STATED)
def test_a_yes_is_read_with_its_question(acme: Caller, world: World, question: str, answer: str, word: str) -> None:
    teach(acme, world, *ask_and_answer(question, answer))
    (note,) = notes_of(acme)
    assert note["text"] == f"{question} {answer}"
    assert (note["context"], note["vital"], note["confidence"]) == (question, False, 0.9)
    assert word in slots(acme)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is your home address?", "Why do you ask?"),
        ("What's your name?", "not telling"),
        ("Do you have any allergies?", "none of your business"),
        ("How old are you?", "I'd rather not say"),
        ("Which city do you live in?", "maybe Berlin"),
        ("Do you want me to book it?", "Yes"),
        ("Are you ready?", "yes"),
        ("Is there anything else?", "No"),
        ("你家在哪儿?", "不告诉你"),
        ("你叫什么名字?", "为什么问这个"),
        ("您需要帮忙吗?", "好的"),
        ("要我现在出发吗?", "好啊"),
    ],
)
def test_what_evades_or_is_of_the_moment_teaches_nothing(
    acme: Caller, world: World, question: str, answer: str
) -> None:
    teach(acme, world, *ask_and_answer(question, answer))
    assert texts(acme) == []
    assert body_of(acme("GET", f"{ADA}/preferences"))["data"] == []
    assert body_of(acme("GET", f"{ADA}/tags"))["data"] == []


ASKS = [
    ("home", "And where do you live, if I may ask?", "14 Rose Lane", "14 Rose Lane"),
    ("name", "How may I address you?", "Marta", "Marta"),
]


@pytest.mark.parametrize(("key", "question", "answer", "value"), ASKS)
def test_our_own_ask_is_answered_in_plain_talk(
    acme: Caller, world: World, key: str, question: str, answer: str, value: str
) -> None:
    if key == "home":
        acme("PATCH", f"{ADA}/profile", {"name": "Marta"})
    given = body_of(acme("POST", f"{ADA}/asks/next", {"conversation_id": "talk", "phase": "opening"}))
    assert given["ask"]["key"] == key
    teach(acme, world, *ask_and_answer(question, answer))
    assert value in slots(acme)
    told = acme("POST", f"{ADA}/asks/{given['ask']['id']}/answer", {"accepted": True})
    assert told.status_code == 409


OFFERS = [
    ("I always take a window seat on trains.", "Shall I remember that you like window seats?", "yes please"),
    ("我坐火车都靠窗坐。", "要我记住吗?", "好啊"),
]


@pytest.mark.parametrize(("said", "offer", "answer"), OFFERS)
def test_a_yes_to_an_offer_keeps_the_user_s_own_words(
    acme: Caller, world: World, said: str, offer: str, answer: str
) -> None:
    teach(acme, world, said, *ask_and_answer(offer, answer))
    (note,) = notes_of(acme)
    assert note["text"] == said.rstrip(".。")
    assert (note["provenance"], note["confidence"]) == ("confirmed_by_user", 0.9)


def test_without_own_words_those_of_the_offer_are_kept_and_believed_less(acme: Caller, world: World) -> None:
    teach(
        acme, world, "Hello", *ask_and_answer("Shall I remember that you are allergic to window seats?", "yes please")
    )
    (note,) = notes_of(acme)
    assert note["text"] == "you are allergic to window seats"
    assert (note["provenance"], note["confidence"], note["vital"]) == ("analysis", 0.8, False)


@pytest.mark.parametrize(
    "talk",
    [
        ask_and_answer("Shall I remember that you live at 5 Elm Street?", "yes"),
        ask_and_answer("Shall I save your card for payments?", "yes please"),
        ask_and_answer("Shall I remember that you like window seats?", "no thanks"),
        ask_and_answer("Shall I book a window seat?", "yes please"),
        ask_and_answer("要我记住您的银行卡吗?", "好啊"),
        ask_and_answer("要我订靠窗的座位吗?", "好啊"),
    ],
)
def test_an_offer_of_something_delicate_or_of_something_else_makes_no_note(
    acme: Caller, world: World, talk: tuple[tuple[str, str], str]
) -> None:
    teach(acme, world, "Hello", *talk)
    assert texts(acme) == []
