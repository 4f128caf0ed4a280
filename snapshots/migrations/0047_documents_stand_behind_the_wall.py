"""Documents of a tenant with their chunks, in collections that may have an access label."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import MakeIndexes, Protect


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0046_what_was_imported_is_told_apart"),
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.AlterField(
            model_name="job",
            name="kind",
            field=models.CharField(
                choices=[("import", "import"), ("erasure", "erasure"), ("document", "processing of a document")],
                max_length=16,
                verbose_name="kind",
            ),
        ),
        migrations.CreateModel(
            name="DocumentCollection",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("external_id", models.TextField(db_collation="C", verbose_name="collection")),
                ("access_label", models.TextField(blank=True, default="", verbose_name="access label")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
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
                "verbose_name": "collection",
                "verbose_name_plural": "collections",
                "db_table": "document_collection",
                "ordering": ("external_id",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Document",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("external_id", models.TextField(db_collation="C", verbose_name="document")),
                ("title", models.TextField(blank=True, default="", verbose_name="title")),
                ("found_title", models.TextField(blank=True, default="")),
                ("content_type", models.CharField(max_length=100, verbose_name="content type")),
                ("source_url", models.TextField(blank=True, default="", verbose_name="source address")),
                ("metadata", models.JSONField(default=dict)),
                (
                    "status",
                    models.CharField(
                        choices=[("processing", "being processed"), ("ready", "ready"), ("failed", "failed")],
                        default="processing",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("error_code", models.CharField(blank=True, default="", max_length=100, verbose_name="error")),
                ("error_detail", models.TextField(blank=True, default="")),
                ("version", models.PositiveIntegerField(default=1)),
                ("upload", models.PositiveIntegerField(default=1)),
                ("indexed_upload", models.PositiveIntegerField(default=0)),
                ("byte_count", models.PositiveBigIntegerField(verbose_name="bytes")),
                ("content_hash", models.BinaryField()),
                ("chunk_count", models.PositiveIntegerField(default=0, verbose_name="chunks")),
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
                ("indexed_at", models.DateTimeField(null=True, verbose_name="indexed at")),
                (
                    "job",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.job",
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
                    "collection",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.documentcollection",
                        verbose_name="collection",
                    ),
                ),
            ],
            options={
                "verbose_name": "document",
                "verbose_name_plural": "documents",
                "db_table": "document",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Chunk",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField(verbose_name="position")),
                ("text", models.TextField(verbose_name="text")),
                ("place", models.TextField(blank=True, default="", verbose_name="place")),
                (
                    "heading_path",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("page", models.PositiveIntegerField(null=True, verbose_name="page")),
                ("start", models.PositiveIntegerField()),
                ("end", models.PositiveIntegerField()),
                ("token_count", models.PositiveIntegerField(verbose_name="tokens")),
                ("content_hash", models.BinaryField()),
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
                    "document",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.document",
                    ),
                ),
            ],
            options={
                "verbose_name": "chunk",
                "verbose_name_plural": "chunks",
                "db_table": "document_chunk",
                "ordering": ("document", "position"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "document", "position"], name="chunk_by_position")],
            },
        ),
        migrations.CreateModel(
            name="DocumentBody",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("upload", models.BinaryField()),
                ("text", models.TextField(default="")),
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
                "db_table": "document_body",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "document"), name="one_body_per_document")],
            },
        ),
        migrations.AddConstraint(
            model_name="documentcollection",
            constraint=models.UniqueConstraint(fields=("tenant", "external_id"), name="one_collection_per_external_id"),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["tenant", "created_at", "id"], name="document_by_age"),
        ),
        migrations.AddConstraint(
            model_name="document",
            constraint=models.UniqueConstraint(fields=("tenant", "external_id"), name="one_document_per_external_id"),
        ),
        MakeIndexes("document_collection", "document", "document_chunk", "document_body"),
        Protect("DocumentCollection"),
        Protect("Document", set_null=("job",)),
        Protect("Chunk"),
        Protect("DocumentBody"),
    ]
