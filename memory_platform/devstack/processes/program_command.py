"""One process to run: command, directory, environment, user."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memory_platform.devstack.processes.system_user import Identity


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """``env`` is the whole environment, not an addition to ours. ``run_as`` None means the current user."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    run_as: Identity | None = None

    def spawn(self, output: int | IO[bytes]) -> subprocess.Popen[bytes]:
        """Start the process in its own session, so that Ctrl-C reaches only the supervisor. Standard output and error
        go to ``output``; there is no input."""
        return subprocess.Popen(  # noqa: S603 - argv is built by this room, no shell
            self.argv,
            env=dict(self.env),
            cwd=self.cwd,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=self.run_as.uid if self.run_as else None,
            group=self.run_as.gid if self.run_as else None,
            extra_groups=[] if self.run_as else None,
        )
