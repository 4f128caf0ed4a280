"""A key may be bound to one subject: it is read with the key, so that no request needs a look-up of its own."""

from importlib import import_module

from django.db import migrations, models

from tenants.isolation.definer import definer_function

EARLIER = import_module("tenants.migrations.0006_tenants_and_keys_have_limits")

AUTH_KEY = definer_function(
    "auth_key(wanted text)",
    "TABLE (tenant_id uuid, tenant_slug text, tenant_name text, policy_version integer, policy_epoch bigint,"
    " api_key_id uuid, scopes text[], expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz,"
    " digest bytea,"
    " requests_per_second integer, burst integer, messages_per_day bigint, stored_snapshots bigint,"
    " model_tokens_per_day bigint, bound_subject text)",
    """
    SELECT t.id, t.slug::text, t.name::text, t.policy_version, t.policy_epoch, k.id, k.scopes::text[],
           k.expires_at, k.revoked_at, k.last_used_at, d.digest,
           coalesce(of_key.requests_per_second, of_all.requests_per_second), coalesce(of_key.burst, of_all.burst),
           of_all.messages_per_day, of_all.stored_snapshots, of_all.model_tokens_per_day, k.bound_subject::text
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
        ("tenants", "0014_log_ins_come_from_providers"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="bound_subject",
            field=models.CharField(
                blank=True, db_default="", default="", max_length=200, verbose_name="for one person"
            ),
        ),
        migrations.AddIndex(
            model_name="apikey",
            index=models.Index(
                condition=models.Q(("bound_subject", ""), _negated=True),
                fields=["tenant", "bound_subject"],
                name="api_key_of_subject",
            ),
        ),
        migrations.RunSQL(EARLIER.DROPPED + AUTH_KEY, EARLIER.DROPPED + EARLIER.AUTH_KEY),
    ]
