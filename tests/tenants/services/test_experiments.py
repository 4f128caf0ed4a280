"""Experiments: a draft, one that runs, percentages that change, an end. Rows: T5, T7."""

from collections.abc import Iterator
from typing import TypedDict
from uuid import UUID, uuid4

import pytest

from memory_platform.kernel.errors import VersionMismatch
from tenants.errors import ExperimentConflict, ExperimentRefused, ExperimentUnknown
from tenants.isolation import tenant_tx
from tenants.isolation.scope import scope_reads
from tenants.models import AuditRecord, Experiment, ExperimentStatus
from tenants.policies.arms import Arm, read_arms
from tenants.services.audit import COMMAND_LINE, Actor
from tenants.services.experiments import (
    create_experiment,
    end_experiment,
    experiment_by_id,
    reassign_subjects,
    start_experiment,
)
from tenants.services.policies import (
    ActivePolicy,
    build_active_policy,
    build_active_policy_statement,
    create_version,
    propose,
)
from tests.conftest import World
from tests.tenants.policies.test_policy_documents import SECTIONS

ARMS = (Arm("as it is", 1, 50), Arm("更浓", 2, 50))


class By(TypedDict):
    """Who changes something, and why."""

    by: Actor
    reason: str


BY: By = {"by": COMMAND_LINE, "reason": "which tastes better"}


@pytest.fixture
def acme(world: World) -> Iterator[UUID]:
    """The tenant whose scope is open, with a second version."""
    with tenant_tx(world.acme.tenant.id):
        create_version(propose({"tea": {"cups": 4}}, SECTIONS), **BY)
        yield world.acme.tenant.id


def active_policy(tenant_id: UUID) -> ActivePolicy:
    return build_active_policy(scope_reads([build_active_policy_statement(tenant_id)])[0])


def test_an_experiment_runs_once_and_is_on_record(acme: UUID) -> None:
    made = create_experiment("strength", ARMS, **BY)
    assert (made.status, active_policy(acme).running) == (ExperimentStatus.DRAFT, None)

    before = active_policy(acme).epoch
    start_experiment(made.id, **BY)
    started = start_experiment(made.id, **BY)
    now = active_policy(acme)
    assert (started.status, now.epoch) == (ExperimentStatus.RUNNING, before + 1)
    assert set(now.documents) == {1, 2}
    assert now.running is not None
    assert {now.running.find_arm_of(f"s{n}").name for n in range(50)} == {"as it is", "更浓"}  # type: ignore[union-attr]  # all 100 percent are dealt

    end_experiment(made.id, **BY)
    assert end_experiment(made.id, **BY).ended_at is not None
    assert active_policy(acme).running is None
    with pytest.raises(ExperimentConflict):
        start_experiment(made.id, **BY)
    with pytest.raises(ExperimentConflict):
        reassign_subjects(made.id, {"更浓": 10}, **BY)
    records = AuditRecord.objects.filter(object_kind="experiment", object_id=str(made.id)).order_by("at", "id")
    assert list(records.values_list("action", "reason")) == [
        (f"experiment.{act}", "which tastes better") for act in ("created", "started", "ended")
    ]


def test_one_experiment_runs_at_a_time(acme: UUID) -> None:
    first, second = create_experiment("one", ARMS, **BY), create_experiment("two", ARMS, **BY)
    start_experiment(first.id, **BY)
    with pytest.raises(ExperimentConflict):
        start_experiment(second.id, **BY)
    with pytest.raises(ExperimentConflict):
        end_experiment(second.id, **BY)
    end_experiment(first.id, **BY)
    start_experiment(second.id, **BY)


def test_percentages_change_while_it_runs(acme: UUID) -> None:
    made = create_experiment("strength", [Arm("as it is", 1, 30), Arm("更浓", 2, 30)], **BY)
    start_experiment(made.id, **BY)
    before, kept = active_policy(acme), read_arms(made.arms)[0]
    shared = reassign_subjects(made.id, {"更浓": 70}, **BY)
    assert read_arms(shared.arms)[0] == kept
    assert read_arms(shared.arms)[1].percent == 70
    after = active_policy(acme)
    assert after.epoch == before.epoch + 1
    assert after.running is not None
    assert len(after.running.owners) == 100


@pytest.mark.parametrize(
    ("arms", "fields"),
    [
        ([Arm("alone", 1, 50)], ["arms"]),
        ([Arm("a", 1, 60), Arm("b", 2, 60)], ["arms"]),
        ([Arm("a", 1, 10), Arm("a", 2, 10)], ["arms.0.name", "arms.1.name"]),
        ([Arm("a", 1, 10), Arm("b", 9, 10)], ["arms.1.policy_version"]),
    ],
)
def test_arms_that_cannot_be_are_refused_by_name(acme: UUID, arms: list[Arm], fields: list[str]) -> None:
    with pytest.raises(ExperimentRefused) as refused:
        create_experiment("strength", arms, **BY)
    assert [fault.field for fault in refused.value.faults] == fields
    assert not Experiment.objects.exists()


def test_other_percentages_that_cannot_be_are_refused(acme: UUID) -> None:
    made = create_experiment("strength", ARMS, **BY)
    for percents in ({"other": 1}, {"更浓": 51}):
        with pytest.raises(ExperimentRefused):
            reassign_subjects(made.id, percents, **BY)
    with pytest.raises(ExperimentConflict):
        create_experiment("strength", ARMS, **BY)
    with pytest.raises(ExperimentUnknown):
        start_experiment(uuid4(), **BY)


def test_who_saw_another_state_changes_nothing(acme: UUID) -> None:
    def stale(*seen: object) -> None:
        raise VersionMismatch(str(seen[1]))

    made = create_experiment("strength", ARMS, **BY)
    with pytest.raises(VersionMismatch, match="1"):
        start_experiment(made.id, **BY, accept=stale)
    assert experiment_by_id(made.id).status == ExperimentStatus.DRAFT


def test_another_tenant_neither_sees_nor_is_steered_by_it(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        create_version(propose({"tea": {"cups": 4}}, SECTIONS), **BY)
        made = create_experiment("strength", ARMS, **BY)
        start_experiment(made.id, **BY)
    with tenant_tx(world.globex.tenant.id):
        assert active_policy(world.globex.tenant.id) == ActivePolicy(1, 1, {1: {}})
        with pytest.raises(ExperimentUnknown):
            experiment_by_id(made.id)
        with pytest.raises(ExperimentRefused):
            create_experiment("strength", ARMS, **BY)  # the version is acme's
