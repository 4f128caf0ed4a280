"""A worker's turn at one tenant's deliveries: claim some, make their messages, send them side by side, mark them.

Nothing is sent from a transaction: messages are made in the transaction of the claim, which ends before the first one
is sent, and how they ended is written in another. If the worker dies between the two, the lease runs out and they are
sent again, with the same ``webhook-id``.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from snapshots.models import WebhookDelivery
from snapshots.webhooks.config import WEBHOOKS, WebhookConfig
from snapshots.webhooks.delivery_claims import DeliveryOutcome, claim_deliveries, give_up_lost, mark_outcomes
from snapshots.webhooks.payloads import build_message, load_held_rows
from snapshots.webhooks.sending import SignedMessage, send_message
from tenants.isolation import tenant_tx
from tenants.services.upstreams.secret_encryption import KeyUnreadable

Prepared = tuple[WebhookDelivery, SignedMessage | DeliveryOutcome]


def deliver_webhooks(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: WebhookConfig = WEBHOOKS
) -> int:
    """Send due deliveries of one tenant while there are some; return how many tries were made. Runs outside any
    ``tenant_tx``; may run twice, concurrently, or be killed."""
    tried = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            give_up_lost()
            prepared = _prepare(claim_deliveries(config))
        if not prepared:
            break
        ended = _send_all(prepared)
        with tenant_tx(tenant_id):
            mark_outcomes(ended, config)
        tried += len(ended)
    return tried


def _prepare(claimed: Sequence[WebhookDelivery]) -> list[Prepared]:
    """Return claimed deliveries with their messages. Deliveries about somebody who is being erased are left out: the
    erasure deletes it."""
    told = [one for one in claimed if one.subject is None or not one.subject.erasing]
    held = load_held_rows(told)
    prepared: list[Prepared] = []
    for one in told:
        try:
            prepared.append((one, build_message(one, held)))
        except KeyUnreadable:
            prepared.append((one, DeliveryOutcome(0, "secret_unreadable")))
    return prepared


def _send_all(messages: Sequence[Prepared]) -> list[tuple[WebhookDelivery, DeliveryOutcome]]:
    with ThreadPoolExecutor(max_workers=len(messages), thread_name_prefix="webhooks") as pool:
        outcomes = pool.map(_send, [what for _, what in messages])
        return [(one, outcome) for (one, _), outcome in zip(messages, outcomes, strict=True)]


def _send(what: SignedMessage | DeliveryOutcome) -> DeliveryOutcome:
    return what if isinstance(what, DeliveryOutcome) else send_message(what)
