"""The golden sets are read, and what was found in them is scored by class. Rows: D4."""

from pathlib import Path

import pytest

from lab.measuring.golden_sets import load_file, load_lives, load_rows, render_labels, render_score, score_classes
from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import Extraction, ExtractionContext
from tests.snapshots.understanding.utterances import utter


def test_sets_and_lives_are_read() -> None:
    assert {"text"} <= load_rows("extraction")[0].keys()
    assert {"subject_id", "sessions"} <= load_lives("en_2")[0].keys()


def test_what_is_read_in_a_few_rows_has_the_labels_that_they_expect() -> None:
    for row in load_rows("extraction")[:5]:
        found = extract_candidates(utter(row["text"]), context=ExtractionContext())
        assert set(render_labels(found)) == set(row["expect"]), row["text"]
    assert list(render_labels(Extraction())) == []


def test_a_class_is_scored_by_what_was_found_and_what_was_missed() -> None:
    pairs = [
        ({"profile name=Ada", "place home @ 1 Elm"}, {"profile name=Ada"}),
        ({"profile name=Bob"}, {"profile name=Bea", "contact mum # 555"}),
    ]
    scores = score_classes(pairs)
    assert scores.keys() == {"contact", "place", "profile"}
    profile = scores["profile"]
    assert (profile.hits, profile.extra, profile.missed) == (1, 1, 1)
    assert profile.figures == [0.5, 0.5]
    assert scores["place"].figures == [0.0, 1.0]
    assert scores["contact"].figures == [1.0, 0.0]
    assert "(1 hits, 1 extra, 1 missed)" in render_score("profile", profile)


def test_a_file_that_cannot_be_read_ends_in_a_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"text": "hi"}\n\noops\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="no file of labelled lines"):
        load_file(broken)
    broken.write_text('{"text": "hi"}\n\n', encoding="utf-8")
    assert load_file(broken) == [{"text": "hi"}]
