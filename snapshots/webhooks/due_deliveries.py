"""Find the tenants with due deliveries, and wake a worker for each. Runs outside any tenant's scope.

A change wakes nobody itself: it would cost every write something, and most tenants have no webhook.
"""

import math
from uuid import UUID

from django.db import DatabaseError, connection
from django.db.models import Count, Q
from django.db.models.functions import Now

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import WEBHOOKS_DEAD, WEBHOOKS_OFF, WEBHOOKS_WAITING
from snapshots.models import DeliveryState, WebhookDelivery
from snapshots.webhooks.config import WEBHOOKS

TENANTS_WITH_DUE_DELIVERIES = "SELECT tenant_id FROM app.tenants_with_due_deliveries(%s)"
BACKLOG = "SELECT waiting, dead, off FROM app.webhook_backlog()"


def find_tenants_with_due_deliveries(at_most: int = WEBHOOKS.tenants_swept) -> list[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(TENANTS_WITH_DUE_DELIVERIES, [at_most])
        return [row[0] for row in cursor.fetchall()]


def count_due_deliveries() -> dict[str, int]:
    """Return how many deliveries of the open tenant are due, and how many are dead."""
    is_due = Q(state=DeliveryState.PENDING, due_at__lte=Now(), webhook__off_reason="")
    counted = WebhookDelivery.objects.aggregate(
        due=Count("id", filter=is_due), dead=Count("id", filter=Q(state=DeliveryState.DEAD))
    )
    return {name: int(count) for name, count in counted.items()}


def set_webhook_gauges() -> None:
    """Set the gauges of webhooks, to NaN where the value is unknown; never raises."""
    waiting, dead, off = _measure_backlog()
    WEBHOOKS_WAITING.set(waiting)
    WEBHOOKS_DEAD.set(dead)
    WEBHOOKS_OFF.set(off)


def _measure_backlog() -> tuple[float, float, float]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(BACKLOG)
            waiting, dead, off = cursor.fetchone()
    except DatabaseError as fault:
        log(Event.PROBE_FAILED, part="webhooks", error=type(fault).__name__)
        return math.nan, math.nan, math.nan
    return waiting, dead, off
