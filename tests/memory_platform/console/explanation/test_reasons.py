"""Why a candidate is in a prompt or not, in a sentence, in English and Chinese. Rows: G1, X12."""

from typing import Any

import pytest
from django.utils import translation

from memory_platform.console.explanation.explanation_texts import render_decision


def make_candidate(
    reason: str, relevance: float | None = None, standing: str = "", lane: str = "snapshots"
) -> dict[str, Any]:
    threshold = None if relevance is None else 0.15
    return {
        "decision_reason": reason,
        "relevance": relevance,
        "threshold": threshold,
        "standing": standing,
        "lane": lane,
    }


@pytest.mark.parametrize(
    ("one", "english", "chinese"),
    [
        (make_candidate("kept", standing="vital"), "Always sent: a vital note.", "始终放入：至关重要的笔记。"),
        (
            make_candidate("kept", standing="lasting", lane="preferences"),
            "Always sent if it fits: part of the profile.",
            "有空间时始终放入：画像内容。",
        ),
        (make_candidate("kept", 0.42), "Included: relevance 0.42, threshold 0.15.", "已放入：相关性 0.42，门槛 0.15。"),
        (
            make_candidate("below_floor", 0.08),
            "Left out: relevance 0.08, threshold 0.15.",
            "未放入：相关性 0.08，门槛 0.15。",
        ),
        (make_candidate("not_needed", 0.42), "Left out: the question needs no memory.", "未放入：这个问题不需要记忆。"),
        (make_candidate("over_budget", 0.03), "Left out: no room for it.", "未放入：空间不足。"),
        (make_candidate("over_budget"), "Left out: no room for it.", "未放入：空间不足。"),
        (
            make_candidate("over_budget", standing="vital"),
            "Left out: no room for it.",
            "未放入：空间不足。",
        ),
        (make_candidate("100% of another release", 0.2), "100% of another release", "100% of another release"),
        ({"decision_reason": "below_floor"}, "Left out: not relevant enough.", None),
    ],
)
def test_a_reason_is_a_sentence_with_its_numbers(one: dict[str, Any], english: str, chinese: str | None) -> None:
    assert render_decision(one) == english
    with translation.override("zh-hans"):
        told = render_decision(one)
    assert told != english if chinese is None else told == chinese


def test_what_is_less_relevant_and_in_says_why() -> None:
    assert "below the threshold 0.15, but another memory helps" in render_decision(make_candidate("kept", 0.03))
