"""The model knows where positions come from, and each state of work has the index that its readers need.

The sweep's look-up asks both indexes by a stable clock, so that a backlog that is not due costs it nothing.
"""

from django.db import migrations, models

from tenants.isolation.definer import definer_function

TENANTS_WITH_DUE_WORK = definer_function(
    "tenants_with_due_work(at_most integer)",
    "TABLE (tenant_id uuid)",
    """
    SELECT t.id FROM public.tenant t, (VALUES ('statement'), ('extract'), ('conversation')) AS k (kind)
    WHERE EXISTS (
        SELECT 1 FROM public.work w
        WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'ready' AND w.due_at <= statement_timestamp()
      ) OR EXISTS (
        SELECT 1 FROM public.work w
        WHERE w.tenant_id = t.id AND w.kind = k.kind AND w.state = 'leased' AND w.lease_until <= statement_timestamp()
      )
    GROUP BY t.id
    LIMIT at_most
    """,
)


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0002_wall_around_snapshots")]

    operations = [
        migrations.AlterField(
            model_name="work",
            name="position",
            field=models.BigIntegerField(
                db_default=models.Func(models.Value("work_position"), function="nextval"),
                editable=False,
                verbose_name="position",
            ),
        ),
        migrations.RemoveIndex(model_name="work", name="work_open"),
        migrations.RemoveIndex(model_name="work", name="work_open_by_subject"),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(
                condition=models.Q(("state", "ready")), fields=["tenant", "kind", "due_at"], name="work_ready"
            ),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(
                condition=models.Q(("state", "leased")), fields=["tenant", "kind", "lease_until"], name="work_leased"
            ),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(
                condition=models.Q(("state__in", ("ready", "leased"))),
                fields=["tenant", "kind", "subject", "position"],
                name="work_open_by_subject",
            ),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(condition=models.Q(("state", "dead")), fields=["tenant", "subject"], name="work_dead"),
        ),
        migrations.AddIndex(
            model_name="work",
            index=models.Index(condition=models.Q(("state", "done")), fields=["tenant", "done_at"], name="work_done"),
        ),
        migrations.RunSQL(TENANTS_WITH_DUE_WORK, migrations.RunSQL.noop),
    ]
