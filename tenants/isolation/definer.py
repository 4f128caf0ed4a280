"""SQL for look-ups before a tenant is known: owned by the lookup role, closed to PUBLIC, fixed search_path."""

from django.contrib.auth import get_user_model
from django.db import connection

from tenants.isolation.protect import app_role, lookup_role


def definer_function(signature: str, returns: str, body: str) -> str:
    """Return SQL that (re)creates ``app.<signature>`` as SECURITY DEFINER under the lookup role."""
    name = f"app.{signature}"
    return f"""
GRANT USAGE, CREATE ON SCHEMA app TO {lookup_role()};
CREATE OR REPLACE FUNCTION {name} RETURNS {returns} LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp AS $body$ {body} $body$;
REVOKE ALL ON FUNCTION {name} FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {name} TO {app_role()};
ALTER FUNCTION {name} OWNER TO {lookup_role()};
REVOKE CREATE ON SCHEMA app FROM {lookup_role()};
"""


def find_user_key_type() -> str:
    """Return the Postgres type of a user's key, which differs between projects: ``integer``, ``bigint``, ``uuid``."""
    return str(get_user_model()._meta.pk.rel_db_type(connection))
