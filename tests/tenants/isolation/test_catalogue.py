"""The wall as the database's own catalogue shows it. Rows: T1. Matrix: 1, 2, 11, 16."""

import pytest
from django.apps import apps
from django.db import ProgrammingError, connection, connections

from tenants.models import TenantOwned

pytestmark = pytest.mark.usefixtures("database")


def tenant_owned_models() -> list[type[TenantOwned]]:
    return [model for model in apps.get_models() if issubclass(model, TenantOwned)]


def rows(sql: str) -> list[tuple[object, ...]]:
    with connections["owner"].cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


PRIVILEGES = "ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']"

FAULTS = """
WITH t AS (
  SELECT c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
)
SELECT relname, 'row security is not forced' FROM t WHERE NOT (relrowsecurity AND relforcerowsecurity)
UNION ALL
SELECT relname, 'no restrictive tenant policy for the app role' FROM t
WHERE NOT EXISTS (
  SELECT 1 FROM pg_policy p WHERE p.polrelid = t.oid AND NOT p.polpermissive AND p.polcmd = '*'
    AND (SELECT oid FROM pg_roles WHERE rolname = 'memory_app') = ANY (p.polroles))
UNION ALL
SELECT relname, 'no write guard' FROM t
WHERE NOT EXISTS (
  SELECT 1 FROM pg_trigger g JOIN pg_proc f ON f.oid = g.tgfoid
  WHERE g.tgrelid = t.oid AND f.proname = 'refuse_write_without_tenant' AND g.tgenabled = 'O')
UNION ALL
SELECT relname, 'primary key is not (tenant_id, id)' FROM t
WHERE (
  SELECT array_agg(a.attname::text ORDER BY k.n) FROM pg_constraint c
  CROSS JOIN unnest(c.conkey) WITH ORDINALITY k(attnum, n)
  JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum WHERE c.conrelid = t.oid AND c.contype = 'p'
) IS DISTINCT FROM ARRAY['tenant_id', 'id']
UNION ALL
SELECT relname, 'owned by the app role' FROM t
WHERE relowner = (SELECT oid FROM pg_roles WHERE rolname = 'memory_app')
UNION ALL
SELECT t.relname, 'unique index not led by tenant_id: ' || i.indexrelid::regclass
  FROM t
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
  WHERE i.indisunique AND a.attname <> 'tenant_id' AND NOT (t.relname = 'api_key' AND a.attname = 'key_id')
UNION ALL
SELECT t.relname, 'single-column key to a tenant table: ' || c.conname FROM t
  JOIN pg_constraint c ON c.conrelid = t.oid
  WHERE c.contype = 'f' AND array_length(c.conkey, 1) = 1 AND c.confrelid IN (SELECT oid FROM t)
UNION ALL
SELECT t.relname, 'foreign key without an index: ' || c.conname FROM t
  JOIN pg_constraint c ON c.conrelid = t.oid
  WHERE c.contype = 'f' AND array_length(c.conkey, 1) = 2 AND NOT EXISTS (
    SELECT 1 FROM pg_index i WHERE i.indrelid = t.oid AND i.indpred IS NULL
      AND i.indkey[0] = c.conkey[1] AND i.indkey[1] = c.conkey[2])
UNION ALL
SELECT t.relname, 'index not led by tenant_id: ' || i.indexrelid::regclass
  FROM t
  JOIN pg_index i ON i.indrelid = t.oid
  JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
  WHERE NOT i.indisunique AND a.attname <> 'tenant_id' AND NOT (t.relname = 'api_key' AND a.attname = 'key_id')
"""


def test_every_table_with_a_tenant_stands_behind_the_wall() -> None:
    assert rows(FAULTS) == []


def test_every_tenant_owned_model_has_its_table_in_the_catalogue() -> None:
    protected = {row[0] for row in rows("SELECT tablename FROM pg_policies WHERE policyname = 'own_tenant'")}
    assert {model._meta.db_table for model in tenant_owned_models()} == protected


def test_every_foreign_key_of_a_model_has_its_composite_twin() -> None:
    twins = {row[0] for row in rows("SELECT conname::text FROM pg_constraint WHERE contype = 'f'")}
    wanted = {
        f"{model._meta.db_table}_{field.column}_tfk"
        for model in tenant_owned_models()
        for field in model._meta.local_concrete_fields
        if field.is_relation and issubclass(field.related_model, TenantOwned)  # type: ignore[arg-type]  # a model class
    }
    assert wanted <= twins


def test_a_naked_table_turns_the_catalogue_red() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE TABLE naked (id uuid PRIMARY KEY, tenant_id uuid NOT NULL)")
        try:
            faults = {fault for table, fault in rows(FAULTS) if table == "naked"}
        finally:
            cursor.execute("DROP TABLE naked")
    assert {
        "row security is not forced",
        "no restrictive tenant policy for the app role",
        "no write guard",
        "primary key is not (tenant_id, id)",
    } <= faults


def test_the_serving_role_is_no_superuser_and_owns_nothing() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT rolsuper, rolbypassrls, (SELECT count(*) FROM pg_class WHERE relowner = r.oid) "
            "FROM pg_roles r WHERE rolname = current_user"
        )
        assert cursor.fetchone() == (False, False, 0)


def test_no_view_shows_tenant_rows_past_the_wall() -> None:
    careless = rows(
        """
        SELECT relname FROM pg_class WHERE relnamespace IN ('public'::regnamespace, 'app'::regnamespace) AND (
          relkind = 'm' OR (relkind = 'v' AND NOT coalesce('security_invoker=true' = ANY (reloptions), false)))
        """
    )
    assert careless == []


def test_only_the_known_look_ups_run_with_rights_of_their_own() -> None:
    definers = rows(
        """
        SELECT p.proname::text, r.rolname::text, coalesce(array_to_string(p.proconfig, ','), ''),
               has_function_privilege('public', p.oid, 'EXECUTE')
        FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner
        WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
        ORDER BY 1
        """
    )
    path = "search_path=pg_catalog, public, pg_temp"
    assert definers == [
        (name, "memory_lookup", path, False)
        for name in (
            "auth_key",
            "find_invitation",
            "managers_beside",
            "tenants_of_staff",
            "tenants_with_due_deliveries",
            "tenants_with_due_work",
            "webhook_backlog",
            "work_backlog",
            "work_by_tenant",
        )
    ]


def test_the_digest_of_a_key_cannot_be_read_by_the_serving_role() -> None:
    allowed = rows(
        f"SELECT p FROM unnest({PRIVILEGES}) p WHERE has_table_privilege('memory_app', 'api_key_digest', p)"  # noqa: S608 - constants
    )
    assert allowed == [("INSERT",), ("DELETE",)]


def test_the_digest_of_an_invitation_cannot_be_read_by_the_serving_role() -> None:
    allowed = rows(
        f"SELECT p FROM unnest({PRIVILEGES}) p WHERE has_table_privilege('memory_app', 'invitation_digest', p)"  # noqa: S608 - constants
    )
    assert allowed == [("INSERT",), ("DELETE",)]


def test_the_audit_trail_is_append_only_for_the_serving_role() -> None:
    allowed = rows(
        f"SELECT p FROM unnest({PRIVILEGES}) p WHERE has_table_privilege('memory_app', 'audit_record', p)"  # noqa: S608 - constants
    )
    assert allowed == [("SELECT",), ("INSERT",)]


def test_the_serving_role_may_read_which_migrations_ran_and_not_say_so() -> None:
    allowed = rows(
        f"SELECT p FROM unnest({PRIVILEGES} || ARRAY['TRUNCATE']) p"  # noqa: S608 - constants
        " WHERE has_table_privilege('memory_app', 'django_migrations', p)"
    )
    assert allowed == [("SELECT",)]
    with connection.cursor() as cursor, pytest.raises(ProgrammingError, match="permission denied"):
        cursor.execute("DELETE FROM django_migrations")


def test_the_serving_role_cannot_make_or_change_large_objects() -> None:
    """They stand outside of row-level security."""
    open_to_it = rows(
        """
        SELECT oid::regprocedure::text FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_|loread|lowrite|loopen)'
          AND proname NOT IN ('lo_close', 'lo_lseek', 'lo_lseek64', 'lo_tell', 'lo_tell64')
          AND has_function_privilege('memory_app', oid, 'EXECUTE')
        """
    )
    assert open_to_it == []
