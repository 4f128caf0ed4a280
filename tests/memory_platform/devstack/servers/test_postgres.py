"""The embedded Postgres keeps what it acknowledged, through stops and crashes. Rows: D6."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from memory_platform.devstack.errors import AlreadyRunning, StartFailed
from memory_platform.devstack.processes.program_command import Identity, can_reach
from memory_platform.devstack.servers.directories import find_socket_directory
from memory_platform.devstack.servers.postgres import EmbeddedPostgres, copy_package, installation

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def server(open_directory: Path) -> Iterator[EmbeddedPostgres]:
    postgres = EmbeddedPostgres(open_directory / "postgres", durable=False)
    postgres.start()
    yield postgres
    postgres.stop()


def ask(server: EmbeddedPostgres, statement: str) -> object:
    with psycopg.connect(server.superuser_url(), autocommit=True) as connection:
        cursor = connection.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def test_it_speaks_utf8_and_lowers_letters_beyond_ascii(server: EmbeddedPostgres) -> None:
    assert ask(server, "SELECT datctype FROM pg_database WHERE datname = 'postgres'") == "C.UTF-8"
    assert ask(server, "SELECT lower('ÄÖÜ') || char_length('导航回家')") == "äöü4"


def test_it_ships_pgvector_of_a_supported_version(server: EmbeddedPostgres) -> None:
    version = ask(server, "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
    assert tuple(map(int, str(version).split("."))) >= (0, 8, 0)


def test_a_commit_is_always_waited_for(server: EmbeddedPostgres) -> None:
    assert ask(server, "SHOW synchronous_commit") == "on"


def test_nobody_reaches_it_over_the_network(server: EmbeddedPostgres) -> None:
    assert ask(server, "SHOW listen_addresses") == ""
    assert server.socket_dir.stat().st_mode & 0o077 == 0


def test_a_restart_keeps_the_data(server: EmbeddedPostgres) -> None:
    ask(server, "CREATE TABLE kept AS SELECT '上海' AS city")
    server.stop()
    assert server.pid is None
    server.start()
    assert ask(server, "SELECT city FROM kept") == "上海"


def test_a_killed_server_recovers_what_it_acknowledged(server: EmbeddedPostgres) -> None:
    ask(server, "CREATE TABLE survivors AS SELECT generate_series(1, 1000) AS n")
    server.kill()
    assert server.pid_file.exists()
    server.start()
    assert ask(server, "SELECT count(*) FROM survivors") == 1000


def test_a_stale_pid_file_that_names_a_living_stranger_does_not_block_the_start(server: EmbeddedPostgres) -> None:
    server.kill()
    server.pid_file.write_text(f"{os.getpid()}\n{server.cluster}\n")
    server.start()
    assert ask(server, "SELECT 1") == 1


def test_a_second_owner_of_the_directory_is_refused(server: EmbeddedPostgres) -> None:
    with pytest.raises(AlreadyRunning, match=str(os.getpid())):
        EmbeddedPostgres(server.home, durable=False).start()
    assert ask(server, "SELECT 1") == 1


@pytest.mark.slow
def test_a_server_left_behind_by_a_killed_owner_is_replaced(open_directory: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path\n"
        "from memory_platform.devstack.servers.postgres import EmbeddedPostgres\n"
        "server = EmbeddedPostgres(Path(sys.argv[1]), durable=False); server.start(); print(server.pid, flush=True)\n"
        "time.sleep(60)"
    )
    directory = open_directory / "orphaned"
    owner = subprocess.Popen([sys.executable, "-c", script, str(directory)], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    orphan = int(owner.stdout.readline())
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    os.kill(orphan, 0)  # still there
    heir = EmbeddedPostgres(directory, durable=False)
    heir.start()
    try:
        assert heir.pid not in {None, orphan}
        assert ask(heir, "SELECT 1") == 1
    finally:
        heir.stop()


def test_a_cluster_of_another_version_is_named_and_left_alone(open_directory: Path) -> None:
    server = EmbeddedPostgres(open_directory / "older", durable=False)
    server.cluster.mkdir()
    (server.cluster / "PG_VERSION").write_text("16\n")
    with pytest.raises(StartFailed, match="Postgres 16"):
        server.start()
    assert (server.cluster / "PG_VERSION").read_text() == "16\n"


def test_a_deep_data_directory_still_gets_a_short_socket_path(open_directory: Path) -> None:
    deep = open_directory / "/".join(["a-rather-long-folder-name"] * 6)
    deep.mkdir(parents=True)
    place = find_socket_directory(deep, None, longest_name=13)
    assert len(str(place)) + 14 <= 100
    assert place.stat().st_mode & 0o077 == 0
    place.rmdir()


def test_a_closed_folder_above_is_noticed(open_directory: Path) -> None:
    closed = open_directory / "closed"
    closed.mkdir(mode=0o700)
    assert not can_reach(closed / "inside", Identity("somebody", 54321, 54321))
    assert can_reach(open_directory, Identity("somebody", 54321, 54321))
    assert can_reach(closed / "inside", None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused by Postgres and needs another place")
def test_below_a_closed_folder_root_still_gets_a_server(open_directory: Path) -> None:
    closed = open_directory / "root-only"
    closed.mkdir(mode=0o700)
    server = EmbeddedPostgres(closed / "postgres", durable=False)
    server.start()
    try:
        assert ask(server, "SELECT 1") == 1
        assert (closed / "postgres" / "elsewhere").resolve() == server.home
    finally:
        server.stop()
        shutil.rmtree(server.home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as somebody else")
def test_binaries_in_a_closed_environment_are_copied_with_their_libraries(open_directory: Path) -> None:
    shipped = installation(open_directory, None).parent
    closed = open_directory / "closed-environment"
    closed.mkdir(mode=0o700)
    for folder in (shipped, *shipped.parent.glob(f"{shipped.name}*.libs")):
        shutil.copytree(folder, closed / folder.name, symlinks=True)
    home = open_directory / "copied"
    copy_package(closed / shipped.name, home)
    answer = subprocess.run(
        [home / shipped.name / "pginstall18" / "bin" / "initdb", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "(PostgreSQL) 18" in answer.stdout
