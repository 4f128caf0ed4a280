"""Claim deliveries with a lease, and mark how each ended. Times are the database's clock.

A claim moves ``due_at`` to the end of the lease: a delivery whose worker died is due again then, with the try counted.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection
from django.db.models import F, Value
from django.db.models.functions import Coalesce, Now

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WEBHOOKS_SENT
from snapshots.models import DeliveryState, OffReason, Webhook, WebhookDelivery
from snapshots.webhooks.config import WEBHOOKS, WebhookConfig
from snapshots.webhooks.deliveries import may_repeat_words
from tenants.isolation import current_tenant_id
from tenants.models import ActorKind
from tenants.services.audit import Actor, record_audit

BY_JOB = Actor(ActorKind.JOB, "deliver-webhooks")
GONE = 410

# Of each webhook so many that not more than its share are under way; one of a webhook that fails.
CLAIM = """
WITH room AS (
    SELECT w.id, CASE WHEN w.failing_since IS NULL THEN %(at_once)s ELSE 1 END - (
        SELECT count(*) FROM webhook_delivery d
        WHERE d.tenant_id = w.tenant_id AND d.webhook_id = w.id AND d.state = 'pending'
          AND d.due_at > statement_timestamp() AND d.lease_token IS NOT NULL
    ) AS free
    FROM webhook w
    WHERE w.tenant_id = %(tenant)s AND w.off_reason = ''
      AND (w.paused_until IS NULL OR w.paused_until <= statement_timestamp())
), due AS (
    SELECT l.id FROM room r CROSS JOIN LATERAL (
        SELECT d.id FROM webhook_delivery d
        WHERE d.tenant_id = %(tenant)s AND d.webhook_id = r.id AND d.state = 'pending'
          AND d.due_at <= statement_timestamp()
        ORDER BY d.due_at LIMIT greatest(r.free, 0)
        FOR UPDATE SKIP LOCKED
    ) l
    LIMIT %(limit)s
)
UPDATE webhook_delivery d
SET lease_token = %(token)s, due_at = statement_timestamp() + %(lease)s, attempts = d.attempts + 1
WHERE d.tenant_id = %(tenant)s AND d.id = ANY (ARRAY(SELECT id FROM due))
RETURNING d.id
"""


@dataclass(frozen=True, slots=True)
class DeliveryOutcome:
    """The outcome of one try. ``status`` is the HTTP status, 0 without an answer; ``error`` is "" for a success.
    ``answer``: the beginning of the receiver's words about a failure."""

    status: int
    error: str = ""
    answer: str = ""
    began_at: datetime = field(default_factory=utc_now)
    took_ms: int = 0


def claim_deliveries(config: WebhookConfig = WEBHOOKS) -> list[WebhookDelivery]:
    """Lease due deliveries of the open tenant, with their webhooks and subjects, those due longest first."""
    given: dict[str, Any] = {
        "tenant": current_tenant_id(),
        "token": uuid4(),
        "at_once": config.at_once,
        "limit": config.batch,
        "lease": config.lease,
    }
    with connection.cursor() as cursor:
        cursor.execute(CLAIM, given)
        ids = [row[0] for row in cursor.fetchall()]
    if not ids:
        return []
    return list(WebhookDelivery.objects.filter(id__in=ids).select_related("webhook", "subject").order_by("created_at"))


def mark_outcomes(ended: Sequence[tuple[WebhookDelivery, DeliveryOutcome]], config: WebhookConfig = WEBHOOKS) -> None:
    """Write the outcomes of claimed deliveries, in the open scope; a delivery whose lease another has is left alone."""
    for delivery, outcome in sorted(ended, key=lambda one: one[0].id):
        if not outcome.error:
            _mark_delivered(delivery, outcome)
        elif delivery.attempts > len(config.waits):
            _mark_dead(delivery, outcome)
        else:
            _mark_failed(delivery, outcome, config)
    for webhook_id in sorted({delivery.webhook_id for delivery, _ in ended}):
        _judge_webhook(webhook_id, [outcome for one, outcome in ended if one.webhook_id == webhook_id], config)


def compute_wait(attempts: int, config: WebhookConfig = WEBHOOKS) -> timedelta:
    """Return how long to wait after the ``attempts``-th failed try."""
    spread = random.uniform(1 - config.jitter, 1 + config.jitter)  # noqa: S311 - no secret
    return config.waits[min(attempts, len(config.waits)) - 1] * spread


def _mark_delivered(delivery: WebhookDelivery, outcome: DeliveryOutcome) -> None:
    _change(delivery, outcome, state=DeliveryState.DELIVERED, ended_at=Now())
    WEBHOOKS_SENT.labels(outcome="delivered").inc()


def _mark_dead(delivery: WebhookDelivery, outcome: DeliveryOutcome) -> None:
    _change(delivery, outcome, state=DeliveryState.DEAD, ended_at=Now())
    WEBHOOKS_SENT.labels(outcome="dead").inc()


def _mark_failed(delivery: WebhookDelivery, outcome: DeliveryOutcome, config: WebhookConfig) -> None:
    _change(delivery, outcome, due_at=Now() + Value(compute_wait(delivery.attempts, config)))
    WEBHOOKS_SENT.labels(outcome="failed").inc()


def _change(delivery: WebhookDelivery, outcome: DeliveryOutcome, **values: object) -> None:
    own = WebhookDelivery.objects.filter(id=delivery.id, lease_token=delivery.lease_token, state=DeliveryState.PENDING)
    tries = [*delivery.tries, _pack_try(delivery, outcome)][-WEBHOOKS.kept_tries :]
    values |= {"last_status": outcome.status or None, "error_code": outcome.error, "tries": tries}
    own.update(**values, lease_token=None)


def _pack_try(delivery: WebhookDelivery, outcome: DeliveryOutcome) -> dict[str, Any]:
    return {
        "at": outcome.began_at.isoformat(),
        "ms": outcome.took_ms,
        "status": outcome.status or None,
        "error": outcome.error,
        "answer": "" if may_repeat_words(delivery) else outcome.answer,
    }


def _judge_webhook(webhook_id: UUID, outcomes: Sequence[DeliveryOutcome], config: WebhookConfig) -> None:
    """Remember since when a webhook fails, and switch off one that is gone or has failed for too long."""
    own = Webhook.objects.filter(id=webhook_id)
    if any(not outcome.error for outcome in outcomes):
        own.filter(failing_since__isnull=False).update(failing_since=None, paused_until=None)
        return
    own.update(failing_since=Coalesce(F("failing_since"), Now()), paused_until=Now() + Value(config.pause))
    is_gone = any(outcome.status == GONE for outcome in outcomes)
    ending = (
        own.filter(off_reason="")
        if is_gone
        else own.filter(off_reason="", failing_since__lte=Now() - Value(config.off_after))
    )
    if ending.update(off_reason=OffReason.GONE if is_gone else OffReason.FAILING, updated_at=Now()):
        reason = "gone" if is_gone else "failing"
        record_audit(BY_JOB, "webhook.switched_off", object_kind="webhook", object_id=str(webhook_id), reason=reason)
        log(Event.WEBHOOK_OFF, webhook=str(webhook_id), reason=reason)


def give_up_lost() -> int:
    """Mark deliveries as dead whose last try took its worker along, in the open scope; return how many."""
    lost = WebhookDelivery.objects.filter(
        state=DeliveryState.PENDING,
        due_at__lte=Now(),
        lease_token__isnull=False,
        attempts__gt=len(WEBHOOKS.waits),
    )
    return lost.update(state=DeliveryState.DEAD, error_code="lease_expired", lease_token=None, ended_at=Now())
