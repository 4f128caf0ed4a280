"""Addresses that hear what happens to the tenant's memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from memory_platform_client.answers.administration import CreatedWebhook, Webhook, WebhookDelivery
from memory_platform_client.answers.vocabularies import WebhookDeliveryState, WebhookEvent
from memory_platform_client.call_declarations import Scope, Way, call, listing
from memory_platform_client.decoding import Page

WEBHOOKS = "/v1/webhooks"
WEBHOOK = f"{WEBHOOKS}/{{webhook_id}}"
DELIVERIES = f"{WEBHOOK}/deliveries"


class Webhooks(Scope[Way]):
    """Webhooks, and what they were told."""

    @listing(WEBHOOKS)
    def list(self, *, limit: int | None = None) -> Page[Webhook]:
        """List the tenant's webhooks, oldest first."""

    @call("POST", WEBHOOKS, reads=True)  # its answer holds a secret, which the platform keeps for no second one
    def create(
        self,
        url: str,
        *,
        name: str | None = None,
        events: Sequence[WebhookEvent] | None = None,
        include: Sequence[Literal["text"]] | None = None,
    ) -> CreatedWebhook:
        """Create a webhook. Its ``secret`` is shown this once."""

    @call("GET", WEBHOOK)
    def get(self, webhook_id: str) -> Webhook:
        """Get a webhook, without its secret."""

    @call("PATCH", WEBHOOK)
    def change(
        self,
        webhook_id: str,
        *,
        url: str | None = None,
        name: str | None = None,
        events: Sequence[WebhookEvent] | None = None,
        include: Sequence[Literal["text"]] | None = None,
        enabled: bool | None = None,
    ) -> Webhook:
        """Change a webhook, or switch it on or off."""

    @call("DELETE", WEBHOOK)
    def delete(self, webhook_id: str) -> None:
        """Delete a webhook with its deliveries."""

    @call("POST", f"{WEBHOOK}/rotate", reads=True)  # as for create
    def rotate(self, webhook_id: str) -> CreatedWebhook:
        """Make a new secret, which is shown this once. The old one signs beside it for a day."""

    @call("POST", f"{WEBHOOK}/test")
    def test(self, webhook_id: str) -> WebhookDelivery:
        """Send a ``webhook.test`` event within seconds."""

    @listing(DELIVERIES)
    def deliveries(
        self, webhook_id: str, *, state: WebhookDeliveryState | None = None, limit: int | None = None
    ) -> Page[WebhookDelivery]:
        """List what a webhook was or will be told, newest first."""

    @call("POST", f"{DELIVERIES}/{{delivery_id}}/replay")
    def replay(self, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Send an ended delivery once more."""
