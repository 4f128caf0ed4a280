"""What staff did to a memory, kept for as long as they may take it back (D2)."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0007_forgotten_beliefs_are_marked"),
        ("snapshots", "0023_vendors_keep_prefixes"),
        ("tenants", "0007_usage_is_kept_by_the_day"),
    ]

    operations = [
        migrations.CreateModel(
            name="MemoryAct",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                ("other_ref", models.UUIDField(blank=True, null=True)),
                (
                    "verb",
                    models.CharField(
                        choices=[
                            ("confirmed", "confirmed"),
                            ("corrected", "corrected"),
                            ("merged", "merged"),
                            ("retired", "retired"),
                        ],
                        max_length=16,
                        verbose_name="staff action",
                    ),
                ),
                ("before", models.JSONField(blank=True, default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("undone_at", models.DateTimeField(blank=True, null=True, verbose_name="undone at")),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.subject",
                        verbose_name="subject",
                    ),
                ),
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
                "verbose_name": "staff action",
                "verbose_name_plural": "staff actions",
                "db_table": "memory_act",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        fields=["tenant", "subject", "memory_ref", "-created_at"], name="memory_act_by_memory"
                    ),
                    models.Index(fields=["tenant", "created_at"], name="memory_act_by_time"),
                ],
            },
        ),
        Protect("MemoryAct"),
    ]
