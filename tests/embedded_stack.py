"""pytest plugin: a throw-away Postgres and Redis for this run, each started when the first test asks for it.

Their addresses are chosen before Django reads its settings, and every xdist worker inherits them through the
environment. An address of a real database that stands in the environment is never used by tests.
"""

import atexit
import os
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import IO

import pytest

from memory_platform.devstack.provision import APP, OWNER, build_role_url, provision
from memory_platform.devstack.servers.directories import kill_leftovers
from memory_platform.devstack.servers.embedded_server import EmbeddedServer
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.providers.redis import client
from memory_platform.providers.redis.client import BoundedRedis, RedisConfig

MARK = "MEMORY_PLATFORM_TEST_STACK"
PREFIX = "memory-tests-"
ALIVE = "alive"
DATABASE = "memory"
STOP_TIMEOUT_S = 30
REDIS_PATIENCE_S = 15
_held: list[IO[str]] = []


def run_home() -> Path:
    """The folder of this run, which all its processes share."""
    return Path(os.environ[MARK])


def choose_addresses() -> None:
    """Point the configuration at servers that do not run yet; stop and remove them when this process ends."""
    remove_dead_runs()
    home = Path(tempfile.mkdtemp(prefix=PREFIX))
    home.chmod(0o755)  # when root runs the tests, Postgres runs as somebody else, who must get in
    say_alive(home)
    atexit.register(remove_stack, home)
    postgres, redis = postgres_in(home), redis_in(home)
    superuser_url = postgres.superuser_url()
    os.environ.update(
        {
            MARK: str(home),
            "DATABASE_URL": build_role_url(superuser_url, APP, None, DATABASE),
            "DATABASE_OWNER_URL": build_role_url(superuser_url, OWNER, None, DATABASE),
            "REDIS_URL": redis.url,
            "CELERY_BROKER_URL": redis.broker_url,
            "SECRET_KEY": secrets.token_urlsafe(48),
            "KEY_PEPPER": secrets.token_urlsafe(48),
            "UPSTREAM_KEYS": secrets.token_urlsafe(48),
            "EMBEDDER": "hashing",
            "LOG_LEVEL": "WARNING",
            "OPENBLAS_NUM_THREADS": "1",
            "DJANGO_SETTINGS_MODULE": "memory_platform.settings",
        }
    )


def postgres_in(home: Path) -> EmbeddedPostgres:
    return EmbeddedPostgres(home / "postgres", durable=False)


def redis_in(home: Path) -> EmbeddedRedis:
    return EmbeddedRedis(home / "redis", durable=False)


def say_alive(home: Path) -> None:
    """Hold a lock that ends with this process, however it ends."""
    new = home / "alive.new"
    _held.append(new.open("w"))
    flock(_held[-1], LOCK_EX)
    new.rename(home / ALIVE)  # nobody sees the file without its lock


def remove_dead_runs() -> None:
    """Stop and remove what runs left behind that were killed before they could."""
    for alive in Path(tempfile.gettempdir()).glob(f"{PREFIX}*/{ALIVE}"):
        with suppress(OSError), alive.open() as lock:
            if os.fstat(lock.fileno()).st_uid == os.geteuid():
                flock(lock, LOCK_EX | LOCK_NB)
                remove_stack(alive.parent)


def remove_stack(home: Path) -> None:
    """Stop the servers by their pid files, for a worker that is gone may have started them, and delete the folder."""
    servers: tuple[EmbeddedServer, ...] = (postgres_in(home), redis_in(home))
    for server in servers:
        if server.pid_file.exists():
            kill_leftovers(
                server.process_name,
                server.work_directory,
                main_pid=int(server.pid_file.read_text().split()[0]),
                signal=server.stop_signal,
                patience=STOP_TIMEOUT_S,
            )
    shutil.rmtree(home, ignore_errors=True)


def own_redis(worker: str) -> None:
    """Give an xdist worker ("gw1") a database of its own: what one empties, another still reads."""
    number = int(worker.removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("?db=0", f"?db={number}")


@contextmanager
def once_per_run(name: str) -> Iterator[bool]:
    """Yield whether this process is the run's first to come here; the others wait until it is done."""
    with (run_home() / f"{name}.done").open("a") as done:
        flock(done, LOCK_EX)
        first = os.fstat(done.fileno()).st_size == 0
        yield first
        if first:
            done.write("done")


# A server outlives the worker that starts it: it stands in a session of its own, and the controller stops it.
@pytest.fixture(scope="session")
def running_postgres() -> EmbeddedPostgres:
    """The run's Postgres with our roles and an empty database."""
    postgres = postgres_in(run_home())
    with once_per_run("postgres") as first:
        if first:
            postgres.start()
            provision(postgres.superuser_url(), database=DATABASE)
    return postgres


@pytest.fixture(scope="session")
def running_redis() -> Iterator[EmbeddedRedis]:
    """The run's Redis, at the configured address, whose clients wait longer than the product's do.

    On a busy machine an answer may take more than 0.3 s, and a test would see a platform without Redis.
    """
    redis = redis_in(run_home())
    with once_per_run("redis") as first:
        if first:
            redis.start()
    patient = BoundedRedis(os.environ["REDIS_URL"], RedisConfig(answer_s=REDIS_PATIENCE_S))
    product = client._client
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_client", lambda url: patient if url == os.environ["REDIS_URL"] else product(url))
        yield redis


def keep_byte_code() -> None:
    """Let this process, its workers and what they start keep compiled modules, whatever the environment says.

    Without it each of them compiles all modules anew: 12 s of a worker's collection, 2 s of each process of a test.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


keep_byte_code()
if MARK not in os.environ:
    choose_addresses()
if "PYTEST_XDIST_WORKER" in os.environ:
    own_redis(os.environ["PYTEST_XDIST_WORKER"])
