"""Why a candidate is in a prompt or not, in a sentence, in English and Chinese. Rows: G1, X12."""

from typing import Any

import pytest
from django.utils import translation

from memory_platform.console.explanation.words import reason_told


def candidate(
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
        (candidate("kept", standing="vital"), "Vital: always included.", "关键：始终放入。"),
        (
            candidate("kept", standing="lasting", lane="preferences"),
            "Profile: included while there is room.",
            "档案：有空间时始终放入。",
        ),
        (candidate("kept", 0.42), "Included: relevance 0.42, threshold 0.15.", "已放入：相关性 0.42，门槛 0.15。"),
        (
            candidate("below_floor", 0.08),
            "Left out: relevance 0.08, threshold 0.15.",
            "未放入：相关性 0.08，门槛 0.15。",
        ),
        (candidate("not_needed", 0.42), "Left out: the question needs no memory.", "未放入：这个问题不需要记忆。"),
        (candidate("over_budget"), "Left out: the token budget was used up.", "未放入：词元已用完。"),
        (candidate("over_budget", standing="vital"), "Left out: the token budget was used up.", "未放入：词元已用完。"),
        (candidate("100% of another release", 0.2), "100% of another release", "100% of another release"),
        ({"decision_reason": "below_floor"}, "Left out: it is not similar enough to the question.", None),
    ],
)
def test_a_reason_is_a_sentence_with_its_numbers(one: dict[str, Any], english: str, chinese: str | None) -> None:
    assert reason_told(one) == english
    with translation.override("zh-hans"):
        told = reason_told(one)
    assert told != english if chinese is None else told == chinese


def test_what_is_less_relevant_and_in_says_why() -> None:
    assert "below the threshold 0.15, but another memory helps" in reason_told(candidate("kept", 0.03))
