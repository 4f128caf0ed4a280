"""Each tenant may route its chat models and bound their tokens; what they use is written down by the day.

A run of a job remembers the tenant it reached, so that the next one goes on there.
"""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0002_wall_around_tenants"),
    ]

    operations = [
        migrations.AddField(
            model_name="jobrun",
            name="reached",
            field=models.UUIDField(blank=True, null=True, verbose_name="processed up to"),
        ),
        migrations.CreateModel(
            name="ModelRoute",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("summarise", "summarise"),
                            ("extract", "extract"),
                            ("judge", "judge"),
                            ("rewrite", "rewrite"),
                        ],
                        max_length=16,
                        verbose_name="purpose",
                    ),
                ),
                ("endpoint", models.CharField(blank=True, max_length=64, verbose_name="endpoint")),
                ("daily_tokens", models.PositiveBigIntegerField(blank=True, null=True, verbose_name="tokens a day")),
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
                "verbose_name": "model route",
                "verbose_name_plural": "model routes",
                "db_table": "model_route",
                "ordering": ("purpose",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "purpose"), name="one_route_per_purpose")],
            },
        ),
        migrations.CreateModel(
            name="ModelUsage",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("summarise", "summarise"),
                            ("extract", "extract"),
                            ("judge", "judge"),
                            ("rewrite", "rewrite"),
                        ],
                        max_length=16,
                        verbose_name="purpose",
                    ),
                ),
                ("model", models.CharField(max_length=200, verbose_name="model")),
                ("calls", models.PositiveBigIntegerField(default=0, verbose_name="calls")),
                ("failures", models.PositiveBigIntegerField(default=0, verbose_name="failures")),
                ("input_tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens read")),
                ("output_tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens written")),
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
                "verbose_name": "model usage",
                "verbose_name_plural": "model usage",
                "db_table": "model_usage",
                "ordering": ("-day", "purpose", "model"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "day", "purpose", "model"), name="one_usage_per_day_and_model"
                    )
                ],
            },
        ),
        Protect("ModelRoute"),
        Protect("ModelUsage"),
    ]
