"""Bring up the whole platform on one machine, keep it alive, and take it down again."""

import errno
import os
import socket
import time
from pathlib import Path

from memory_platform.devstack.backends import Backends
from memory_platform.devstack.banner import banner
from memory_platform.devstack.completed_steps import (
    note_mark,
    read_completed_steps,
    schema_fingerprint,
    seed_fingerprint,
)
from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import AlreadyRunning, CannotStart, DevStackError, StopRequested
from memory_platform.devstack.options import StackOptions
from memory_platform.devstack.processes.stack_commands import MARK, Programs, clear_metrics_directory
from memory_platform.devstack.processes.supervisor import Supervisor
from memory_platform.devstack.processes.terminal import Terminal
from memory_platform.devstack.seed.demo_access import demo_access
from memory_platform.devstack.servers.directory_lock import DirectoryLock, kill_marked
from memory_platform.devstack.stack_file import stack_secrets, write_stack_file
from memory_platform.env.environment import ConfigurationFault, check_given

STOPPED, FAILED, CANNOT_START = 0, 1, 2
STACK_VARIABLES = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "CELERY_BROKER_URL", "SECRET_KEY", "KEY_PEPPER")


def run_stack(options: StackOptions, terminal: Terminal) -> int:
    """Run the stack until a signal ends it. Returns the exit status: 0 stopped, 1 failed, 2 could not begin."""
    lock = DirectoryLock(options.data_dir / "up.lock")
    try:
        _lock_and_check(options, lock, terminal)
        backends = Backends(options.data_dir)
    except (AlreadyRunning, CannotStart) as obstacle:
        terminal.line("up", obstacle.detail)
        return CANNOT_START
    supervisor = Supervisor(terminal)
    with supervisor.signals():
        try:
            _bring_up(options, backends, supervisor, terminal)
            supervisor.run_until_stopped()
        except StopRequested:
            pass
        except (DevStackError, OSError) as fault:
            terminal.line("up", f"{fault}")
            return FAILED
        finally:
            terminal.line("up", "stopping (a second Ctrl-C ends everything at once)")
            supervisor.stop()
            backends.release()
            terminal.line("up", "stopped")
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
        terminal.line("up", f"ended {ended} processes that an earlier, killed start had left behind")
    _require_free_port(options)


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
        terminal.line("up", f"starting {' and '.join(server.name for server in servers)}")
        supervisor.start(*servers)
    # Commands in a second terminal need what the environment sets here, too.
    given = {name: os.environ[name] for name in STACK_VARIABLES if os.environ.get(name)}
    settings = {**stack_secrets(options.data_dir), **backends.provision(), **given}
    write_stack_file(options.data_dir, settings | {"DATA_DIR": str(options.data_dir), "STACK_URL": options.base_url})
    clear_metrics_directory(options.data_dir)
    programs = Programs(options, settings)
    _migrate(programs, backends.superuser_url, supervisor, terminal)
    if options.seed:
        _seed(programs, backends.superuser_url, options.data_dir, supervisor, terminal)
    terminal.line("up", "starting web, worker and beat")
    supervisor.start(*programs.parts())
    demo = demo_access(options.data_dir)
    terminal.plain(banner(options.base_url, demo, seconds=time.monotonic() - began))


def _migrate(programs: Programs, superuser_url: str | None, supervisor: Supervisor, terminal: Terminal) -> None:
    """Migrate the schema. An external database is always checked, the embedded one records its migrations."""
    fingerprint = schema_fingerprint()
    if superuser_url and read_completed_steps(superuser_url).get("migrate") == fingerprint:
        return
    terminal.line("up", "migrating the database")
    supervisor.run("migrate", programs.step("migrate", "--database", "owner", "--noinput", "--verbosity", "0"))
    if superuser_url:
        note_mark(superuser_url, "migrate", fingerprint)


def _seed(
    programs: Programs, superuser_url: str | None, data_dir: Path, supervisor: Supervisor, terminal: Terminal
) -> None:
    fingerprint = seed_fingerprint()
    known = read_completed_steps(superuser_url).get("seed") if superuser_url else None
    if known == fingerprint and demo_access(data_dir):
        return
    terminal.line("up", "making the demo world")
    supervisor.run("seed", programs.step("seed_world"))
    if superuser_url:
        note_mark(superuser_url, "seed", fingerprint)
