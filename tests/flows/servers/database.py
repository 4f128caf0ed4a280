"""A Postgres to kill, apart from the one that all tests share."""

import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

import psycopg

from memory_platform.devstack.processes.program_command import find_unprivileged_identity
from memory_platform.devstack.provision import provision
from memory_platform.devstack.servers.postgres import EmbeddedPostgres, installation
from tests.flows.servers.pages import manage

DATABASE = "memory"


class Database:
    """A Postgres of our own to kill, with the platform's schema and one tenant."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="mp-test-"))
        self.home.chmod(0o755)  # when root runs the tests, Postgres runs as somebody else, who must get in
        self.postgres = EmbeddedPostgres(self.home / "postgres", durable=False)
        self.postgres.start()
        urls = provision(self.postgres.superuser_url(), database=DATABASE)
        self.addresses = {"DATABASE_URL": urls.app_url, "DATABASE_OWNER_URL": urls.owner_url}
        self.manage("migrate", "--database", "owner", "--noinput", "--verbosity", "0")
        self.manage("create_tenant", "acme")
        self.headers = {"Authorization": f"Bearer {self.manage('create_key', '--tenant', 'acme').strip()}"}

    def restart(self) -> None:
        """Kill the postmaster, which takes all connections with it, and start another one."""
        self.postgres.kill()
        self.postgres.start()

    def states(self) -> Counter[str]:
        """Return how many items are in which state."""
        with psycopg.connect(self.postgres.superuser_url(DATABASE)) as connection:
            return Counter(dict(connection.execute("SELECT state, count(*)::int FROM work GROUP BY state").fetchall()))

    def manage(self, *arguments: str) -> str:
        """Run one of the platform's commands at this database; return what it prints."""
        return manage(*arguments, **self.addresses)

    def put_programs_first(self) -> dict[str, str]:
        """Return an environment whose path begins with Postgres's own programs of the same version."""
        programs = installation(self.postgres.home, find_unprivileged_identity()) / "bin"
        return {"PATH": f"{programs}:{os.environ['PATH']}"}

    def remove(self) -> None:
        self.postgres.stop()
        shutil.rmtree(self.home, ignore_errors=True)
