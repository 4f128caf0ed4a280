"""Events arrive at least once, at receivers that are slow, fail, redirect or hang up, and with workers that die.

Rows: D3, T5, T6.
"""

import socket
import threading
from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import override_settings
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.endpoints.checked_connections import CheckedClient
from snapshots.jobs import deliver_webhooks_job, sweep_webhooks_job
from snapshots.models import Webhook, WebhookDelivery
from snapshots.webhooks import sending
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.deliveries import replay_delivery
from snapshots.webhooks.delivery_claims import DeliveryOutcome, claim_deliveries, compute_wait, mark_outcomes
from snapshots.webhooks.due_deliveries import find_tenants_with_due_deliveries
from snapshots.webhooks.payloads import build_message, load_held_rows
from snapshots.webhooks.pipeline import deliver_webhooks
from snapshots.webhooks.sending import send_message
from snapshots.webhooks.webhooks import rotate_secret
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.upstreams.allowed_urls import is_allowed_host
from tests.conftest import World
from tests.memory_platform.compat.openai.fake_upstream import HeardCall, Script
from tests.snapshots.webhooks.receiver import OK, Ear, open_ear, verify


def add_events(ear: Ear, number: int = 1) -> None:
    with tenant_tx(ear.house.tenant.id):
        WebhookDelivery.objects.bulk_create(
            WebhookDelivery(webhook_id=ear.webhook_id, event_id=uuid4(), event="webhook.test") for _ in range(number)
        )


@pytest.mark.slow
def test_a_thousand_events_arrive_once_each_from_two_workers(world: World) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear, 1_000)
        workers = [threading.Thread(target=deliver_until_done, args=(ear,)) for _ in "12"]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        heard = Counter(call.headers["webhook-id"] for call in ear.server.heard)
        assert (len(heard), set(heard.values())) == (1_000, {1})
        assert len(ear.list_deliveries(state="delivered")) == 1_000


def deliver_until_done(ear: Ear) -> None:
    try:
        while ear.deliver() or ear.list_deliveries(state="pending"):
            pass
    finally:
        connection.close()


def test_a_worker_that_died_between_send_and_mark_sends_again_under_the_same_id(world: World) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear)
        with tenant_tx(world.acme.tenant.id):
            [claimed] = claim_deliveries()
            message = build_message(claimed, load_held_rows([claimed]))
        assert send_message(message).error == ""
        assert ear.deliver() == 0, "the lease holds"
        assert find_tenants_with_due_deliveries() == []
        assert ear.deliver_again() == 1
        first, second = ear.server.heard
        assert first.headers["webhook-id"] == second.headers["webhook-id"]
        [row] = ear.list_deliveries()
        assert (row.state, row.attempts) == ("delivered", 2)


def test_a_mark_that_comes_after_its_lease_changes_nothing(world: World) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear)
        with tenant_tx(world.acme.tenant.id):
            [late] = claim_deliveries()
        assert ear.deliver_again() == 1
        with tenant_tx(world.acme.tenant.id):
            mark_outcomes([(late, DeliveryOutcome(500, "refused"))])
        [row] = ear.list_deliveries()
        assert (row.state, row.last_status, row.error_code) == ("delivered", 200, "")


@pytest.mark.parametrize(
    ("script", "status", "error"),
    [
        (Script([b"no"], 500), 500, "refused"),
        (Script([b"no"], 404), 404, "refused"),
        (Script([], 302, {"Location": "http://127.0.0.1:1/elsewhere"}), 302, "redirected"),
        (Script([], 307, {"Location": "/elsewhere"}), 307, "redirected"),
    ],
    ids=["500", "404", "302", "307"],
)
def test_a_failure_is_tried_again_later_and_redirects_are_not_followed(
    world: World, script: Script, status: int, error: str
) -> None:
    with open_ear(world.acme, lambda call: script) as ear:
        add_events(ear, 3)
        before = utc_now()
        ear.deliver()
        assert ear.deliver() == 0, "the address rests after a failure"
        assert [call.path for call in ear.server.heard] == ["/v1/hook"] * 3
        row = ear.list_deliveries()[0]
        assert (row.state, row.attempts, row.last_status, row.error_code) == ("pending", 1, status, error)
        assert row.due_at > before
        assert ear.load_webhook().failing_since is not None
        assert ear.deliver_again() == 1, "an address that fails is tried with one event at a time"
        ear.server.answer = lambda call: OK
        assert ear.deliver_again() > 0
        assert ear.load_webhook().failing_since is None


def test_an_answer_that_is_cut_or_endless_counts_by_its_status(world: World) -> None:
    endless = Script([b"x" * 1_000] * 50)
    for script in (Script([b"half"], is_cut=True), endless):
        with open_ear(world.acme, lambda call, script=script: script) as ear:  # type: ignore[misc]
            add_events(ear)
            ear.deliver()
            [row] = ear.list_deliveries()
            assert (row.state, row.last_status) == ("delivered", 200)


def test_a_receiver_that_drips_is_left_at_the_limit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    client = CheckedClient(is_allowed_host, kept=0, kept_s=0, most_s=0.5)
    monkeypatch.setattr(sending, "CLIENT", client)  # the same client with a shorter limit
    with socket.create_server(("127.0.0.1", 0)) as server:
        heard = threading.Event()
        threading.Thread(target=drip_head, args=(server, heard), daemon=True).start()
        with open_ear(world.acme) as ear:
            with tenant_tx(world.acme.tenant.id):
                Webhook.objects.update(url=f"http://127.0.0.1:{server.getsockname()[1]}/")
            add_events(ear)
            ear.deliver()
            [row] = ear.list_deliveries()
            assert (row.state, row.error_code) == ("pending", "timeout")
        assert heard.wait(20), "the connection was closed"


def drip_head(server: socket.socket, is_closed: threading.Event) -> None:
    """Send a head that never ends, a byte at a time, until the other side hangs up."""
    peer, _ = server.accept()
    peer.sendall(b"HTTP/1.1 200 OK\r\nX: ")
    pause = threading.Event()
    try:
        while True:
            peer.sendall(b"x")
            pause.wait(0.05)
    except OSError:
        is_closed.set()


def test_a_closed_port_and_a_private_address_are_failures_that_say_so(world: World, settings: Settings) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear, 2)
        ear.server.stop()
        ear.deliver()
        assert {row.error_code for row in ear.list_deliveries()} == {"connection_failed"}
        # As if the name had led to a public address when the webhook was made, and leads here now.
        with override_settings(UPSTREAM_HOSTS=[]):
            ear.deliver_again()
        assert "private_address" in {row.error_code for row in ear.list_deliveries()}


def test_after_its_last_try_a_delivery_is_dead_and_can_be_seen(world: World) -> None:
    with open_ear(world.acme, lambda call: Script([], 503)) as ear:
        add_events(ear)
        for _ in range(len(WEBHOOKS.waits) + 1):
            assert ear.deliver_again() == 1
        assert ear.deliver_again() == 0
        [row] = ear.list_deliveries()
        assert (row.state, row.attempts, row.last_status) == ("dead", len(WEBHOOKS.waits) + 1, 503)
        assert row.ended_at is not None


def test_a_try_that_takes_its_worker_along_is_not_made_for_ever(world: World) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear)
        with tenant_tx(world.acme.tenant.id):
            WebhookDelivery.objects.update(attempts=len(WEBHOOKS.waits))
            assert len(claim_deliveries()) == 1
        assert ear.deliver_again() == 0
        [row] = ear.list_deliveries()
        assert (row.state, row.error_code) == ("dead", "lease_expired")


def test_the_waits_grow_and_differ() -> None:
    for number, wait in enumerate(WEBHOOKS.waits, 1):
        tried = {compute_wait(number) for _ in range(50)}
        assert len(tried) > 1
        assert all(wait * (1 - WEBHOOKS.jitter) <= one <= wait * (1 + WEBHOOKS.jitter) for one in tried)
    assert list(WEBHOOKS.waits) == sorted(WEBHOOKS.waits)


def test_who_fails_for_days_or_is_gone_is_switched_off_with_a_reason(world: World) -> None:
    with (
        open_ear(world.acme, lambda call: Script([], 500)) as ear,
        open_ear(world.acme, lambda call: Script([], 410)) as gone,
    ):
        add_events(ear)
        with tenant_tx(world.acme.tenant.id):
            long_ago = utc_now() - WEBHOOKS.off_after - timedelta(minutes=1)
            Webhook.objects.filter(id=ear.webhook_id).update(failing_since=long_ago)
        add_events(gone)
        ear.deliver()
        assert (ear.load_webhook().off_reason, gone.load_webhook().off_reason) == ("failing", "gone")
        assert ear.deliver_again() == 0, "what waits is not sent, and not lost either"
        assert len(ear.list_deliveries(state="pending")) == 1
        assert find_tenants_with_due_deliveries() == []
        with tenant_tx(world.acme.tenant.id):
            acts = AuditRecord.objects.filter(action="webhook.switched_off")
            assert sorted(acts.values_list("reason", flat=True)) == ["failing", "gone"]


def test_both_secrets_sign_for_a_day_after_a_rotation(world: World) -> None:
    with open_ear(world.acme) as ear:
        with tenant_tx(world.acme.tenant.id):
            made = rotate_secret(ear.webhook_id, by=COMMAND_LINE)
        add_events(ear)
        ear.deliver()
        [call] = ear.server.heard
        assert verify(ear.secret, call) == verify(made.secret, call)
        with tenant_tx(world.acme.tenant.id):
            Webhook.objects.update(former_until=utc_now())
        add_events(ear)
        ear.deliver()
        assert verify(made.secret, ear.server.heard[1])
        with pytest.raises(Exception, match="No matching signature"):
            verify(ear.secret, ear.server.heard[1])


def test_a_slow_address_does_not_hold_up_another_tenant(world: World) -> None:
    slow = threading.Event()

    def wait(call: HeardCall) -> Script:
        slow.wait(20)
        return OK

    with open_ear(world.acme, wait) as ear, open_ear(world.globex) as other:
        add_events(ear)
        add_events(other)
        turn = threading.Thread(target=deliver_until_done, args=(ear,))
        turn.start()
        assert other.deliver() == 1
        slow.set()
        turn.join()
        assert len(ear.list_deliveries(state="delivered")) == 1


def test_the_sweep_finds_tenants_and_the_job_delivers(world: World) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear)
        assert find_tenants_with_due_deliveries() == [world.acme.tenant.id]
        sweep_webhooks_job()
        deliver_webhooks_job(tenant_id=str(world.acme.tenant.id))
        assert len(ear.server.heard) == 1
        assert deliver_webhooks(world.globex.tenant.id) == 0


def test_a_secret_that_cannot_be_read_is_a_failure_of_its_own(world: World, settings: Any) -> None:
    with open_ear(world.acme) as ear:
        add_events(ear)
        with override_settings(UPSTREAM_KEYS=["another secret of more than thirty-two characters"]):
            ear.deliver()
        [row] = ear.list_deliveries()
        assert row.error_code == "secret_unreadable"
        assert ear.server.heard == []


def test_each_try_is_kept_with_what_the_receiver_wrote(world: World) -> None:
    wrong = b"no such user \xe6\x9e\x97\x00\xff " + b"x" * 10_000
    with open_ear(world.acme, lambda call: Script([wrong], 500)) as ear:
        add_events(ear)
        ear.deliver()
        ear.server.answer = lambda call: Script([], 302, {"Location": "/elsewhere"})
        ear.deliver_again()
        ear.server.answer = lambda call: OK
        ear.deliver_again()
        [row] = ear.list_deliveries()
        ends = [(one["status"], one["error"]) for one in row.tries]
        assert ends == [(500, "refused"), (302, "redirected"), (200, "")]
        words = [one["answer"] for one in row.tries]
        assert words[0].startswith("no such user 林\ufffd")
        assert (len(words[0]), words[1:]) == (WEBHOOKS.kept_answer_chars, ["", ""])
        with tenant_tx(world.acme.tenant.id):
            replay_delivery(ear.webhook_id, row.id, by=COMMAND_LINE)
            WebhookDelivery.objects.update(tries=row.tries[:1] * WEBHOOKS.kept_tries)
        ear.deliver()
        [row] = ear.list_deliveries()
        assert [one["status"] for one in row.tries] == [500] * (WEBHOOKS.kept_tries - 1) + [200]


def test_what_may_repeat_words_or_name_who_was_erased_is_not_kept(world: World) -> None:
    echo = Script([b"heard: Ada lives at 12 Willow Lane"], 500)
    for include, erased_person in ((["text"], ""), ([], "ada")):
        with open_ear(world.acme, lambda call: echo, include=include) as ear:
            add_events(ear)
            with tenant_tx(world.acme.tenant.id):
                WebhookDelivery.objects.update(erased_person=erased_person)
            ear.deliver()
            [row] = ear.list_deliveries()
            assert [(one["status"], one["answer"]) for one in row.tries] == [(500, "")]
            assert ear.load_webhook().failing_since is not None
