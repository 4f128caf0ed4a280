"""A tenant's calls of models go on to an endpoint of its own, whose key is stored encrypted."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0015_keys_are_bound_to_subjects"),
    ]

    operations = [
        migrations.CreateModel(
            name="Upstream",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("openai", "OpenAI")], default="openai", max_length=16, verbose_name="kind"
                    ),
                ),
                ("base_url", models.CharField(max_length=500, verbose_name="address")),
                ("sealed_key", models.BinaryField()),
                (
                    "key_end",
                    models.CharField(blank=True, editable=False, max_length=4, verbose_name="end of the key"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name="set at"),
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
                "verbose_name": "upstream",
                "verbose_name_plural": "upstreams",
                "db_table": "upstream",
                "ordering": ("kind", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddConstraint(
            model_name="upstream",
            constraint=models.UniqueConstraint(fields=("tenant", "kind"), name="one_upstream_of_a_kind"),
        ),
        Protect("Upstream"),
    ]
