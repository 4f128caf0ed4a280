"""A bare switch ends what was just told of its kind; who lives elsewhere ends no home of the user. Rows: G4, P10."""

import pytest

from snapshots.understanding.changes.change_words import find_thing_kinds
from snapshots.understanding.changes.ending_classifier import only_replaces_thing
from snapshots.understanding.changes.mentioned_people import SELF, is_about_stranger


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("我用的是iPhone", "换成华为了"),
        ("我用的是iPhone", "我换成安卓了"),
        ("我坐公交上班", "换成坐地铁了"),
        ("I have an iPhone", "I switched to a Huawei"),
    ],
)
def test_a_thing_of_the_same_kind_takes_the_place_of_the_last(held: str, said: str) -> None:
    assert only_replaces_thing(said, held)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        ("我喜欢爬山", "换成华为了"),
        ("我用的是华为", "换成华为了"),
        ("我用的是iPhone", "我同事上个月都换成华为了"),
        ("I like hiking", "I switched to a Huawei"),
        ("I have an iPhone", "Should I get a Huawei?"),
    ],
)
def test_another_kind_and_more_than_a_switch_end_nothing(held: str, said: str) -> None:
    assert not only_replaces_thing(said, held)


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("我导师搬到学院路12号了", "我家在文三路478号"),
        ("我房东上个月搬家了", "我家在文三路478号"),
        ("My teacher has moved to 9 Pine Lane", "My home is 5 Elm Road"),
        ("My landlord lives in Porto", "I live in Leeds"),
    ],
)
def test_where_somebody_lives_is_theirs_whoever_they_are(said: str, held: str) -> None:
    assert is_about_stranger(said, held, SELF, before="")


@pytest.mark.parametrize(
    ("said", "held"),
    [
        ("My landlord moved it to the 5th", "My rent is due on the 1st"),
        ("My doctor moved to the Elm clinic", "My doctor is at the Oak clinic"),
        ("我教练把课改到周五了", "我周三有课"),
    ],
)
def test_who_decides_for_the_user_speaks_of_the_user(said: str, held: str) -> None:
    assert not is_about_stranger(said, held, SELF, before="")


def test_an_english_word_stands_alone_beside_chinese_characters() -> None:
    assert find_thing_kinds("我用的是iPhone") & find_thing_kinds("iPhone")
    assert not find_thing_kinds("iphones2") & find_thing_kinds("iPhone")
