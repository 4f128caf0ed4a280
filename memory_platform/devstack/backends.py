"""Postgres and Redis for the stack: embedded ones, or those that the environment names."""

import os
from collections.abc import Mapping
from pathlib import Path

from memory_platform.devstack.config import SupervisorConfig
from memory_platform.devstack.errors import CannotStart
from memory_platform.devstack.processes.stack_processes import ProcessSpec
from memory_platform.devstack.provision import ProvisionedUrls, provision
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.devstack.servers.server import EmbeddedServer

DATABASE = "memory"


class Backends:
    """The servers below the platform. ``postgres`` or ``redis`` is None if the environment names another one."""

    def __init__(self, data_dir: Path, given: Mapping[str, str] = os.environ) -> None:
        self.postgres = None if has_external_database(given) else EmbeddedPostgres(data_dir / "postgres")
        both_given = given.get("REDIS_URL") and given.get("CELERY_BROKER_URL")
        self.redis = None if both_given else EmbeddedRedis(data_dir / "redis")

    def parts(self) -> list[ProcessSpec]:
        return [_part(server) for server in (self.postgres, self.redis) if server is not None]

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


def has_external_database(given: Mapping[str, str]) -> bool:
    """Return whether ``given`` names an external database. Raises CannotStart if only half of it is given."""
    found = [name for name in ("DATABASE_URL", "DATABASE_OWNER_URL") if given.get(name)]
    if len(found) == 1:
        raise CannotStart(
            f"{found[0]} is set alone. A database of your own needs both: DATABASE_URL (the app role serves) and "
            "DATABASE_OWNER_URL (the owner migrates). `manage.py provision` makes the roles and prints both."
        )
    return bool(found)


def _part(server: EmbeddedServer) -> ProcessSpec:
    return ProcessSpec(
        name=server.program.removesuffix("-server"),
        command=server.command,
        prepare=server.prepare,
        is_ready=server.is_ready,
        stop_signal=server.stop_signal,
        stop_timeout=SupervisorConfig().server_stop_timeout,
    )
