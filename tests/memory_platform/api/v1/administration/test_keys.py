"""Keys over the API: for one user each, shown once, revoked at once. Rows: T2, D7, T7."""

from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.keys import authenticate_key
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of


def test_a_key_is_made_for_one_user_shown_once_and_revoked(world: World, acme: Caller) -> None:
    made = body_of(acme("POST", "/v1/keys", {"name": "Ada's watch", "subject_id": "ada"}))
    caller = authenticate_key(made["token"])
    assert (caller.bound_subject, sorted(caller.scopes)) == ("ada", ["memory:read", "memory:write"])
    listed = body_of(acme("GET", "/v1/keys"))["data"]
    assert [one["subject_id"] for one in listed] == [None, "ada"]
    assert made["token"] not in str(listed)
    assert acme("DELETE", f"/v1/keys/{made['key_id']}").status_code == 204
    assert body_of(acme("GET", "/v1/keys"))["data"][1]["revoked_at"]
    with tenant_tx(world.acme.tenant.id):
        acts = AuditRecord.objects.filter(object_id=made["key_id"], actor_kind="api_key")
        assert set(acts.values_list("action", flat=True)) == {"api_key.bound", "api_key.revoked"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "x", "scopes": []}, "scopes"),
        ({"name": "x", "scopes": ["root"]}, "scopes.0"),
        ({"name": "x", "scopes": ["admin"], "subject_id": "ada"}, "scopes"),
        ({"name": "x", "subject_id": "a/b"}, "subject_id"),
        ({"name": "x", "expires_at": (utc_now() - timedelta(days=1)).isoformat()}, "expires_at"),
    ],
)
def test_a_key_that_cannot_be_is_refused_and_named(acme: Caller, body: dict[str, Any], field: str) -> None:
    assert field in fields_of(problem_of(acme("POST", "/v1/keys", body), 400))


def test_a_secret_is_not_kept_for_a_second_answer(acme: Caller) -> None:
    refused = acme("POST", "/v1/keys", {"name": "x"}, Idempotency_Key="k1")
    assert fields_of(problem_of(refused, 400)) == {"Idempotency-Key"}


def test_only_an_administrator_s_key_makes_keys(acme: Caller, globex: Caller) -> None:
    reader = body_of(acme("POST", "/v1/keys", {"name": "x"}))
    assert acme.house is not None
    plain = Caller(type(acme.house)(acme.house.tenant, reader["token"], acme.house.subject))
    for method, path in (("GET", "/v1/keys"), ("POST", "/v1/keys"), ("DELETE", f"/v1/keys/{reader['key_id']}")):
        assert problem_of(plain(method, path, {"name": "y"} if method == "POST" else None), 403)
    problem_of(globex("DELETE", f"/v1/keys/{reader['key_id']}"), 404)
    assert authenticate_key(reader["token"])
