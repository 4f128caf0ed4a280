"""Who gets in, and that every refusal looks the same. Rows: T2, D1. Matrix: 18."""

import time
from datetime import datetime, timedelta

import pytest
from django.test import override_settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import redis_client
from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key, revoke_key
from tenants.services.usage.quotas import set_limits
from tenants.services.usage.request_rates import make_bucket_key
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of

RECALL = "/v1/subjects/ada/recall"


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
    """Return Authorization headers with a wrong key, which must all be refused alike."""
    other = "A" if token[-7] != "A" else "B"
    return {
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
        answers.add(str(body))
    assert len(answers) == 1
    assert "This API key is unknown, expired or revoked." in answers.pop()


def test_a_request_without_a_key_is_told_how_to_send_it(nobody: Caller, world: World) -> None:
    for header in ("", "Bearer ", f"Basic {world.acme.token}"):
        response = nobody("GET", "/v1/tenant", Authorization=header)
        problem = problem_of(response, 401)
        assert response["WWW-Authenticate"].startswith("Bearer")
        assert problem["code"] == "invalid_key"
        assert problem["detail"] == "The API key is missing. Send it as the header `Authorization: Bearer <key>`."


@pytest.mark.parametrize("end", ["expired", "revoked"])
def test_a_key_that_has_ended_is_refused_like_an_unknown_one(nobody: Caller, world: World, end: str) -> None:
    with tenant_tx(world.acme.tenant.id):
        key = create_key(name="short", scopes=["memory:read"], by=COMMAND_LINE)
        if end == "revoked":
            revoke_key(key.api_key, by=COMMAND_LINE)
        else:
            ApiKey.objects.filter(id=key.api_key.id).update(expires_at=utc_now() - timedelta(seconds=1))
    headers = (f"Bearer {key.token}", wrong_keys(key.token)["unknown"])
    ended, unknown = (problem_of(nobody("GET", "/v1/tenant", Authorization=header), 401) for header in headers)
    assert ended["code"] == "invalid_key"
    assert {**ended, "request_id": ""} == {**unknown, "request_id": ""}


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


def slow_down(house: House, *, requests_per_second: int = 1, burst: int = 3) -> None:
    with tenant_tx(house.tenant.id):
        values: dict[str, int | None] = {"requests_per_second": requests_per_second, "burst": burst}
        set_limits(values, by=COMMAND_LINE, api_key=ApiKey.objects.get())


def test_every_answer_tells_how_many_requests_are_left(acme: Caller) -> None:
    before = time.time()
    first, second = acme("GET", "/v1/tenant"), acme("GET", "/v1/nothing")
    after = time.time()
    assert (first["X-RateLimit-Limit"], first["X-RateLimit-Remaining"]) == ("300", "299")
    assert before < int(first["X-RateLimit-Reset"]) < after + 2, "one of 100 a second, in whole seconds"
    assert "X-RateLimit-Limit" not in second  # a path that nobody has asks for no key
    refused = acme("POST", RECALL, {"query": 1})
    assert refused.status_code == 400
    assert int(refused["X-RateLimit-Remaining"]) >= 298


def test_a_key_that_is_too_fast_is_refused_until_there_is_room(acme: Caller, globex: Caller, world: World) -> None:
    slow_down(world.acme)
    assert [acme("POST", RECALL, {"query": "tea 茶"}).status_code for _ in range(3)] == [200] * 3
    take_for(world.acme, seconds=900)  # so long that only a hang uses it up
    answer = acme("POST", RECALL, {"query": "tea 茶"})
    problem = problem_of(answer, 429)
    assert problem["code"] == "rate_limited"
    assert problem["limit"]["name"] == "requests_per_second"
    assert (problem["limit"]["allowed"], problem["limit"]["remaining"]) == (3, 0)
    assert datetime.fromisoformat(problem["limit"]["resets_at"]).timestamp() > time.time()
    assert 600 < int(answer["Retry-After"]) <= 898, "when one of three is free, of which the last is in 900 s"
    assert (answer["X-RateLimit-Limit"], answer["X-RateLimit-Remaining"]) == ("3", "0")
    assert 600 < int(answer["X-RateLimit-Reset"]) - time.time() <= 901
    assert globex("GET", "/v1/tenant").status_code == 200
    take_for(world.acme, seconds=0)
    assert acme("GET", "/v1/tenant").status_code == 200


def test_a_refused_request_does_nothing(acme: Caller, world: World) -> None:
    take_for(world.acme, seconds=900)
    assert acme("PUT", "/v1/subjects/new", {"metadata": {}}).status_code == 429
    take_for(world.acme, seconds=0)
    assert acme("GET", "/v1/subjects/new").status_code == 404


def take_for(house: House, *, seconds: int) -> None:
    """Have the bucket of the house's only key full again in so many seconds."""

    with tenant_tx(house.tenant.id):
        bucket = make_bucket_key(house.tenant.id, ApiKey.objects.get().key_id)
    full_at = int((utc_now() + timedelta(seconds=seconds)).timestamp() * 1_000_000)
    redis_client().call("test", lambda client: client.set(bucket, full_at, ex=900))


def test_who_has_no_key_takes_from_nobodys_bucket(acme: Caller, nobody: Caller, world: World) -> None:
    slow_down(world.acme)
    forged = f"Bearer {world.acme.token[:-7]}{'A' if world.acme.token[-7] != 'A' else 'B'}{world.acme.token[-6:]}"
    for _ in range(5):
        assert nobody("GET", "/v1/tenant", Authorization=forged).status_code == 401
    assert acme("GET", "/v1/tenant")["X-RateLimit-Remaining"] == "2"


def test_without_redis_everybody_is_answered(acme: Caller, world: World) -> None:
    slow_down(world.acme)
    with override_settings(REDIS_URL="unix:///nowhere/at/all"):
        answers = [acme("GET", "/v1/tenant") for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200] * 5
    assert "X-RateLimit-Limit" not in answers[0]


def test_a_key_is_told_its_limits(acme: Caller, world: World) -> None:
    assert body_of(acme("GET", "/v1/tenant"))["limits"].items() >= {"requests_per_second": 100, "burst": 300}.items()
    slow_down(world.acme)
    with tenant_tx(world.acme.tenant.id):
        set_limits({"messages_per_day": 10, "model_tokens_per_day": 11}, by=COMMAND_LINE)
    told = {"requests_per_second": 1, "burst": 3, "messages_per_day": 10, "model_tokens_per_day": 11}
    assert body_of(acme("GET", "/v1/tenant"))["limits"].items() >= told.items()
