"""The picture of coverage against budget. Rows: D4."""

from pathlib import Path

import pytest

from lab.evaluation.coverage_plot import BUDGETS, RECALL, compute_curves, draw
from snapshots.recall.config import DEFAULT_RECALL
from tests.lab.evaluation.memories import subject

LIN = subject("lin", ["I planted tomatoes.", "My cousin plays the cello."], {"Which tomatoes?": [0]})


def test_a_curve_rises_with_the_budget() -> None:
    curves = compute_curves([LIN], DEFAULT_RECALL, top_k=10)

    assert len(curves) == 4
    for curve in curves.values():
        assert list(curve) == list(BUDGETS)
        assert sorted(curve.values()) == list(curve.values())
    assert curves[RECALL][BUDGETS[-1]] == 1


def test_the_picture_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the packages of the group evaluation are not installed")
    run = {
        "run_id": "0123456789ab",
        "dataset": {"name": "bilingual"},
        "asked": {"questions": 1},
        "curves": compute_curves([LIN], DEFAULT_RECALL, top_k=10),
    }

    draw(run, tmp_path / "curve.png")

    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="xyz"):
        draw(run, tmp_path / "curve.xyz")
