"""An erasure leaves a signed certificate, what was forgotten a mark against coming back;
candidates may wait for a person.
"""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0003_beliefs_remember_sayings"),
        ("tenants", "0003_models_have_routes_and_a_ledger"),
    ]

    operations = [
        migrations.CreateModel(
            name="Erasure",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "scope",
                    models.CharField(
                        choices=[
                            ("memory", "one memory"),
                            ("conversation", "one conversation"),
                            ("subject", "a whole person"),
                        ],
                        max_length=16,
                        verbose_name="scope",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("accepted", "accepted"), ("running", "running"), ("done", "done")],
                        default="accepted",
                        max_length=16,
                        verbose_name="state",
                    ),
                ),
                ("subject_hash", models.CharField(max_length=64, verbose_name="subject hash")),
                ("object_hash", models.CharField(blank=True, max_length=64, verbose_name="object hash")),
                ("target", models.UUIDField(blank=True, editable=False, null=True)),
                ("actor_kind", models.CharField(max_length=16, verbose_name="requested by")),
                ("actor_ref", models.CharField(blank=True, max_length=200, verbose_name="actor")),
                ("reason", models.TextField(blank=True, verbose_name="reason")),
                ("erased", models.JSONField(default=dict, verbose_name="erased")),
                ("verified", models.JSONField(default=dict, verbose_name="verified")),
                ("beyond_reach", models.JSONField(default=list, verbose_name="not covered by this erasure")),
                ("requested_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="requested at")),
                ("erased_at", models.DateTimeField(blank=True, null=True, verbose_name="erased at")),
                ("signature", models.CharField(blank=True, max_length=200, verbose_name="signature")),
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
                "verbose_name": "erasure",
                "verbose_name_plural": "erasures",
                "db_table": "erasure",
                "ordering": ("-requested_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Forgotten",
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
                        choices=[("text", "text"), ("message", "message")], max_length=8, verbose_name="kind"
                    ),
                ),
                ("digest", models.BinaryField()),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
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
                "db_table": "forgotten",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddField(
            model_name="candidate",
            name="origin",
            field=models.CharField(blank=True, db_default="", max_length=64, verbose_name="origin"),
        ),
        migrations.AddField(
            model_name="candidate",
            name="proposal",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="candidate",
            name="quote_end",
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="candidate",
            name="quote_start",
            field=models.PositiveIntegerField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="candidate",
            name="review_reason",
            field=models.TextField(blank=True, db_default="", verbose_name="reason of the review"),
        ),
        migrations.AddField(
            model_name="candidate",
            name="reviewed_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="reviewed at"),
        ),
        migrations.AddField(
            model_name="candidate",
            name="reviewed_by",
            field=models.CharField(blank=True, db_default="", max_length=200, verbose_name="reviewed by"),
        ),
        migrations.AddField(
            model_name="candidate",
            name="sort",
            field=models.CharField(blank=True, db_default="", max_length=16, verbose_name="type of statement"),
        ),
        migrations.AddField(
            model_name="subject",
            name="erasing",
            field=models.BooleanField(db_default=False, default=False, editable=False),
        ),
        migrations.AlterField(
            model_name="candidate",
            name="verdict",
            field=models.CharField(
                choices=[
                    ("stored", "stored"),
                    ("merged", "merged"),
                    ("superseded", "superseded"),
                    ("unchanged", "unchanged"),
                    ("rejected", "rejected"),
                    ("pending", "waits for review"),
                ],
                max_length=16,
                verbose_name="verdict",
            ),
        ),
        migrations.AddIndex(
            model_name="candidate",
            index=models.Index(
                condition=models.Q(("verdict", "pending")), fields=["tenant", "created_at"], name="candidate_to_review"
            ),
        ),
        migrations.AddIndex(
            model_name="erasure",
            index=models.Index(fields=["tenant", "-requested_at"], name="erasure_by_time"),
        ),
        migrations.AddIndex(
            model_name="erasure",
            index=models.Index(
                condition=models.Q(("state", "done"), _negated=True),
                fields=["tenant", "requested_at"],
                name="erasure_to_finish",
            ),
        ),
        migrations.AddConstraint(
            model_name="forgotten",
            constraint=models.UniqueConstraint(
                fields=("tenant", "subject", "kind", "digest"), name="one_mark_per_digest"
            ),
        ),
        Protect("Erasure"),
        Protect("Forgotten"),
    ]
