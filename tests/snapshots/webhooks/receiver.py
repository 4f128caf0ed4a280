"""A receiver of webhooks over real HTTP, and what tests of webhooks do again and again."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.test import override_settings
from standardwebhooks import Webhook as Verifier

from snapshots.models import Webhook, WebhookDelivery
from snapshots.webhooks.pipeline import deliver_webhooks
from snapshots.webhooks.webhooks import EVENTS, WebhookDraft, create_webhook
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House
from tests.memory_platform.compat.openai.fake_upstream import FakeUpstream, HeardCall, Script, fake_upstream

OK = Script([b"ok"])


@dataclass(frozen=True, slots=True)
class Ear:
    """One webhook of a tenant and the server behind it."""

    house: House
    server: FakeUpstream
    webhook_id: UUID
    secret: str

    def deliver(self) -> int:
        """Do what a worker would do; return the number of tries."""
        return deliver_webhooks(self.house.tenant.id)

    def deliver_again(self) -> int:
        """Let all pauses be over, and deliver."""
        with tenant_tx(self.house.tenant.id):
            Webhook.objects.update(paused_until=None)
            WebhookDelivery.objects.filter(state="pending").update(due_at="2026-01-01T00:00:00Z")
        return self.deliver()

    def list_deliveries(self, **wanted: Any) -> list[WebhookDelivery]:
        with tenant_tx(self.house.tenant.id):
            rows = WebhookDelivery.objects.filter(webhook_id=self.webhook_id, **wanted)
            return list(rows.order_by("created_at", "id"))

    def load_webhook(self) -> Webhook:
        with tenant_tx(self.house.tenant.id):
            return Webhook.objects.get(id=self.webhook_id)

    def hear(self) -> list[dict[str, Any]]:
        """Deliver, and return the verified messages that have arrived since the start."""
        self.deliver()
        return [verify(self.secret, call) for call in self.server.heard]


def verify(secret: str, call: HeardCall) -> dict[str, Any]:
    """Return a message, its signature checked by the library of Standard Webhooks."""
    Verifier(secret).verify(call.raw, call.headers)
    return dict(json.loads(call.raw))


@contextmanager
def open_ear(
    house: House,
    answer: Callable[[HeardCall], Script] = lambda call: OK,
    *,
    events: Sequence[str] = EVENTS,
    include: Sequence[str] = (),
) -> Iterator[Ear]:
    """Serve a receiver and subscribe it."""
    with fake_upstream(answer) as server, override_settings(UPSTREAM_HOSTS=["127.0.0.1"]):
        with tenant_tx(house.tenant.id):
            made = create_webhook(WebhookDraft(f"{server.url}/hook", events, include), by=COMMAND_LINE)
        yield Ear(house, server, made.webhook.id, made.secret)
