"""Sentences written apart from the rules: the floors that are reached, class by class. Rows: E1, E2, G4, P3, A3."""

import pytest

from lab.measuring.blind_utterances import (
    CLASSES,
    READ,
    compare_line,
    read_entries,
    score_lasting_wishes,
    score_utterances,
)
from lab.measuring.corrections import score_corrections
from lab.measuring.golden_sets import load_rows

# One worker reads all sets, each sentence once.
pytestmark = pytest.mark.xdist_group("blind")
STATED = ("explicit", "change", "constraint")
"""What is said; a habit that is only shown is kept as a note, and fills no slot."""
ASKED = {"explicit": (0.95, 0.58), "change": (0.92, 0.72), "constraint": (0.9, 0.38)}
"""Precision and recall of each class, over all that was read together. Of what labels of constraints leave out, three
are illnesses that stand behind the limit ("I have a bad back so no walks"): true, and counted as wrong."""
FLOORS = {
    "utterances": {"explicit": (0.97, 0.74), "change": (0.9, 0.78), "constraint": (0.89, 0.44)},
    "utterances_2": {"explicit": (0.97, 0.6), "change": (0.97, 0.8), "constraint": (0.97, 0.32)},
    "utterances_3": {"explicit": (0.97, 0.62), "change": (0.94, 0.75), "constraint": (0.93, 0.47)},
    "utterances_4": {"explicit": (0.97, 0.47), "change": (0.95, 0.8), "constraint": (0.97, 0.27)},
}
"""Precision and recall of sets that have been read while rules were mended: they say that nothing broke."""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("sort", STATED)
def test_each_class_is_read_as_well_as_asked_on_all_that_was_read(sort: str, language: str) -> None:
    lines = [row for name in READ for row in load_rows(name) if row["language"] == language]
    reached = score_utterances(lines, "said")[sort]
    assert reached.precision >= ASKED[sort][0]
    assert reached.recall >= ASKED[sort][1]


def test_what_a_line_also_says_counts_neither_way() -> None:
    line = {"text": "我海鲜过敏，我从来不走高速", "class": "constraint"}
    label = {"kind": "preference", "category": "food", "key": "allergies", "value": "海鲜"}
    road = {"kind": "preference", "category": "navigation", "key": "avoid", "value": "高速"}
    right, wrong, lost = compare_line(line | {"expected": [label]}, "said")
    assert ([one.values for one in right], [one.values for one in wrong], lost) == ([("海鲜",)], [("高速",)], [])
    right, wrong, lost = compare_line(line | {"expected": [label], "also": [road]}, "said")
    assert ([one.values for one in right], wrong, lost) == ([("海鲜",)], [], [])
    elsewhere = {"kind": "profile", "field": "health", "value": "海鲜", "or": [label]}
    assert compare_line(line | {"expected": [elsewhere], "also": [road]}, "placed")[1:] == ([], [])


@pytest.mark.parametrize("name", READ)
def test_each_class_is_read_as_well_as_before(name: str) -> None:
    reached = score_utterances(load_rows(name), "said")
    assert set(reached) == set(CLASSES)
    short = {
        sort: score
        for sort, score in reached.items()
        if sort in FLOORS[name] and (score.precision < FLOORS[name][sort][0] or score.recall < FLOORS[name][sort][1])
    }
    assert not short


@pytest.mark.parametrize("name", READ)
def test_what_is_meant_for_the_moment_never_lasts(name: str) -> None:
    lasting = score_lasting_wishes(load_rows(name))
    assert lasting.precision == 1.0
    assert lasting.recall >= 0.5


@pytest.mark.parametrize("name", READ)
def test_what_teaches_nothing_is_mostly_left_alone(name: str) -> None:
    nothing = [row for row in load_rows(name) if row["class"] == "nothing"]
    assert sum(not read_entries(row["text"]) for row in nothing) / len(nothing) >= 0.94


def test_corrections_are_told_from_contrasts() -> None:
    told = score_corrections(load_rows("corrections_blind"))["detected"]
    assert told.precision >= 0.95
    assert told.recall >= 0.85


@pytest.mark.parametrize(
    ("name", "least"),
    [("corrections_blind", 0.85), ("corrections_2", 0.9), ("corrections_3", 0.75), ("corrections_4", 0.9)],
)
def test_corrections_end_what_they_name_and_nothing_else(name: str, least: float) -> None:
    ended = score_corrections(load_rows(name))["ended"]
    assert ended.precision == 1.0
    assert ended.recall >= least
