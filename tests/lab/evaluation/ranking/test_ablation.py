"""Every optimisation of recall can be switched off, and none is forgotten. Rows: D4, R2, R3."""

from dataclasses import fields

import pytest

from lab.evaluation.ranking.ablation import ABLATIONS, Switch
from snapshots.recall.config import DEFAULT_RECALL, RankingPolicy, ScoringPolicy

SWITCHED = {f"{switch.part}.{name}" for switch in ABLATIONS.values() for name in switch.off}
ALL = {
    *(f"scoring.{field.name}" for field in fields(ScoringPolicy)),
    *(f"ranking.{field.name}" for field in fields(RankingPolicy)),
}


# Shapes and limits of steps that have a switch of their own, other ways to fuse, and what is decided for an index.
NO_SWITCH = {
    *(f"scoring.{name}" for name in ("bm25_k1", "query_terms", "fusion", "rrf_k", "sentence_least", "alike_cosines")),
    *(f"scoring.related_{name}" for name in ("words", "cosine", "terms")),
    "scoring.sitting_gap_hours",
    *(f"ranking.recency_{name}" for name in ("curve", "days", "values")),
    *(
        f"ranking.{name}"
        for name in ("episode_shares", "episode_decay", "hyperbolic_rate", "provenance", "corrected_by_staff")
    ),
    *(f"ranking.validation_{name}" for name in ("days", "values")),
    *(f"ranking.frequency_{name}" for name in ("injected", "liked", "disliked", "bonus", "malus")),
}


def test_every_field_of_the_policies_has_a_switch_or_needs_none() -> None:
    assert ALL - SWITCHED == NO_SWITCH
    assert SWITCHED <= ALL


@pytest.mark.parametrize("switch", ABLATIONS.values(), ids=list(ABLATIONS))
def test_a_switch_changes_what_it_names_and_nothing_else(switch: Switch) -> None:
    without = switch(DEFAULT_RECALL)

    changed = {
        f"{part}.{field.name}"
        for part in ("scoring", "ranking")
        for field in fields(getattr(DEFAULT_RECALL, part))
        if getattr(getattr(without, part), field.name) != getattr(getattr(DEFAULT_RECALL, part), field.name)
    }
    assert changed <= {f"{switch.part}.{name}" for name in switch.off}
    assert switch(without) == without


@pytest.mark.parametrize("switch", ABLATIONS.values(), ids=list(ABLATIONS))
def test_what_is_switched_off_is_on_by_default(switch: Switch) -> None:
    assert switch(DEFAULT_RECALL) != DEFAULT_RECALL
