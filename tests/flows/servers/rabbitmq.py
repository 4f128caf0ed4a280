"""A RabbitMQ of the test's own: its files in one folder, its ports free ones, nothing of it left afterwards."""

import os
import shutil
import signal
import socket
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.flows.stage import wait_until

# Debian's programs in /usr/sbin hand over to the user rabbitmq; these run as whoever runs the tests.
PROGRAMS = f"/usr/lib/rabbitmq/bin:{os.environ['PATH']}"
SERVER, NAMES = (shutil.which(name, path=PROGRAMS) for name in ("rabbitmq-server", "epmd"))
MISSING = SERVER is None or NAMES is None


class RabbitMQ:
    """One node. ``environment`` lets `rabbitmqctl` find it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port, distribution, names = find_free_ports(3)
        self.environment = {
            "PATH": PROGRAMS,
            "HOME": str(home),  # the cookie that node and tools share
            "RABBITMQ_NODENAME": f"memory-tests-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(distribution),
            "RABBITMQ_MNESIA_BASE": str(home / "data"),
            "RABBITMQ_LOG_BASE": str(home / "log"),
            "RABBITMQ_PID_FILE": str(home / "pid"),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(home / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(home / "plugins"),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(names),
            "ERL_EPMD_RELAXED_COMMAND_CHECK": "true",  # it may be ended while it still knows a killed node
        }
        (home / "plugins").write_text("[].")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the node and return when it answers."""
        with (self.home / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [str(SERVER)],
                env={**os.environ, **self.environment},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        wait_until(self._listens, every=0.2)

    def kill(self) -> None:
        """End the node as a crash would."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(20)
            self._process = None

    def remove(self) -> None:
        """End the node, and the program that tells where nodes listen."""
        self.kill()
        subprocess.run([str(NAMES), "-kill"], env={**os.environ, **self.environment}, capture_output=True, check=False)

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self.home / "output").read_text(errors="replace")
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False


def find_free_ports(count: int) -> list[int]:
    """Return so many ports of this machine that nobody listens on."""
    with_ports = [socket.socket() for _ in range(count)]
    try:
        for one in with_ports:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in with_ports]
    finally:
        for one in with_ports:
            one.close()
