"""The product starts where the folder of the laboratory is left out. Rows: D4, D16."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRODUCT = ("memory_platform", "tenants", "profiles", "snapshots")


@pytest.mark.slow
@pytest.mark.processes
def test_the_product_starts_without_the_laboratory(tmp_path: Path) -> None:
    for name in PRODUCT:
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copy(ROOT / "manage.py", tmp_path)  # Python looks for packages beside the file that a link leads to
    listed = subprocess.run(
        [sys.executable, "-W", "ignore", "manage.py", "help", "--commands"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    commands = listed.stdout.split()
    assert "import_conversations" in commands
    assert "evaluate" not in commands
