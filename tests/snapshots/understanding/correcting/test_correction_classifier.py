"""The taught reader of corrections: what it doubts is no change, what it is sure of is one. Rows: G4."""

import pytest

from lab.measuring.blind_utterances import read_entries
from lab.measuring.corrections import score_corrections
from lab.measuring.golden_sets import load_rows
from snapshots.understanding.correcting.correction_classifier import (
    CORRECTION,
    DOUBTED,
    LONGEST_READ,
    compute_correction_features,
    is_correction,
    is_unlikely_correction,
    load_correction_classifier,
)

# One worker reads the sets, each sentence once: they are those of believing/test_blind.py.
pytestmark = pytest.mark.xdist_group("blind")
LABELLED = ("corrections_blind", "corrections_2", "corrections_3", "corrections_4")
SURE = [
    "who's Karen? my sister is Karin, you've got it wrong",
    "no, that's my old number, use the new one",
    "你又记错了，我说的是周五，不是周四",
    "那个地址早就不用了，改成公司的",
]
DOUBTED_TEXTS = [
    "the sheep are in the low field and the gate is shut",
    "could you play the next one please",
    "帮我查下明天的航班",
    "今天太热了，空调开低点",
]
CONTRASTS = [
    "he's not lazy, he's just tired",
    "she used to live in Bath, lovely place",
]
"""Frames alone take these for changes of what is held of the speaker."""


@pytest.mark.parametrize("text", SURE)
def test_what_puts_right_is_told(text: str) -> None:
    assert is_correction(text)
    assert not is_unlikely_correction(text)


@pytest.mark.parametrize("text", DOUBTED_TEXTS)
def test_what_puts_nothing_right_is_doubted(text: str) -> None:
    assert is_unlikely_correction(text)
    assert not is_correction(text)


@pytest.mark.parametrize("text", CONTRASTS)
def test_a_contrast_that_rules_took_for_a_change_changes_nothing(text: str) -> None:
    assert not [entry for entry in read_entries(text) if entry.sort == "change"]


def test_what_is_doubted_changes_nothing_that_is_sure_is_told() -> None:
    reader = load_correction_classifier()
    for row in load_rows("corrections_dev"):
        share = reader.class_shares(compute_correction_features(row["text"]))[CORRECTION]
        if share < reader.least[DOUBTED]:
            assert not [entry for entry in read_entries(row["text"]) if entry.sort == "change"], row["text"]


def test_most_statements_are_no_corrections() -> None:
    stated = [row["text"] for row in load_rows("utterances_5") if row["class"] != "change"]
    assert sum(map(is_correction, stated)) / len(stated) <= 0.1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_corrections_that_were_labelled_are_found_as_well_as_asked(language: str) -> None:
    lines = [row for name in LABELLED for row in load_rows(name) if row["language"] == language]
    found = score_corrections(lines)["detected"]
    assert found.precision >= 0.95
    assert found.recall >= 0.75


def test_they_are_found_by_a_reader_that_their_writers_did_not_teach() -> None:
    precision, recall = load_correction_classifier().taught["beside_rules"]
    assert precision >= 0.95
    assert recall >= 0.75


@pytest.mark.parametrize(
    "text",
    [
        "my dad told them it wasn't his car, it was mine",
        "隔壁老陈不再摆摊了，改送外卖",
        "要不是堵车，我早到家了",
    ],
)
def test_what_is_told_of_others_or_supposed_puts_nothing_right(text: str) -> None:
    reader = load_correction_classifier()
    assert (
        reader.class_shares(compute_correction_features(text))[CORRECTION] >= reader.least[CORRECTION]
    )  # its words alone would
    assert not is_correction(text)


def test_an_empty_text_and_a_long_one_are_read() -> None:
    assert not is_correction("  ")
    long = "You've got the wrong name, it's Karin. " + "x " * LONGEST_READ
    assert is_correction(long) == is_correction(long[:LONGEST_READ])


def test_the_whole_text_costs_little() -> None:
    assert compute_correction_features("now " * LONGEST_READ).shape == (8192,)
