"""What rules learn from everyday English talk, where most sentences teach nothing. Rows: E1, E2."""

import pytest

from tests.golden.blind import found_in
from tests.golden.everyday import HALVES, TALK, judged, precision, recall, wrong_per_hundred
from tests.golden.labels import rows

WRONG_PER_HUNDRED = 1.8
RECALL = 0.93
RIGHT = {"A": 0.95, "B": 0.69}
"""The share of candidates that are right; half A was read while rules were mended, half B was not."""
LEARNED = {"A": 34, "B": 25}
"""How many right ones there are at least: precision may not be bought by silence."""


def test_little_is_learned_from_talk_that_teaches_nothing() -> None:
    assert wrong_per_hundred(rows("everyday_en")) <= WRONG_PER_HUNDRED


def test_what_is_taught_by_the_way_is_learned() -> None:
    assert recall(rows("everyday_en")) >= RECALL


@pytest.mark.skipif(not TALK.exists(), reason="evaluation data is not part of the repository")
@pytest.mark.parametrize("half", HALVES)
def test_most_of_what_is_learned_from_real_talk_is_right(half: str) -> None:
    told = judged()[half]
    assert precision(told) >= RIGHT[half]
    assert told["right"] >= LEARNED[half]


@pytest.mark.parametrize(
    ("idle", "telling", "value"),
    [
        ("They run around all day and love chasing squirrels.", "I run all day and love chasing squirrels.", "chasing"),
        ("I always get emotional when they sing.", "I always get the window seat.", "window seat"),
        ("I had a mentor when I was learning to paint.", "I have pasta every Tuesday.", "pasta"),
        ("I appreciate our talks.", "I love jazz.", "jazz"),
        ("Creativity and patience keep me calm.", "Gardening calms me.", "gardening"),
        ("I'm carving out some time each day.", "I go swimming every Tuesday.", "swimming"),
        ("No excuses for me now.", "No peanuts for me, ever.", "peanuts"),
        ("Sunsets like these make me feel so alive.", "Crowds make me feel sick.", "crowds"),
    ],
)
def test_a_thing_of_ones_own_is_told_from_what_everybody_says(idle: str, telling: str, value: str) -> None:
    assert found_in(idle) == []
    assert any(value in one for entry in found_in(telling) for one in entry.values)


@pytest.mark.parametrize(
    ("idle", "telling"),
    [
        ("I used to dance with my grandma when I was little.", "I used to drink coffee, but now it's only tea."),
        ("It's great that you have friends to lean on, that's rare.", "You have me down as Maya, it's Mia."),
        ("I've never been to Norway but it sounds breathtaking.", "Who told you that? I've never been to Norway."),
        ("My mood is terrible now.", "My locker is number 40 now."),
        ("I gave up on the crossword.", "I gave up smoking."),
        ("You should take breaks instead of pushing through.", "Use oat milk instead of cream."),
    ],
)
def test_a_change_that_names_nothing_is_none(idle: str, telling: str) -> None:
    assert [entry for entry in found_in(idle) if entry.sort == "change"] == []
    assert [entry for entry in found_in(telling) if entry.sort == "change"]
