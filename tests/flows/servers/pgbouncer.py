"""A pgbouncer of the test's own, before the Postgres of the tests."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg

from memory_platform.devstack.processes.program_command import change_owner, find_unprivileged_identity
from tests.flows.stage import wait_until

# PGBOUNCER names another program than the one on the path.
PROGRAM = os.environ.get("PGBOUNCER") or shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
MISSING = not Path(PROGRAM).exists()
KNOWS_STATEMENTS = (1, 21)
"""The first version that knows prepared statements in transaction mode."""


def read_version() -> tuple[int, ...]:
    said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"PgBouncer (\d+)\.(\d+)", said)
    assert found, said
    return tuple(map(int, found.groups()))


class PgBouncer:
    """One pgbouncer with ``settings``, the text of its file, and ``users``, its passwords by name.

    It listens on a socket in ``home`` alone, at the port that the settings say.
    """

    def __init__(self, settings: str, users: dict[str, str]) -> None:
        self._run_as = find_unprivileged_identity()
        self.home = Path(tempfile.mkdtemp(prefix="mp-pgb-"))
        userlist = self.home / "userlist.txt"
        userlist.write_text("".join(f'"{name}" "{password}"\n' for name, password in users.items()))
        settings = re.sub(r"^auth_file = .*$", f"auth_file = {userlist}", settings, flags=re.MULTILINE)
        settings = re.sub(r"^listen_addr = .*$", f"unix_socket_dir = {self.home}", settings, flags=re.MULTILINE)
        (self.home / "pgbouncer.ini").write_text(settings)
        for path in (self.home, *self.home.iterdir()):
            change_owner(path, self._run_as)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, url: str) -> None:
        """Start it and return when ``url`` answers through it."""
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, self.home / "pgbouncer.ini"],
                cwd=self.home,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                user=self._run_as.uid if self._run_as else None,
                group=self._run_as.gid if self._run_as else None,
                extra_groups=[] if self._run_as else None,
            )

        def answers() -> bool:
            assert self._process is not None
            assert self._process.poll() is None, self.read_log()
            try:
                psycopg.connect(url, connect_timeout=2).close()
            except psycopg.OperationalError:
                return False
            return True

        wait_until(answers, 20)

    def read_log(self) -> str:
        return (self.home / "log").read_text(errors="replace")

    def remove(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(5)
        shutil.rmtree(self.home, ignore_errors=True)
