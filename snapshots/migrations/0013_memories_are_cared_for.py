"""Feedback is tallied by memory and by day, care leaves records, aged words are archived, products may ask for jobs."""

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.protect import Protect


class Migration(migrations.Migration):
    dependencies = [
        ("profiles", "0004_erasures_leave_proof_and_candidates_wait"),
        ("snapshots", "0012_a_saying_knows_its_repeats"),
        ("tenants", "0003_models_have_routes_and_a_ledger"),
    ]

    operations = [
        migrations.CreateModel(
            name="BeliefCounter",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("injected", models.PositiveIntegerField(default=0, verbose_name="included in prompts")),
                ("utilised", models.PositiveIntegerField(db_default=0, default=0, verbose_name="used in the reply")),
                ("judged", models.PositiveIntegerField(db_default=0, default=0, verbose_name="judged")),
                ("positive", models.PositiveIntegerField(default=0, verbose_name="positive")),
                ("negative", models.PositiveIntegerField(db_default=0, default=0, verbose_name="negative")),
                ("corrected", models.PositiveIntegerField(default=0, verbose_name="corrected")),
                ("calibrated_injected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_judged", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_positive", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("calibrated_corrected", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("lane", models.CharField(max_length=16, verbose_name="kind of memory")),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
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
                "db_table": "belief_counter",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Calibration",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "rule",
                    models.CharField(
                        choices=[
                            ("liked", "positive feedback"),
                            ("corrected", "corrected"),
                            ("disliked", "negative feedback"),
                        ],
                        max_length=16,
                        verbose_name="rule",
                    ),
                ),
                ("before", models.FloatField(verbose_name="confidence before")),
                ("after", models.FloatField(verbose_name="confidence after")),
                ("injected", models.PositiveIntegerField(verbose_name="included in prompts")),
                ("judged", models.PositiveIntegerField(verbose_name="judged")),
                ("positive", models.PositiveIntegerField(verbose_name="positive")),
                ("corrected", models.PositiveIntegerField(verbose_name="corrected")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
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
                "verbose_name": "calibration",
                "verbose_name_plural": "calibrations",
                "db_table": "calibration",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Consolidation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "members",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.UUIDField(), size=None, verbose_name="joined memories"
                    ),
                ),
                ("similarity", models.FloatField(verbose_name="least similarity")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("undone_at", models.DateTimeField(blank=True, null=True, verbose_name="undone at")),
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
                "verbose_name": "consolidation",
                "verbose_name_plural": "consolidations",
                "db_table": "consolidation",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="FastLaneChange",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("memory_ref", models.UUIDField(blank=True, null=True, verbose_name="memory")),
                ("took_ms", models.FloatField(verbose_name="milliseconds")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
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
                "db_table": "fast_lane_change",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Indicator",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("day", models.DateField(verbose_name="day")),
                ("policy_version", models.CharField(max_length=32, verbose_name="policy version")),
                ("arm", models.CharField(blank=True, max_length=64, verbose_name="arm")),
                ("contexts", models.PositiveBigIntegerField(default=0, verbose_name="contexts")),
                ("degraded", models.PositiveBigIntegerField(default=0, verbose_name="degraded answers")),
                ("injected", models.PositiveBigIntegerField(default=0, verbose_name="included in prompts")),
                ("replied", models.PositiveBigIntegerField(default=0, verbose_name="included, reply known")),
                ("utilised", models.PositiveBigIntegerField(default=0, verbose_name="used in the reply")),
                ("judged", models.PositiveBigIntegerField(default=0, verbose_name="judged")),
                ("positive", models.PositiveBigIntegerField(default=0, verbose_name="positive")),
                ("negative", models.PositiveBigIntegerField(default=0, verbose_name="negative")),
                ("corrected", models.PositiveBigIntegerField(default=0, verbose_name="corrected")),
                ("stale", models.PositiveBigIntegerField(default=0, verbose_name="stale")),
                ("tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens in contexts")),
                (
                    "tokens_full_history",
                    models.PositiveBigIntegerField(default=0, verbose_name="tokens of full histories"),
                ),
                ("fast_lane_changes", models.PositiveBigIntegerField(default=0, verbose_name="immediate corrections")),
                (
                    "fast_lane_p95_ms",
                    models.FloatField(blank=True, null=True, verbose_name="correction delay, p95 in ms"),
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
                "verbose_name": "indicator",
                "verbose_name_plural": "indicators",
                "db_table": "indicator",
                "ordering": ("-day", "policy_version", "arm"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="Job",
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
                        choices=[("import", "import"), ("erasure", "erasure")], max_length=16, verbose_name="kind"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("running", "running"),
                            ("succeeded", "succeeded"),
                            ("failed", "failed"),
                            ("dead", "dead"),
                        ],
                        default="queued",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("params", models.JSONField(default=dict)),
                ("result", models.JSONField(default=dict, verbose_name="result")),
                ("done", models.PositiveBigIntegerField(default=0, verbose_name="done")),
                ("total", models.PositiveBigIntegerField(default=0, verbose_name="total")),
                ("attempts", models.PositiveSmallIntegerField(default=0, verbose_name="attempts")),
                ("error_code", models.CharField(blank=True, max_length=100, verbose_name="error")),
                (
                    "due_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), verbose_name="due at"),
                ),
                ("lease_token", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True, verbose_name="leased until")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created at"
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
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
                "verbose_name": "job",
                "verbose_name_plural": "jobs",
                "db_table": "job",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="JobPart",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("packed", models.BinaryField()),
                (
                    "job",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
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
            ],
            options={
                "db_table": "job_part",
                "ordering": ("job", "number"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="MemoryReview",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "lane",
                    models.CharField(
                        choices=[
                            ("snapshots", "snapshots"),
                            ("preferences", "preferences"),
                            ("profile", "profile"),
                            ("tags", "tags"),
                        ],
                        max_length=16,
                        verbose_name="kind of memory",
                    ),
                ),
                ("memory_ref", models.UUIDField(verbose_name="memory")),
                (
                    "reason",
                    models.CharField(
                        choices=[("unsure", "confidence too low"), ("stale", "not validated for long")],
                        max_length=16,
                        verbose_name="reason",
                    ),
                ),
                ("effective_confidence", models.FloatField(verbose_name="effective confidence")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="created at")),
                ("decided_at", models.DateTimeField(blank=True, null=True, verbose_name="decided at")),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("retired", "retired"), ("kept", "kept"), ("gone", "no longer in question")],
                        max_length=16,
                        verbose_name="decision",
                    ),
                ),
                ("decided_by", models.CharField(blank=True, max_length=200, verbose_name="decided by")),
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
                "verbose_name": "memory to review",
                "verbose_name_plural": "memories to review",
                "db_table": "memory_review",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="MessageArchive",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("first_seq", models.PositiveBigIntegerField()),
                ("last_seq", models.PositiveBigIntegerField()),
                ("messages", models.PositiveIntegerField()),
                ("plain_bytes", models.PositiveBigIntegerField()),
                ("packed", models.BinaryField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "conversation",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="snapshots.conversation",
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
                "db_table": "message_archive",
                "ordering": ("conversation", "first_seq"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.AddField(
            model_name="conversation",
            name="summarised_seq",
            field=models.PositiveBigIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="message",
            name="archived",
            field=models.BooleanField(db_default=False, default=False, verbose_name="archived"),
        ),
        migrations.AddField(
            model_name="receipt",
            name="answered_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="next message reported"),
        ),
        migrations.AddField(
            model_name="receipt",
            name="replied_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="reply reported"),
        ),
        migrations.AddField(
            model_name="receiptmemory",
            name="counted",
            field=models.JSONField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="receiptmemory",
            name="how",
            field=models.CharField(blank=True, db_default="", max_length=16, verbose_name="evidence of use"),
        ),
        migrations.AddField(
            model_name="receiptmemory",
            name="signal_reason",
            field=models.CharField(blank=True, db_default="", max_length=64, verbose_name="reason of the signal"),
        ),
        migrations.AddField(
            model_name="receiptmemory",
            name="told_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="reported at"),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="calibrated_corrected",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="calibrated_injected",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="calibrated_judged",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="calibrated_positive",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="judged",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="judged"),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="negative",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="negative"),
        ),
        migrations.AddField(
            model_name="snapshotcounter",
            name="utilised",
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name="used in the reply"),
        ),
        migrations.AlterField(
            model_name="work",
            name="kind",
            field=models.CharField(
                choices=[
                    ("statement", "statement"),
                    ("extract", "extract"),
                    ("conversation", "conversation snapshot"),
                    ("summary", "running summary"),
                ],
                max_length=16,
                verbose_name="kind",
            ),
        ),
        migrations.AddIndex(
            model_name="receiptmemory",
            index=models.Index(
                condition=models.Q(("counted__isnull", True)),
                fields=["tenant", "subject"],
                name="receipt_memory_to_count",
            ),
        ),
        migrations.AddConstraint(
            model_name="work",
            constraint=models.UniqueConstraint(
                condition=models.Q(("kind", "summary")),
                fields=("tenant", "conversation", "generation"),
                name="one_work_per_running_summary",
            ),
        ),
        migrations.AddConstraint(
            model_name="beliefcounter",
            constraint=models.UniqueConstraint(fields=("tenant", "lane", "memory_ref"), name="one_counter_per_belief"),
        ),
        migrations.AddIndex(
            model_name="calibration",
            index=models.Index(fields=["tenant", "subject", "-created_at"], name="calibration_by_subject"),
        ),
        migrations.AddIndex(
            model_name="calibration",
            index=models.Index(fields=["tenant", "memory_ref", "-created_at"], name="calibration_by_memory"),
        ),
        migrations.AddIndex(
            model_name="consolidation",
            index=models.Index(fields=["tenant", "subject", "-created_at"], name="consolidation_by_time"),
        ),
        migrations.AddIndex(
            model_name="fastlanechange",
            index=models.Index(fields=["tenant", "created_at"], name="fast_lane_change_by_age"),
        ),
        migrations.AddConstraint(
            model_name="indicator",
            constraint=models.UniqueConstraint(
                fields=("tenant", "day", "policy_version", "arm"), name="one_indicator_per_day"
            ),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(fields=["tenant", "-created_at"], name="job_by_time"),
        ),
        migrations.AddIndex(
            model_name="job",
            index=models.Index(
                condition=models.Q(("status__in", ("queued", "running", "failed"))),
                fields=["tenant", "due_at"],
                name="job_to_do",
            ),
        ),
        migrations.AddConstraint(
            model_name="jobpart",
            constraint=models.UniqueConstraint(fields=("tenant", "job", "number"), name="one_part_per_number"),
        ),
        migrations.AddIndex(
            model_name="memoryreview",
            index=models.Index(fields=["tenant", "-created_at"], name="memory_review_by_time"),
        ),
        migrations.AddConstraint(
            model_name="memoryreview",
            constraint=models.UniqueConstraint(
                condition=models.Q(("decided_at__isnull", True)),
                fields=("tenant", "lane", "memory_ref"),
                name="one_open_review_per_memory",
            ),
        ),
        migrations.AddConstraint(
            model_name="messagearchive",
            constraint=models.UniqueConstraint(
                fields=("tenant", "conversation", "first_seq"), name="one_archive_per_stretch"
            ),
        ),
        Protect("BeliefCounter"),
        Protect("Calibration"),
        Protect("Consolidation"),
        Protect("FastLaneChange"),
        Protect("Indicator"),
        Protect("Job"),
        Protect("JobPart"),
        Protect("MemoryReview"),
        Protect("MessageArchive"),
    ]
