"""Options of ``manage.py up``, and the timing of the stack in seconds unless the name says otherwise."""

from dataclasses import dataclass
from pathlib import Path

from memory_platform.kernel.number_sources import assumed, measured

PROJECT_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class StackOptions:
    """Choices of ``manage.py up``; ``data_dir`` is absolute."""

    data_dir: Path = PROJECT_ROOT / ".dev"
    host: str = "127.0.0.1"
    port: int = 8000
    seed: bool = True
    web_workers: int = 2
    web_threads: int = 4
    job_processes: int = 2

    @property
    def base_url(self) -> str:
        """The address to print: a wildcard host is reachable as localhost."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", ""} else self.host  # noqa: S104 - read, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """How long the embedded servers may take."""

    start_timeout: float = measured(
        300.0,
        source="3 s on two cores, more than 60 s at ten times their load; crash recovery of a large log is slower",
    )
    stop_timeout: float = measured(10.0, source="fast shutdown with open connections: 0.3 s")
    poll_interval: float = measured(0.05, source="a start takes 0.2 s: polling adds at most a quarter")
    connect_timeout: int = assumed(2, owner="devstack", settle_by="a start on a machine under memory pressure")
    socket_path_limit: int = measured(100, source="sun_path holds 104 bytes on macOS, 108 on Linux")


@dataclass(frozen=True, slots=True)
class SupervisorConfig:
    """How the supervisor restarts and stops parts. The two stop times add up to less than the promised 25 s."""

    tick: float = measured(0.1, source="a poll of six processes takes 0.1 ms; a person sees no delay")
    first_pause: float = assumed(0.5, owner="devstack", settle_by="crash reports from development machines")
    longest_pause: float = assumed(30.0, owner="devstack", settle_by="crash reports from development machines")
    steady_after: float = assumed(20.0, owner="devstack", settle_by="crash reports from development machines")
    ready_timeout: float = measured(
        400.0, source="web answers 4 s after its start on two cores, 90 to 180 s at ten times their load"
    )
    starts_before_ready: int = assumed(3, owner="devstack", settle_by="crash reports from development machines")
    part_stop_timeout: float = assumed(12.0, owner="devstack", settle_by="drain times under load")
    leftover_patience: float = measured(2.0, source="a worker without its supervisor waits for Redis 10 s and more")
    server_stop_timeout: float = measured(10.0, source="Postgres' fast shutdown with open connections: 0.3 s")
