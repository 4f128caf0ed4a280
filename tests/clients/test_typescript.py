"""The TypeScript types compile, and what they allow works at the platform. Rows: D11."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import World
from tests.serving import serve_app, working

ROOT = Path(__file__).resolve().parents[2]
TYPESCRIPT = ROOT / "clients" / "typescript"
INSTALLING_S = 300
STEP_S = 120
RUN = """
import { makeFirstMemory } from "./example.js";
const context = await makeFirstMemory(process.argv[2], process.env.KEY, "grace");
console.log(JSON.stringify(context.messages));
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The types' project with its packages, apart from the checkout, which stays as it is."""
    if not shutil.which("npm"):
        pytest.skip("npm is not installed")
    project = tmp_path_factory.mktemp("typescript")
    for name in ("package.json", "package-lock.json", ".npmrc", "tsconfig.json", "example.ts"):
        shutil.copy(TYPESCRIPT / name, project)
    installed = run(project, "npm", "ci", seconds=INSTALLING_S)
    if installed.returncode:
        pytest.skip(f"npm cannot install packages here: {installed.stderr[-300:]}")
    return project


def run(project: Path, *command: str, seconds: float = STEP_S, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=project,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(INSTALLING_S + 4 * STEP_S)
def test_the_types_compile_and_the_example_makes_a_memory(project: Path, world: World) -> None:
    generate = json.loads((project / "package.json").read_text())["scripts"]["generate"]
    document, options = str(ROOT / "tests" / "golden" / "openapi.json"), generate.partition(".json ")[2].split()
    generated = run(project, "npx", "openapi-typescript", document, *options)
    assert generated.returncode == 0, generated.stderr
    compiled = run(project, "npx", "tsc", "--outDir", ".")
    assert compiled.returncode == 0, compiled.stdout
    (project / "run.js").write_text(RUN)
    with serve_app() as port, working(world.acme.tenant.id):
        told = run(project, "node", "run.js", f"http://127.0.0.1:{port}", KEY=world.acme.token)
    assert told.returncode == 0, told.stderr
    assert any("Zürich" in (message["content"] or "") for message in json.loads(told.stdout))


def test_no_lock_file_names_a_registry() -> None:
    lock = (TYPESCRIPT / "package-lock.json").read_text()
    assert '"resolved"' not in lock
    assert not re.search(r"registry|\.tgz", lock)
