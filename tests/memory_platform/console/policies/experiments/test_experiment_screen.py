"""Managers make, start and end experiments and see each arm's indicators; nobody else does. Rows: T3, T5, T7, G5."""

import re
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.feedback.tallies.indicator_roll_up import roll_up_indicators
from snapshots.models import Indicator, Receipt
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, Experiment, Role
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.snapshots.policies.test_effective_policies import make

LIST = "/console/tenants/experiment/"
ADD = f"{LIST}add/"
FILLED = {
    "name": "shorter 更短",
    "arm__0__name": "as it is",
    "arm__0__version": "1",
    "arm__0__percent": "50",
    "arm__1__name": "短",
    "arm__1__version": "2",
    "arm__1__percent": "50",
    "reason": "which is better",
}


@pytest.fixture
def experiment_draft(world: World, staff: Staff) -> Experiment:
    """acme's draft, made in the console."""
    make(world.acme, {"recall": {"top_k": 3}})
    assert staff.mia.post(ADD, FILLED).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        return Experiment.objects.get()


def take_step(client: Any, verb: str, experiment: Experiment, reason: str = "now") -> Any:
    return client.post(f"{LIST}{experiment.pk}/{verb}/", {"reason": reason}, follow=True)


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
    assert (
        "400 answers with feedback in each arm"
        in staff.mia.get(f"{LIST}{experiment_draft.pk}/change/").content.decode()
    )
    asked = staff.mia.get(f"{LIST}{experiment_draft.pk}/start/").content.decode()
    assert "as it is" in asked
    assert "required" in take_step(staff.mia, "start", experiment_draft, reason="").content.decode()
    assert read_status(world) == "draft"
    page = f"{LIST}{experiment_draft.pk}/change/"
    for verb, now, tone in (("start", "running", "good"), ("end", "ended", "quiet")):
        assert f"/{verb}/" in staff.mia.get(page).content.decode()
        assert f'badge-{tone}">{now.capitalize()}<' in take_step(staff.mia, verb, experiment_draft).content.decode()
        assert read_status(world) == now
    assert "Only a draft can be started" in take_step(staff.mia, "start", experiment_draft).content.decode()
    assert not re.search("/(start|end)/", staff.mia.get(page).content.decode())
    with tenant_tx(world.acme.tenant.id):
        told = AuditRecord.objects.filter(
            object_id=str(experiment_draft.pk), action__startswith="experiment.", reason="now"
        )
        assert set(told.values_list("action", flat=True)) == {"experiment.started", "experiment.ended"}


def test_a_manager_shares_the_subjects_out_anew(world: World, staff: Staff, experiment_draft: Experiment) -> None:
    page = f"{LIST}{experiment_draft.pk}/change/"
    take_step(staff.mia, "start", experiment_draft)
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
    take_step(staff.mia, "end", experiment_draft)
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
    assert 'class="interval"' not in shown
    with tenant_tx(world.acme.tenant.id):
        Indicator.objects.filter(experiment=experiment_draft.name).update(judged=10, positive=5)
    bars = staff.mia.get(page).content.decode()
    assert '<rect class="interval-range" x="23.7" y="2" width="52.7" height="4"/>' in bars
    assert '<rect class="interval-value" x="50.0"' in bars
    assert "50.0% (23.7%-76.3%; n=10)" in bars


@pytest.mark.parametrize(
    "wrong",
    [
        {"arm__0__percent": "51"},
        {"arm__1__name": "as it is"},
        {"arm__1__version": "9"},
        {"arm__1__name": ""},
        {"arm__2__name": "third"},
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
        assert take_step(client, "start", experiment_draft).status_code == 403
    assert staff.gus.get(f"{LIST}{experiment_draft.pk}/change/").status_code in {302, 403}
    mei = log_in("mei", tenant=world.globex.tenant, role=Role.MANAGER)
    for one in (experiment_draft.pk, "00000000-0000-7000-8000-000000000000", "x"):
        assert [mei.post(f"{LIST}{one}/{verb}/", {"reason": "x"}).status_code for verb in ("start", "end")] == [
            404,
            404,
        ]
    assert read_status(world) == "draft"


def test_one_experiment_runs_at_a_time(world: World, staff: Staff, experiment_draft: Experiment) -> None:
    staff.mia.post(ADD, {**FILLED, "name": "another"})
    with tenant_tx(world.acme.tenant.id):
        another = Experiment.objects.get(name="another")
    take_step(staff.mia, "start", experiment_draft)
    refused = take_step(staff.mia, "start", another, reason="kept 留着")
    page = refused.content.decode()
    assert (refused.status_code, "Another experiment is running" in page, "kept 留着" in page) == (409, True, True)
    with tenant_tx(world.acme.tenant.id):
        assert set(Experiment.objects.values_list("name", "status")) == {
            (experiment_draft.name, "running"),
            ("another", "draft"),
        }


def test_one_more_arm_keeps_what_was_written_and_adds_up(
    world: World, staff: Staff, experiment_draft: Experiment
) -> None:
    page = staff.mia.post(ADD, {**FILLED, "reason": "", "arm__1__percent": "30", "_edit": "1"}).content.decode()
    assert "errorlist" not in page
    for kept in (
        'name="arm__2__name"',
        'value="shorter 更短"',
        'value="短"',
        '<option value="2" selected>',
        ">80</output>",
    ):
        assert kept in page
    assert "arm__3__name" not in page
