"""Ways of putting right that hold in any domain: how well they are read, and what they cost. Rows: G4."""

import time

import pytest

from snapshots.extraction import corrections_frames_en, corrections_frames_zh
from snapshots.extraction.corrections import may_correct
from snapshots.extraction.corrections_frames import LONGEST
from snapshots.extraction.pipeline import extract
from snapshots.extraction.values import ExtractionContext, PreferenceCandidate
from tests.golden.blind import correction_scores, found_in
from tests.golden.labels import rows
from tests.snapshots.extraction.utterances import utter

FRAMES = [*corrections_frames_en.GRAMMAR.frames, *corrections_frames_zh.GRAMMAR.frames]
MOST_MS = 400
"""Of one frame on a hostile text, on a busy machine; they take 30 at most."""
UNITS = ["now ", "it's ", "not ", "my a's ", "you have ", "from a to ", "the the ", "that's my ", "I used to be "]
UNITS += ["just ", "the is ", "1", "你", "换成用", "不是", "是", "了", "现在", "你还你还", "早就早", "从", "改成成"]
UNITS += ["不", "你记成", "是我姐"]
FLOORS = [("corrections_dev", 0.97, 0.9), ("corrections_2", 0.95, 0.9), ("corrections_3", 0.95, 0.8)]


@pytest.mark.parametrize(("name", "precision", "recall"), FLOORS)
def test_corrections_that_were_mended_on_are_read(name: str, precision: float, recall: float) -> None:
    told = correction_scores(rows(name))["detected"]
    assert told.precision >= precision
    assert told.recall >= recall


@pytest.mark.parametrize("unit", UNITS)
def test_no_frame_is_slow_on_a_hostile_text(unit: str) -> None:
    for tail in ("", " x", "了", "?"):
        text = (unit * 300)[:250] + tail
        for frame in FRAMES:
            began = time.process_time()
            frame.pattern.search(text)
            assert (time.process_time() - began) * 1000 < MOST_MS, frame.pattern.pattern


def test_a_frame_that_finds_something_has_its_cue() -> None:
    for row in rows("corrections_dev"):
        if found_in(row["text"]) and row["is_correction"]:
            assert may_correct(row["text"]), row["text"]


@pytest.mark.parametrize(
    ("text", "old"),
    [("I don't take the train anymore, got a bike", "train"), ("健身房那张卡我退了", "健身房那张卡")],
)
def test_what_is_over_is_taken_out_wherever_it_is_held(text: str, old: str) -> None:
    found = extract(utter(text), context=ExtractionContext()).corrections
    assert [(one.mode, one.category, one.value) for one in found if isinstance(one, PreferenceCandidate)] == [
        ("remove", None, (old,))
    ]


def test_what_is_right_of_nothing_that_is_named_does_not_change_the_newest_value() -> None:
    found = extract(utter("we're a family of five now"), context=ExtractionContext()).corrections
    assert [one.mode for one in found if isinstance(one, PreferenceCandidate)] == ["set"]


def test_a_long_text_is_no_turn_that_puts_something_right() -> None:
    text = "That's my sister's car, not mine. "
    assert extract(utter(text), context=ExtractionContext()).corrections
    assert not extract(utter(text + "x " * LONGEST), context=ExtractionContext()).corrections


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("Actually, I prefer aisle seats, not window seats.", "window seats", "aisle seats"),
        ("No wait, I'd really like the aisle, not the window.", "window", "aisle"),
        ("I drink tea, definitely not coffee", "coffee", "tea"),
        ("we usually watch tennis - not golf", "golf", "tennis"),
        ("我喜欢靠过道的座位，不是靠窗的", "靠窗", "靠过道的座位"),
    ],
)
def test_a_taste_told_beside_what_it_is_not_replaces_that(text: str, old: str, new: str) -> None:
    found = extract(utter(text), context=ExtractionContext()).corrections
    assert [(one.replaces, one.value) for one in found if isinstance(one, PreferenceCandidate)] == [(old, new)]


@pytest.mark.parametrize(
    "text", ["I like it, not that it matters", "Would I like tea, not coffee?", "I love this, not gonna lie"]
)
def test_what_only_sounds_so_replaces_nothing(text: str) -> None:
    assert extract(utter(text), context=ExtractionContext()).corrections == ()
