"""Chunks of documents get an index: rows of their own, blocks of postings, cells of vectors."""

import django.db.models.deletion
import pgvector.django.halfvec
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import MakeIndexes, Protect


class Migration(migrations.Migration):
    dependencies = [
        ("snapshots", "0047_documents_stand_behind_the_wall"),
        ("tenants", "0016_calls_go_on_to_upstreams"),
    ]

    operations = [
        migrations.CreateModel(
            name="IndexedChunk",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("part", models.UUIDField()),
                ("number", models.BigIntegerField()),
                ("segment", models.IntegerField(null=True)),
                ("position", models.PositiveSmallIntegerField(null=True)),
                ("terms", models.BinaryField()),
                ("vector", models.BinaryField(null=True)),
                ("cell", models.UUIDField(null=True)),
                (
                    "chunk",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.chunk",
                    ),
                ),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.embeddingspace",
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
                "db_table": "indexed_chunk",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(
                        condition=models.Q(("segment__isnull", True)),
                        fields=["tenant", "part", "number"],
                        name="indexed_chunk_fresh",
                    ),
                    models.Index(
                        condition=models.Q(("segment__isnull", False)),
                        fields=["tenant", "part", "segment", "position"],
                        name="indexed_chunk_by_place",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "chunk"), name="one_index_row_per_chunk"),
                    models.UniqueConstraint(fields=("tenant", "part", "number"), name="one_chunk_per_number"),
                ],
            },
        ),
        migrations.CreateModel(
            name="IndexPart",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("part", models.UUIDField()),
                ("next_number", models.BigIntegerField(default=0)),
                ("next_segment", models.IntegerField(default=0)),
                ("chunk_count", models.BigIntegerField(default=0)),
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
                "db_table": "knowledge_index_part",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "part"), name="one_row_per_index_part")],
            },
        ),
        migrations.CreateModel(
            name="PostingBlock",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("part", models.UUIDField()),
                ("segment", models.IntegerField()),
                ("bucket", models.PositiveSmallIntegerField()),
                ("tier", models.PositiveSmallIntegerField()),
                ("packed", models.BinaryField()),
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
                "db_table": "posting_block",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "part", "segment"], name="posting_block_by_segment")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "part", "bucket", "tier", "segment"), name="one_block_per_bucket_and_tier"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="VectorCell",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("part", models.UUIDField()),
                ("centroid", pgvector.django.halfvec.HalfVectorField()),
                ("packed", models.BinaryField()),
                (
                    "space",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.embeddingspace",
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
                "db_table": "vector_cell",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "part", "space"], name="vector_cell_by_space")],
            },
        ),
        MakeIndexes("indexed_chunk", "knowledge_index_part", "posting_block", "vector_cell"),
        Protect("IndexedChunk"),
        Protect("IndexPart"),
        Protect("PostingBlock"),
        Protect("VectorCell"),
        # Numbers, which do not become smaller: Postgres would try to compress each large one.
        migrations.RunSQL(
            "ALTER TABLE posting_block ALTER COLUMN packed SET STORAGE EXTERNAL;"
            "ALTER TABLE vector_cell ALTER COLUMN packed SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
    ]
