"""An old backup is restored after people had things erased, by docs/operations/restore.md: nothing comes back.

Rows: E8. Matrix: 61, 62.
"""

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from memory_platform.devstack.processes.program_command import find_unprivileged_identity
from memory_platform.devstack.servers.postgres import installation
from snapshots.jobs import drain_work_job
from snapshots.models import Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import House, World, point_app_role_at
from tests.contracts.documents.shell import name_databases
from tests.embedded_stack import MARK
from tests.flows.servers.pages import run_block
from tests.flows.stage import Stage
from tests.memory_platform.api.conftest import Caller
from tests.snapshots.erasure.everywhere import logs_with, superuser_url, tables_with

pytestmark = [pytest.mark.slow, pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(400)]

RESTORED = "restored"
OF_OTHERS = """
SELECT count(*) FROM {} t JOIN subject s ON s.id = t.subject_id
WHERE NOT s.external_id = ANY(%s) AND s.external_id NOT LIKE 'erasing-%%'
"""
OF_SUBJECTS = ("conversation", "message", "snapshot", "snapshot_words", "snapshot_vector", "receipt", "work")
SISTER, HOTEL, FERRY = (
    "My sister Kestrel4711 lives in Utrecht",
    "我妹妹红隼四七一二住在乌得勒支",
    "I fear the Kestrel4713 ferry",
)
KEPT, KEPT_ZH = "My brother keeps bees in Ghent", "我每天早上喝绿茶"
GONE = ("kestrel4711", "红隼四七一二", "kestrel4713", "kestrel4714", "kestrel4715", "红隼四七一六")


@pytest.fixture
def restored_database(world: World) -> Iterator[str]:
    """The name of the database that a backup is restored into; gone afterwards."""
    yield RESTORED
    with psycopg.connect(superuser_url("postgres"), autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {RESTORED} WITH (FORCE)")


def find_programs() -> Path:
    """Return the folder of Postgres's own programs."""
    return installation(Path(os.environ[MARK]) / "postgres", find_unprivileged_identity()) / "bin"


def program(name: str, *arguments: str) -> None:
    """Run one of Postgres's own programs."""
    subprocess.run([find_programs() / name, *arguments], check=True, capture_output=True, text=True)


@contextmanager
def connect_to(database: str) -> Iterator[None]:
    """Lead this process's connections to another database for the block: a process more would take seconds to start."""
    home = str(connection.settings_dict["NAME"])
    point_app_role_at(database)
    try:
        yield
    finally:
        point_app_role_at(home)


def post(acme: Caller, subject: str, conversation: str, *texts: str) -> None:
    messages = [{"role": "user", "content": text} for text in texts]
    path = f"/v1/subjects/{subject}/conversations/{conversation}/messages"
    answer = acme("POST", path, {"messages": messages})
    assert answer.status_code < 300, answer.content


def work(house: House) -> None:
    drain_work_job(tenant_id=str(house.tenant.id))


def memory(house: House, text: str) -> str:
    with tenant_tx(house.tenant.id):
        return str(Snapshot.objects.exclude(kind="note").get(text=text).id)


def rows_besides(database: str, *subjects: str) -> dict[str, int]:
    """Return how many rows each table holds of everybody but these subjects of acme."""
    found = Counter[str]()
    with psycopg.connect(superuser_url(database)) as server:
        for table in OF_SUBJECTS:
            rows = server.execute(sql.SQL(OF_OTHERS).format(sql.Identifier(table)), [list(subjects)])
            found[table] = sum(count for (count,) in rows)
    return dict(found)


def test_nothing_of_what_was_erased_since_comes_back(world: World, restored_database: str, tmp_path: Path) -> None:
    house = world.acme
    environment = {
        "PATH": f"{find_programs()}:{os.environ['PATH']}",
        **name_databases(),
        "DATABASE_AS_SUPERUSER": superuser_url(),
        "SERVER": superuser_url("postgres"),
        "RESTORED": superuser_url(restored_database),
    }

    def run_lines(number: int, then: str = "", **extra: str) -> str:
        return run_block(f"docs/operations/restore.md#{number}", tmp_path, {**environment, **extra}, then=then)

    fill_database(world)
    run_lines(1)
    run_lines(2)
    erase_after_backup(house)
    run_lines(2)

    (backup,) = tmp_path.glob("backup-*")
    names = ("DATABASE_URL", "DATABASE_OWNER_URL")
    said = run_lines(3, "; ".join(f'echo "${name}"' for name in names), BACKUP=str(backup))
    addresses = dict(zip(names, said.splitlines()[-2:], strict=True))

    assert tables_with(*GONE, database=restored_database).keys() >= {"message", "snapshot", "receipt"}
    others = rows_besides(restored_database, "ada", "bob")
    said = run_lines(4, **addresses)
    assert said.count(" genuine") == 5
    assert "5 certificates, 5 erased again, 0 had nothing left" in said
    assert tables_with(*GONE, database=restored_database) == {}
    assert rows_besides(restored_database, "ada", "bob") == others
    assert "5 certificates, 0 erased again, 5 had nothing left" in run_lines(4, **addresses)
    (home := tmp_path / "stage").mkdir()
    with connect_to(restored_database):
        stage = Stage(home, **addresses)
        try:
            assert_only_the_rest_is_there(stage, house)
        finally:
            stage.close()
    assert tables_with(*GONE, database=restored_database).keys() == {"message"}  # posted again, and remembered nowhere
    assert logs_with(home, *GONE) == []


def fill_database(world: World) -> None:
    """Fill the database that the backup is made of; the last message is there, its work is still to be done."""
    house, acme = world.acme, Caller(world.acme)
    post(acme, "bob", "c1", "I like Kestrel4715 feathers", "我家住在红隼四七一六大街12号")
    post(acme, "ada", "trip", SISTER, KEPT, HOTEL)
    post(acme, "ada", "other", "The Kestrel4714 hotel was noisy")
    post(acme, "cai", "c1", KEPT, KEPT_ZH)
    post(Caller(world.globex), "ada", "trip", KEPT)
    work(house)
    work(world.globex)
    acme("POST", "/v1/subjects/ada/context", {"query": "Where does my sister live?"})
    post(acme, "ada", "late", FERRY)


def erase_after_backup(house: House) -> None:
    """Go on after the backup, then erase; what is forgotten of the sister was said after it, and before it, too."""
    acme = Caller(house)
    work(house)
    post(acme, "ada", "again", SISTER.upper())
    work(house)
    for text in (SISTER.upper(), HOTEL, FERRY):
        assert acme("POST", f"/v1/subjects/ada/snapshots/{memory(house, text)}/forget", {}).status_code == 200
    assert acme("DELETE", "/v1/subjects/ada/conversations/other").status_code == 204
    assert acme("DELETE", "/v1/subjects/bob").status_code == 200
    assert tables_with(*GONE) == {}


def assert_only_the_rest_is_there(stage: Stage, house: House) -> None:
    """Ask the restored platform, once what was to be done when the backup was made is finished."""
    stage.web()
    with stage.client(**house.headers) as client:
        message = {"role": "user", "content": SISTER}
        client.post("/v1/subjects/ada/conversations/sent-again/messages", json={"messages": [message]})
        work(house)
        assert client.get("/v1/subjects/ada/pending").json()["pending"] == 0
        told = client.post("/v1/subjects/ada/recall", json={"query": "Where do my sister and my brother live?"}).json()
        assert [one["text"] for one in told["memories"]] == [KEPT]
        assert client.get("/v1/subjects/bob").status_code == 404
        assert client.get("/v1/subjects/ada/conversations/other/window").status_code == 404
        exported = client.get("/v1/subjects/ada/export").text
        assert KEPT in exported
        assert HOTEL not in exported


def test_a_backup_by_the_owner_fails_loudly(world: World, tmp_path: Path) -> None:
    """The wall binds the owner, too: a backup of none of the rows must not look like one."""
    with pytest.raises(subprocess.CalledProcessError) as failed:
        program("pg_dump", "--file", str(tmp_path / "backup"), name_databases()["DATABASE_OWNER_URL"])
    assert "row-level security" in failed.value.stderr
