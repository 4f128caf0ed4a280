"""A note's words stand alone: whom they are about, and the question that they answer. Rows: X4, P9."""

import pytest

from snapshots.context.gathering.candidate_items import render_note_words

NOBODY = ("", "")
LONG = "the blood thinner, one a day, and a new one for the ankles since the summer"


@pytest.mark.parametrize(
    ("text", "about", "context", "words"),
    [
        ("Yes, both", NOBODY, "Fine. Peanuts and cashews?", "Peanuts and cashews? Yes, both"),
        (LONG, NOBODY, "How is your mother?", f"How is your mother? {LONG}"),
        (LONG, NOBODY, "What do you take?", LONG),
        (LONG, ("Ruth", "aunt"), "How is your aunt?", f"Ruth (aunt): {LONG}"),
        (
            "糖尿病，打胰岛素的，还偷吃月饼",
            NOBODY,
            "辛苦了。妈妈身体还好吗？",
            "妈妈身体还好吗？ 糖尿病，打胰岛素的，还偷吃月饼",
        ),
        ("糖尿病，打胰岛素的，还偷吃月饼", NOBODY, "您身体还好吗？", "糖尿病，打胰岛素的，还偷吃月饼"),
        (LONG, NOBODY, "My mother is here.", LONG),
    ],
)
def test_an_answer_stands_with_the_question_that_it_needs(
    text: str, about: tuple[str, str], context: str, words: str
) -> None:
    assert render_note_words(text, about, context) == words
