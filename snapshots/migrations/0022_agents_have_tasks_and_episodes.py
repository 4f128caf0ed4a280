"""Working memory of agents' tasks, and what finished ones taught (W1, W2)."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0006_products_models_save_and_ask"),
        ("snapshots", "0021_receipts_know_their_arm"),
        ("tenants", "0006_tenants_and_keys_have_limits"),
    ]

    operations = [
        migrations.CreateModel(
            name="Task",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("goal", models.TextField(verbose_name="goal")),
                (
                    "status",
                    models.CharField(
                        choices=[("active", "active"), ("finished", "finished")],
                        default="active",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("steps", models.JSONField(blank=True, default=list, verbose_name="steps")),
                ("scratchpad", models.JSONField(blank=True, null=True, verbose_name="scratchpad")),
                ("iteration", models.PositiveIntegerField(default=0, verbose_name="iteration")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="updated at")),
                ("finished_at", models.DateTimeField(blank=True, null=True, verbose_name="finished at")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
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
                "verbose_name": "task",
                "verbose_name_plural": "tasks",
                "db_table": "task",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Episode",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "outcome",
                    models.CharField(
                        choices=[("success", "success"), ("partial", "partial success"), ("failure", "failure")],
                        max_length=16,
                        verbose_name="outcome",
                    ),
                ),
                ("approach", models.TextField(blank=True, verbose_name="approach")),
                (
                    "key_decisions",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="key decisions"
                    ),
                ),
                ("feedback", models.TextField(blank=True, verbose_name="feedback")),
                (
                    "tools",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="tools"
                    ),
                ),
                (
                    "lessons",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None, verbose_name="lessons"
                    ),
                ),
                (
                    "importance",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="importance",
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
                        verbose_name="snapshot",
                    ),
                ),
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
                (
                    "task",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.task",
                        verbose_name="task",
                    ),
                ),
            ],
            options={
                "verbose_name": "episode",
                "verbose_name_plural": "episodes",
                "db_table": "episode",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(fields=["tenant", "subject", "created_at", "id"], name="task_by_age"),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(
                condition=models.Q(("status", "active")),
                fields=["tenant", "subject", "-updated_at"],
                name="task_in_progress",
            ),
        ),
        migrations.AddIndex(
            model_name="task",
            index=models.Index(fields=["tenant", "updated_at"], name="task_by_change"),
        ),
        migrations.AddIndex(
            model_name="episode",
            index=models.Index(fields=["tenant", "subject", "-created_at"], name="episode_by_time"),
        ),
        migrations.AddConstraint(
            model_name="episode",
            constraint=models.UniqueConstraint(fields=("tenant", "task"), name="one_episode_per_task"),
        ),
        Protect("Task"),
        Protect("Episode"),
    ]
