"""Notes and the slots that were read from their words know each other (P2, P3, P9)."""

import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0007_forgotten_beliefs_are_marked"),
        ("snapshots", "0032_notes_know_what_ended_them"),
        ("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger"),
    ]

    operations = [
        migrations.CreateModel(
            name="NoteSlot",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "fact",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.profilefact",
                    ),
                ),
                (
                    "preference",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.preference",
                    ),
                ),
                (
                    "snapshot",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.snapshot",
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
                    "tag",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
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
                "db_table": "note_slot",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "snapshot", "preference", "fact", "tag"),
                        name="one_link_of_note_and_slot",
                        nulls_distinct=False,
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("fact__isnull", True), ("preference__isnull", False), ("tag__isnull", True)),
                            models.Q(("fact__isnull", False), ("preference__isnull", True), ("tag__isnull", True)),
                            models.Q(("fact__isnull", True), ("preference__isnull", True), ("tag__isnull", False)),
                            _connector="OR",
                        ),
                        name="link_to_one_slot",
                    ),
                ],
            },
        ),
        Protect("NoteSlot"),
    ]
