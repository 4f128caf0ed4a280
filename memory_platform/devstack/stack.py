"""Start the whole platform on one machine: servers, set-up steps, web, worker and beat."""

import errno
import hashlib
import json
import os
import re
import socket
import sysconfig
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from memory_platform.devstack.config import PROJECT_ROOT, StackOptions, SupervisorConfig
from memory_platform.devstack.errors import AlreadyRunning, CannotStart, DevStackError, StopRequested
from memory_platform.devstack.private_files import DemoAccess, ensure_stack_secrets, read_demo_access, write_stack_file
from memory_platform.devstack.processes.stack_commands import MARK, Programs, clear_metrics_directory
from memory_platform.devstack.processes.supervisor import ProcessSpec, Supervisor
from memory_platform.devstack.processes.terminal import Terminal
from memory_platform.devstack.provision import ProvisionedUrls, provision
from memory_platform.devstack.seed.demo_people import STAFF
from memory_platform.devstack.servers.directories import DirectoryLock, kill_marked
from memory_platform.devstack.servers.embedded_server import EmbeddedServer
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.env.environment import ConfigurationFault, check_given

DATABASE = "memory"
LINE = "-" * 78
READ_RECORD = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()"
STOPPED, FAILED, CANNOT_START = 0, 1, 2
MAX_PORT = 65_535
STACK_VARIABLES = (
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "REDIS_URL",
    "CELERY_BROKER_URL",
    "SECRET_KEY",
    "KEY_PEPPER",
    "UPSTREAM_KEYS",
)


class Backends:
    """The servers below the platform. ``postgres`` or ``redis`` is None if the environment names another one."""

    def __init__(self, data_dir: Path, environ: Mapping[str, str] = os.environ) -> None:
        self.postgres = None if has_external_database(environ) else EmbeddedPostgres(data_dir / "postgres")
        both_given = environ.get("REDIS_URL") and environ.get("CELERY_BROKER_URL")
        self.redis = None if both_given else EmbeddedRedis(data_dir / "redis")

    def parts(self) -> list[ProcessSpec]:
        return [_make_process_spec(server) for server in (self.postgres, self.redis) if server is not None]

    def provision(self) -> dict[str, str]:
        """Create roles and database; return the addresses of the embedded servers, which must be ready."""
        addresses: dict[str, str] = {}
        if self.postgres is not None:
            urls: ProvisionedUrls = provision(self.postgres.superuser_url(), database=DATABASE)
            addresses |= {"DATABASE_URL": urls.app_url, "DATABASE_OWNER_URL": urls.owner_url}
        if self.redis is not None:
            addresses |= {"REDIS_URL": self.redis.url, "CELERY_BROKER_URL": self.redis.broker_url}
        return addresses

    @property
    def superuser_url(self) -> str | None:
        return self.postgres.superuser_url(DATABASE) if self.postgres is not None else None

    def release(self) -> None:
        for server in (self.postgres, self.redis):
            if server is not None:
                server.release()


def run_stack(options: StackOptions, terminal: Terminal) -> int:
    """Run the stack until a signal ends it. Returns the exit status: 0 stopped, 1 failed, 2 could not begin."""
    lock = DirectoryLock(options.data_dir / "up.lock")
    try:
        _lock_and_check(options, lock, terminal)
        backends = Backends(options.data_dir)
    except (AlreadyRunning, CannotStart) as obstacle:
        terminal.write_line("up", obstacle.detail)
        return CANNOT_START
    supervisor = Supervisor(terminal)
    with supervisor.catch_stop_signals():
        try:
            _bring_up(options, backends, supervisor, terminal)
            supervisor.run_until_stopped()
        except StopRequested:
            pass
        except (DevStackError, OSError) as fault:
            terminal.write_line("up", f"{fault}")
            return FAILED
        finally:
            terminal.write_line("up", "stopping (a second Ctrl-C ends everything at once)")
            supervisor.stop()
            backends.release()
            terminal.write_line("up", "stopped")
            lock.release()
    return STOPPED


def _lock_and_check(options: StackOptions, lock: DirectoryLock, terminal: Terminal) -> None:
    """Lock the data directory and check the port and the environment, so that a conflict is reported at once."""
    try:
        check_given()
    except ConfigurationFault as fault:
        raise CannotStart(f"{fault}") from None
    options.data_dir.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire()
    except AlreadyRunning as other:
        raise AlreadyRunning(
            f"Already running: {other.detail} Stop it with Ctrl-C there, or choose --data-dir."
        ) from None
    if ended := kill_marked(MARK, str(options.data_dir), patience=SupervisorConfig().leftover_patience):
        terminal.write_line("up", f"ended {ended} processes that an earlier, killed start had left behind")
    _require_free_port(options)


def read_port(port: str) -> int:
    """Return the port as a number. Raises CannotStart if ``port`` is not the number of a port."""
    if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) <= MAX_PORT:
        raise CannotStart(f"The port must be a whole number from 1 to {MAX_PORT}, not {port!r}: make run PORT=8001")
    return int(port)


def _require_free_port(options: StackOptions) -> None:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((options.host, options.port))
        except OSError as fault:
            if fault.errno == errno.EADDRINUSE:
                way_out = f"stop what uses it, or take another one: make run PORT={options.port + 1}"
                raise CannotStart(f"Port {options.port} is in use: {way_out}") from None
            raise CannotStart(f"Port {options.port} on {options.host} cannot be used: {fault.strerror}.") from None


def _bring_up(options: StackOptions, backends: Backends, supervisor: Supervisor, terminal: Terminal) -> None:
    began = time.monotonic()
    if servers := backends.parts():
        terminal.write_line("up", f"starting {' and '.join(server.name for server in servers)}")
        supervisor.start(*servers)
    # Commands in a second terminal need what the environment sets here, too.
    given = {name: os.environ[name] for name in STACK_VARIABLES if os.environ.get(name)}
    settings = {**ensure_stack_secrets(options.data_dir), **backends.provision(), **given}
    write_stack_file(options.data_dir, settings | {"DATA_DIR": str(options.data_dir), "STACK_URL": options.base_url})
    clear_metrics_directory(options.data_dir)
    programs = Programs(options, settings)
    _migrate(programs, backends.superuser_url, supervisor, terminal)
    if options.seed:
        _seed(programs, backends.superuser_url, options.data_dir, supervisor, terminal)
    terminal.write_line("up", "starting web, worker and beat")
    supervisor.start(*programs.parts())
    demo = read_demo_access(options.data_dir)
    terminal.write_plain_line(render_banner(options.base_url, demo, seconds=time.monotonic() - began))


def _migrate(programs: Programs, superuser_url: str | None, supervisor: Supervisor, terminal: Terminal) -> None:
    """Migrate the schema. An external database is always checked, the embedded one records its migrations."""
    fingerprint = schema_fingerprint()
    if superuser_url and read_completed_steps(superuser_url).get("migrate") == fingerprint:
        return
    terminal.write_line("up", "migrating the database")
    supervisor.run("migrate", programs.step("migrate", "--database", "owner", "--noinput", "--verbosity", "0"))
    if superuser_url:
        note_mark(superuser_url, "migrate", fingerprint)


def _seed(
    programs: Programs, superuser_url: str | None, data_dir: Path, supervisor: Supervisor, terminal: Terminal
) -> None:
    fingerprint = seed_fingerprint()
    known = read_completed_steps(superuser_url).get("seed") if superuser_url else None
    if known == fingerprint and read_demo_access(data_dir):
        return
    terminal.write_line("up", "making the demo world")
    supervisor.run("seed", programs.step("seed_world"))
    if superuser_url:
        note_mark(superuser_url, "seed", fingerprint)


def has_external_database(environ: Mapping[str, str]) -> bool:
    """Return whether ``environ`` names an external database. Raises CannotStart if only half of it is given."""
    found = [name for name in ("DATABASE_URL", "DATABASE_OWNER_URL") if environ.get(name)]
    if len(found) == 1:
        raise CannotStart(
            f"{found[0]} is set alone. A database of your own needs both: DATABASE_URL (the app role serves) and "
            "DATABASE_OWNER_URL (the owner migrates). `manage.py provision` makes the roles and prints both."
        )
    return bool(found)


def _make_process_spec(server: EmbeddedServer) -> ProcessSpec:
    return ProcessSpec(
        name=server.program.removesuffix("-server"),
        command=server.command,
        prepare=server.prepare,
        is_ready=server.is_ready,
        stop_signal=server.stop_signal,
        stop_timeout=SupervisorConfig().server_stop_timeout,
    )


def render_banner(base_url: str, demo: DemoAccess | None, *, seconds: float) -> str:
    """Return the text in English and Chinese; without a demo world it names the commands for a login and a key."""
    access = [
        f"Console 控制台   {base_url}/console/   (login 登录: .venv/bin/python manage.py createsuperuser)",
        f"API     接口     {base_url}/v1        (key 密钥: .venv/bin/python manage.py create_key --tenant T)",
    ]
    if demo:
        access = _render_demo_lines(base_url, demo)
    head = f"The memory platform is ready ({seconds:.1f} s). Ctrl-C stops it.  记忆平台已就绪,按 Ctrl-C 停止。"
    return "\n".join(["", LINE, head, "", *access, LINE, ""])


def _render_demo_lines(base_url: str, demo: DemoAccess) -> list[str]:
    headers = f"-H 'Authorization: Bearer {demo.keys[demo.tenant]}' -H 'Content-Type: application/json'"
    return [
        f"Console 控制台         {base_url}/console/",
        *(
            f"Login   登录           {user} / {password}{_describe_role(user)}"
            for user, password in demo.logins.items()
        ),
        f"API     接口           {base_url}/v1   (docs 文档: {base_url}/v1/docs)",
        *(f"API key {tenant:<7} 密钥  {key}" for tenant, key in demo.keys.items()),
        "",
        "Try it 试一试:",
        f'curl -s {base_url}/v1/subjects/{demo.subject}/recall {headers} -d \'{{"query": "navigate home"}}\'',
    ]


def _describe_role(user: str) -> str:
    staff = STAFF.get(user)
    return f"   ({staff.role}, {staff.tenant})" if staff else ""


def read_completed_steps(url: str) -> dict[str, str]:
    """Return ``{step: fingerprint}`` of the database at ``url``; empty if there is no readable record."""
    with psycopg.connect(url) as connection:
        row = connection.execute(READ_RECORD).fetchone()
    try:
        marks = json.loads(str(row[0])) if row and row[0] else {}
    except ValueError:
        return {}
    return marks if isinstance(marks, dict) else {}


def note_mark(url: str, step: str, fingerprint: str) -> None:
    """Record that ``step`` was done by the code with this ``fingerprint``; as superuser or as the database's owner.
    The record is the database's own comment: it is copied, dropped and restored together with the database."""
    marks = read_completed_steps(url) | {step: fingerprint}
    with psycopg.connect(url, autocommit=True) as connection:
        name = sql.Identifier(connection.info.dbname)
        connection.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(name, sql.Literal(json.dumps(marks))))


def schema_fingerprint() -> str:
    """Return a digest of everything that ``migrate`` depends on: our migrations and the installed packages."""
    apps = ("memory_platform", "tenants", "profiles", "snapshots")
    patterns = (*(f"{app}/migrations/*.py" for app in apps), "memory_platform/postgres/*.py")
    ours = [path for pattern in patterns for path in sorted(PROJECT_ROOT.glob(pattern))]
    packages = Path(sysconfig.get_path("purelib")).glob("*.dist-info")
    return _digest([*_read_file_contents(ours), *sorted(path.name for path in packages)])


def seed_fingerprint() -> str:
    patterns = ("memory_platform/management/commands/seed_world.py", "memory_platform/devstack/seed/*.*")
    return _digest(_read_file_contents(path for pattern in patterns for path in sorted(PROJECT_ROOT.glob(pattern))))


def _read_file_contents(paths: Iterable[Path]) -> list[str]:
    return [f"{path.relative_to(PROJECT_ROOT)}\0{path.read_text(encoding='utf-8')}" for path in paths]


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0\0".join(parts).encode()).hexdigest()[:16]
