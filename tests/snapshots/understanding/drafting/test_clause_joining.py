"""Lasting clauses stand together as the smallest part that stands alone. Rows: P9."""

import pytest

from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.clause_joining import NotePart, assemble_parts
from snapshots.understanding.grading.clause_classifier import ClauseGrade
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.text_folding import estimate_tokens


def grade_parts(message: str, lasting: list[float], asked: str = "", vital: float = 0.0) -> list[NotePart]:
    spoken = SpokenMessage(message, tuple(split_clauses(message)), asked)
    assert len(spoken.clauses) == len(lasting)
    grades = [ClauseGrade("fact", one, "fact", 0.0, 0.0, vital, "allergy") for one in lasting]
    return assemble_parts(spoken, grades)


def parts(message: str, lasting: list[float], asked: str = "", vital: float = 0.0) -> list[str]:
    return [message[part.start : part.end] for part in grade_parts(message, lasting, asked, vital)]


def test_clauses_of_one_sentence_are_one_note_with_what_stands_between() -> None:
    message = "I work nights, you know how it is, and I sleep until two."
    assert parts(message, [0.9, 0.1, 0.8]) == [message.rstrip(".")]


def test_sentences_stand_alone() -> None:
    assert parts("I live in Porto. I speak Dutch at home.", [0.9, 0.9]) == ["I live in Porto", "I speak Dutch at home"]


def test_a_sentence_that_leans_on_the_one_before_joins_it() -> None:
    message = "My niece lives with us. She's two."
    assert parts(message, [0.9, 0.9]) == ["My niece lives with us. She's two"]
    assert parts("我女儿在上小学。她对牛奶过敏。", [0.9, 0.9]) == ["我女儿在上小学。她对牛奶过敏"]


@pytest.mark.parametrize(
    ("message", "vital_plan"),
    [
        ("My niece turns six on Friday. She's allergic to mango", 0.0),
        ("我女儿下个月满六岁。她对芒果过敏", 0.0),
        ("She gets her new epipen on Monday. She's allergic to mango", 0.9),
        ("我女儿下周五做过敏测试。她对芒果过敏", 0.9),
    ],
)
def test_a_vital_clause_lends_its_grade_to_a_plan_beside_it(message: str, vital_plan: float) -> None:
    spoken = SpokenMessage(message, tuple(split_clauses(message)), "")
    kinds = [("plan", 0.9, vital_plan), ("limit", 0.6, 0.9)]
    grades = [ClauseGrade(kind, lasting, kind, 0.0, 0.0, vital, "allergy") for kind, lasting, vital in kinds]
    (part,) = assemble_parts(spoken, grades)
    assert (message[part.start : part.end], part.grade.kind, part.vital_class) == (message, "limit", "allergy")
    assert part.grade.lasting == 0.9


def test_a_fragment_needs_more_certainty_unless_it_answers() -> None:
    assert parts("the routine", [0.6]) == []
    assert parts("the routine", [0.85]) == ["the routine"]
    assert parts("Tuesdays", [0.6], asked="Which day suits you?") == ["Tuesdays"]


def test_a_vital_clause_is_held_from_a_lower_probability() -> None:
    assert parts("I get hives from latex gloves", [0.25], vital=0.6) == ["I get hives from latex gloves"]
    assert parts("I get hives from latex gloves", [0.25]) == []
    assert parts("I get up early most days", [0.25], vital=0.6) == []  # no cue: the reader alone is not sure enough


@pytest.mark.parametrize(
    "said",
    [
        "My emergency contact is Ruth",
        "my eyes are not good",
        "Dad takes lisinopril",
        "紧急联系人换成我儿子",
        "我妈有帕金森",
        "我有慢性咽炎",
    ],
)
def test_what_says_itself_that_it_is_vital_needs_no_surer_reader(said: str) -> None:
    assert [part.vital_class != "" for part in grade_parts(said, [0.3], vital=0.05)] == [True]
    assert grade_parts(said, [0.1], vital=0.05) == []  # a question, or what is over by tomorrow


def test_nothing_with_a_link_is_vital_outright() -> None:
    assert grade_parts("My emergency contact is on https://page.example", [0.3], vital=0.05) == []


def test_an_emergency_alone_is_not_vital() -> None:
    assert grade_parts("It is an emergency today", [0.3], vital=0.05) == []
    assert grade_parts("应急灯坏了", [0.3], vital=0.05) == []


def test_what_is_vital_is_not_joined_with_a_link() -> None:
    message = "I get hives from latex gloves. It is all on https://gloves.example. It is the nurse's page."
    assert parts(message, [0.9, 0.9, 0.9], vital=0.6)[0] == "I get hives from latex gloves"
    assert parts("I get hives from latex, see https://gloves.example", [0.25], vital=0.9) == []


def test_no_note_is_longer_than_its_ceiling() -> None:
    message = ", ".join(["I keep a list of every garden that I have seen"] * 12)
    found = parts(message, [0.9] * len(split_clauses(message)))
    assert len(found) > 1
    assert all(estimate_tokens(one) <= NOTING.tokens for one in found)


@pytest.mark.parametrize("lasting", [0.0, 0.29, NOTING.held_from - 0.01])
def test_what_does_not_last_makes_no_note(lasting: float) -> None:
    assert parts("I am standing in line at the bakery", [lasting]) == []
