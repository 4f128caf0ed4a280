"""Which documents stand in the prompt of a receipt."""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0010_subjects_can_be_joined"),
        ("snapshots", "0050_chunks_are_found_by_their_space"),
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReceiptDocument",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "document",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.document",
                    ),
                ),
                (
                    "receipt",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.receipt",
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
            ],
            options={
                "db_table": "receipt_document",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        Protect("ReceiptDocument"),
    ]
