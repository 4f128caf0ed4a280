"""Indicators of a day: counts of how well injected memory served, by policy version and arm."""

from datetime import date, timedelta
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from snapshots.job_preview import CarePreview
from snapshots.models import Indicator
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.receipts.injected_memory_rows import INJECTED
from tenants.isolation import current_tenant_id, tenant_tx

# The contexts of a day are grouped by these.
GROUP_COLUMNS = ("policy_version", "experiment", "arm")
_IDENTITY = frozenset({"tenant", "id", "day", *GROUP_COLUMNS})
_COUNTED = [field.name for field in Indicator._meta.fields if field.name not in _IDENTITY]
DAY_SQL = f"""
WITH span AS (
    SELECT %(day)s::date::timestamp AT TIME ZONE 'UTC' AS first,
           (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC' AS past
), contexts AS (
    SELECT r.id, r.policy_version, r.experiment, r.arm, r.created_at, r.replied_at, r.degraded_reason,
           coalesce((r.tokens->>'total')::bigint, 0) AS tokens,
           coalesce((r.tokens->>'full_history')::bigint, 0) AS full_history
    FROM receipt r, span WHERE r.tenant_id = %(tenant)s AND r.created_at >= span.first AND r.created_at < span.past
), memories AS (
    SELECT c.policy_version, c.experiment, c.arm, m.utilised, m.signal, c.replied_at IS NOT NULL AS replied,
           coalesce(s.last_validated_at, p.last_validated_at, f.last_validated_at)
               < c.created_at - make_interval(days => %(stale_days)s) AS stale
    FROM contexts c
    JOIN {INJECTED} m ON m.tenant_id = %(tenant)s AND m.receipt_id = c.id
    LEFT JOIN snapshot s ON m.lane = 'snapshots' AND s.tenant_id = %(tenant)s AND s.id = m.memory_ref
    LEFT JOIN preference p ON m.lane = 'preferences' AND p.tenant_id = %(tenant)s AND p.id = m.memory_ref
    LEFT JOIN profile_fact f ON m.lane = 'profile' AND f.tenant_id = %(tenant)s AND f.id = m.memory_ref
), by_context AS (
    SELECT policy_version, experiment, arm, count(*) AS contexts,
           count(*) FILTER (WHERE degraded_reason <> '') AS degraded,
           sum(tokens) AS tokens, sum(full_history) AS tokens_full_history
    FROM contexts GROUP BY policy_version, experiment, arm
), by_memory AS (
    SELECT policy_version, experiment, arm, count(*) AS injected, count(*) FILTER (WHERE replied) AS replied,
           count(*) FILTER (WHERE replied AND utilised) AS utilised,
           count(*) FILTER (WHERE signal IN ('positive', 'negative', 'corrected')) AS judged,
           count(*) FILTER (WHERE signal = 'positive') AS positive,
           count(*) FILTER (WHERE signal = 'negative') AS negative,
           count(*) FILTER (WHERE signal = 'corrected') AS corrected,
           count(*) FILTER (WHERE stale) AS stale
    FROM memories GROUP BY policy_version, experiment, arm
), latest AS (
    SELECT r.policy_version FROM receipt r, span
    WHERE r.tenant_id = %(tenant)s AND r.created_at < span.past ORDER BY r.created_at DESC LIMIT 1
), changes AS (
    SELECT coalesce(own.policy_version, latest.policy_version, '') AS policy_version,
           coalesce(own.experiment, '') AS experiment, coalesce(own.arm, '') AS arm,
           count(*) AS changes, percentile_cont(0.95) WITHIN GROUP (ORDER BY f.took_ms) AS p95
    FROM span, fast_lane_change f LEFT JOIN latest ON true LEFT JOIN LATERAL (
        SELECT r.policy_version, r.experiment, r.arm FROM receipt r, span
        WHERE r.tenant_id = %(tenant)s AND r.subject_id = f.subject_id AND r.created_at < span.past
        ORDER BY r.created_at DESC LIMIT 1
    ) own ON true
    WHERE f.tenant_id = %(tenant)s AND f.created_at >= span.first AND f.created_at < span.past
    GROUP BY 1, 2, 3
), versions AS (
    SELECT policy_version, experiment, arm FROM by_context UNION SELECT policy_version, experiment, arm FROM changes
)
SELECT v.policy_version, v.experiment, v.arm,
       coalesce(c.contexts, 0) AS contexts, coalesce(c.degraded, 0) AS degraded,
       coalesce(c.tokens, 0)::bigint AS tokens, coalesce(c.tokens_full_history, 0)::bigint AS tokens_full_history,
       coalesce(m.injected, 0) AS injected, coalesce(m.replied, 0) AS replied, coalesce(m.utilised, 0) AS utilised,
       coalesce(m.judged, 0) AS judged, coalesce(m.positive, 0) AS positive, coalesce(m.negative, 0) AS negative,
       coalesce(m.corrected, 0) AS corrected, coalesce(m.stale, 0) AS stale,
       coalesce(x.changes, 0) AS fast_lane_changes, x.p95 AS fast_lane_p95_ms
FROM versions v
LEFT JOIN by_context c USING (policy_version, experiment, arm)
LEFT JOIN by_memory m USING (policy_version, experiment, arm)
LEFT JOIN changes x USING (policy_version, experiment, arm)
"""  # noqa: S608  # made of constants; values are parameters


def roll_up_recent_indicators(tenant_id: UUID) -> int:
    """Roll up today and yesterday (UTC), since feedback of an evening comes after midnight; return the rows written."""
    return sum(roll_up_indicators(tenant_id, day) for day in recent_days())


def recent_days() -> tuple[date, date]:
    """Return yesterday and today (UTC)."""
    today = utc_now().date()
    return today - timedelta(days=1), today


def preview_indicator_roll_up() -> CarePreview:
    """Return how many rows the next roll-up adds or changes, and how many it removes, in the open scope."""
    days = recent_days()
    held = {row.id: row for row in Indicator.objects.filter(day__in=days)}
    found = [row for day in days for row in _compute_rows(day)]
    changed = [row for row in found if _list_counts(row) != _list_counts(held.get(row.id))]
    gone = held.keys() - {row.id for row in found}
    examples = [f"{row.day} {row.policy_version}: {row.contexts:,}" for row in changed]
    return CarePreview({"changed": len(changed), "gone": len(gone)}, examples)


def roll_up_indicators(tenant_id: UUID, day: date) -> int:
    """Write the indicators of one UTC day anew; return the rows written.

    One row for each policy version and arm. Fast-lane corrections carry neither: each counts in the row of its
    subject's last context up to the end of the day; of a subject without any, in that of the tenant's last version,
    without an arm. Safe to run twice, also at once.
    """
    with tenant_tx(tenant_id):
        rows = _compute_rows(day)
        Indicator.objects.filter(day=day).exclude(id__in=[row.id for row in rows]).delete()
        Indicator.objects.bulk_create(
            rows, update_conflicts=True, unique_fields=["tenant", "day", *GROUP_COLUMNS], update_fields=_COUNTED
        )
    return len(rows)


def _list_counts(row: Indicator | None) -> dict[str, object]:
    return {name: getattr(row, name) for name in _COUNTED} if row else {}


def _compute_rows(day: date) -> list[Indicator]:
    stale_days = int(DEFAULT_RECALL.ranking.validation_days[0])
    with connection.cursor() as cursor:
        cursor.execute(DAY_SQL, {"tenant": current_tenant_id(), "day": day, "stale_days": stale_days})
        names = [column.name for column in cursor.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return [
        Indicator(
            id=stable_id("indicator", current_tenant_id(), day, *(row[name] for name in GROUP_COLUMNS)), day=day, **row
        )
        for row in found
    ]
