"""Managers see, make, compare, activate and roll back policies; nobody else does. Rows: T3, T4, T7, D2."""

from typing import Any

import pytest

from memory_platform.console.policy_forms import PolicyForm, key
from memory_platform.console.policy_labels import FIELDS, SECTIONS
from snapshots.policies import sections
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, PolicyVersion, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.policies.test_effective import make

LIST = "/console/tenants/policyversion/"
ADD = f"{LIST}add/"


def filled(world: World, **changes: Any) -> dict[str, Any]:
    """Return the form as it is sent when a manager opens it and changes some inputs."""
    with tenant_tx(world.acme.tenant.id):
        form = PolicyForm()
        values = {name: form[name].value() for name in form.fields}
    shown = {
        name: form.fields[name].prepare_value(value) for name, value in values.items() if value not in (None, False)
    }
    return {**shown, "reason": "短一点", **changes}


def documents(world: World) -> list[tuple[int, Any]]:
    with tenant_tx(world.acme.tenant.id):
        return [(row.number, row.document) for row in PolicyVersion.objects.order_by("number")]


def active(world: World) -> int:
    return Tenant.objects.get(id=world.acme.tenant.id).policy_version


def page_of(world: World, number: int) -> str:
    with tenant_tx(world.acme.tenant.id):
        return f"{LIST}{PolicyVersion.objects.get(number=number).pk}/change/"


def activate(world: World, client: Any, number: int, reason: str = "tried it") -> Any:
    with tenant_tx(world.acme.tenant.id):
        chosen = str(PolicyVersion.objects.get(number=number).pk)
    return client.post(LIST, {"action": "activate", "_selected_action": [chosen], "reason": reason})


def test_every_setting_has_a_name_for_people() -> None:
    assert SECTIONS.keys() == sections.SECTIONS.keys()
    assert FIELDS.keys() == {
        f"{name}.{field}" for name, section in sections.SECTIONS.items() for field in section.kinds
    }


def test_a_manager_changes_some_inputs_and_sees_what_differs(world: World, staff: Staff) -> None:
    assert 'name="recall__top_k" value="8"' in staff.mia.get(ADD).content.decode()
    changes = {"recall__top_k": "3", "ranking__recency_values": "1.1, 1, 0.9, 0.8"}
    sent = filled(world, **changes, context__memory_by_intent='{"推荐": 900}')
    del sent[key("ranking", "use_recency")]  # an unticked box is not sent
    assert staff.mia.post(ADD, sent).status_code == 302
    assert documents(world)[1:] == [
        (
            2,
            {
                "recall": {"top_k": 3},
                "context": {"memory_by_intent": {"推荐": 900}},
                "ranking": {"use_recency": False, "recency_values": [1.1, 1.0, 0.9, 0.8]},
            },
        )
    ]
    assert active(world) == 1
    page = staff.mia.get(page_of(world, 2)).content.decode()
    assert "memories in an answer" in page
    assert "推荐" in page


def test_a_version_is_based_on_another_and_gives_up_what_it_sets(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}, "retention": {"statement": 30}})
    page = staff.mia.get(f"{ADD}?based_on=2").content.decode()
    assert 'name="recall__top_k" value="3"' in page
    sent = filled(world, based_on="2", recall__top_k="8", retention__statement="30")
    assert staff.mia.post(ADD, sent).status_code == 302
    assert documents(world)[-1] == (3, {"retention": {"statement": 30}})


@pytest.mark.parametrize(
    "wrong",
    [
        {"recall__top_k": "0"},
        {"recall__top_k": "three"},
        {"ranking__recency_days": "7, 7, 90"},
        {"ranking__recency_days": "7; 30; 90"},
        {"ranking__recency_days": "[" * 5_000},
        {"context__memory_by_intent": "2000"},
        {"context__state_from": "0.1"},
        {"ranking__recency_curve": "other"},
        {"based_on": "99"},
        {"reason": ""},
        {},
    ],
)
def test_what_cannot_be_is_asked_again(world: World, staff: Staff, wrong: dict[str, str]) -> None:
    assert staff.mia.post(ADD, filled(world, **wrong)).status_code == 200
    assert len(documents(world)) == 1


def test_a_version_is_activated_and_rolled_back_with_a_reason(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    activate(world, staff.mia, 2, reason="")
    assert active(world) == 1
    activate(world, staff.mia, 2)
    assert active(world) == 2
    activate(world, staff.mia, 1, reason="更差")
    assert active(world) == 1
    with tenant_tx(world.acme.tenant.id):
        records = AuditRecord.objects.filter(action="policy.activated").order_by("at", "id")
        assert list(records.values_list("object_id", "reason", "actor_kind")) == [
            ("2", "tried it", "staff"),
            ("1", "更差", "staff"),
        ]


def test_who_is_no_manager_here_sees_and_changes_nothing(world: World, staff: Staff) -> None:
    make(world.acme, {"recall": {"top_k": 3}})
    for client in (staff.vic, staff.sam):
        assert client.get(LIST).status_code == 403
        assert client.get(page_of(world, 2)).status_code == 403
        assert client.post(ADD, filled(world, recall__top_k="3")).status_code == 403
        assert activate(world, client, 2).status_code == 403
    assert staff.gus.get(page_of(world, 2)).status_code in {302, 403}
    assert (active(world), len(documents(world))) == (1, 2)


def test_nobody_changes_or_removes_a_version(world: World, staff: Staff) -> None:
    page = page_of(world, 1)
    assert staff.mia.post(page, filled(world, recall__top_k="3")).status_code == 403
    assert staff.mia.post(page.replace("change", "delete"), {"post": "yes"}).status_code == 403
    assert documents(world) == [(1, {})]
