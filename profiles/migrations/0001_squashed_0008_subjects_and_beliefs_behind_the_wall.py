"""All tables of profiles as a new database gets them: subjects, beliefs, candidates, erasures, asks and tags.

A database that has some of the replaced migrations goes on with them.
"""

import django.contrib.postgres.fields
import django.core.validators
import django.utils.timezone
from django.db import migrations, models

import tenants.models.base
from tenants.isolation.protect import MakeIndexes, Protect
from tenants.migrations._fields import identity, of_subject, of_tenant


class Migration(migrations.Migration):
    replaces = [
        ("profiles", "0001_subjects_and_beliefs"),
        ("profiles", "0002_wall_around_profiles"),
        ("profiles", "0003_beliefs_remember_sayings"),
        ("profiles", "0004_erasures_leave_proof_and_candidates_wait"),
        ("profiles", "0005_certificates_tell_marks"),
        ("profiles", "0006_products_models_save_and_ask"),
        ("profiles", "0007_forgotten_beliefs_are_marked"),
        ("profiles", "0008_tags_keep_their_past"),
    ]

    initial = True

    dependencies = [
        ("tenants", "0001_squashed_0011_tenants_keys_policies_and_usage_behind_the_wall"),
    ]

    operations = [
        migrations.CreateModel(
            name="Subject",
            fields=[
                identity(),
                ("external_id", models.CharField(max_length=200, verbose_name="subject id")),
                ("metadata", models.JSONField(blank=True, default=dict, verbose_name="metadata")),
                ("search_text", models.TextField(blank=True, editable=False, verbose_name="search text")),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("profile_version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("updated_at", models.DateTimeField(auto_now=True, verbose_name="updated at")),
                of_tenant(),
                ("erasing", models.BooleanField(db_default=False, default=False, editable=False)),
            ],
            options={
                "verbose_name": "subject",
                "verbose_name_plural": "subjects",
                "db_table": "subject",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "created_at", "id"], name="subject_by_age")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "external_id"), name="one_subject_per_external_id")
                ],
            },
        ),
        migrations.CreateModel(
            name="ProfileFact",
            fields=[
                identity(),
                ("value", models.JSONField(verbose_name="value")),
                (
                    "confidence",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="confidence",
                    ),
                ),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("valid_at", models.DateTimeField(verbose_name="valid at")),
                ("invalid_at", models.DateTimeField(blank=True, null=True, verbose_name="invalid at")),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(blank=True, null=True, verbose_name="retired at")),
                (
                    "last_validated_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last validated at"),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("field", models.CharField(max_length=200, verbose_name="field")),
                ("is_attribute", models.BooleanField(default=False, verbose_name="free attribute")),
                (
                    "superseded_by",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.profilefact",
                        verbose_name="superseded by",
                    ),
                ),
                of_tenant(),
                (
                    "version_of",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.profilefact",
                        verbose_name="version of",
                    ),
                ),
                of_subject(),
                (
                    "said_times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(),
                        blank=True,
                        default=list,
                        editable=False,
                        size=None,
                        verbose_name="said at",
                    ),
                ),
            ],
            options={
                "verbose_name": "profile fact",
                "verbose_name_plural": "profile facts",
                "db_table": "profile_fact",
                "ordering": ("is_attribute", "field", "-valid_at", "-recorded_at"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "is_attribute", "field"], name="profile_fact_by_field")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("invalid_at__isnull", True), ("retired_at__isnull", True)),
                        fields=("tenant", "subject", "is_attribute", "field"),
                        name="one_current_fact_per_field",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Preference",
            fields=[
                identity(),
                ("value", models.JSONField(verbose_name="value")),
                (
                    "confidence",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="confidence",
                    ),
                ),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("valid_at", models.DateTimeField(verbose_name="valid at")),
                ("invalid_at", models.DateTimeField(blank=True, null=True, verbose_name="invalid at")),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(blank=True, null=True, verbose_name="retired at")),
                (
                    "last_validated_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last validated at"),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("category", models.CharField(max_length=100, verbose_name="category")),
                ("key", models.CharField(max_length=200, verbose_name="key")),
                ("statement", models.TextField(blank=True, verbose_name="statement")),
                (
                    "superseded_by",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.preference",
                        verbose_name="superseded by",
                    ),
                ),
                of_tenant(),
                (
                    "version_of",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.preference",
                        verbose_name="version of",
                    ),
                ),
                of_subject(),
                (
                    "said_times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(),
                        blank=True,
                        default=list,
                        editable=False,
                        size=None,
                        verbose_name="said at",
                    ),
                ),
            ],
            options={
                "verbose_name": "preference",
                "verbose_name_plural": "preferences",
                "db_table": "preference",
                "ordering": ("category", "key", "-valid_at", "-recorded_at"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "subject", "category", "key"], name="preference_by_key")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("invalid_at__isnull", True), ("retired_at__isnull", True)),
                        fields=("tenant", "subject", "category", "key"),
                        name="one_current_preference_per_key",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="IdempotentReply",
            fields=[
                identity(),
                ("endpoint", models.CharField(max_length=64)),
                ("key", models.CharField(max_length=255)),
                ("request_hash", models.BinaryField()),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("body", models.BinaryField(null=True)),
                ("headers", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                of_tenant(),
                (
                    "subject",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.subject",
                    ),
                ),
            ],
            options={
                "db_table": "idempotent_reply",
                "ordering": ("-created_at",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "created_at"], name="idempotent_reply_by_age")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "endpoint", "key"), name="one_reply_per_endpoint_and_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Forgotten",
            fields=[
                identity(),
                (
                    "kind",
                    models.CharField(
                        choices=[("text", "text"), ("message", "message"), ("belief", "belief")],
                        max_length=8,
                        verbose_name="kind",
                    ),
                ),
                ("digest", models.BinaryField()),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "forgotten",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "subject", "kind", "digest"), name="one_mark_per_digest")
                ],
            },
        ),
        migrations.CreateModel(
            name="Candidate",
            fields=[
                identity(),
                (
                    "kind",
                    models.CharField(
                        choices=[("profile", "profile fact"), ("preference", "preference"), ("tag", "tag")],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("target", models.CharField(blank=True, max_length=310, verbose_name="target")),
                ("value", models.JSONField(blank=True, null=True, verbose_name="value")),
                ("confidence", models.FloatField(default=0.0, verbose_name="confidence")),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                (
                    "verdict",
                    models.CharField(
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
                ("reason", models.CharField(blank=True, max_length=64, verbose_name="reason")),
                ("message_ref", models.UUIDField(blank=True, null=True, verbose_name="message")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                of_tenant(),
                of_subject(),
                ("origin", models.CharField(blank=True, db_default="", max_length=64, verbose_name="origin")),
                ("proposal", models.JSONField(blank=True, editable=False, null=True)),
                ("quote_end", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                ("quote_start", models.PositiveIntegerField(blank=True, editable=False, null=True)),
                ("review_reason", models.TextField(blank=True, db_default="", verbose_name="reason of the review")),
                ("reviewed_at", models.DateTimeField(blank=True, null=True, verbose_name="reviewed at")),
                (
                    "reviewed_by",
                    models.CharField(blank=True, db_default="", max_length=200, verbose_name="reviewed by"),
                ),
                ("sort", models.CharField(blank=True, db_default="", max_length=16, verbose_name="type of statement")),
            ],
            options={
                "verbose_name": "proposal",
                "verbose_name_plural": "proposals",
                "db_table": "candidate",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-created_at"], name="candidate_by_time"),
                    models.Index(
                        condition=models.Q(("verdict", "pending")),
                        fields=["tenant", "created_at"],
                        name="candidate_to_review",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Ask",
            fields=[
                identity(),
                ("conversation", models.CharField(max_length=200, verbose_name="conversation id")),
                ("key", models.CharField(max_length=40, verbose_name="asked for")),
                (
                    "priority",
                    models.CharField(
                        choices=[("high", "high"), ("medium", "medium"), ("low", "low")],
                        max_length=8,
                        verbose_name="priority",
                    ),
                ),
                ("question", models.CharField(max_length=200, verbose_name="question")),
                ("asked_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="asked at")),
                ("answered_at", models.DateTimeField(blank=True, null=True, verbose_name="answered at")),
                ("accepted", models.BooleanField(blank=True, null=True, verbose_name="accepted")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "question to the person",
                "verbose_name_plural": "questions to people",
                "db_table": "ask",
                "ordering": ("-asked_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "subject", "-asked_at"], name="ask_by_time"),
                    models.Index(fields=["tenant", "asked_at"], name="ask_by_age"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tag",
            fields=[
                identity(),
                ("label", models.CharField(max_length=200, verbose_name="label")),
                (
                    "kind",
                    models.CharField(
                        choices=[("place", "place"), ("contact", "contact"), ("thing", "thing")],
                        max_length=16,
                        verbose_name="kind",
                    ),
                ),
                ("address", models.TextField(blank=True, verbose_name="address")),
                ("poi_id", models.CharField(blank=True, max_length=200, verbose_name="POI id")),
                (
                    "lat",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-90),
                            django.core.validators.MaxValueValidator(90),
                        ],
                        verbose_name="latitude",
                    ),
                ),
                (
                    "lon",
                    models.FloatField(
                        blank=True,
                        null=True,
                        validators=[
                            django.core.validators.MinValueValidator(-180),
                            django.core.validators.MaxValueValidator(180),
                        ],
                        verbose_name="longitude",
                    ),
                ),
                ("phone", models.CharField(blank=True, max_length=64, verbose_name="phone")),
                ("relation", models.CharField(blank=True, max_length=100, verbose_name="relation")),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200),
                        blank=True,
                        default=list,
                        size=None,
                        verbose_name="aliases",
                    ),
                ),
                ("use_count", models.PositiveIntegerField(default=0, verbose_name="use count")),
                ("last_used_at", models.DateTimeField(blank=True, null=True, verbose_name="last used at")),
                (
                    "confidence",
                    models.FloatField(
                        default=1.0,
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="confidence",
                    ),
                ),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        default="confirmed_by_user",
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("updated_at", models.DateTimeField(auto_now=True, verbose_name="updated at")),
                of_subject(),
                of_tenant(),
            ],
            options={
                "verbose_name": "tag",
                "verbose_name_plural": "tags",
                "db_table": "tag",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "subject", "label"), name="one_tag_per_label")
                ],
            },
        ),
        migrations.CreateModel(
            name="TagDetail",
            fields=[
                identity(),
                ("value", models.JSONField(verbose_name="value")),
                (
                    "confidence",
                    models.FloatField(
                        validators=[
                            django.core.validators.MinValueValidator(0.0),
                            django.core.validators.MaxValueValidator(1.0),
                        ],
                        verbose_name="confidence",
                    ),
                ),
                (
                    "provenance",
                    models.CharField(
                        choices=[
                            ("observation", "observation"),
                            ("analysis", "analysis"),
                            ("confirmed_by_user", "confirmed by user"),
                        ],
                        max_length=20,
                        verbose_name="provenance",
                    ),
                ),
                ("valid_at", models.DateTimeField(verbose_name="valid at")),
                ("invalid_at", models.DateTimeField(blank=True, null=True, verbose_name="invalid at")),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="recorded at")),
                ("retired_at", models.DateTimeField(blank=True, null=True, verbose_name="retired at")),
                (
                    "last_validated_at",
                    models.DateTimeField(default=django.utils.timezone.now, verbose_name="last validated at"),
                ),
                (
                    "said_times",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(),
                        blank=True,
                        default=list,
                        editable=False,
                        size=None,
                        verbose_name="said at",
                    ),
                ),
                ("version", models.PositiveBigIntegerField(default=1, editable=False)),
                (
                    "detail",
                    models.CharField(
                        choices=[
                            ("label", "label"),
                            ("kind", "kind"),
                            ("address", "address"),
                            ("poi_id", "POI id"),
                            ("lat", "latitude"),
                            ("lon", "longitude"),
                            ("phone", "phone"),
                            ("relation", "relation"),
                            ("aliases", "aliases"),
                        ],
                        max_length=16,
                        verbose_name="detail",
                    ),
                ),
                of_subject(),
                (
                    "superseded_by",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.tagdetail",
                        verbose_name="superseded by",
                    ),
                ),
                (
                    "tag",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.tag",
                        verbose_name="tag",
                    ),
                ),
                of_tenant(),
                (
                    "version_of",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="profiles.tagdetail",
                        verbose_name="version of",
                    ),
                ),
            ],
            options={
                "verbose_name": "detail of a tag",
                "verbose_name_plural": "details of tags",
                "db_table": "tag_detail",
                "ordering": ("detail", "-valid_at", "-recorded_at"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "tag", "detail"], name="tag_detail_by_tag")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("invalid_at__isnull", True), ("retired_at__isnull", True)),
                        fields=("tenant", "tag", "detail"),
                        name="one_current_value_per_detail",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolSave",
            fields=[
                identity(),
                ("conversation", models.CharField(max_length=200)),
                ("memory_ref", models.UUIDField()),
                ("saved_at", models.DateTimeField(default=django.utils.timezone.now)),
                of_subject(),
                of_tenant(),
            ],
            options={
                "db_table": "tool_save",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "saved_at"], name="tool_save_by_age")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "subject", "conversation", "memory_ref"),
                        name="one_tool_save_per_conversation",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Erasure",
            fields=[
                identity(),
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
                of_tenant(),
                (
                    "marks",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="markers against learning it again"),
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
                "indexes": [
                    models.Index(fields=["tenant", "-requested_at"], name="erasure_by_time"),
                    models.Index(
                        condition=models.Q(("state", "done"), _negated=True),
                        fields=["tenant", "requested_at"],
                        name="erasure_to_finish",
                    ),
                ],
            },
        ),
        MakeIndexes("candidate", "preference", "profile_fact"),
        Protect("Subject"),
        Protect("ProfileFact", set_null=("superseded_by",)),
        Protect("Preference", set_null=("superseded_by",)),
        Protect("Tag"),
        Protect("Candidate"),
        Protect("IdempotentReply"),
        Protect("Erasure"),
        Protect("Forgotten"),
        Protect("Ask"),
        Protect("ToolSave"),
        Protect("TagDetail", set_null=("superseded_by",)),
    ]
