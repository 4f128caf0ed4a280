"""A server is made ready once, and a second time changes nothing. Rows: D6, T2."""

import io
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.core.management import CommandError, call_command
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory_platform.devstack.provision import ProvisionedUrls, build_role_url, provision
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from tests.contracts.documents.blocks import read_blocks

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def server(open_directory: Path) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(open_directory / "postgres", durable=False)
    postgres.start()
    yield postgres
    postgres.stop()


@pytest.fixture(scope="module")
def urls(server: EmbeddedPostgres) -> ProvisionedUrls:
    return provision(server.superuser_url(), database="memory")


def test_the_owner_makes_tables_with_vectors(urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.owner_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE IF NOT EXISTS probe (v halfvec(3))")
        assert owner.execute("SELECT current_user, current_database()").fetchone() == ("memory_owner", "memory")


def test_the_app_connects_but_may_make_nothing(urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.app_url, autocommit=True) as app:
        assert app.execute("SELECT current_user").fetchone() == ("memory_app",)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute("CREATE TABLE forbidden (n int)")


MAKES_LARGE_OBJECTS = (
    "SELECT lo_creat(-1)",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT lo_put(1, 0, 'x')",
    "SELECT lo_open(1, 131072)",
    "SELECT lo_import('/etc/hostname')",
)


@pytest.mark.parametrize("statement", MAKES_LARGE_OBJECTS)
def test_the_app_keeps_nothing_outside_of_tables(urls: ProvisionedUrls, statement: str) -> None:
    with psycopg.connect(urls.app_url, autocommit=True) as app, pytest.raises(psycopg.errors.InsufficientPrivilege):
        app.execute(statement)


def test_a_copy_of_the_template_keeps_the_app_from_large_objects(urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.owner_url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE probe_large")
        try:
            with (
                psycopg.connect(urls.app_url, dbname="probe_large") as app,
                pytest.raises(psycopg.errors.InsufficientPrivilege),
            ):
                app.execute("SELECT lo_create(0)")
        finally:
            owner.execute("DROP DATABASE probe_large")


def test_no_role_can_step_over_row_level_security(server: EmbeddedPostgres, urls: ProvisionedUrls) -> None:
    with psycopg.connect(server.superuser_url()) as superuser:
        rows = superuser.execute(
            "SELECT rolname, rolcanlogin, rolsuper OR rolbypassrls FROM pg_roles"
            " WHERE rolname LIKE 'memory%' ORDER BY rolname"
        ).fetchall()
    assert rows == [("memory_app", True, False), ("memory_lookup", False, False), ("memory_owner", True, False)]


def test_the_owner_can_give_a_function_to_the_lookup_role(urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.owner_url, autocommit=True) as owner:
        owner.execute("CREATE SCHEMA IF NOT EXISTS probe")
        owner.execute("GRANT USAGE, CREATE ON SCHEMA probe TO memory_lookup")
        owner.execute("CREATE OR REPLACE FUNCTION probe.one() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        owner.execute("ALTER FUNCTION probe.one() OWNER TO memory_lookup")
        owner.execute("DROP SCHEMA probe CASCADE")


def test_a_test_database_made_by_the_owner_has_the_extension(urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.owner_url, autocommit=True) as owner:
        owner.execute("CREATE DATABASE probe_copy")
        try:
            with psycopg.connect(urls.owner_url, dbname="probe_copy") as copy:
                assert copy.execute("SELECT '[1,2]'::vector <-> '[1,2]'").fetchone() == (0.0,)
        finally:
            owner.execute("DROP DATABASE probe_copy")


def test_a_second_run_keeps_data_and_addresses(server: EmbeddedPostgres, urls: ProvisionedUrls) -> None:
    with psycopg.connect(urls.owner_url, autocommit=True) as owner:
        owner.execute("CREATE TABLE kept AS SELECT '家' AS word")
    assert provision(server.superuser_url(), database="memory") == urls
    with psycopg.connect(urls.owner_url) as owner:
        assert owner.execute("SELECT word FROM kept").fetchone() == ("家",)


def test_a_role_that_was_given_too_much_is_put_right(server: EmbeddedPostgres, urls: ProvisionedUrls) -> None:
    with psycopg.connect(server.superuser_url(), autocommit=True) as superuser:
        superuser.execute("ALTER ROLE memory_app BYPASSRLS CREATEROLE")
    provision(server.superuser_url(), database="memory")
    with psycopg.connect(server.superuser_url()) as superuser:
        row = superuser.execute(
            "SELECT rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = 'memory_app'"
        ).fetchone()
    assert row == (False, False)


def test_tables_that_were_there_are_given_to_the_owner(server: EmbeddedPostgres) -> None:
    """By the lines of docs/in-your-project.md."""
    (lines,) = [block.text for block in read_blocks("docs/in-your-project.md") if block.language == "sql"]
    with psycopg.connect(server.superuser_url(), autocommit=True) as superuser:
        superuser.execute("CREATE ROLE old_role")
        superuser.execute("CREATE DATABASE grown")
    with psycopg.connect(make_conninfo(server.superuser_url(), dbname="grown")) as superuser:
        superuser.execute("GRANT CREATE ON SCHEMA public TO old_role")
        superuser.execute("SET ROLE old_role")
        superuser.execute("CREATE TABLE article (id serial PRIMARY KEY, title text)")
    urls = provision(server.superuser_url(), database="grown")
    with psycopg.connect(make_conninfo(server.superuser_url(), dbname="grown")) as superuser:
        superuser.execute(lines)
    with psycopg.connect(urls.app_url) as app:
        app.execute("INSERT INTO article (title) VALUES ('茶')")
        assert app.execute("SELECT id, title FROM article").fetchall() == [(1, "茶")]
    with psycopg.connect(urls.owner_url) as owner:
        owner.execute("ALTER TABLE article ADD shown boolean")


def test_passwords_are_set_and_escaped(server: EmbeddedPostgres) -> None:
    urls = provision(server.superuser_url(), database="memory", owner_password="o'w@n:e/r", app_password="密码 %")
    assert conninfo_to_dict(urls.owner_url)["password"] == "o'w@n:e/r"
    assert conninfo_to_dict(urls.app_url)["password"] == "密码 %"
    with psycopg.connect(urls.app_url) as app:
        assert app.execute("SELECT 1").fetchone() == (1,)


def test_the_command_prints_addresses_that_work_once(server: EmbeddedPostgres) -> None:
    screen = io.StringIO()
    call_command("provision", superuser_url=server.superuser_url(), database="own", stdout=screen)
    printed = dict(line.split("=", 1) for line in screen.getvalue().splitlines() if "_URL=" in line)
    assert set(printed) == {"DATABASE_URL", "DATABASE_OWNER_URL"}
    for url in printed.values():
        assert len(str(conninfo_to_dict(url)["password"])) >= 32
        with psycopg.connect(url) as connection:
            assert connection.info.dbname == "own"


def test_the_command_says_why_a_server_refused(server: EmbeddedPostgres, urls: ProvisionedUrls) -> None:
    with pytest.raises(CommandError, match="refused"):
        call_command("provision", superuser_url=urls.app_url, database="own")


@pytest.mark.parametrize(
    ("superuser", "expected"),
    [
        (
            "postgresql://postgres@db.internal:6432/postgres?sslmode=require",
            "postgresql://r:p%40@db.internal:6432/m?sslmode=require",
        ),
        ("postgresql://postgres:secret@[::1]/postgres", "postgresql://r:p%40@[::1]/m"),
        ("host=/run/pg user=postgres", "postgresql://r:p%40@/m?host=/run/pg"),
    ],
)
def test_the_rest_of_the_address_is_kept(superuser: str, expected: str) -> None:
    assert build_role_url(superuser, "r", "p@", "m") == expected
