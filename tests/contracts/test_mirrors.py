"""The tests of a folder stand in the folder of the same path, or a reason says where. Rows: D16."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots", "lab")
TABLES = "tables: the tests of what reads and writes them"
TESTED_ELSEWHERE: dict[str, str] = {
    "tenants/models": TABLES,
    "profiles/models": TABLES,
    "snapshots/models": TABLES,
    "snapshots/models/agent_state": TABLES,
    "snapshots/models/knowledge": TABLES,
    "snapshots/models/outbox": TABLES,
}


def holds_logic(folder: Path) -> bool:
    """Return whether a folder has a module with a function or a method, migrations aside."""
    if {"migrations", "__pycache__"} & set(folder.parts):
        return False
    return any(re.search(r"^\s*def ", path.read_text(encoding="utf-8"), re.MULTILINE) for path in folder.glob("*.py"))


def test_a_folder_of_logic_has_its_tests_at_the_same_path() -> None:
    folders = [folder for package in PACKAGES for folder in [ROOT / package, *(ROOT / package).rglob("*/")]]
    names = [str(folder.relative_to(ROOT)) for folder in sorted(folders) if holds_logic(folder)]
    assert len(names) > 100
    untested = {name for name in names if not any((ROOT / "tests" / name).rglob("test_*.py"))}
    assert untested == TESTED_ELSEWHERE.keys()
