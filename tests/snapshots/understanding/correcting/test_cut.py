"""Where a value ends, and what is no value beside the one that is meant, in sentences of our own.

Rows: E1, E2, P2, P3.
"""

import pytest

from lab.measuring.blind_utterances import FoundEntry, read_entries


def values(text: str) -> set[str]:
    """Return the values of everything that is read from ``text``."""
    return {value for entry in read_entries(text) for value in entry.values}


def find_shunned(text: str) -> list[FoundEntry]:
    """Return what ``text`` is read to shun."""
    return [entry for entry in read_entries(text) if entry.place and entry.place[-1].startswith(("avoid", "dislikes"))]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I can't have dairy, it keeps me up all night", "dairy"),
        ("I avoid the ring road because of the trams", "ring road"),
        ("I hate wool socks, they itch", "wool socks"),
        ("my dentist's Dr Marlow, 020 7946 0993, keep that", "020 7946 0993"),
        ("我从来不走高速,太堵了", "高速"),
    ],
)
def test_a_value_ends_where_its_name_ends(text: str, value: str) -> None:
    assert values(text) - {"dr marlow"} == {value}


@pytest.mark.parametrize(
    "text",
    [
        "don't ever book me into anything smaller than that",
        "Some day, when I'm retired, I'll only drink champagne",
        "超了五百块就不用给我推荐了",
        "超过两百就不用问我了",
    ],
)
def test_what_names_nothing_teaches_nothing(text: str) -> None:
    assert read_entries(text) == []


def test_an_age_told_of_a_pet_is_not_the_speaker_s() -> None:
    assert [entry.place for entry in read_entries("我家狗叫元宝，五岁了，特别能吃")] == [("pets",)]
    assert ("age",) in [entry.place for entry in read_entries("我叫周琳，我今年三十五岁")]


def test_what_something_else_takes_the_place_of_is_not_forbidden() -> None:
    assert find_shunned("晚饭我不吃面条了，换成沙拉") == []
    assert find_shunned("叫我阿芳就行，别叫芳姐") == []
    assert find_shunned("I don't want jazz on in the kitchen any more") == []


@pytest.mark.parametrize("text", ["我不能喝牛奶，过敏，换成豆奶", "我对花生过敏，花生酱换成芝麻酱"])
def test_what_harms_stays_forbidden_when_something_takes_its_place(text: str) -> None:
    assert [entry for entry in read_entries(text) if entry.sort == "constraint"]
