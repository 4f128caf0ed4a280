"""Whoever would rather generate a client gets one without a warning. Rows: D11, D1."""

import os
import subprocess
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "tests" / "golden" / "openapi.json"
# In an environment of its own: it wants an older python-dateutil than the platform has.
GENERATOR = ("openapi-python-client==0.29.1", "ruff")
INSTALLING_S = 300
STEP_S = 180
IMPORT_ALL = """
import importlib, pkgutil, generated
names = [module.name for module in pkgutil.walk_packages(generated.__path__, "generated.")]
[importlib.import_module(name) for name in names]
print(len(names))
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the generator's programs."""
    home = tmp_path_factory.mktemp("generator")
    venv.create(home, with_pip=True)
    command = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", *GENERATOR]
    installed = subprocess.run(command, capture_output=True, text=True, timeout=INSTALLING_S, check=False)
    if installed.returncode:
        pytest.skip(f"pip cannot install the generator here: {installed.stderr[-300:]}")
    return home / "bin"


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(INSTALLING_S + 2 * STEP_S)
def test_openapi_python_client_generates_without_a_warning(programs: Path, tmp_path: Path) -> None:
    command = [str(programs / "openapi-python-client"), "generate", "--path", str(DOCUMENT), "--meta", "none"]
    made = subprocess.run(
        [*command, "--output-path", str(tmp_path / "generated"), "--fail-on-warning"],
        env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=STEP_S,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    assert "Warning" not in made.stdout
    imported = subprocess.run(
        [str(programs / "python"), "-c", IMPORT_ALL],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=STEP_S,
        check=False,
    )
    assert imported.returncode == 0, imported.stderr
    assert int(imported.stdout) > 500
