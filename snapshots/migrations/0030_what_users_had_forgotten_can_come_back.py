"""What a user told us to forget stands apart for a day, and can be brought back (A4)."""

import django.contrib.postgres.fields
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
        ("snapshots", "0029_notes_stand_behind_the_wall"),
        ("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger"),
    ]

    operations = [
        migrations.CreateModel(
            name="ForgetOrder",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("message_ref", models.UUIDField(verbose_name="message")),
                (
                    "state",
                    models.CharField(
                        choices=[("withheld", "withheld"), ("undone", "brought back"), ("erased", "erased")],
                        default="withheld",
                        max_length=8,
                        verbose_name="state",
                    ),
                ),
                ("items", models.JSONField(default=list, verbose_name="memories")),
                (
                    "messages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), default=list, size=None, verbose_name="messages"
                    ),
                ),
                ("erased", models.JSONField(default=dict, editable=False, verbose_name="erased rows")),
                ("kept", models.BinaryField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("erase_at", models.DateTimeField(verbose_name="is erased at")),
                ("decided_at", models.DateTimeField(blank=True, null=True, verbose_name="decided at")),
                ("erasure_ref", models.UUIDField(blank=True, null=True, verbose_name="erasure")),
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
                "verbose_name": "order to forget",
                "verbose_name_plural": "orders to forget",
                "db_table": "forget_order",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-created_at"], name="forget_order_by_time"),
                    models.Index(
                        condition=models.Q(("state", "withheld")),
                        fields=["tenant", "erase_at"],
                        name="forget_order_due",
                    ),
                ],
            },
        ),
        Protect("ForgetOrder"),
    ]
