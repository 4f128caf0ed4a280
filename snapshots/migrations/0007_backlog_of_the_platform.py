"""How much work waits and how much is dead on the whole platform: three numbers for the metrics, no tenant's data.

The counts stop at 100,000: who reads the metrics must not make the database count a backlog again and again.
"""

from django.db import migrations

from tenants.isolation.definer import definer_function

WORK_BACKLOG = definer_function(
    "work_backlog()",
    "TABLE (waiting bigint, dead bigint, oldest_due_seconds double precision)",
    """
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM public.work WHERE state = 'ready' LIMIT 100000) AS w),
      (SELECT count(*) FROM (SELECT 1 FROM public.work WHERE state = 'dead' LIMIT 100000) AS w),
      (SELECT extract(epoch FROM statement_timestamp() - min(due.due_at))::float8
       FROM public.tenant t, (VALUES ('statement'), ('extract'), ('conversation')) AS k (kind), LATERAL (
         (SELECT w.due_at FROM public.work w
          WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'ready' AND w.due_at <= statement_timestamp()
          ORDER BY w.due_at LIMIT 1)
         UNION ALL
         (SELECT w.due_at FROM public.work w
          WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'leased'
            AND w.lease_until <= statement_timestamp()
          ORDER BY w.lease_until LIMIT 1)
       ) AS due)
    """,
)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0006_sweep_probes_indexes")]

    operations = [migrations.RunSQL(WORK_BACKLOG, "DROP FUNCTION app.work_backlog()")]
