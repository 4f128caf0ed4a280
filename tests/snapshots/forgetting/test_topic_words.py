"""Which words of a text name its topic, and whether another text repeats them, in English and Chinese. Rows: A4."""

import pytest

from snapshots.forgetting.topic_words import (
    contains_word,
    find_topic_words,
    repeats_secret,
    weigh_shared_words,
)


def test_single_chinese_characters_tell_only_whose_kin_is_meant() -> None:
    found = find_topic_words("my son likes the 蓝湾医院 and 妈")
    assert {"son", "蓝湾", "妈"} <= found
    assert "蓝" not in found


def test_a_word_that_many_texts_say_weighs_less() -> None:
    texts = [frozenset({"cat", "miso"}), frozenset({"cat"}), frozenset({"miso", "cat"}), frozenset({"cat"})]
    both, common, *_ = weigh_shared_words({"cat", "miso"}, texts)
    assert both == 1.0
    assert 0 < common < 0.5


def test_nothing_asked_for_is_shared_by_no_text() -> None:
    assert weigh_shared_words(set(), [frozenset({"cat"}), frozenset()]) == [0.0, 0.0]


@pytest.mark.parametrize(
    ("word", "held", "contained"),
    [("gav", {"gavin"}, True), ("gavin", {"gav"}, False), ("ga", {"gavin"}, False), ("猫咪", {"猫咪咪"}, False)],
)
def test_a_name_may_be_shortened_to_three_letters(word: str, held: set[str], *, contained: bool) -> None:
    assert contains_word(word, held) is contained


@pytest.mark.parametrize(
    ("text", "hidden", "besides", "repeats"),
    [
        ("So you work at Brightwater.", "I work at Brightwater Clinic.", "", True),
        ("So you work at Brightwater.", "I work at Brightwater Clinic.", "Brightwater is a fine place to work", False),
        ("Your PIN 4471 is noted.", "My PIN is 4471.", "", True),
        ("1. First, something else", "1. something", "", False),
        ("你在蓝湾医院上班。", "我在蓝湾医院当护士。", "", True),
        ("Lovely weather today.", "I work at Brightwater Clinic.", "", False),
    ],
)
def test_a_text_repeats_only_what_was_hidden_and_stands_nowhere_else(
    text: str, hidden: str, besides: str, *, repeats: bool
) -> None:
    assert repeats_secret(text, hidden, besides) is repeats
