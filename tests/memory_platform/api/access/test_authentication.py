"""Who gets in, and that every refusal looks the same. Rows: T2, D1. Matrix: 18."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key, revoke_key
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of


def test_a_key_says_what_it_is(acme: Caller, world: World) -> None:
    response = acme("GET", "/v1/tenant")
    assert response.status_code == 200
    body = body_of(response)
    assert body["id"] == str(world.acme.tenant.id)
    assert (body["name"], body["locale"]) == ("Acme", None)
    assert "memory:read" in body["scopes"]
    assert body["limits"]["body_bytes"] == 1024 * 1024


def test_both_forms_of_an_address_answer_without_redirect(acme: Caller) -> None:
    assert acme("GET", "/v1/tenant/").status_code == 200
    assert acme("GET", "/v1/tenant").content == acme("GET", "/v1/tenant/").content


def wrong_keys(token: str) -> dict[str, str]:
    """Return Authorization headers that must all be refused alike."""
    other = "A" if token[-7] != "A" else "B"
    return {
        "none": "",
        "another scheme": f"Basic {token}",
        "no token": "Bearer ",
        "wrong checksum": f"Bearer {token[:-1]}{'0' if token[-1] != '0' else '1'}",
        "wrong secret": f"Bearer {token[:-7]}{other}{token[-6:]}",
        "lower-cased": f"Bearer {token.lower()}",
        "10 kB": f"Bearer {'x' * 10_000}",
        "unicode": "Bearer 钥匙",
        "cut": f"Bearer {token[:-10]}",
        "unknown": "Bearer mk_live_000000000000_" + "0" * 49,
    }


def test_every_wrong_key_gets_the_same_answer(nobody: Caller, world: World) -> None:
    answers = set()
    for name, header in wrong_keys(world.acme.token).items():
        response = nobody("GET", "/v1/tenant", Authorization=header)
        body = problem_of(response, 401)
        assert response["WWW-Authenticate"].startswith("Bearer"), name
        body.pop("request_id")
        assert "Authorization: Bearer <key>" in body["detail"]
        answers.add(str(body))
    assert len(answers) == 1


@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_a_key_that_has_ended_is_refused_like_an_unknown_one(nobody: Caller, world: World, end: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        key = create_key(name="short", scopes=["memory:read"], by=COMMAND_LINE)
        if end == "revoked":
            revoke_key(key.api_key, by=COMMAND_LINE)
        else:
            ApiKey.objects.filter(id=key.api_key.id).update(expires_at=utc_now() - timedelta(seconds=1))
    problem = problem_of(nobody("GET", "/v1/tenant", Authorization=f"Bearer {key.token}"), 401)
    assert problem["code"] == "invalid_key"


def test_the_scheme_is_read_in_any_case(nobody: Caller, world: World) -> None:
    assert nobody("GET", "/v1/tenant", Authorization=f"bearer  {world.acme.token}").status_code == 200


def test_a_missing_key_comes_before_a_malformed_path(nobody: Caller) -> None:
    problem_of(nobody("GET", "/v1/tenant?q=%00"), 401)


def test_a_missing_scope_leaves_a_record_in_the_key_s_own_tenant(nobody: Caller, world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        key = create_key(name="reads", scopes=["memory:read"], by=COMMAND_LINE)
    path, own = "/v1/subjects/ada/tags", {"Authorization": f"Bearer {key.token}", "X_Request_Id": "r" * 100}
    problem_of(nobody("POST", path, {"label": "家"}, **own), 403)
    assert nobody("GET", path, **own).status_code == 200
    with tenant_tx(world.acme.tenant.id):
        [record] = AuditRecord.objects.filter(refused=True)
    assert (record.actor_kind, record.actor_id) == ("api_key", key.api_key.key_id)
    assert (record.action, record.object_kind, record.request_id) == ("api.memory:write", "tags", "r" * 64)
    with tenant_tx(world.globex.tenant.id):
        assert not AuditRecord.objects.filter(refused=True).exists()
