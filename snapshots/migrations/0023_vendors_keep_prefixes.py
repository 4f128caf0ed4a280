"""Which stable prefixes of prompts a vendor keeps (X9)."""

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
        ("snapshots", "0022_agents_have_tasks_and_episodes"),
        ("tenants", "0007_usage_is_kept_by_the_day"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptPrefix",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("endpoint", models.CharField(max_length=64, verbose_name="endpoint")),
                ("prefix_hash", models.CharField(max_length=64, verbose_name="prefix hash")),
                ("name", models.CharField(blank=True, max_length=300, verbose_name="name")),
                ("tokens", models.PositiveIntegerField(default=0, verbose_name="tokens")),
                ("claim", models.UUIDField(editable=False, null=True)),
                ("claimed_until", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("expires_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="expires at")),
                ("unnamed_until", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("gone_by", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
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
                "verbose_name": "cached prefix",
                "verbose_name_plural": "cached prefixes",
                "db_table": "kept_prefix",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject"], name="kept_prefix_of_subject"),
                    models.Index(fields=["tenant", "gone_by"], name="kept_prefix_by_end"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "endpoint", "prefix_hash"), name="one_kept_prefix_each")
                ],
            },
        ),
        Protect("KeptPrefix"),
    ]
