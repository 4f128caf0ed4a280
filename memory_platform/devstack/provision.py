"""Make a Postgres server ready for the platform: roles, database, extension, grants. Safe to repeat.

The platform itself never connects as superuser; this is the one place that does, once per server.
"""

from dataclasses import dataclass
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

OWNER = "memory_owner"
APP = "memory_app"
LOOKUP = "memory_lookup"
TEMPLATE = "template1"

ROLES = {
    # Owns the tables and runs migrations. CREATEDB is for test databases; row-level security binds it as well.
    OWNER: "LOGIN CREATEDB NOCREATEROLE NOSUPERUSER NOBYPASSRLS",
    # Serves requests and jobs, owns nothing: what it may touch comes from the migrations' grants and policies.
    APP: "LOGIN NOCREATEDB NOCREATEROLE NOSUPERUSER NOBYPASSRLS",
    # Owns the look-ups that come before a tenant is known; nobody logs in as it.
    LOOKUP: "NOLOGIN NOCREATEDB NOCREATEROLE NOSUPERUSER NOBYPASSRLS",
}

Connection = psycopg.Connection[tuple[object, ...]]

# Row-level security does not cover large objects, and by default every role may create and fill them. Only the owner of
# these functions can revoke that, and each database has its own copy of them.
CLOSE_LARGE_OBJECTS = """
DO $$ DECLARE f regprocedure; BEGIN
  FOR f IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^lo(_|read$|write$)'
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
  END LOOP;
END $$
"""


@dataclass(frozen=True, slots=True)
class ProvisionedUrls:
    owner_url: str
    app_url: str


def provision(
    superuser_url: str, *, database: str, owner_password: str | None = None, app_password: str | None = None
) -> ProvisionedUrls:
    """Create missing roles, database, grants and the ``vector`` extension.

    A role without a given password keeps its own. Changes inside the database are made in template1 too, because a role
    without these rights makes test databases from it. Raises psycopg.Error.
    """
    with psycopg.connect(superuser_url, autocommit=True) as server:
        for role, attributes in ROLES.items():
            exists = server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            verb = "ALTER" if exists else "CREATE"
            server.execute(sql.SQL(f"{verb} ROLE {{}} {attributes}").format(sql.Identifier(role)))
        for role, password in ((OWNER, owner_password), (APP, app_password)):
            if password:
                server.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(sql.Identifier(role), sql.Literal(password)))
        server.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(LOOKUP), sql.Identifier(OWNER)))
        _ensure_database(server, database)
        place = sql.Identifier(database)
        server.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(place))
        server.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(place, sql.Identifier(APP)))
    for name in (TEMPLATE, database):
        with psycopg.connect(make_conninfo(superuser_url, dbname=name), autocommit=True) as inside:
            inside.execute("CREATE EXTENSION IF NOT EXISTS vector")
            inside.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
            inside.execute(CLOSE_LARGE_OBJECTS)
            inside.execute(sql.SQL("GRANT CREATE, USAGE ON SCHEMA public TO {}").format(sql.Identifier(OWNER)))
    return ProvisionedUrls(
        build_role_url(superuser_url, OWNER, owner_password, database),
        build_role_url(superuser_url, APP, app_password, database),
    )


def build_role_url(superuser_url: str, role: str, password: str | None, database: str) -> str:
    """Return the server's address for another role, such as ``postgresql://memory_app@/memory?host=/run/x``. Whatever
    else the superuser's address says (sslmode, port) is kept; a socket folder stands in ``host=``."""
    parameters = {
        name: str(value)
        for name, value in conninfo_to_dict(superuser_url).items()
        if value is not None and name not in {"user", "password", "dbname"}
    }
    host = parameters.get("host", "")
    network = ""
    if host and not host.startswith("/"):
        network = f"[{host}]" if ":" in host else host
        port = parameters.pop("port", "")
        network += f":{port}" if port else ""
        del parameters["host"]
    credentials = quote(role, safe="") + (f":{quote(password, safe='')}" if password else "")
    query = f"?{urlencode(parameters, safe='/')}" if parameters else ""
    return f"postgresql://{credentials}@{network}/{quote(database, safe='')}{query}"


def _ensure_database(server: Connection, database: str) -> None:
    if server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
        statement = sql.SQL("ALTER DATABASE {} OWNER TO {}")
    else:
        statement = sql.SQL("CREATE DATABASE {} OWNER {} ENCODING 'UTF8'")
    server.execute(statement.format(sql.Identifier(database), sql.Identifier(OWNER)))
