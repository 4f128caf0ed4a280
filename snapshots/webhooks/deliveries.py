"""Rows that are written to the outbox beside the triggers, and acts of people on them."""

from collections.abc import Iterable
from uuid import UUID, uuid4

from django.db.models.functions import Now

from memory_platform.kernel.errors import Conflict, NotFound
from snapshots.models import DeliveryState, Webhook, WebhookDelivery, WebhookEvent
from snapshots.webhooks.webhooks import load_webhook
from tenants.services.audit import Actor, record_audit

PERSON = "subject"


class DeliveryUnknown(NotFound):
    """No delivery of this webhook with this id. HTTP 404."""

    code = "delivery_unknown"

    def __init__(self) -> None:
        super().__init__("No delivery with this id.")


class DeliveryNotEnded(Conflict):
    """Only a delivery that has ended can be sent again. HTTP 409."""

    code = "delivery_not_ended"

    def __init__(self) -> None:
        super().__init__("This delivery is still pending: it is tried again without your help.")


class WebhookOff(Conflict):
    """A webhook that is off is sent nothing. HTTP 409."""

    code = "webhook_off"

    def __init__(self) -> None:
        super().__init__("This webhook is off. Switch it on with PATCH and `enabled: true`.")


def tell_person_erased(product_ids: Iterable[str]) -> None:
    """Tell the open tenant's webhooks that a person was erased, once for each of the product's ids; in the transaction
    that takes these ids from the person."""
    event = WebhookEvent.MEMORY_ERASED
    hearing = list(Webhook.objects.filter(off_reason="", events__contains=[event]).values_list("id", flat=True))
    if not hearing:
        return
    for product_id in sorted(product_ids):
        event_id = uuid4()
        WebhookDelivery.objects.bulk_create(
            WebhookDelivery(
                webhook_id=one, event_id=event_id, event=event, object_kind=PERSON, erased_person=product_id
            )
            for one in hearing
        )


def add_test(webhook_id: UUID, *, by: Actor, reason: str = "") -> WebhookDelivery:
    """Send a test event to one webhook, soon. Raises WebhookUnknown, WebhookOff."""
    webhook = load_webhook(webhook_id)
    if not webhook.is_on:
        raise WebhookOff
    row = WebhookDelivery(webhook=webhook, event_id=uuid4(), event=WebhookEvent.TEST)
    row.save(force_insert=True)
    record_audit(by, "webhook.tested", object_kind="webhook", object_id=str(webhook.id), reason=reason)
    return load_delivery(webhook.id, row.id)


def name_person(delivery: WebhookDelivery) -> str | None:
    """Return the product's id of the person whom a delivery is about; None if it is about nobody, or somebody who is
    being erased."""
    if delivery.object_kind == PERSON:
        return delivery.erased_person
    return delivery.subject.external_id if delivery.subject and not delivery.subject.erasing else None


def may_repeat_words(delivery: WebhookDelivery) -> bool:
    """Return whether a receiver's answer may repeat words that are forgotten sooner than the delivery: those of a
    memory, or the name of somebody who was erased."""
    return bool(delivery.webhook.include or delivery.erased_person)


def load_delivery(webhook_id: UUID, delivery_id: UUID) -> WebhookDelivery:
    """Return one delivery of a webhook of the open tenant. Raises DeliveryUnknown."""
    rows = WebhookDelivery.objects.select_related("webhook", "subject")
    found = rows.filter(webhook_id=webhook_id, id=delivery_id).first()
    if found is None:
        raise DeliveryUnknown
    return found


def replay_delivery(webhook_id: UUID, delivery_id: UUID, *, by: Actor, reason: str = "") -> WebhookDelivery:
    """Send an ended delivery once more, with all its tries and the same ``webhook-id``. Raises DeliveryUnknown,
    DeliveryNotEnded."""
    row = load_delivery(webhook_id, delivery_id)
    ended = WebhookDelivery.objects.filter(id=row.id).exclude(state=DeliveryState.PENDING)
    again = {"state": DeliveryState.PENDING, "attempts": 0, "due_at": Now(), "error_code": "", "ended_at": None}
    if not ended.update(**again, lease_token=None):
        raise DeliveryNotEnded
    record_audit(by, "webhook.replayed", object_kind="webhook_delivery", object_id=str(row.id), reason=reason)
    return load_delivery(webhook_id, row.id)
