"""The sweep sees running summaries too: a lost wake-up must not be a lost summary.

As before in all else: summaries have no order, so whatever is due of them can be claimed.
"""

from django.db import migrations

from tenants.isolation.definer import definer_function

CLAIMABLE = """(
    SELECT (head.state = 'leased' OR head.due_at <= statement_timestamp()) AND (
        SELECT 1 FROM public.work w
        WHERE w.tenant_id = t.id AND w.kind = 'extract' AND w.state = 'leased'
          AND w.lease_until > statement_timestamp() AND w.subject_id = s.subject_id
        LIMIT 1
      ) IS NULL
    FROM public.work head
    WHERE head.tenant_id = t.id AND head.kind = 'extract' AND head.state IN ('ready', 'leased')
      AND head.subject_id = s.subject_id
    ORDER BY head.position LIMIT 1
  )"""
"""Whether somebody could claim extractions of the subject ``s``: its first open one is due or abandoned, and nobody is
at another."""

TENANTS_WITH_DUE_WORK = definer_function(
    "tenants_with_due_work(at_most integer)",
    "TABLE (tenant_id uuid)",
    f"""
    SELECT t.id
    FROM public.tenant t, LATERAL (
      SELECT min(s.since) AS since
      FROM (VALUES ('statement'), ('extract'), ('conversation'), ('summary')) AS k (kind), LATERAL (
        (SELECT w.due_at, w.subject_id FROM public.work w
         WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'ready' AND w.due_at <= statement_timestamp()
         ORDER BY w.due_at LIMIT 1)
        UNION ALL
        (SELECT w.lease_until, w.subject_id FROM public.work w
         WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'leased' AND w.lease_until <= statement_timestamp()
         ORDER BY w.lease_until LIMIT 1)
      ) AS s (since, subject_id)
      WHERE CASE WHEN k.kind <> 'extract' THEN true WHEN {CLAIMABLE} THEN true ELSE (
        SELECT true
        FROM (VALUES (s.subject_id), ('00000000-0000-0000-0000-000000000000'::uuid)) AS b (begin_at), LATERAL (
          WITH RECURSIVE visited AS (
            (SELECT w.subject_id FROM public.work w
             WHERE w.tenant_id = t.id AND w.kind = 'extract' AND w.state IN ('ready', 'leased')
               AND w.subject_id >= b.begin_at
             ORDER BY w.subject_id LIMIT 1)
            UNION ALL
            SELECT (
              SELECT w.subject_id FROM public.work w
              WHERE w.tenant_id = t.id AND w.kind = 'extract' AND w.state IN ('ready', 'leased')
                AND w.subject_id > v.subject_id
              ORDER BY w.subject_id LIMIT 1
            ) FROM visited v WHERE v.subject_id IS NOT NULL
          )
          SELECT v.subject_id FROM visited v WHERE v.subject_id IS NOT NULL LIMIT 1000
        ) AS s
        WHERE {CLAIMABLE} LIMIT 1
      ) END
    ) AS due
    WHERE due.since IS NOT NULL
    ORDER BY due.since LIMIT at_most
    """,  # noqa: S608 - constants
)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0016_each_reader_has_its_own_blocks")]

    operations = [migrations.RunSQL(TENANTS_WITH_DUE_WORK, migrations.RunSQL.noop)]
