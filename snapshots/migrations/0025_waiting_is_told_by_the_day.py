"""How long work had waited, by the day: kept beyond the work itself (G5, C3)."""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0024_staff_acts_can_be_undone"),
        ("tenants", "0007_usage_is_kept_by_the_day"),
    ]

    operations = [
        migrations.CreateModel(
            name="QueueDay",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                ("done", models.PositiveBigIntegerField(default=0, verbose_name="done")),
                ("waited_p95_ms", models.FloatField(default=0, verbose_name="waiting time, p95 in ms")),
                ("waited_longest_ms", models.FloatField(default=0, verbose_name="longest waiting time, in ms")),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        default=tenants.isolation.scope.current_tenant_id,
                        editable=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "verbose_name": "waiting time by day",
                "verbose_name_plural": "waiting time by day",
                "db_table": "queue_day",
                "ordering": ("-day",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "day"), name="one_wait_per_day")],
            },
        ),
        Protect("QueueDay"),
    ]
