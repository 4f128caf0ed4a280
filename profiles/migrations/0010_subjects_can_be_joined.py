"""A subject can be joined into another one: its id goes on naming that one, and the join can be undone."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0009_staff_corrections_are_told_apart"),
        ("tenants", "0014_log_ins_come_from_providers"),
    ]

    operations = [
        migrations.CreateModel(
            name="SubjectJoin",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("former_id", models.UUIDField(editable=False)),
                ("former_external_id", models.CharField(max_length=200, verbose_name="joined id")),
                ("former", models.JSONField(default=dict, editable=False)),
                ("moved", models.JSONField(default=dict, editable=False)),
                ("ended", models.JSONField(default=list, editable=False)),
                ("renamed", models.JSONField(default=list, editable=False)),
                ("counts", models.JSONField(default=dict, editable=False)),
                ("verified", models.JSONField(default=dict, editable=False)),
                ("actor_kind", models.CharField(max_length=16, verbose_name="joined by")),
                ("actor_ref", models.CharField(blank=True, max_length=200, verbose_name="actor")),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("joined_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="joined at")),
                ("undone_at", models.DateTimeField(blank=True, null=True, verbose_name="undone at")),
                ("returned", models.JSONField(default=dict, editable=False)),
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
                "verbose_name": "join",
                "verbose_name_plural": "joins",
                "db_table": "subject_join",
                "ordering": ("-joined_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="SubjectAlias",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("external_id", models.CharField(max_length=200, verbose_name="subject id")),
                ("former_id", models.UUIDField(editable=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
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
                "db_table": "subject_alias",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "external_id"), name="one_alias_per_external_id")
                ],
            },
        ),
        Protect("SubjectJoin"),
        Protect("SubjectAlias"),
    ]
