"""Coverage counted here is coverage counted from outside, over HTTP, by the tool beside this repository. Rows: D4."""

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.evaluation.ranking.evidence_overlap import build_evidence_need, estimate_tokens, list_pieces, split_into_units
from lab.evaluation.ranking.metrics import coverage_within

TOOL = Path(__file__).resolve().parents[4] / "shared" / "tools" / "recall_eval.py"

WORDS = ["we", "hiked", "up", "Mount", "Tam", "don’t", "it's", "7", "我", "爱", "爬山", "ok!", "é", "", "—", "A1"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    if not TOOL.exists():
        pytest.skip(f"{TOOL} is not here: nothing to agree with")
    spec = importlib.util.spec_from_file_location("recall_eval", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def coverage_outside(tool: ModuleType, evidence: Sequence[str], answer: Sequence[str], budget: int) -> float:
    """Return the coverage as the tool's main loop counts it."""
    used, held, runs = 0, set(), set()
    for text in answer:
        if used + tool.tokens(text) > budget:
            break
        used += tool.tokens(text)
        held |= set(tool.units(text))
        runs |= tool.shingles(text)
    return float(sum(tool.present(turn, held, runs) for turn in evidence) / len(evidence))


def coverage_here(evidence: Sequence[str], answer: Sequence[str], budget: int) -> float:
    wanted = [build_evidence_need(turn) for turn in evidence]
    offered = [list_pieces(text) for text in answer]
    bits = [
        [sum(1 << i for i, piece in enumerate(turn.pieces) if piece in pieces) for turn in wanted] for pieces in offered
    ]
    return coverage_within([budget], [estimate_tokens(text) for text in answer], bits, wanted)[budget]


@settings(max_examples=400, deadline=None)
@given(
    evidence=st.lists(TEXTS, min_size=1, max_size=4),
    answer=st.lists(TEXTS, max_size=6),
    quoted=st.integers(0, 3),
    budget=st.integers(0, 60),
)
def test_coverage_agrees(tool: ModuleType, evidence: list[str], answer: list[str], quoted: int, budget: int) -> None:
    answer = [*evidence[:quoted], *answer]  # some of the evidence is really there

    assert coverage_here(evidence, answer, budget) == coverage_outside(tool, evidence, answer, budget)


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=40))
def test_units_and_tokens_agree_on_any_text(tool: ModuleType, text: str) -> None:
    assert split_into_units(text) == tool.units(text)
    assert estimate_tokens(text) == tool.tokens(text)
