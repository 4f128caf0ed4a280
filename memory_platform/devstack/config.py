"""The timing of the development stack, in seconds unless the name says otherwise."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """How long the embedded servers may take."""

    start_timeout: float = measured(
        60.0, source="first start 3 s on two busy cores; crash recovery of a large log is slower"
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
    ready_timeout: float = measured(60.0, source="web answers 4 s after its start on two busy cores")
    starts_before_ready: int = assumed(3, owner="devstack", settle_by="crash reports from development machines")
    part_stop_timeout: float = assumed(12.0, owner="devstack", settle_by="drain times under load")
    leftover_patience: float = measured(2.0, source="a worker without its supervisor waits for Redis 10 s and more")
    server_stop_timeout: float = measured(10.0, source="Postgres' fast shutdown with open connections: 0.3 s")
