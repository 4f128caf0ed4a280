"""Webhooks over the API: for administrators, with a secret that is shown once. Rows: D3, T1, T2, T7."""

import pytest
from pytest_django.fixtures import Settings

from snapshots.models import WebhookDelivery
from snapshots.webhooks.config import WEBHOOKS
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

PATH = "/v1/webhooks"
URL = "https://example.com/hooks?who=crm"


def test_one_is_made_changed_rotated_and_deleted_and_its_secret_shown_once(acme: Caller, world: World) -> None:
    made = body_of(acme("POST", PATH, {"url": URL, "name": "客户系统", "events": ["job.dead", "memory.created"]}))
    one = f"{PATH}/{made['id']}"
    assert made["secret"].startswith("whsec_")
    assert made["events"] == ["memory.created", "job.dead"]
    shown = body_of(acme("GET", one))
    assert shown == {name: value for name, value in made.items() if name != "secret"}
    assert body_of(acme("GET", PATH))["data"] == [shown]
    changed = body_of(acme("PATCH", one, {"include": ["text"], "enabled": False}))
    assert (changed["include"], changed["enabled"], changed["off_reason"]) == (["text"], False, "asked")
    assert problem_of(acme("POST", f"{one}/test", {}), 409)["code"] == "webhook_off"
    assert body_of(acme("PATCH", one, {"enabled": True}))["off_reason"] is None
    rotated = body_of(acme("POST", f"{one}/rotate", {}))
    assert rotated["secret"] != made["secret"]
    assert rotated["former_secret_until"]
    assert acme("DELETE", one).status_code == 204
    assert problem_of(acme("GET", one), 404)["code"] == "webhook_unknown"
    with tenant_tx(world.acme.tenant.id):
        acts = list(AuditRecord.objects.filter(object_id=made["id"]).order_by("at").values_list("action", flat=True))
    assert acts == [f"webhook.{verb}" for verb in ("created", "changed", "changed", "rotated", "deleted")]


def test_a_test_is_listed_and_only_replayed_when_it_has_ended(acme: Caller, world: World) -> None:
    one = f"{PATH}/{body_of(acme('POST', PATH, {'url': URL}))['id']}"
    first = body_of(acme("POST", f"{one}/test", {}, Idempotency_Key="k1"))
    assert body_of(acme("POST", f"{one}/test", {}, Idempotency_Key="k1")) == first
    assert [row["id"] for row in body_of(acme("GET", f"{one}/deliveries"))["data"]] == [first["id"]]
    replay = f"{one}/deliveries/{first['id']}/replay"
    assert problem_of(acme("POST", replay, {}), 409)["code"] == "delivery_not_ended"
    with tenant_tx(world.acme.tenant.id):
        WebhookDelivery.objects.update(state="dead", attempts=8, error_code="timeout")
    assert body_of(acme("GET", f"{one}/deliveries?state=dead"))["data"][0]["error"] == "timeout"
    again = body_of(acme("POST", replay, {}))
    assert (again["event_id"], again["state"], again["attempts"]) == (first["event_id"], "pending", 0)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "url"),
        ({"url": "http://example.com"}, "url"),
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"url": "https://[::ffff:127.0.0.1]/"}, "url"),
        ({"url": "https://127.1/"}, "url"),
        ({"url": "https://2130706433/"}, "url"),
        ({"url": "https://localhost/"}, "url"),
        ({"url": "https://user:pass@example.com/"}, "url"),
        ({"url": "https://example.com/#x"}, "url"),
        ({"url": "https://example.com/\r\nX-Evil: 1"}, "url"),
        ({"url": "ftp://example.com/"}, "url"),
        ({"url": f"https://example.com/{'x' * 500}"}, "url"),
        ({"url": URL, "events": []}, "events"),
        ({"url": URL, "events": ["webhook.test"]}, "events.0"),
        ({"url": URL, "include": ["everything"]}, "include.0"),
        ({"url": URL, "name": "x" * 101}, "name"),
    ],
)
def test_faults_name_their_field(acme: Caller, body: object, field: str) -> None:
    assert field in fields_of(problem_of(acme("POST", PATH, body), 400))


def test_there_is_a_most_of_them_and_a_secret_to_seal_with(acme: Caller, settings: Settings) -> None:
    for _ in range(WEBHOOKS.per_tenant):
        assert acme("POST", PATH, {"url": URL}).status_code == 201
    assert problem_of(acme("POST", PATH, {"url": URL}), 422)["code"] == "too_many_webhooks"
    settings.UPSTREAM_KEYS = []
    one = body_of(acme("GET", PATH))["data"][0]["id"]
    assert problem_of(acme("POST", f"{PATH}/{one}/rotate", {}), 422)["code"] == "upstream_keys_missing"
    for path in (PATH, f"{PATH}/{one}/rotate"):
        refused = acme("POST", path, {"url": URL} if path == PATH else {}, Idempotency_Key="k1")
        assert "Idempotency-Key" in fields_of(problem_of(refused, 400))


def test_another_tenant_finds_none_of_it(acme: Caller, globex: Caller) -> None:
    one = f"{PATH}/{body_of(acme('POST', PATH, {'url': URL}))['id']}"
    sent = body_of(acme("POST", f"{one}/test", {}))
    before = body_of(acme("GET", one)), body_of(acme("GET", f"{one}/deliveries"))
    for method, path, body in (
        ("GET", one, None),
        ("PATCH", one, {"enabled": False}),
        ("DELETE", one, None),
        ("POST", f"{one}/rotate", {}),
        ("POST", f"{one}/test", {}),
        ("GET", f"{one}/deliveries", None),
        ("POST", f"{one}/deliveries/{sent['id']}/replay", {}),
    ):
        problem_of(globex(method, path, body), 404)
    assert body_of(globex("GET", PATH))["data"] == []
    assert (body_of(acme("GET", one)), body_of(acme("GET", f"{one}/deliveries"))) == before
