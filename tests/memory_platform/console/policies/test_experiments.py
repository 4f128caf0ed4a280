"""Managers make, start and end experiments and see each arm's indicators; nobody else does. Rows: T3, T5, T7, G5."""

from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.indicators import roll_up_indicators
from snapshots.models import Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Experiment
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.forms import forms_of
from tests.snapshots.policies.test_effective import make

LIST = "/console/tenants/experiment/"
ADD = f"{LIST}add/"
FILLED = {
    "name": "shorter 更短",
    "arm1_name": "as it is",
    "arm1_version": "1",
    "arm1_percent": "50",
    "arm2_name": "短",
    "arm2_version": "2",
    "arm2_percent": "50",
    "reason": "which is better",
}


@pytest.fixture
def experiment_draft(world: World, staff: Staff) -> Experiment:
    """acme's draft, made in the console."""
    make(world.acme, {"recall": {"top_k": 3}})
    assert staff.mia.post(ADD, FILLED).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        return Experiment.objects.get()


def run_list_action(client: Any, verb: str, experiment: Experiment, reason: str = "now") -> Any:
    return client.post(LIST, {"action": verb, "_selected_action": [str(experiment.pk)], "reason": reason}, follow=True)


def read_status(world: World) -> str:
    with tenant_tx(world.acme.tenant.id):
        return Experiment.objects.get().status


def test_a_manager_makes_starts_and_ends_one_on_record(
    world: World, staff: Staff, experiment_draft: Experiment
) -> None:
    assert [(arm["name"], arm["policy_version"], arm["percent"]) for arm in experiment_draft.arms] == [
        ("as it is", 1, 50),
        ("短", 2, 50),
    ]
    run_list_action(staff.mia, "start", experiment_draft, reason="")
    assert read_status(world) == "draft"
    for verb, now in (("start", "running"), ("end", "ended")):
        run_list_action(staff.mia, verb, experiment_draft)
        assert read_status(world) == now
    assert "each can run only once" in run_list_action(staff.mia, "start", experiment_draft).content.decode()
    with tenant_tx(world.acme.tenant.id):
        told = AuditRecord.objects.filter(
            object_id=str(experiment_draft.pk), action__startswith="experiment.", reason="now"
        )
        assert set(told.values_list("action", flat=True)) == {"experiment.started", "experiment.ended"}


def test_a_manager_shares_the_subjects_out_anew(world: World, staff: Staff, experiment_draft: Experiment) -> None:
    page = f"{LIST}{experiment_draft.pk}/change/"
    run_list_action(staff.mia, "start", experiment_draft)
    assert 'name="share1"' in staff.mia.get(page).content.decode()
    over = staff.mia.post(page, {"share0": "60", "share1": "50", "reason": "more"})
    assert "add up to at most 100" in over.content.decode()
    assert "required" in staff.mia.post(page, {"share0": "20", "share1": "50"}).content.decode()
    assert staff.mia.post(page, {"share0": "20", "share1": "70", "reason": "more 更多"}).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        shared = Experiment.objects.get()
        assert [arm["percent"] for arm in shared.arms] == [20, 70]
        assert shared.status == "running"
        assert AuditRecord.objects.filter(action="experiment.shared_out", reason="more 更多").count() == 1
    for client in (staff.sam, staff.gus):
        assert client.post(page, {"share0": "1", "share1": "1", "reason": "x"}).status_code in {403, 404}
    run_list_action(staff.mia, "end", experiment_draft)
    assert 'name="share1"' not in staff.mia.get(page).content.decode()
    staff.mia.post(page, {"share0": "1", "share1": "1", "reason": "x"})
    with tenant_tx(world.acme.tenant.id):
        assert [arm["percent"] for arm in Experiment.objects.get().arms] == [20, 70]


def test_its_page_shows_each_arm_with_intervals(world: World, staff: Staff, experiment_draft: Experiment) -> None:
    page = f"{LIST}{experiment_draft.pk}/change/"
    assert "No context of this experiment" in staff.mia.get(page).content.decode()
    with tenant_tx(world.acme.tenant.id):
        for _ in range(4):
            Receipt.objects.create(
                subject=world.acme.subject,
                policy_version="2",
                experiment=experiment_draft.name,
                arm="短",
                tokens={"total": 90},
            )
    roll_up_indicators(world.acme.tenant.id, utc_now().date())
    shown = staff.mia.get(page).content.decode()
    assert "<bdi>短</bdi>" in shown
    assert ">90.0<" in shown


@pytest.mark.parametrize(
    "wrong",
    [
        {"arm1_percent": "51"},
        {"arm2_name": "as it is"},
        {"arm2_version": "9"},
        {"arm2_name": ""},
        {"arm3_name": "third"},
        {"name": ""},
        {"name": FILLED["name"]},
        {"reason": ""},
    ],
)
def test_what_cannot_be_is_asked_again(
    world: World, staff: Staff, experiment_draft: Experiment, wrong: dict[str, str]
) -> None:
    assert staff.mia.post(ADD, {**FILLED, "name": "other", **wrong}).status_code == 200
    assert read_status(world) == "draft"


def test_who_is_no_manager_here_sees_and_changes_nothing(
    world: World, staff: Staff, experiment_draft: Experiment
) -> None:
    for client in (staff.vic, staff.sam):
        assert client.get(LIST).status_code == 403
        assert client.post(ADD, {**FILLED, "name": "other"}).status_code == 403
        assert run_list_action(client, "start", experiment_draft).status_code == 403
    assert staff.gus.get(f"{LIST}{experiment_draft.pk}/change/").status_code in {302, 403}
    assert read_status(world) == "draft"


def test_a_start_that_is_refused_keeps_row_action_and_reason(
    world: World, staff: Staff, experiment_draft: Experiment
) -> None:
    page = run_list_action(staff.mia, "start", experiment_draft, reason="").content.decode()
    (form,) = (form for form in forms_of(page) if "_selected_action" in form.fields)
    assert (form.fields["_selected_action"], form.fields["action"]) == ([str(experiment_draft.pk)], ["start"])
    for verb in ("start", "end"):
        run_list_action(staff.mia, verb, experiment_draft)
    page = run_list_action(staff.mia, "start", experiment_draft, reason="once more").content.decode()
    (form,) = (form for form in forms_of(page) if "_selected_action" in form.fields)
    assert (form.fields["action"], form.fields["reason"]) == (["start"], ["once more"])
