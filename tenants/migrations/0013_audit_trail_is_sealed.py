"""Seals make a change of the audit trail visible: append-only, and behind the wall like the records that they list."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [("tenants", "0012_managers_invite_by_link")]

    operations = [
        migrations.CreateModel(
            name="AuditSeal",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("records", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("count", models.PositiveIntegerField()),
                ("marks", models.BinaryField()),
                ("last_at", models.DateTimeField()),
                ("previous_head", models.CharField(max_length=64)),
                ("head", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                ("signature", models.CharField(max_length=96)),
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
                "db_table": "audit_seal",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddIndex(
            model_name="auditseal",
            index=models.Index(fields=["tenant", "-last_at"], name="audit_seal_by_time"),
        ),
        migrations.AddConstraint(
            model_name="auditseal",
            constraint=models.UniqueConstraint(fields=("tenant", "number"), name="one_seal_per_number"),
        ),
        Protect("AuditSeal", append_only=True),
    ]
