"""What remains of a text when a part of it is forgotten. Rows: A4."""

import pytest

from memory_platform.kernel.ids import new_id
from snapshots.forgetting.order_targets import ForgetTargets, blank_spans, find_note_remainder

NOTE = "I am vegan. I work at Brightwater."


def test_blanks_keep_every_other_character_at_its_place() -> None:
    rest = blank_spans(NOTE, [(0, 11)])
    assert len(rest) == len(NOTE)
    assert rest.index("I work") == NOTE.index("I work")
    assert "vegan" not in rest


@pytest.mark.parametrize(
    ("rest", "remainder"),
    [
        (blank_spans(NOTE, [(0, 11)]), "I work at Brightwater."),
        ("   , ", ""),  # nothing but punctuation
        (NOTE, ""),  # nothing was cut: no text of its own
        ("    hello   ", ""),  # tells nothing
    ],
)
def test_a_remainder_has_to_tell_something(rest: str, remainder: str) -> None:
    assert find_note_remainder(rest, NOTE) == remainder


def test_an_order_without_targets_is_false() -> None:
    assert not ForgetTargets()
    assert ForgetTargets({new_id(): ()})
    assert ForgetTargets(notes={new_id(): ""})
