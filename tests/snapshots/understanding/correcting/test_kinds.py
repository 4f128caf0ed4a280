"""What is lifted, and what takes the place of a value of its kind that nobody names. Rows: G4, P4."""

import pytest

from snapshots.understanding.correcting.value_correction_detection import find_corrections, may_correct
from snapshots.understanding.reading.own_sentences import OwnSentence
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
from snapshots.understanding.values import CurrentValue, Utterance
from tests.snapshots.understanding.making import MONDAY


def find_changes(text: str, *held: CurrentValue) -> list[tuple[str | None, object]]:
    """Return what a sentence changes: what gives way, and to what."""
    form = fold_for_matching(text)
    if not may_correct(text):
        return []
    found = find_corrections(
        OwnSentence(Utterance("m", "user", None, text, MONDAY, 1), form, 0, detect_rule_language(form)), held
    )
    return [(one.replaces or str(one.value_texts[0]), one.value if one.replaces else None) for one in found]


@pytest.mark.parametrize(
    ("avoided", "text"),
    [
        ("牛肉", "我又开始吃牛肉了"),
        ("猪肉", "我又吃猪肉了"),
        ("咖啡", "我现在又喝咖啡了"),
        ("香菜", "我现在吃香菜了"),
        ("高架", "我重新走高架了"),
        ("beef", "I've started eating beef again"),
        ("dairy", "I can have dairy now"),
    ],
)
def test_a_limit_that_is_lifted_goes(avoided: str, text: str) -> None:
    assert find_changes(text, CurrentValue("avoid", avoided)) == [(avoided, None)]


@pytest.mark.parametrize(
    ("avoided", "text"),
    [
        ("牛肉", "我吃素,牛肉不吃"),
        ("酒", "我爸又喝酒了"),
        ("牛肉", "我现在不吃牛肉了"),
        ("香菜", "我现在喝汤,别放香菜"),
        ("香菜", "如果我现在吃香菜了会怎样"),
        ("beef", "I still can't eat beef"),
        ("beef", "My dad eats beef again"),
        ("beef", "I can eat anything but no beef"),
        ("beef", "I'm eating out tonight, no beef please"),
    ],
)
def test_a_limit_that_is_not_lifted_stays(avoided: str, text: str) -> None:
    assert find_changes(text, CurrentValue("avoid", avoided)) == []


@pytest.mark.parametrize(
    ("key", "old", "text", "new"),
    [
        ("likes", "拿铁", "改成喝美式吧", "美式"),
        ("likes", "简约风", "我现在更喜欢运动风", "运动风"),
        ("likes", "简约风的穿搭", "现在更喜欢运动风", "运动风"),
        ("phone_model", "iPhone", "换成华为了", "华为"),
        ("car", "比亚迪", "我换成蔚来了", "蔚来"),
        ("car", "Volvo", "I switched to a Tesla", "Tesla"),
        ("likes", "minimalist style", "I prefer sporty style now", "sporty style"),
    ],
)
def test_a_thing_takes_the_place_of_the_one_of_its_kind(key: str, old: str, text: str, new: str) -> None:
    assert find_changes(text, CurrentValue(key, old)) == [(old, new)]


@pytest.mark.parametrize(
    ("key", "old", "text"),
    [
        ("likes", "爬山", "换成华为了"),
        ("interests", "简约风", "我现在更喜欢运动风"),
        ("likes", "拿铁", "我喜欢美式"),
        ("medication", "metformin", "The doctor changed metformin to 1000 mg"),
        ("likes", "Thai food", "we moved to the bigger table"),
    ],
)
def test_another_kind_or_no_change_takes_no_place(key: str, old: str, text: str) -> None:
    assert find_changes(text, CurrentValue(key, old)) == []


def test_of_two_of_a_kind_neither_gives_way() -> None:
    assert find_changes("改成喝美式吧", CurrentValue("likes", "拿铁"), CurrentValue("likes", "红茶")) == []


def test_words_of_spelling_are_no_part_of_a_name() -> None:
    assert find_changes("It's spelled John, not Jon", CurrentValue("name", "Jon")) == [("Jon", "John")]
    assert find_changes("It's pronounced Alain, not Alan", CurrentValue("name", "Alan")) == [("Alan", "Alain")]


@pytest.mark.parametrize("text", ["我最近改喝美式了", "change that to 73"])
def test_a_word_that_names_nothing_is_no_wrong_side(text: str) -> None:
    assert find_changes(text) == []


def test_a_doctor_s_order_ends_what_it_names() -> None:
    assert find_changes("医生说我现在不能喝酒了", CurrentValue("likes", "酒")) == [("酒", None)]
    assert find_changes("医生说他现在不能喝酒了", CurrentValue("likes", "酒")) == []
