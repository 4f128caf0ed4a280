"""A process that sees a large memory for the first time reads it in blocks of 500 instead of row by row."""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect

PACKED_ALREADY = "ALTER TABLE memory_block ALTER COLUMN packed SET STORAGE EXTERNAL"
"""Vectors do not compress: trying cost three times what reading does."""


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0003_beliefs_remember_sayings"),
        ("snapshots", "0009_memory_counts_its_epochs"),
        ("tenants", "0002_wall_around_tenants"),
    ]

    operations = [
        migrations.CreateModel(
            name="MemoryBlock",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("block", models.BigIntegerField()),
                ("spaces", models.TextField()),
                ("format", models.PositiveSmallIntegerField()),
                ("packed", models.BinaryField()),
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
                "db_table": "memory_block",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddConstraint(
            "memoryblock",
            models.UniqueConstraint(fields=("tenant", "subject", "block"), name="one_row_per_block"),
        ),
        migrations.AddField("subjectmemory", "sealed", models.PositiveIntegerField(db_default=0, default=0)),
        migrations.AddIndex(
            "subjectmemory",
            models.Index(
                condition=models.Q(next_position__gte=(models.F("sealed") + 1) * 500),
                fields=["tenant", "subject"],
                name="subject_memory_to_seal",
            ),
        ),
        Protect("MemoryBlock"),
        migrations.RunSQL(PACKED_ALREADY, migrations.RunSQL.noop),
    ]
