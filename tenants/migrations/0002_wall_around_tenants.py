"""The wall's foundation: schema ``app``, the tenant of a transaction, the write guard, the look-ups before a tenant.

The pepper never reaches the database: ``app.auth_key`` hands the stored digest to the application, which compares.
"""

from django.db import migrations

from tenants.isolation.definer import definer_function, find_user_key_type
from tenants.isolation.protect import Protect, app_role, lookup_role, owner_role, policy

FOUNDATION = f"""
CREATE SCHEMA IF NOT EXISTS app;
GRANT USAGE ON SCHEMA app TO {app_role()}, {lookup_role()};

CREATE OR REPLACE FUNCTION app.tid() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.tenant_id', true), '')::uuid $$;

CREATE OR REPLACE FUNCTION app.refuse_write_without_tenant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF app.tid() IS NULL THEN
    RAISE EXCEPTION 'write to % without a tenant', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NULL;
END $$;
"""

TENANT_DIRECTORY = "\n".join(
    f"{statement};"
    for statement in (
        "ALTER TABLE tenant ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE tenant FORCE ROW LEVEL SECURITY",
        policy("tenant", "directory", f"FOR SELECT TO {app_role()}, {owner_role()}, {lookup_role()} USING (true)"),
        policy("tenant", "make", f"FOR INSERT TO {app_role()}, {owner_role()} WITH CHECK (id = (SELECT app.tid()))"),
        policy(
            "tenant",
            "own",
            f"FOR UPDATE TO {app_role()}, {owner_role()} "
            "USING (id = (SELECT app.tid())) WITH CHECK (id = (SELECT app.tid()))",
        ),
        policy("tenant", "leave", f"FOR DELETE TO {owner_role()} USING (id = (SELECT app.tid()))"),
        f"REVOKE DELETE, TRUNCATE ON tenant FROM {app_role()}",
        f"GRANT SELECT ON tenant TO {lookup_role()}",
    )
)

AUTH_KEY = definer_function(
    "auth_key(wanted text)",
    "TABLE (tenant_id uuid, tenant_slug text, tenant_name text, policy_version integer, api_key_id uuid, scopes text[],"
    " expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, digest bytea)",
    """
    SELECT t.id, t.slug::text, t.name::text, t.policy_version, k.id, k.scopes::text[],
           k.expires_at, k.revoked_at, k.last_used_at, d.digest
    FROM public.api_key k
    JOIN public.api_key_digest d ON d.tenant_id = k.tenant_id AND d.api_key_id = k.id
    JOIN public.tenant t ON t.id = k.tenant_id
    WHERE k.key_id = wanted
    """,
)

TENANTS_OF_STAFF = definer_function(
    f"tenants_of_staff(staff {find_user_key_type()})",
    "TABLE (tenant_id uuid, role text)",
    "SELECT m.tenant_id, m.role::text FROM public.member m WHERE m.user_id = staff",
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0001_keys_members_and_audit")]

    operations = [
        migrations.RunSQL(FOUNDATION, "DROP SCHEMA app CASCADE"),
        migrations.RunSQL(TENANT_DIRECTORY, migrations.RunSQL.noop),
        Protect("ApiKey", set_null=("rotated_to",), lookup=True),
        Protect("ApiKeyDigest", write_only=True, lookup=True),
        Protect("Member", lookup=True),
        Protect("AuditRecord", append_only=True),
        migrations.RunSQL(AUTH_KEY, "DROP FUNCTION app.auth_key(text)"),
        migrations.RunSQL(TENANTS_OF_STAFF, "DROP FUNCTION app.tenants_of_staff"),
    ]
