"""pgbouncer in transaction mode, set up as docs/operations/pgbouncer.md says, with one connection for everybody.

Rows: D6, T1, R1. Matrix: 7.
"""

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from django.db import DataError, ProgrammingError, connection, connections
from psycopg.conninfo import conninfo_to_dict

from memory_platform.postgres.prepared_statements import Statement, fetch_together
from profiles.models import Subject
from tenants.isolation import tenant_reads, tenant_tx
from tests.conftest import House, World
from tests.flows.servers.pages import read_shown_block
from tests.flows.servers.pgbouncer import KNOWS_STATEMENTS, MISSING, PgBouncer, read_version
from tests.flows.stage import PLATFORM, Stage, wait_until
from tests.snapshots.erasure.everywhere import superuser_url

pytestmark = [
    pytest.mark.slow,
    pytest.mark.processes,
    pytest.mark.xdist_group("flows"),
    pytest.mark.timeout(300),
    pytest.mark.skipif(MISSING, reason="no pgbouncer here: apt-get install pgbouncer"),
]
PAGE = "docs/operations/pgbouncer.md"
PORT = 6432
PASSWORD = "a-password-for-one-test"
SUBJECTS = Statement("SELECT external_id FROM subject")
TENANT_NOW = "SELECT coalesce(current_setting('app.tenant_id', true), '')"
ROUNDS, THREADS = 30, 4


@pytest.fixture
def statements_are_prepared() -> bool:
    return read_version() >= KNOWS_STATEMENTS


@pytest.fixture
def address(world: World, statements_are_prepared: bool) -> Iterator[str]:
    """The app role's address through a pgbouncer with the page's settings and a pool of one connection."""
    real = conninfo_to_dict(os.environ["DATABASE_URL"])
    settings = read_shown_block(PAGE, 1)
    for pattern, text in {
        r"^memory = .*$": f"memory = host={real['host']} dbname={connection.settings_dict['NAME']}",
        r"^default_pool_size = .*$": "default_pool_size = 1",
        **({} if statements_are_prepared else {r"^max_prepared_statements = .*\n": ""}),
    }.items():
        settings, changes = re.subn(pattern, text, settings, flags=re.MULTILINE)
        assert changes == 1, pattern
    user = str(real["user"])
    pooler = PgBouncer(settings, {user: PASSWORD})
    url = f"postgresql://{user}:{PASSWORD}@/memory?host={quote(str(pooler.home), safe='/')}&port={PORT}"
    try:
        pooler.start(url)
        yield url
    finally:
        pooler.remove()


@pytest.fixture
def through_pooler(address: str, statements_are_prepared: bool) -> Iterator[None]:
    """Lead this process's connections through pgbouncer."""
    parts = conninfo_to_dict(address)
    names = {"NAME": "dbname", "HOST": "host", "PORT": "port", "PASSWORD": "password"}
    changes = {key: str(parts[name]) for key, name in names.items()}
    before = dict(connection.settings_dict)
    set_database({**before, **changes, "PREPARED_STATEMENTS": statements_are_prepared})
    yield
    set_database(before)


def set_database(settings: dict[str, object]) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # the Postgres backend's
    connection.settings_dict.clear()
    connection.settings_dict.update(settings)


def count_pooled_connections() -> int:
    """Return how many connections the app role has in Postgres itself, those of this process aside."""
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # the Postgres backend's
    with psycopg.connect(superuser_url("postgres")) as server:
        row = server.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = 'memory_app'").fetchone()
    return int(row[0]) if row else 0


def read_tenant_now() -> str:
    with connection.cursor() as cursor:
        cursor.execute(TENANT_NOW)
        return str(cursor.fetchone()[0])


def read_subjects(house: House) -> list[str]:
    return [str(name) for (name,) in tenant_reads(house.tenant.id, [SUBJECTS])[0]]


def see_one_tenant_at_a_time(world: World) -> None:
    """Open scopes of both tenants in turn, in each way; each shows its own subject, and between them nobody's."""
    try:
        for _ in range(ROUNDS):
            for house in (world.acme, world.globex):
                own = [house.subject.external_id]
                assert read_subjects(house) == own
                with tenant_tx(house.tenant.id):
                    assert list(Subject.objects.values_list("external_id", flat=True).iterator()) == own
                assert fetch_together([SUBJECTS]) == [[]]
                assert read_tenant_now() == ""
    finally:
        connections.close_all()


def test_many_clients_share_one_connection_and_none_meets_another_tenant(world: World, through_pooler: None) -> None:
    with ThreadPoolExecutor(THREADS) as pool:
        for ran in [pool.submit(see_one_tenant_at_a_time, world) for _ in range(THREADS)]:
            ran.result()
    assert count_pooled_connections() == 1


def test_a_scope_that_fails_leaves_no_tenant_behind(world: World, through_pooler: None) -> None:
    for _ in range(3):
        with pytest.raises(ProgrammingError):
            tenant_reads(world.acme.tenant.id, [SUBJECTS, Statement("SELECT nonsense")])
        with pytest.raises(DataError):
            tenant_reads(world.acme.tenant.id, [SUBJECTS, Statement("SELECT 1 / $1::int", [0]), SUBJECTS])
        with pytest.raises(ZeroDivisionError), tenant_tx(world.acme.tenant.id):
            _ = Subject.objects.count() / 0
        assert read_tenant_now() == ""
        assert read_subjects(world.globex) == ["gil"]


def test_a_client_that_dies_within_a_scope_leaves_no_tenant_behind(world: World, address: str) -> None:
    for _ in range(3):
        client = psycopg.connect(address)
        client.execute("SELECT set_config('app.tenant_id', %s, true)", [str(world.acme.tenant.id)])
        assert client.execute("SELECT external_id FROM subject").fetchall() == [("ada",)]
        client.pgconn.finish()  # the connection ends without a word, in the middle of its transaction
        with psycopg.connect(address, autocommit=True) as next_one:
            assert next_one.execute(TENANT_NOW).fetchone() == ("",)
            assert next_one.execute("SELECT external_id FROM subject").fetchall() == []


def test_messages_are_remembered_and_recalled_through_one_connection(
    world: World, address: str, statements_are_prepared: bool, tmp_path: Path
) -> None:
    stage = Stage(tmp_path, DATABASE_URL=address, DATABASE_PREPARED_STATEMENTS=str(statements_are_prepared))
    said = {"ada": "I moved to Boston last spring", "gil": "我对花生过敏，以后别推荐花生"}
    try:
        stage.worker(app=PLATFORM, processes=2)
        stage.web()
        for house in (world.acme, world.globex):
            name = house.subject.external_id
            with stage.client(**house.headers) as client:
                messages = [{"role": "user", "content": said[name]}]
                path = f"/v1/subjects/{name}"
                answer = client.post(f"{path}/conversations/c1/messages", json={"messages": messages})
                assert answer.status_code == 202
                wait_until(lambda: client.get(f"{path}/pending").json()["pending"] == 0, 60)  # noqa: B023 - called at once
        clients = [(house, stage.client(**house.headers)) for house in (world.acme, world.globex) for _ in range(2)]

        def ask(number: int) -> tuple[str, list[str]]:
            house, client = clients[number % len(clients)]
            name = house.subject.external_id
            answer = client.post(f"/v1/subjects/{name}/recall", json={"query": "Boston spring 花生过敏"})
            return name, [one["text"] for one in answer.json()["memories"]]

        with ThreadPoolExecutor(len(clients)) as pool:
            answers = list(pool.map(ask, range(ROUNDS)))
        assert [texts for name, texts in answers if texts != [said[name]]] == []
        with stage.client(**world.acme.headers) as client:
            context = client.post("/v1/subjects/ada/context", json={"query": "Where did I move to?"})
            assert said["ada"] in context.text
            assert said["ada"] in client.get("/v1/subjects/ada/export").text
            assert client.get("/health/ready").json()["checks"]["postgres"] == "ok"
        assert count_pooled_connections() == 1
    finally:
        stage.close()
