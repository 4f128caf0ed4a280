"""API keys: made once, shown once, rotated with overlap, revoked; by managers alone. Rows: T2, T7."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.test import Client

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from tenants.errors import InvalidKey
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord, Role
from tenants.services.keys import PREFIX, authenticate_key
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff, log_in

LIST = "/console/tenants/apikey/"
ADD = f"{LIST}add/"
TOKEN = re.compile(r'value="(mk_live_\w+)"')


def fill_form(client: Client, **values: Any) -> dict[str, Any]:
    """Return the form as it is sent when somebody opens it and fills it in."""
    (sheet,) = re.findall(r'name="sheet" value="([0-9a-f-]{36})"', client.get(ADD).content.decode())
    return {"name": "商店", "scopes": ["memory:read", "admin"], "sheet": sheet, **values}


def list_keys(world: World) -> list[ApiKey]:
    with tenant_tx(world.acme.tenant.id):
        return list(ApiKey.objects.order_by("created_at", "id"))


def test_a_secret_is_shown_once_and_stands_nowhere_else(world: World, staff: Staff) -> None:
    answer = staff.mia.post(ADD, fill_form(staff.mia))
    (token,) = TOKEN.findall(answer.content.decode())
    assert authenticate_key(token).scopes == {"memory:read", "admin"}
    assert "no-store" in answer["Cache-Control"]
    secret = token.rsplit("_", 1)[1]
    made = list_keys(world)[-1]
    for page in (LIST, f"{LIST}{made.pk}/change/", f"{LIST}{made.pk}/history/", "/console/tenants/auditrecord/"):
        assert secret not in staff.mia.get(page).content.decode(), page
    assert all(secret not in cookie.value for cookie in staff.mia.cookies.values())
    with tenant_tx(world.acme.tenant.id):
        record = AuditRecord.objects.get(action="api_key.created", object_id=made.key_id, actor_kind="staff")
        assert secret not in str(vars(record))


def test_a_key_is_made_for_one_person(world: World, staff: Staff) -> None:
    sent = fill_form(staff.mia, scopes=["memory:read", "memory:write"], bound_subject="ada")
    page = staff.mia.post(ADD, sent).content.decode()
    (token,) = TOKEN.findall(page)
    assert authenticate_key(token).bound_subject == "ada"
    assert "curl" not in page, "the first call is one for another person"
    made = list_keys(world)[-1]
    for address in (LIST, f"{LIST}{made.pk}/change/"):
        assert "ada" in staff.mia.get(address).content.decode()
    assert "created an API key for one person" in staff.mia.get("/console/tenants/auditrecord/").content.decode()
    for wrong in ({"scopes": ["memory:read", "admin"]}, {"bound_subject": "a/b"}):
        answer = staff.mia.post(ADD, {**fill_form(staff.mia, **sent), **wrong, "sheet": str(new_id())})
        assert "errorlist" in answer.content.decode()
    assert list_keys(world)[-1].pk == made.pk


def test_a_form_that_is_sent_twice_makes_one_key(world: World, staff: Staff) -> None:
    before, sent = len(list_keys(world)), fill_form(staff.mia)
    first, second = (staff.mia.post(ADD, sent).content.decode() for _ in "12")
    assert len(TOKEN.findall(first)) == 1
    assert TOKEN.findall(second) == []
    assert "has already created a key" in second
    assert len(list_keys(world)) == before + 1
    assert len(TOKEN.findall(staff.mia.post(ADD, fill_form(staff.mia)).content.decode())) == 1


def test_a_key_ends_after_the_days_that_are_chosen(world: World, staff: Staff) -> None:
    page = staff.mia.get(ADD).content.decode()
    assert 'value="Create key"' in page
    assert "Save and" not in page
    assert "Policies and experiments." in page, "each scope says what it gives"
    staff.mia.post(ADD, fill_form(staff.mia, expires="30"))
    made = list_keys(world)[-1]
    assert made.expires_at is not None
    assert timedelta(days=29) < made.expires_at - utc_now() < timedelta(days=31)
    active, expired = (staff.mia.get(f"{LIST}?status={status}").content.decode() for status in ("active", "expired"))
    assert f"mk_live_{made.key_id}…" in active
    assert made.key_id not in expired


@pytest.mark.parametrize(
    "wrong",
    [{"scopes": []}, {"scopes": ["root"]}, {"name": ""}, {"expires": "5"}],
)
def test_a_key_that_cannot_be_is_asked_for_again(world: World, staff: Staff, wrong: dict[str, Any]) -> None:
    before = len(list_keys(world))
    answer = staff.mia.post(ADD, fill_form(staff.mia, **wrong))
    assert answer.status_code == 200
    assert "errorlist" in answer.content.decode()
    assert len(list_keys(world)) == before


def test_a_rotated_key_overlaps_its_successor_and_is_rotated_once(world: World, staff: Staff) -> None:
    (old_token,) = TOKEN.findall(staff.mia.post(ADD, fill_form(staff.mia)).content.decode())
    old = list_keys(world)[-1]
    act = {"action": "rotate", "_selected_action": [str(old.pk)], "reason": "yearly"}
    (new_token,) = TOKEN.findall(staff.mia.post(LIST, act).content.decode())
    again = staff.mia.post(LIST, act, follow=True).content.decode()
    assert TOKEN.findall(again) == []
    assert "Nothing was done" in again
    assert authenticate_key(old_token).scopes == authenticate_key(new_token).scopes
    old = next(key for key in list_keys(world) if key.pk == old.pk)
    assert old.rotated_to_id == list_keys(world)[-1].pk
    assert old.expires_at
    assert old.expires_at - utc_now() <= timedelta(hours=24)
    staff.mia.post(LIST, {**act, "action": "revoke"})
    with pytest.raises(InvalidKey):
        authenticate_key(old_token)
    assert authenticate_key(new_token)
    assert ">revoked<" in staff.mia.get(LIST).content.decode()


def test_who_is_no_manager_here_neither_sees_nor_makes_keys(world: World, staff: Staff) -> None:
    sent, key = fill_form(staff.mia), list_keys(world)[0]
    for client in (staff.vic, staff.sam, staff.gus):
        assert client.get(LIST).status_code == 403
        assert client.post(ADD, sent).status_code == 403
        assert client.get(f"{LIST}{key.pk}/change/").status_code in {302, 403}
    assert len(list_keys(world)) == 1


def test_a_key_is_rotated_and_revoked_from_its_row_after_a_question(world: World, staff: Staff) -> None:
    (key,) = list_keys(world)
    rotate, revoke = (f"{LIST}{key.pk}/{verb}/" for verb in ("rotate", "revoke"))
    page = staff.mia.get(LIST).content.decode()
    assert rotate in page
    assert revoke in page
    assert "read memory, write memory" in page
    for client, status in ((staff.sam, 403), (log_in("gia", tenant=world.globex.tenant, role=Role.MANAGER), 404)):
        assert [client.get(one).status_code for one in (rotate, revoke)] == [status] * 2
        assert [client.post(one, {"reason": "x"}).status_code for one in (rotate, revoke)] == [status] * 2
    for one in (rotate, revoke):
        assert "give a reason" in staff.mia.post(one, {"reason": " "}).content.decode()
    assert list_keys(world)[0].expires_at is None
    made = unescape(staff.mia.post(rotate, {"reason": "yearly"}).content.decode())
    (token,) = TOKEN.findall(made)
    assert f"KEY={token}" not in made, "what one does now is to swap the key, not to send a first message"
    until = list_keys(world)[0].expires_at
    assert until is not None
    assert f"works until <b>{until:%Y-%m-%d %H:%M} UTC</b>" in made
    assert f"{PREFIX}{key.key_id}…" in made
    page = staff.mia.get(LIST).content.decode()
    assert "expires in 23\xa0hours" in page
    assert rotate not in page, "a key has one successor"
    assert staff.mia.post(rotate, {"reason": "again"}).status_code == 302
    assert staff.mia.post(revoke, {"reason": "leaked"}).status_code == 302
    assert revoke not in staff.mia.get(LIST).content.decode()
    with tenant_tx(world.acme.tenant.id):
        acts = AuditRecord.objects.filter(action__in=("api_key.rotated", "api_key.revoked"), object_id=key.key_id)
        assert sorted(acts.values_list("action", "reason")) == [
            ("api_key.revoked", "leaked"),
            ("api_key.rotated", "yearly"),
        ]
