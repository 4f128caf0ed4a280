"""Indicators of a day (G5): how well injected memory served, by policy version and arm; counts."""

from datetime import date, timedelta
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from snapshots.feedback.tallies.indicators_sql import DAY
from snapshots.models import Indicator
from snapshots.recall.policy import DEFAULT_RECALL
from snapshots.values import CarePreview
from tenants.isolation import current_tenant_id, tenant_tx


def roll_up_recent_indicators(tenant_id: UUID) -> int:
    """Roll up today and yesterday (UTC), for feedback of an evening comes after midnight; return the rows written."""
    return sum(roll_up_indicators(tenant_id, day) for day in recent_days())


def recent_days() -> tuple[date, date]:
    """Return yesterday and today (UTC)."""
    today = utc_now().date()
    return today - timedelta(days=1), today


def preview_indicators() -> CarePreview:
    """Return how many rows the next roll-up writes that are new or say something else now, and how many leave, in the
    open scope."""
    days = recent_days()
    held = {row.id: row for row in Indicator.objects.filter(day__in=days)}
    found = [row for day in days for row in _rows_of(day)]
    changed = [row for row in found if _says(row) != _says(held.get(row.id))]
    gone = held.keys() - {row.id for row in found}
    examples = [f"{row.day} {row.policy_version}: {row.contexts:,}" for row in changed]
    return CarePreview({"changed": len(changed), "gone": len(gone)}, examples)


def roll_up_indicators(tenant_id: UUID, day: date) -> int:
    """Write what is known of the contexts assembled on one UTC day anew; return the rows written.

    One row for each policy version and arm. Corrections at once carry neither: each stands in the row of its subject's
    last context up to the end of the day; of a subject without any, in that of the tenant's last version, without an
    arm. Safe to run twice, also at once.
    """
    with tenant_tx(tenant_id):
        rows = _rows_of(day)
        Indicator.objects.filter(day=day).exclude(id__in=[row.id for row in rows]).delete()
        fields = [field.name for field in Indicator._meta.fields if field.name not in _IDENTITY]
        Indicator.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["tenant", "day", *BY], update_fields=fields
        )
    return len(rows)


BY = ("policy_version", "experiment", "arm")
"""What the contexts of a day are told apart by."""
_IDENTITY = frozenset({"tenant", "id", "day", *BY})


def _says(row: Indicator | None) -> dict[str, object]:
    names = [field.name for field in Indicator._meta.fields if field.name not in _IDENTITY]
    return {name: getattr(row, name) for name in names} if row else {}


def _rows_of(day: date) -> list[Indicator]:
    stale_days = int(DEFAULT_RECALL.ranking.validation_days[0])
    with connection.cursor() as cursor:
        cursor.execute(DAY, {"tenant": current_tenant_id(), "day": day, "stale_days": stale_days})
        names = [column.name for column in cursor.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [
        Indicator(id=stable_id("indicator", current_tenant_id(), day, *(row[name] for name in BY)), day=day, **row)
        for row in found
    ]
