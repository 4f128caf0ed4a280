"""Tools save one fact once in a conversation, and products are told what to ask next (A1, A2)."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0005_certificates_tell_marks"),
        ("tenants", "0004_runs_of_jobs_go_on"),
    ]

    operations = [
        migrations.CreateModel(
            name="Ask",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("conversation", models.CharField(max_length=200, verbose_name="conversation id")),
                ("key", models.CharField(max_length=40, verbose_name="asked for")),
                (
                    "priority",
                    models.CharField(
                        choices=[("high", "high"), ("medium", "medium"), ("low", "low")],
                        max_length=8,
                        verbose_name="priority",
                    ),
                ),
                ("question", models.CharField(max_length=200, verbose_name="question")),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="asked at")),
                ("answered_at", models.DateTimeField(blank=True, null=True, verbose_name="answered at")),
                ("accepted", models.BooleanField(blank=True, null=True, verbose_name="accepted")),
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
                "verbose_name": "question to the person",
                "verbose_name_plural": "questions to people",
                "db_table": "ask",
                "ordering": ("-asked_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-asked_at"], name="ask_by_time"),
                    models.Index(fields=["tenant", "asked_at"], name="ask_by_age"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolSave",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("conversation", models.CharField(max_length=200)),
                ("memory_ref", models.UUIDField()),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                "db_table": "tool_save",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "saved_at"], name="tool_save_by_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "subject", "conversation", "memory_ref"),
                        name="one_tool_save_per_conversation",
                    )
                ],
            },
        ),
        Protect("Ask"),
        Protect("ToolSave"),
    ]
