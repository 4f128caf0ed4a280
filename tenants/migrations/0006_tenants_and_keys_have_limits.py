"""Limits that differ from the policy's, read with the key in the same call: a request needs no look-up of its own."""

from importlib import import_module

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models

import memory_platform.kernel.ids
import tenants.isolation.scope
import tenants.models.base
from tenants.isolation.definer import definer_function
from tenants.isolation.protect import Protect

EARLIER = import_module("tenants.migrations.0005_policies_have_versions")
DROPPED = "DROP FUNCTION app.auth_key(text);"

AUTH_KEY = definer_function(
    "auth_key(wanted text)",
    "TABLE (tenant_id uuid, tenant_slug text, tenant_name text, policy_version integer, policy_epoch bigint,"
    " api_key_id uuid, scopes text[], expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz,"
    " digest bytea,"
    " requests_per_second integer, burst integer, messages_per_day bigint, stored_snapshots bigint,"
    " model_tokens_per_day bigint)",
    """
    SELECT t.id, t.slug::text, t.name::text, t.policy_version, t.policy_epoch, k.id, k.scopes::text[],
           k.expires_at, k.revoked_at, k.last_used_at, d.digest,
           coalesce(of_key.requests_per_second, of_all.requests_per_second), coalesce(of_key.burst, of_all.burst),
           of_all.messages_per_day, of_all.stored_snapshots, of_all.model_tokens_per_day
    FROM public.api_key k
    JOIN public.api_key_digest d ON d.tenant_id = k.tenant_id AND d.api_key_id = k.id
    JOIN public.tenant t ON t.id = k.tenant_id
    LEFT JOIN public.usage_limit of_key ON of_key.tenant_id = k.tenant_id AND of_key.api_key_id = k.id
    LEFT JOIN public.usage_limit of_all ON of_all.tenant_id = k.tenant_id AND of_all.api_key_id IS NULL
    WHERE k.key_id = wanted
    """,
)


class Migration(migrations.Migration):
    dependencies = [
        ("tenants", "0005_policies_have_versions"),
    ]

    operations = [
        migrations.CreateModel(
            name="UsageLimit",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=memory_platform.kernel.ids.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
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
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="tenants.apikey",
                        verbose_name="API key",
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
        Protect("UsageLimit", lookup=True),
        migrations.RunSQL(DROPPED + AUTH_KEY, DROPPED + EARLIER.AUTH_KEY),
    ]
