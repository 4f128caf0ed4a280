"""Webhooks in the console: managers add, test, rotate, switch and remove them; a secret is shown once. Rows: D3, T3."""

import re
from datetime import timedelta
from uuid import uuid4

from django.utils import timezone

from snapshots.models import Webhook, WebhookDelivery
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

LIST = "/console/snapshots/webhook/"
DELIVERIES = "/console/snapshots/webhookdelivery/"
FORM = {"url": "https://example.com/hooks", "name": "客户系统", "events": ["memory.created"], "reason": "pilot 试点"}
TRIES = [
    {"at": "2026-11-20T10:00:00+00:00", "ms": 1_234, "status": 500, "error": "refused", "answer": "<b>嘭"},
    {"at": "2026-11-20T10:00:07+00:00", "ms": 3_000, "status": None, "error": "connection_failed", "answer": ""},
]
SECRET = re.compile(r"whsec_[\w+/=]+")


def find_secret(page: str) -> str:
    found = SECRET.search(page.replace("&#x2B;", "+"))
    assert found, page[:500]
    return found[0]


def test_a_manager_adds_tests_rotates_switches_and_removes_one(world: World, staff: Staff) -> None:
    tenant = world.acme.tenant.id
    assert staff.mia.post(f"{LIST}add/", {**FORM, "url": "https://10.0.0.1/"}).status_code == 200
    secret = find_secret(staff.mia.post(f"{LIST}add/", FORM).content.decode())
    with tenant_tx(tenant):
        row = Webhook.objects.get()
    assert (row.url, row.events, row.include) == (FORM["url"], ["memory.created"], [])
    one = f"{LIST}{row.pk}/"
    for page in (LIST, f"{one}change/"):
        shown = staff.mia.get(page).content.decode()
        assert "客户系统" in shown
        assert secret not in shown
    assert staff.mia.post(f"{one}change/", {**FORM, "with_text": "on"}).status_code == 302
    assert staff.mia.post(f"{one}test/", {"reason": "try"}).status_code == 302
    assert find_secret(staff.mia.post(f"{one}rotate/", {"reason": "lost"}).content.decode()) != secret
    assert staff.mia.post(f"{one}switch/", {"reason": "pause"}).status_code == 302
    with tenant_tx(tenant):
        row.refresh_from_db()
        assert (row.include, row.off_reason) == (["text"], "asked")
        sent = WebhookDelivery.objects.get()
        WebhookDelivery.objects.update(state="dead")
    assert "given up" in staff.mia.get(f"{DELIVERIES}?webhook__id__exact={row.pk}").content.decode()
    assert staff.mia.get(f"{DELIVERIES}{sent.pk}/change/").status_code == 200
    staff.mia.post(DELIVERIES, {"action": "replay", "_selected_action": [str(sent.pk)], "reason": "again"})
    with tenant_tx(tenant):
        assert WebhookDelivery.objects.get().state == "pending"
    assert staff.mia.post(f"{one}delete/", {"post": "yes", "reason": "over"}).status_code == 302
    with tenant_tx(tenant):
        assert not Webhook.objects.exists()
        acts = AuditRecord.objects.filter(action__startswith="webhook.").order_by("at")
        assert [record.action.partition(".")[2] for record in acts] == [
            "created", "changed", "tested", "rotated", "changed", "replayed", "deleted",
        ]  # fmt: skip


def test_nobody_else_sees_them(world: World, staff: Staff) -> None:
    staff.mia.post(f"{LIST}add/", FORM)
    with tenant_tx(world.acme.tenant.id):
        one = f"{LIST}{Webhook.objects.get().pk}/"
    for page in (LIST, f"{one}change/", f"{one}rotate/", f"{one}test/", f"{one}switch/", DELIVERIES):
        assert staff.sam.get(page).status_code in {302, 403, 404}, page
    with tenant_tx(world.acme.tenant.id):
        assert Webhook.objects.get().off_reason == ""


def test_a_failing_webhook_says_why_and_what_was_tried(world: World, staff: Staff) -> None:
    staff.mia.post(f"{LIST}add/", FORM)
    with tenant_tx(world.acme.tenant.id):
        webhook = Webhook.objects.get()
        Webhook.objects.update(failing_since=timezone.now())
        sent = WebhookDelivery.objects.create(
            webhook=webhook, event_id=uuid4(), event="webhook.test", attempts=2, error_code="connection_failed",
            due_at=timezone.now() + timedelta(minutes=5), tries=TRIES,
        )  # fmt: skip
    page = staff.mia.get(f"{LIST}{webhook.pk}/change/").content.decode()
    assert page.index("It fails since") < page.index("no connection") < page.index("2 of 8") < page.index('name="url"')
    assert f'href="{LIST}{webhook.pk}/change/"' in staff.mia.get("/console/").content.decode()
    one = f"{DELIVERIES}{sent.pk}/"
    shown = staff.mia.get(f"{one}change/").content.decode()
    assert all(words in shown for words in ("no connection", "2 of 8", "webhook.test", "at "))
    tries = ("10:00:07", "3,000 ms", "no connection", "10:00:00", "1,234 ms", "HTTP 500", "&lt;b&gt;嘭")
    assert sorted(tries, key=shown.index) == list(tries)
    assert "again/" not in shown
    assert "no connection" in staff.mia.get(f"{DELIVERIES}?state=pending").content.decode()
    again = {"action": "replay", "_selected_action": [str(sent.pk)], "reason": "again"}
    assert "still waits" in staff.mia.post(DELIVERIES, again, follow=True).content.decode()
    with tenant_tx(world.acme.tenant.id):
        WebhookDelivery.objects.update(state="dead", attempts=8, last_status=500, error_code="refused")
    ended = staff.mia.get(f"{one}change/").content.decode()
    assert "HTTP 500 Internal Server Error: refused" in ended
    assert f"{one}again/" in ended
    staff.mia.post(f"{one}again/", {"reason": ""})
    staff.mia.post(f"{one}again/", {"reason": "mended"})
    with tenant_tx(world.acme.tenant.id):
        sent.refresh_from_db()
        assert (sent.state, sent.attempts) == ("pending", 0)
    for stranger in (staff.gus, staff.sam):
        assert stranger.get(f"{one}again/").status_code in {302, 403, 404}
