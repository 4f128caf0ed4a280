"""Messages to a tenant's own addresses, and the state of each delivery."""

from snapshots.models.outbox.webhook import DeliveryState, OffReason, Webhook, WebhookDelivery, WebhookEvent

__all__ = ["DeliveryState", "OffReason", "Webhook", "WebhookDelivery", "WebhookEvent"]
