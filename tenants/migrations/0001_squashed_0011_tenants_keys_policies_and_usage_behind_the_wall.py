"""All tables of tenants as a new database gets them: the wall's foundation, keys, policies, limits, prices and usage.

A database that has some of the replaced migrations goes on with them; their SQL is taken from them. The tables' columns
stand in the order that those migrations leave, so that both ways end in the same schema.
"""

from importlib import import_module

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tenants.models.base
from tenants.isolation.protect import Protect
from tenants.migrations._fields import identity, of_tenant

WALL = import_module("tenants.migrations.0002_wall_around_tenants")
LIMITS = import_module("tenants.migrations.0006_tenants_and_keys_have_limits")
PRICES = import_module("tenants.migrations.0007_usage_is_kept_by_the_day")


class Migration(migrations.Migration):
    replaces = [
        ("tenants", "0001_keys_members_and_audit"),
        ("tenants", "0002_wall_around_tenants"),
        ("tenants", "0003_models_have_routes_and_a_ledger"),
        ("tenants", "0004_runs_of_jobs_go_on"),
        ("tenants", "0005_policies_have_versions"),
        ("tenants", "0006_tenants_and_keys_have_limits"),
        ("tenants", "0007_usage_is_kept_by_the_day"),
        ("tenants", "0008_tenants_have_a_locale"),
        ("tenants", "0009_support_sessions_say_why"),
        ("tenants", "0010_prefixes_kept_by_vendors_are_in_the_ledger"),
        ("tenants", "0011_releases_have_policy_versions"),
    ]

    initial = True

    dependencies = [
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Tenant",
            fields=[
                identity(),
                (
                    "slug",
                    models.CharField(
                        max_length=63,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z0-9]+(?:-[a-z0-9]+)*$", "Lower-case letters, digits and single hyphens."
                            )
                        ],
                        verbose_name="slug",
                    ),
                ),
                ("name", models.CharField(max_length=200, verbose_name="name")),
                ("policy_version", models.PositiveIntegerField(default=1, verbose_name="policy version")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("policy_epoch", models.PositiveBigIntegerField(db_default=1, default=1, editable=False)),
                (
                    "locale",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Default prompt language, used when neither the person nor the system prompt sets one.",
                        max_length=35,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$", "A language tag, such as en-GB or zh-CN."
                            )
                        ],
                        verbose_name="locale",
                    ),
                ),
                (
                    "support_sessions",
                    models.BooleanField(
                        db_default=False, default=False, editable=False, verbose_name="members need a support session"
                    ),
                ),
            ],
            options={
                "verbose_name": "tenant",
                "verbose_name_plural": "tenants",
                "db_table": "tenant",
                "ordering": ("slug",),
            },
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                identity(),
                ("key_id", models.CharField(editable=False, max_length=12, unique=True, verbose_name="key id")),
                ("name", models.CharField(max_length=100, verbose_name="name")),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(
                            choices=[
                                ("memory:read", "read memory"),
                                ("memory:write", "write memory"),
                                ("knowledge:write", "write knowledge"),
                                ("admin", "administer"),
                            ],
                            max_length=32,
                        ),
                        size=None,
                        verbose_name="scopes",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("expires_at", models.DateTimeField(blank=True, null=True, verbose_name="expires at")),
                ("revoked_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="revoked at")),
                (
                    "last_used_at",
                    models.DateTimeField(blank=True, editable=False, null=True, verbose_name="last used at"),
                ),
                (
                    "rotated_to",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="tenants.apikey",
                        verbose_name="rotated to",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "verbose_name": "API key",
                "verbose_name_plural": "API keys",
                "db_table": "api_key",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="JobRun",
            fields=[
                identity(),
                ("job", models.CharField(max_length=100, verbose_name="job")),
                ("scheduled_for", models.DateTimeField(verbose_name="scheduled for")),
                ("started_at", models.DateTimeField(verbose_name="started at")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
                ("rows", models.PositiveBigIntegerField(default=0, verbose_name="rows")),
                ("skipped", models.PositiveBigIntegerField(default=0, verbose_name="skipped")),
                ("errors", models.PositiveIntegerField(default=0, verbose_name="errors")),
                ("reached", models.UUIDField(blank=True, null=True, verbose_name="processed up to")),
                ("reached_within", models.UUIDField(blank=True, editable=False, null=True)),
                ("lease_until", models.DateTimeField(blank=True, editable=False, null=True)),
                ("tries", models.PositiveSmallIntegerField(db_default=0, default=0, editable=False)),
            ],
            options={
                "verbose_name": "job run",
                "verbose_name_plural": "job runs",
                "db_table": "job_run",
                "ordering": ("-scheduled_for", "job"),
                "constraints": [
                    models.UniqueConstraint(fields=("job", "scheduled_for"), name="one_run_per_job_and_slot")
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelPrice",
            fields=[
                identity(),
                (
                    "tier",
                    models.CharField(
                        choices=[("light", "light"), ("middle", "middle"), ("strong", "strong")],
                        max_length=16,
                        verbose_name="tier",
                    ),
                ),
                ("model", models.CharField(max_length=200, verbose_name="model")),
                (
                    "currency",
                    models.CharField(
                        max_length=3,
                        validators=[
                            django.core.validators.RegexValidator("^[A-Z]{3}$", "Three capital letters, such as USD.")
                        ],
                        verbose_name="currency",
                    ),
                ),
                (
                    "input",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="input, per 1M tokens",
                    ),
                ),
                (
                    "cached_input",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="cached input, per 1M tokens",
                    ),
                ),
                (
                    "output",
                    models.DecimalField(
                        decimal_places=6,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="output, per 1M tokens",
                    ),
                ),
                ("valid_from", models.DateField(verbose_name="valid from")),
                ("source", models.CharField(blank=True, max_length=300, verbose_name="source")),
                ("is_example", models.BooleanField(default=False, verbose_name="example")),
                (
                    "storage",
                    models.DecimalField(
                        db_default=0,
                        decimal_places=6,
                        default=0,
                        max_digits=12,
                        validators=[django.core.validators.MinValueValidator(0)],
                        verbose_name="cache storage, per 1M tokens and hour",
                    ),
                ),
            ],
            options={
                "verbose_name": "model price",
                "verbose_name_plural": "model prices",
                "db_table": "model_price",
                "ordering": ("tier", "-valid_from", "model"),
                "constraints": [
                    models.UniqueConstraint(fields=("tier", "model", "valid_from"), name="one_price_per_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="SupportSession",
            fields=[
                identity(),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("staff", "staff"), ("operator", "operator"), ("api_key", "API key"), ("job", "job")],
                        max_length=16,
                        verbose_name="actor kind",
                    ),
                ),
                ("actor_id", models.CharField(max_length=64, verbose_name="actor")),
                ("reason", models.CharField(max_length=500, verbose_name="reason")),
                ("started_at", models.DateTimeField(default=django.utils.timezone.now, verbose_name="started at")),
                ("ends_at", models.DateTimeField(verbose_name="ends at")),
                of_tenant(),
            ],
            options={
                "verbose_name": "support session",
                "verbose_name_plural": "support sessions",
                "db_table": "support_session",
                "ordering": ("-started_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [models.Index(fields=["tenant", "actor_id", "-ends_at"], name="support_session_by_actor")],
            },
        ),
        migrations.CreateModel(
            name="SupportEnd",
            fields=[
                identity(),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                of_tenant(),
                (
                    "session",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="tenants.supportsession",
                    ),
                ),
            ],
            options={
                "db_table": "support_end",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "session"), name="one_end_per_support_session")
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyVersion",
            fields=[
                identity(),
                of_tenant(),
                ("number", models.PositiveIntegerField(verbose_name="version")),
                ("document", models.JSONField(default=dict, verbose_name="settings")),
                ("based_on", models.PositiveIntegerField(blank=True, null=True, verbose_name="based on")),
                ("reason", models.CharField(blank=True, max_length=500, verbose_name="reason")),
                ("author", models.CharField(blank=True, max_length=64, verbose_name="made by")),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
            ],
            options={
                "verbose_name": "policy",
                "verbose_name_plural": "policies",
                "db_table": "policy_version",
                "ordering": ("-number",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "number"), name="one_policy_per_number")],
            },
        ),
        migrations.CreateModel(
            name="ModelUsage",
            fields=[
                identity(),
                ("day", models.DateField(verbose_name="day")),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("summarise", "summarise"),
                            ("extract", "extract"),
                            ("judge", "judge"),
                            ("rewrite", "rewrite"),
                            ("cache", "cache prefixes"),
                        ],
                        max_length=16,
                        verbose_name="purpose",
                    ),
                ),
                ("model", models.CharField(max_length=200, verbose_name="model")),
                ("calls", models.PositiveBigIntegerField(default=0, verbose_name="calls")),
                ("failures", models.PositiveBigIntegerField(default=0, verbose_name="failures")),
                ("input_tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens read")),
                ("output_tokens", models.PositiveBigIntegerField(default=0, verbose_name="tokens written")),
                of_tenant(),
                (
                    "token_hours",
                    models.DecimalField(
                        db_default=0, decimal_places=3, max_digits=18, verbose_name="cached tokens × hours"
                    ),
                ),
            ],
            options={
                "verbose_name": "model usage",
                "verbose_name_plural": "model usage",
                "db_table": "model_usage",
                "ordering": ("-day", "purpose", "model"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "day", "purpose", "model"), name="one_usage_per_day_and_model"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ModelRoute",
            fields=[
                identity(),
                (
                    "purpose",
                    models.CharField(
                        choices=[
                            ("summarise", "summarise"),
                            ("extract", "extract"),
                            ("judge", "judge"),
                            ("rewrite", "rewrite"),
                        ],
                        max_length=16,
                        verbose_name="purpose",
                    ),
                ),
                ("endpoint", models.CharField(blank=True, max_length=64, verbose_name="endpoint")),
                ("daily_tokens", models.PositiveBigIntegerField(blank=True, null=True, verbose_name="tokens a day")),
                of_tenant(),
            ],
            options={
                "verbose_name": "model route",
                "verbose_name_plural": "model routes",
                "db_table": "model_route",
                "ordering": ("purpose",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "purpose"), name="one_route_per_purpose")],
            },
        ),
        migrations.CreateModel(
            name="Member",
            fields=[
                identity(),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("support", "support"), ("manager", "manager")],
                        default="viewer",
                        max_length=16,
                        verbose_name="role",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "verbose_name": "member",
                "verbose_name_plural": "members",
                "db_table": "member",
                "ordering": ("created_at", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "user"), name="one_role_per_user_and_tenant")
                ],
            },
        ),
        migrations.CreateModel(
            name="Experiment",
            fields=[
                identity(),
                of_tenant(),
                ("name", models.CharField(max_length=64, verbose_name="name")),
                ("arms", models.JSONField(default=list, verbose_name="arms")),
                (
                    "status",
                    models.CharField(
                        choices=[("draft", "draft"), ("running", "running"), ("ended", "ended")],
                        default="draft",
                        max_length=16,
                        verbose_name="status",
                    ),
                ),
                ("version", models.PositiveIntegerField(default=1, editable=False)),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                ("started_at", models.DateTimeField(blank=True, null=True, verbose_name="started at")),
                ("ended_at", models.DateTimeField(blank=True, null=True, verbose_name="ended at")),
            ],
            options={
                "verbose_name": "experiment",
                "verbose_name_plural": "experiments",
                "db_table": "experiment",
                "ordering": ("-created_at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "name"), name="one_experiment_per_name"),
                    models.UniqueConstraint(
                        condition=models.Q(("status", "running")), fields=("tenant",), name="one_running_experiment"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="AuditRecord",
            fields=[
                identity(),
                ("at", models.DateTimeField(auto_now_add=True, verbose_name="at")),
                (
                    "actor_kind",
                    models.CharField(
                        choices=[("staff", "staff"), ("operator", "operator"), ("api_key", "API key"), ("job", "job")],
                        max_length=16,
                        verbose_name="actor kind",
                    ),
                ),
                ("actor_id", models.CharField(max_length=64, verbose_name="actor")),
                ("action", models.CharField(max_length=64, verbose_name="action")),
                ("object_kind", models.CharField(blank=True, max_length=64, verbose_name="object kind")),
                ("object_id", models.CharField(blank=True, max_length=64, verbose_name="object")),
                ("subject_ref", models.UUIDField(blank=True, null=True, verbose_name="subject")),
                ("reason", models.CharField(blank=True, max_length=500, verbose_name="reason")),
                ("refused", models.BooleanField(default=False, verbose_name="refused")),
                ("request_id", models.CharField(blank=True, max_length=64, verbose_name="request")),
                of_tenant(),
            ],
            options={
                "verbose_name": "audit record",
                "verbose_name_plural": "audit records",
                "db_table": "audit_record",
                "ordering": ("-at", "-id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "indexes": [
                    models.Index(fields=["tenant", "-at"], name="audit_record_by_time"),
                    models.Index(fields=["tenant", "subject_ref", "-at"], name="audit_record_by_subject"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ApiKeyDigest",
            fields=[
                identity(),
                ("digest", models.BinaryField()),
                (
                    "api_key",
                    tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="tenants.apikey",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "db_table": "api_key_digest",
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "api_key"), name="one_digest_per_api_key")],
            },
        ),
        migrations.CreateModel(
            name="UsageDay",
            fields=[
                identity(),
                ("day", models.DateField(verbose_name="day")),
                ("requests", models.PositiveBigIntegerField(default=0, verbose_name="requests")),
                ("refused", models.PositiveBigIntegerField(default=0, verbose_name="refused")),
                ("messages", models.PositiveBigIntegerField(default=0, verbose_name="messages")),
                ("contexts", models.PositiveBigIntegerField(default=0, verbose_name="contexts")),
                ("tokens_in_context", models.PositiveBigIntegerField(default=0, verbose_name="tokens in contexts")),
                (
                    "tokens_full_history",
                    models.PositiveBigIntegerField(default=0, verbose_name="tokens of the full history"),
                ),
                ("sections", models.JSONField(default=dict, verbose_name="tokens by section")),
                of_tenant(),
            ],
            options={
                "verbose_name": "day of use",
                "verbose_name_plural": "usage and cost",
                "db_table": "usage_day",
                "ordering": ("-day",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [models.UniqueConstraint(fields=("tenant", "day"), name="one_usage_per_day")],
            },
        ),
        migrations.CreateModel(
            name="UsageEvent",
            fields=[
                identity(),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("messages", models.PositiveIntegerField(default=0)),
                ("contexts", models.PositiveIntegerField(default=0)),
                ("tokens_in_context", models.PositiveBigIntegerField(default=0)),
                ("tokens_full_history", models.PositiveBigIntegerField(default=0)),
                ("sections", models.JSONField(default=list)),
                of_tenant(),
            ],
            options={
                "db_table": "usage_event",
                "ordering": ("id",),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
            },
        ),
        migrations.CreateModel(
            name="UsageLimit",
            fields=[
                identity(),
                (
                    "requests_per_second",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="requests a second",
                    ),
                ),
                (
                    "burst",
                    models.PositiveIntegerField(
                        blank=True,
                        null=True,
                        validators=[django.core.validators.MinValueValidator(1)],
                        verbose_name="requests at once",
                    ),
                ),
                (
                    "messages_per_day",
                    models.PositiveBigIntegerField(blank=True, null=True, verbose_name="messages a day"),
                ),
                (
                    "stored_snapshots",
                    models.PositiveBigIntegerField(blank=True, null=True, verbose_name="stored snapshots"),
                ),
                (
                    "model_tokens_per_day",
                    models.PositiveBigIntegerField(blank=True, null=True, verbose_name="model tokens a day"),
                ),
                (
                    "api_key",
                    tenants.models.base.TenantForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=models.DO_NOTHING,
                        related_name="+",
                        to="tenants.apikey",
                        verbose_name="API key",
                    ),
                ),
                of_tenant(),
            ],
            options={
                "verbose_name": "limit",
                "verbose_name_plural": "limits",
                "db_table": "usage_limit",
                "ordering": ("api_key", "id"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "api_key"), name="one_limit_per_tenant_and_key", nulls_distinct=False
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("requests_per_second__gte", 1), ("requests_per_second__isnull", True), _connector="OR"
                        ),
                        name="a_second_has_a_request",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("burst__gte", 1), ("burst__isnull", True), _connector="OR"),
                        name="a_burst_has_a_request",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("api_key__isnull", True),
                            models.Q(
                                ("messages_per_day__isnull", True),
                                ("model_tokens_per_day__isnull", True),
                                ("stored_snapshots__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="a_key_limits_its_requests_only",
                        violation_error_message="Messages, memories and model tokens are limited for the whole tenant.",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="UsageRequests",
            fields=[
                identity(),
                ("day", models.DateField()),
                ("epoch", models.CharField(max_length=20)),
                ("requests", models.PositiveBigIntegerField(default=0)),
                ("refused", models.PositiveBigIntegerField(default=0)),
                of_tenant(),
            ],
            options={
                "db_table": "usage_requests",
                "ordering": ("day", "epoch"),
                "abstract": False,
                "base_manager_name": "objects",
                "default_manager_name": "objects",
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "day", "epoch"), name="one_count_per_day_and_epoch")
                ],
            },
        ),
        migrations.RunSQL(WALL.FOUNDATION, "DROP SCHEMA app CASCADE"),
        migrations.RunSQL(WALL.TENANT_DIRECTORY, migrations.RunSQL.noop),
        Protect("ApiKey", set_null=("rotated_to",), lookup=True),
        Protect("ApiKeyDigest", write_only=True, lookup=True),
        Protect("Member", lookup=True),
        Protect("AuditRecord", append_only=True),
        Protect("ModelRoute"),
        Protect("ModelUsage"),
        Protect("PolicyVersion", append_only=True),
        Protect("Experiment"),
        Protect("UsageLimit", lookup=True),
        Protect("UsageEvent"),
        Protect("UsageRequests"),
        Protect("UsageDay"),
        Protect("SupportSession", append_only=True),
        Protect("SupportEnd", append_only=True),
        migrations.RunSQL(LIMITS.AUTH_KEY, LIMITS.DROPPED),
        migrations.RunSQL(WALL.TENANTS_OF_STAFF, "DROP FUNCTION app.tenants_of_staff"),
        migrations.RunPython(PRICES.add_examples, migrations.RunPython.noop),
    ]
