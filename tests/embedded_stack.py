"""pytest plugin: a throw-away Postgres and Redis for this run, there before Django reads its settings.

The controller starts them and every xdist worker inherits the addresses through the environment. An address of a real
database that stands in the environment is never used by tests.
"""

import atexit
import os
import secrets
import shutil
import tempfile
from pathlib import Path

from memory_platform.devstack.provision import provision
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis

MARK = "MEMORY_PLATFORM_TEST_STACK"


def start_stack() -> None:
    """Start both servers and point the configuration at them; stop and remove them when this process ends."""
    home = Path(tempfile.mkdtemp(prefix="memory-tests-"))
    home.chmod(0o755)  # when root runs the tests, Postgres runs as somebody else, who must get in
    postgres = EmbeddedPostgres(home / "postgres", durable=False)
    redis = EmbeddedRedis(home / "redis", durable=False)
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    atexit.register(redis.stop)
    atexit.register(postgres.stop)
    postgres.start()
    redis.start()
    urls = provision(postgres.superuser_url(), database="memory")
    os.environ.update(
        {
            MARK: str(home),
            "DATABASE_URL": urls.app_url,
            "DATABASE_OWNER_URL": urls.owner_url,
            "REDIS_URL": redis.url,
            "CELERY_BROKER_URL": redis.broker_url,
            "SECRET_KEY": secrets.token_urlsafe(48),
            "KEY_PEPPER": secrets.token_urlsafe(48),
            "EMBEDDER": "hashing",
            "LOG_LEVEL": "WARNING",
            "OPENBLAS_NUM_THREADS": "1",
            "DJANGO_SETTINGS_MODULE": "memory_platform.settings",
        }
    )


def own_redis(worker: str) -> None:
    """Give an xdist worker ("gw1") a database of its own: what one empties, another still reads."""
    number = int(worker.removeprefix("gw")) + 1
    os.environ["REDIS_URL"] = os.environ["REDIS_URL"].replace("?db=0", f"?db={number}")


if MARK not in os.environ:
    start_stack()
if "PYTEST_XDIST_WORKER" in os.environ:
    own_redis(os.environ["PYTEST_XDIST_WORKER"])
