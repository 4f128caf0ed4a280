"""Threads with their checkpoints, and store items, of agents that keep their state here."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import pgvector.django.halfvec
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0010_subjects_can_be_joined"),
        ("snapshots", "0043_every_act_of_staff_can_be_undone"),
        ("tenants", "0014_log_ins_come_from_providers"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentThread",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("external_id", models.TextField(db_collation="C")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.subject",
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
                "db_table": "agent_thread",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="ChannelValue",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("namespace", models.TextField(db_collation="C")),
                ("channel", models.TextField(db_collation="C")),
                ("version", models.TextField(db_collation="C")),
                ("format", models.TextField()),
                ("value", models.BinaryField()),
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
                    "thread",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.agentthread",
                    ),
                ),
            ],
            options={
                "db_table": "channel_value",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Checkpoint",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("namespace", models.TextField(db_collation="C")),
                ("checkpoint_id", models.TextField(db_collation="C")),
                ("parent_id", models.TextField(db_collation="C")),
                ("run_id", models.TextField(db_collation="C")),
                ("format", models.TextField()),
                ("body", models.BinaryField()),
                ("versions", models.JSONField(default=dict)),
                ("metadata", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                    "thread",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.agentthread",
                    ),
                ),
            ],
            options={
                "db_table": "checkpoint",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="PendingWrite",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("namespace", models.TextField(db_collation="C")),
                ("checkpoint_id", models.TextField(db_collation="C")),
                ("task_id", models.TextField(db_collation="C")),
                ("task_path", models.TextField(db_collation="C")),
                ("place", models.IntegerField()),
                ("channel", models.TextField()),
                ("format", models.TextField()),
                ("value", models.BinaryField()),
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
                    "thread",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.agentthread",
                    ),
                ),
            ],
            options={
                "db_table": "pending_write",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="StoreItem",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "namespace",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(db_collation="C"), size=None),
                ),
                ("key", models.TextField(db_collation="C")),
                ("value", models.JSONField()),
                (
                    "indexed_paths",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None),
                ),
                ("ttl_minutes", models.FloatField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="profiles.subject",
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
                "db_table": "store_item",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="StoreItemVector",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("path", models.TextField()),
                ("vector", pgvector.django.halfvec.HalfVectorField()),
                (
                    "item",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.storeitem",
                    ),
                ),
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
                "db_table": "store_item_vector",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="ThreadTombstone",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("mark", models.BinaryField()),
                ("closed_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                "db_table": "thread_tombstone",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddConstraint(
            model_name="agentthread",
            constraint=models.UniqueConstraint(fields=("tenant", "external_id"), name="one_thread_per_external_id"),
        ),
        migrations.AddConstraint(
            model_name="channelvalue",
            constraint=models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "channel", "version"), name="one_value_per_version"
            ),
        ),
        migrations.AddIndex(
            model_name="checkpoint",
            index=models.Index(
                condition=models.Q(("run_id", ""), _negated=True), fields=["tenant", "run_id"], name="checkpoint_by_run"
            ),
        ),
        migrations.AddConstraint(
            model_name="checkpoint",
            constraint=models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "checkpoint_id"), name="one_checkpoint_per_id"
            ),
        ),
        migrations.AddConstraint(
            model_name="pendingwrite",
            constraint=models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "checkpoint_id", "task_id", "place"),
                name="one_write_per_place",
            ),
        ),
        migrations.AddIndex(
            model_name="storeitem",
            index=models.Index(
                condition=models.Q(("expires_at__isnull", False)),
                fields=["tenant", "expires_at"],
                name="store_item_by_expiry",
            ),
        ),
        migrations.AddConstraint(
            model_name="storeitem",
            constraint=models.UniqueConstraint(fields=("tenant", "namespace", "key"), name="one_item_per_key"),
        ),
        migrations.AddConstraint(
            model_name="storeitemvector",
            constraint=models.UniqueConstraint(fields=("tenant", "item", "space", "path"), name="one_vector_per_path"),
        ),
        migrations.AddConstraint(
            model_name="threadtombstone",
            constraint=models.UniqueConstraint(fields=("tenant", "mark"), name="one_tombstone_per_thread"),
        ),
        Protect("AgentThread"),
        Protect("Checkpoint"),
        Protect("ChannelValue"),
        Protect("PendingWrite"),
        Protect("ThreadTombstone"),
        Protect("StoreItem"),
        Protect("StoreItemVector"),
    ]
