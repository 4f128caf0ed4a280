"""What is told to a tenant's own addresses, and how far each telling got."""

from snapshots.models.outbox.webhook import DeliveryState, OffReason, Webhook, WebhookDelivery, WebhookEvent

__all__ = ["DeliveryState", "OffReason", "Webhook", "WebhookDelivery", "WebhookEvent"]
