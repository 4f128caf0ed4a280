"""The client installs as a package of its own, with its types, and needs nothing of the platform. Rows: D11."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CLIENT = Path(__file__).resolve().parents[2] / "clients" / "python"
INSTALLING_S = 200
LOOK = """
import importlib.resources, sys
import memory_platform_client as client
from memory_platform_client.client import make_headers
assert importlib.resources.files(client).joinpath("py.typed").is_file()
assert importlib.resources.files(client).joinpath("answers", "vocabularies.py").is_file()
assert make_headers("k")["User-Agent"] == "memory-platform-client/0.1.0"
assert not {"django", "pydantic", "memory_platform"} & sys.modules.keys()
print(client.__file__)
"""


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(INSTALLING_S + 60)
def test_the_package_is_complete(tmp_path: Path) -> None:
    """Copied first: building leaves traces."""
    source = tmp_path / "source"
    shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(tmp_path / "place")]
    installed = subprocess.run(
        [*command, str(source)], capture_output=True, text=True, timeout=INSTALLING_S, check=False
    )
    if "No matching distribution" in installed.stderr:
        pytest.skip("pip finds no setuptools here to build with")
    assert installed.returncode == 0, installed.stderr
    looked = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path / "place")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert looked.returncode == 0, looked.stderr
    assert Path(looked.stdout.strip()).is_relative_to(tmp_path / "place")
