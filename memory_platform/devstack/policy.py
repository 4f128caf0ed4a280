"""The development stack's numbers, in seconds unless the name says otherwise."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured


@dataclass(frozen=True, slots=True)
class ServerPolicy:
    """How long the embedded servers may take."""

    start_timeout: float = measured(
        60.0, source="first start 3 s on two busy cores; crash recovery of a large log is slower"
    )
    stop_timeout: float = measured(10.0, source="fast shutdown with open connections: 0.3 s")
    poll_interval: float = measured(0.05, source="a start takes 0.2 s: polling adds at most a quarter")
    connect_timeout: int = assumed(2, owner="devstack", settle_by="a start on a machine under memory pressure")
    socket_path_limit: int = measured(100, source="sun_path holds 104 bytes on macOS, 108 on Linux")
