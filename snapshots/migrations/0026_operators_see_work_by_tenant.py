"""How much work waits and how much is dead in each tenant: numbers for the operator, no tenant's data (D2, E9).

The counts stop at 1,000 a tenant: a page must not make the database count a backlog.
"""

from django.db import migrations

from tenants.isolation.definer import definer_function

WORK_BY_TENANT = definer_function(
    "work_by_tenant()",
    "TABLE (tenant_id uuid, waiting bigint, dead bigint, oldest_waiting_seconds double precision)",
    """
    SELECT t.id,
      (SELECT count(*) FROM (
        SELECT 1 FROM public.work w WHERE w.tenant_id = t.id AND w.state = 'ready' LIMIT 1000) AS c),
      (SELECT count(*) FROM (
        SELECT 1 FROM public.work w WHERE w.tenant_id = t.id AND w.state = 'dead' LIMIT 1000) AS c),
      (SELECT extract(epoch FROM statement_timestamp() - min(due.due_at))::float8
       FROM (VALUES ('statement'), ('extract'), ('conversation'), ('summary')) AS k (kind), LATERAL (
         SELECT w.due_at FROM public.work w
         WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'ready' AND w.due_at <= statement_timestamp()
         ORDER BY w.due_at LIMIT 1
       ) AS due)
    FROM public.tenant t
    ORDER BY t.slug
    """,
)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0025_waiting_is_told_by_the_day")]

    operations = [migrations.RunSQL(WORK_BY_TENANT, "DROP FUNCTION app.work_by_tenant()")]
