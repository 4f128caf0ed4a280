"""What rules read of sentences that nobody who mends them has seen: floors below what lab/notes/understanding.md tells.

Rows: E1, E2, G4, A3.
"""

import pytest

from lab.measuring.blind_utterances import read_entries, score_lasting_wishes, score_utterances
from lab.measuring.corrections import score_corrections, score_outcomes
from lab.measuring.golden_sets import load_rows

# One worker reads the sets, each sentence once.
pytestmark = pytest.mark.xdist_group("unseen")
SAID = {"explicit": (0.8, 0.2), "change": (0.95, 0.62), "constraint": (0.94, 0.24)}
"""Precision and recall; goal .95 in both classes of statements: right or silent."""
DETECTED = (0.93, 0.7)
ENDED = 0.5
"""Share of the corrections that end what they name as wrong, among other values."""
HELD, PUT_RIGHT = 0.76, 0.44
"""Share of those whose right side is held afterwards, and of those that do all that they say."""


@pytest.mark.parametrize("name", SAID)
def test_utterances_of_strangers_are_read(name: str) -> None:
    score = score_utterances(load_rows("utterances_unseen"), "said")[name]
    assert score.precision >= SAID[name][0]
    assert score.recall >= SAID[name][1]


def test_what_teaches_nothing_is_left_alone() -> None:
    nothing = [row for row in load_rows("utterances_unseen") if row["class"] == "nothing"]
    assert len(nothing) == 80
    assert sum(not read_entries(row["text"]) for row in nothing) >= 75


def test_wishes_of_the_moment_are_no_lasting_ones() -> None:
    score = score_lasting_wishes(load_rows("utterances_unseen"))
    assert score.precision == 1.0
    assert score.recall >= 0.25


def test_corrections_of_strangers_are_found() -> None:
    found = score_corrections(load_rows("corrections_unseen"))
    assert found["detected"].precision >= DETECTED[0]
    assert found["detected"].recall >= DETECTED[1]
    assert found["ended"].recall >= ENDED
    assert found["ended"].precision == 1.0


def test_what_strangers_put_right_is_held_afterwards() -> None:
    found = score_outcomes(load_rows("corrections_unseen"))
    assert found["held"].recall >= HELD
    assert found["put right"].recall >= PUT_RIGHT
