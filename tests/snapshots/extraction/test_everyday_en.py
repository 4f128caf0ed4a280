"""What rules learn from everyday English talk, where most sentences teach nothing. Rows: E1, E2."""

import pytest

from tests.golden.blind import found_in
from tests.golden.labels import rows
from tests.golden.measure.everyday import recall, wrong_per_hundred

WRONG_PER_HUNDRED = 1.0
RECALL = 0.58


def test_little_is_learned_from_talk_that_teaches_nothing() -> None:
    assert wrong_per_hundred(rows("everyday_en")) <= WRONG_PER_HUNDRED


def test_what_is_taught_by_the_way_is_learned() -> None:
    assert recall(rows("everyday_en")) >= RECALL


@pytest.mark.parametrize(
    ("idle", "telling", "value"),
    [
        ("They run around all day and love chasing squirrels.", "I love chasing squirrels.", "chasing"),
        ("I always get emotional when they sing.", "I prefer the window seat.", "window seat"),
        ("I had a mentor when I was learning to paint.", "I love pasta.", "pasta"),
        ("I appreciate our talks.", "I love jazz.", "jazz"),
        ("Creativity and patience keep me calm.", "I love gardening.", "gardening"),
        ("I'm carving out some time each day.", "I love swimming.", "swimming"),
        ("No excuses for me now.", "No peanuts for me, ever.", "peanuts"),
        ("Sunsets like these make me feel so alive.", "I hate crowds.", "crowds"),
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
