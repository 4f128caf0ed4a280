"""Staff say why, and the audit trail keeps it. Rows: T7, T2, T3. Matrix: 10."""

from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Member, Role, Tenant
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in
from tests.memory_platform.console.forms import forms_of

KEYS, MEMBERS = "/console/tenants/apikey/", "/console/tenants/member/"
MISSING = "Nothing was done: give a reason"


def list_audit_reasons(world: World, action: str) -> list[tuple[str, str]]:
    with tenant_tx(world.acme.tenant.id):
        return list(AuditRecord.objects.filter(action=action).order_by("at").values_list("object_id", "reason"))


def key_of(world: World) -> ApiKey:
    with tenant_tx(world.acme.tenant.id):
        return ApiKey.objects.order_by("created_at").first() or ApiKey()


def sam_in(world: World) -> Member | None:
    with tenant_tx(world.acme.tenant.id):
        return Member.objects.filter(user__username="sam").first()


def run_list_action(client: Client, address: str, action: str, row: ApiKey | Member, reason: str | None) -> str:
    body = {"action": action, "_selected_action": [str(row.pk)]} | ({} if reason is None else {"reason": reason})
    return client.post(address, body, follow=True).content.decode()


@pytest.mark.parametrize("nothing", [None, "", "  \t ", "\u202e\u200b"])
def test_a_key_is_not_revoked_without_a_reason(world: World, staff: Staff, nothing: str | None) -> None:
    assert MISSING in run_list_action(staff.mia, KEYS, "revoke", key_of(world), nothing)
    assert key_of(world).revoked_at is None
    assert list_audit_reasons(world, "api_key.revoked") == []


def test_the_reason_of_a_revocation_is_kept(world: World, staff: Staff) -> None:
    run_list_action(staff.mia, KEYS, "revoke", key_of(world), "  密钥泄露,\u202e ticket 4711 ")
    assert key_of(world).revoked_at is not None
    assert list_audit_reasons(world, "api_key.revoked") == [(key_of(world).key_id, "密钥泄露, ticket 4711")]


def test_a_rotation_may_say_why(world: World, staff: Staff) -> None:
    for reason in (None, "yearly"):
        with tenant_tx(world.acme.tenant.id):
            newest = ApiKey.objects.get(rotated_to__isnull=True)
        assert "The secret is shown only this once" in run_list_action(staff.mia, KEYS, "rotate", newest, reason)
    assert [why for _, why in list_audit_reasons(world, "api_key.rotated")] == ["", "yearly"]


def test_a_member_is_removed_with_a_reason_only(world: World, staff: Staff) -> None:
    sam = sam_in(world)
    assert sam is not None
    assert MISSING in run_list_action(staff.mia, MEMBERS, "remove", sam, None)
    assert MISSING in staff.mia.post(f"{MEMBERS}{sam.pk}/delete/", {"post": "yes"}, follow=True).content.decode()
    assert sam_in(world) is not None
    asked = staff.mia.get(f"{MEMBERS}{sam.pk}/delete/").content.decode()
    assert "Reason" in asked
    assert "<bdi>sam</bdi>" in asked
    staff.mia.post(f"{MEMBERS}{sam.pk}/delete/", {"post": "yes", "reason": "left the company"})
    assert sam_in(world) is None
    assert list_audit_reasons(world, "member.removed") == [(str(sam.user_id), "left the company")]


def test_several_members_are_removed_at_once(world: World, staff: Staff) -> None:
    with tenant_tx(world.acme.tenant.id):
        chosen = [str(member.pk) for member in Member.objects.exclude(role=Role.MANAGER)]
    for action in ("delete_selected", "remove"):
        body = {"action": action, "_selected_action": chosen, "post": "yes", "reason": "reorganised"}
        staff.mia.post(MEMBERS, body)
        with tenant_tx(world.acme.tenant.id):
            assert Member.objects.count() == (3 if action == "delete_selected" else 1)
    assert [why for _, why in list_audit_reasons(world, "member.removed")] == ["reorganised"] * 2


def test_a_role_changes_with_a_reason_only(world: World, staff: Staff) -> None:
    sam = sam_in(world)
    assert sam is not None
    page = f"{MEMBERS}{sam.pk}/change/"
    assert "This field is required" in staff.mia.post(page, {"role": "manager"}).content.decode()
    staff.mia.post(page, {"role": "manager", "reason": "covers for Mia"})
    now = sam_in(world)
    assert now is not None
    assert now.role == Role.MANAGER
    assert list_audit_reasons(world, "member.set")[-1] == (str(sam.user_id), "manager: covers for Mia")


def test_a_tenant_is_renamed_with_a_reason_only(world: World, staff: Staff) -> None:
    tenant = world.acme.tenant
    staff.olga.post("/console/switch/", {"tenant": str(tenant.id)})
    page = f"/console/tenants/tenant/{tenant.pk}/change/"
    assert "This field is required" in staff.olga.post(page, {"name": "Acme Motors"}).content.decode()
    assert Tenant.objects.get(pk=tenant.pk).name == "Acme"
    staff.olga.post(page, {"name": "Acme Motors", "reason": "merger"})
    assert Tenant.objects.get(pk=tenant.pk).name == "Acme Motors"
    assert list_audit_reasons(world, "tenant.changed") == [(str(tenant.pk), "merger")]


def test_who_may_not_act_is_refused_whatever_the_reason(world: World, staff: Staff) -> None:
    sam = sam_in(world)
    assert sam is not None
    for client in (staff.vic, staff.sam, staff.gus):
        run_list_action(client, MEMBERS, "remove", sam, "because")
        assert client.post(f"{MEMBERS}{sam.pk}/delete/", {"post": "yes"}).status_code in {302, 403}
    assert sam_in(world) is not None
    assert User.objects.filter(username="sam").exists()


def test_who_may_only_look_is_not_asked_why(world: World, staff: Staff) -> None:
    sam = sam_in(world)
    assert sam is not None
    assert 'name="reason"' not in staff.vic.get(f"{MEMBERS}{sam.pk}/change/").content.decode()
    staff.olga.post("/console/switch/", {"tenant": str(world.acme.tenant.id)})
    page = staff.olga.get(f"/console/tenants/tenant/{world.globex.tenant.pk}/change/").content.decode()
    assert "Globex" in page
    assert 'id="id_reason"' not in page
    assert "Reason" not in page


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ({"action": "revoke", "reason": ""}, {"reason": [""]}),
        ({"action": "", "reason": "leaked 泄露"}, {"reason": ["leaked 泄露"]}),
        ({"action": "revoke", "reason": "why", "_selected_action": []}, {"reason": ["why"]}),
        ({"action": "revoke", "reason": "\u202e<b>"}, None),
        ({"action": "no such", "reason": "leaked"}, None),
    ],
)
def test_a_refused_action_keeps_what_was_chosen_and_typed(
    world: World, staff: Staff, sent: dict[str, str], kept: dict[str, list[str]] | None
) -> None:
    chosen = sent.get("_selected_action", [str(key_of(world).pk)])
    answer = staff.mia.post(KEYS, {"index": "0", "select_across": "0", "_selected_action": chosen, **sent}, follow=True)
    page = answer.content.decode()
    assert 'class="messagelist"' in page
    assert "<b>" not in page.partition('id="changelist-form"')[2].partition('id="result_list"')[0]
    if kept is None:
        return
    (form,) = (form for form in forms_of(page) if "select_across" in form.fields)
    assert form.fields.get("_selected_action", []) == chosen
    assert {name: form.fields.get(name) for name in kept} == kept
    assert key_of(world).revoked_at is None


def test_a_choice_across_all_pages_is_kept(world: World, staff: Staff) -> None:
    body = {"index": "0", "action": "revoke", "select_across": "1", "_selected_action": [str(key_of(world).pk)]}
    page = staff.mia.post(KEYS, body).content.decode()
    (form,) = (form for form in forms_of(page) if "select_across" in form.fields)
    assert form.fields["select_across"] == ["1"]


def test_another_tenants_rows_are_not_chosen_again(world: World, staff: Staff) -> None:
    theirs = str(key_of(world).pk)
    gus = log_in("gia", tenant=world.globex.tenant, role=Role.MANAGER)
    pages = [
        gus.post(KEYS, {"index": "0", "action": "revoke", "_selected_action": [one]}).content.decode()
        for one in (theirs, str(uuid4()))
    ]
    for page in pages:
        assert theirs not in page
        assert "checked" not in page.partition('id="result_list"')[2].partition("</table>")[0]
    assert key_of(world).revoked_at is None
