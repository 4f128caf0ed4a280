"""mem0's own client, unmodified, in several versions side by side: each is installed into a folder of its own.

Its package also holds a memory of its own, whose libraries are not needed to call a server: only the modules of the
client are loaded.
"""

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.embedded_stack import once_per_run

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".dev" / "mem0-clients"
VERSIONS = ("1.0.11", "2.2.1")
# What the client's telemetry imports; it is switched off.
BESIDE = ("posthog==7.91.1", "backoff==2.2.1", "distro==1.9.0")
INSTALL_S = 100


def load_client(version: str, home: Path) -> Any:
    """Return the module of mem0's client of a version; skip the test where it cannot be installed. ``home`` is where
    the client keeps files of its own."""
    folder = install_client(version)
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(home)}
    with _only_here(folder):
        package = ModuleType("mem0")
        package.__path__ = [str(folder / "mem0")]
        package.__dict__["__version__"] = version
        sys.modules["mem0"] = package
        return importlib.import_module("mem0.client.main")


def install_client(version: str) -> Path:
    """Install a version once, into a folder of its own, and return the folder."""
    folder = FOLDER / version
    with once_per_run(f"mem0ai-{version}"):
        if not (folder / "mem0" / "client" / "main.py").exists():
            command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
            done = subprocess.run(
                [*command, f"mem0ai=={version}", *BESIDE], check=False, capture_output=True, timeout=INSTALL_S
            )
            if done.returncode:
                pytest.skip(f"mem0ai {version} cannot be installed here")
    return folder


@contextmanager
def _only_here(folder: Path) -> Iterator[None]:
    """Import from ``folder`` within the block, and leave no module of mem0's under its name."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in [name for name in sys.modules if name == "mem0" or name.startswith("mem0.")]:
            del sys.modules[name]
