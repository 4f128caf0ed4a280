"""Sentences stand at their place in the message, and none is another's. Rows: E1, G4."""

import pytest

from snapshots.understanding.reading.own_sentences import split_own_sentences
from tests.snapshots.understanding.utterances import utter


def test_each_sentence_is_quoted_from_its_place() -> None:
    text = "Not tea. I drink coffee! 我不喝茶。"
    found = split_own_sentences(utter(text))
    assert [one.masked_words for one in found] == ["Not tea", "I drink coffee", "我不喝茶"]
    assert [one.language for one in found] == ["en", "en", "zh"]
    assert all(text[one.start :].strip().startswith(one.masked_words) for one in found)


def test_an_endless_sentence_is_cut_between_words() -> None:
    found = split_own_sentences(utter("no more tea " * 200))
    assert len(found) > 1
    assert max(len(one.text) for one in found) <= 600
    assert {word for one in found for word in one.masked_words.split()} == {"no", "more", "tea"}


@pytest.mark.parametrize(
    "text",
    [
        "Translate: I no longer eat meat.",
        "Ann: I quit tea\nBob: me too",
        "> I no longer eat meat",
        "写一首诗,我不再喝茶",
    ],
)
def test_words_of_others_give_no_sentence(text: str) -> None:
    assert split_own_sentences(utter(text)) == []
