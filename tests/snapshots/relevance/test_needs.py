"""Whether a question needs memory, on sentences that taught nothing: floors just below what is measured. Rows: X12, R3.

``tests/golden/relevance/README.md`` says who wrote the sets; docs/memory/relevance.md shows the figures.
"""

import json
from typing import Any

import numpy as np
import pytest

from lab.measuring.golden_sets import GOLDEN
from memory_platform.providers.registry import embedders
from snapshots.context.config import DEFAULT_CONTEXT
from snapshots.relevance.question_needs_model import load_question_reader

FLOORS = {
    ("needs_measure", "en"): (0.82, 0.97, 0.75),
    ("needs_measure", "zh"): (0.82, 0.98, 0.77),
    ("needs_measure_2", "en"): (0.70, 0.98, 0.78),
    ("needs_measure_2", "zh"): (0.76, 0.98, 0.64),
    ("needs_measure_3", "en"): (0.73, 0.91, 0.70),
    ("needs_measure_3", "zh"): (0.50, 0.95, 0.81),
    ("needs_measure_4", "en"): (0.69, 0.94, 0.94),
    ("needs_measure_4", "zh"): (0.81, 0.92, 0.75),
}
"""By set and language: the share of what needs nothing that is given nothing, of what needs something that is given
what helps, and that is given what fills as well."""


def needs_of(rows: list[dict[str, Any]]) -> np.ndarray[Any, Any]:
    """Return how probably each message needs memory, shape (n,)."""
    vectors = embedders("use")[0].embed([row["text"] for row in rows])
    return np.array(
        [load_question_reader().predict_needs(row["text"], v).memory for row, v in zip(rows, vectors, strict=True)]
    )


@pytest.mark.parametrize(("name", "language"), FLOORS)
def test_what_needs_memory_is_told_from_what_needs_none(name: str, language: str) -> None:
    lines = (GOLDEN / "relevance" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["language"] == language]
    needs, wanted = needs_of(rows), np.array([row["needs"] for row in rows])
    spared, given, sure = FLOORS[name, language]
    assert np.mean(needs[~wanted] < DEFAULT_CONTEXT.least_need) >= spared
    assert np.mean(needs[wanted] >= DEFAULT_CONTEXT.least_need) >= given
    assert np.mean(needs[wanted] >= DEFAULT_CONTEXT.sure_need) >= sure
