"""Files that a model keeps about a person."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0010_subjects_can_be_joined"),
        ("snapshots", "0048_chunks_are_found_by_words_and_vectors"),
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.CreateModel(
            name="MemoryFile",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("path", models.TextField(db_collation="C", verbose_name="path")),
                ("text", models.TextField(blank=True, verbose_name="text")),
                ("version", models.PositiveIntegerField(default=1, verbose_name="version")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="updated at")),
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
                "verbose_name": "memory file",
                "verbose_name_plural": "memory files",
                "db_table": "memory_file",
                "ordering": ("path",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "subject", "path"), name="one_file_per_path")
                ],
            },
        ),
        Protect("MemoryFile"),
    ]
