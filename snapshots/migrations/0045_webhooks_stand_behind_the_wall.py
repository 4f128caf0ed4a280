"""Webhooks, and the outbox of what they are told, which triggers write in the transaction of each change."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from snapshots.migrations import _webhook_triggers
from tenants.isolation.definer import definer_function
from tenants.isolation.protect import MakeIndexes, Protect

# A webhook that is off is no concern of the sweep: its deliveries wait until it is on again.
TENANTS_WITH_DUE_DELIVERIES = definer_function(
    "tenants_with_due_deliveries(at_most integer)",
    "TABLE (tenant_id uuid)",
    """
    SELECT DISTINCT w.tenant_id FROM public.webhook w
    WHERE w.off_reason = '' AND (w.paused_until IS NULL OR w.paused_until <= statement_timestamp()) AND EXISTS (
      SELECT 1 FROM public.webhook_delivery d
      WHERE d.tenant_id = w.tenant_id AND d.webhook_id = w.id AND d.state = 'pending'
        AND d.due_at <= statement_timestamp()
    )
    LIMIT at_most
    """,
)
# Three numbers for the metrics, no tenant's data. The counts stop at 100,000.
WEBHOOK_BACKLOG = definer_function(
    "webhook_backlog()",
    "TABLE (waiting bigint, dead bigint, off bigint)",
    """
    SELECT
      (SELECT count(*) FROM (SELECT 1 FROM public.webhook_delivery WHERE state = 'pending' LIMIT 100000) AS d),
      (SELECT count(*) FROM (SELECT 1 FROM public.webhook_delivery WHERE state = 'dead' LIMIT 100000) AS d),
      (SELECT count(*) FROM (SELECT 1 FROM public.webhook WHERE off_reason IN ('failing', 'gone') LIMIT 100000) AS w)
    """,
)


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0010_subjects_can_be_joined"),
        ("snapshots", "0044_threads_and_store_items_stand_behind_the_wall"),
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("url", models.CharField(max_length=500, verbose_name="address")),
                ("name", models.CharField(blank=True, max_length=100, verbose_name="name")),
                (
                    "events",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("memory.created", "memory created"),
                                ("memory.superseded", "memory superseded"),
                                ("memory.erased", "memory erased"),
                                ("conversation.summarised", "conversation summarised"),
                                ("job.dead", "job given up"),
                                ("webhook.test", "test"),
                            ],
                            max_length=32,
                        ),
                        size=None,
                        verbose_name="events",
                    ),
                ),
                (
                    "include",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=16),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="include",
                    ),
                ),
                ("sealed_secret", models.BinaryField()),
                ("sealed_former", models.BinaryField(blank=True, null=True)),
                ("former_until", models.DateTimeField(blank=True, null=True, verbose_name="old secret ends")),
                (
                    "off_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("asked", "switched off by hand"),
                            ("failing", "it failed for too long"),
                            ("gone", "it answered that it is gone (410)"),
                        ],
                        max_length=16,
                        verbose_name="off because",
                    ),
                ),
                ("failing_since", models.DateTimeField(blank=True, null=True, verbose_name="failing since")),
                ("paused_until", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="changed at"
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
                "verbose_name": "webhook",
                "verbose_name_plural": "webhooks",
                "db_table": "webhook",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("event_id", models.UUIDField(verbose_name="event id")),
                (
                    "event",
                    models.CharField(
                        choices=[
                            ("memory.created", "memory created"),
                            ("memory.superseded", "memory superseded"),
                            ("memory.erased", "memory erased"),
                            ("conversation.summarised", "conversation summarised"),
                            ("job.dead", "job given up"),
                            ("webhook.test", "test"),
                        ],
                        max_length=32,
                        verbose_name="event",
                    ),
                ),
                ("object_kind", models.CharField(blank=True, max_length=24, verbose_name="kind")),
                ("object_id", models.UUIDField(blank=True, null=True, verbose_name="id")),
                ("erased_person", models.CharField(blank=True, db_default="", editable=False, max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[("pending", "pending"), ("delivered", "delivered"), ("dead", "dead")],
                        db_default="pending",
                        max_length=16,
                        verbose_name="state",
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(db_default=0, verbose_name="attempts")),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="due at"),
                ),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("last_status", models.PositiveSmallIntegerField(blank=True, null=True, verbose_name="last status")),
                ("error_code", models.CharField(blank=True, db_default="", max_length=32, verbose_name="error")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
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
                    "webhook",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.webhook",
                        verbose_name="webhook",
                    ),
                ),
            ],
            options={
                "verbose_name": "delivery",
                "verbose_name_plural": "deliveries",
                "db_table": "webhook_delivery",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "pending")),
                        fields=["tenant", "webhook", "due_at"],
                        name="webhook_delivery_due",
                    ),
                    models.Index(fields=["tenant", "webhook", "-created_at", "-id"], name="webhook_delivery_by_time"),
                    models.Index(fields=["tenant", "created_at"], name="webhook_delivery_by_age"),
                ],
            },
        ),
        MakeIndexes("webhook", "webhook_delivery"),
        Protect("Webhook", lookup=True),
        Protect("WebhookDelivery", lookup=True),
        migrations.RunSQL(TENANTS_WITH_DUE_DELIVERIES, "DROP FUNCTION app.tenants_with_due_deliveries(integer)"),
        migrations.RunSQL(WEBHOOK_BACKLOG, "DROP FUNCTION app.webhook_backlog()"),
        migrations.RunSQL(_webhook_triggers.FUNCTION, "DROP FUNCTION app.tell_webhooks() CASCADE"),
        *(migrations.RunSQL(one, migrations.RunSQL.noop) for one in _webhook_triggers.build_triggers()),
    ]
