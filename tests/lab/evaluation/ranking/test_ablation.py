"""Every optimisation of recall can be switched off, and none is forgotten. Rows: D4, R2, R3."""

from dataclasses import fields

import pytest

from lab.evaluation.ranking.ablation import ABLATIONS, NOT_SWITCHED, Switch
from snapshots.recall.policy import DEFAULT_RECALL, RankingPolicy, ScoringPolicy

SWITCHED = {f"{switch.part}.{name}" for switch in ABLATIONS.values() for name in switch.off}
ALL = {
    *(f"scoring.{field.name}" for field in fields(ScoringPolicy)),
    *(f"ranking.{field.name}" for field in fields(RankingPolicy)),
}


def test_every_field_of_the_policies_has_a_switch_or_a_reason() -> None:
    assert ALL - SWITCHED - set(NOT_SWITCHED) == set()


def test_no_switch_and_no_reason_outlives_its_field() -> None:
    assert (SWITCHED | set(NOT_SWITCHED)) - ALL == set()
    assert SWITCHED & set(NOT_SWITCHED) == set()
    assert all(NOT_SWITCHED.values())


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
