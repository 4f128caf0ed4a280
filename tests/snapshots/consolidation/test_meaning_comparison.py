"""Words and vectors together tell what says the same: precision 1 on the labelled pairs. Rows: E3."""

import json
from pathlib import Path

import numpy as np
import pytest

from memory_platform.providers.registry import embedder
from snapshots.consolidation.config import CONSOLIDATION
from snapshots.consolidation.meaning_comparison import have_equal_meaning, list_added_sentences, parse_meaning

GOLDEN = Path(__file__).parents[2] / "golden" / "consolidation.jsonl"
PAIRS = [json.loads(line) for line in GOLDEN.read_text().splitlines()]


def agree(one: str, other: str) -> bool:
    return have_equal_meaning(parse_meaning(one), parse_meaning(other), least_shared=CONSOLIDATION.least_shared)


@pytest.mark.parametrize(("language", "least_recall"), [("en", 0.7), ("zh", 0.8)])
def test_words_never_join_what_differs_and_mostly_join_what_does_not(language: str, least_recall: float) -> None:
    pairs = [pair for pair in PAIRS if pair["language"] == language]
    assert [pair for pair in pairs if not pair["same"] and agree(pair["one"], pair["other"])] == []
    same = [pair for pair in pairs if pair["same"]]
    assert sum(agree(pair["one"], pair["other"]) for pair in same) / len(same) >= least_recall


@pytest.mark.parametrize(("name", "language"), [("wordllama", "en"), ("use", "en"), ("use", "zh")])
def test_the_promised_cosine_keeps_what_says_the_same_in_both_spaces(database: None, name: str, language: str) -> None:
    model = embedder(name)
    assert model is not None
    same = [pair for pair in PAIRS if pair["language"] == language and pair["same"]]
    one, other = (np.asarray(model.embed([pair[side] for pair in same])) for side in ("one", "other"))
    cosines = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    assert cosines.min() > CONSOLIDATION.similarity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I want a dog", "I have a dog"),
        ("I was a nurse", "I am a nurse"),
        ("My name is Max", "Your name is Max"),
        ("我想养狗", "我有狗"),
        ("我爱人是医生", "我爱医生"),
        ("The flight is at 8:30", "The flight is at 8:45"),
        ("我一天喝两杯咖啡", "我一天喝三杯咖啡"),
    ],
)
def test_small_words_that_change_a_meaning_are_told_apart(one: str, other: str) -> None:
    assert not agree(one, other)


def test_longer_texts_share_sentences_and_differ_in_no_number() -> None:
    trip = "We booked the hotel by the lake. Breakfast is included."
    assert agree(trip, "The hotel by the lake is booked by us. We booked the hotel by the lake. Breakfast is included.")
    assert agree("Breakfast is included. Dogs are welcome.", "Breakfast is included. Parking is free.")
    assert not agree("Breakfast is included. It costs 90 euros.", "Breakfast is included. It costs 70 euros.")
    assert not agree("Breakfast is included. Dogs are welcome.", "Breakfast is included. Dogs are not welcome.")
    assert list_added_sentences("早餐包含在内。", ["早餐包含在内。可以带狗。", "可以带狗。停车免费。"]) == [
        "可以带狗。",
        "停车免费。",
    ]
