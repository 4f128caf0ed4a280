"""What rules learn from everyday English talk, where most sentences teach nothing. Rows: E1, E2."""

import pytest

from lab.measuring.blind_utterances import read_entries
from lab.measuring.everyday_talk import compute_recall, count_wrong_per_hundred
from lab.measuring.golden_sets import load_rows

# One worker computes the vectors of the set.
pytestmark = pytest.mark.xdist_group("everyday en")
WRONG_PER_HUNDRED = 1.0
RECALL = 0.58


def test_little_is_learned_from_talk_that_teaches_nothing() -> None:
    assert count_wrong_per_hundred(load_rows("everyday_en")) <= WRONG_PER_HUNDRED


def test_what_is_taught_by_the_way_is_learned() -> None:
    assert compute_recall(load_rows("everyday_en")) >= RECALL


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
    assert read_entries(idle) == []
    assert any(value in one for entry in read_entries(telling) for one in entry.values)
