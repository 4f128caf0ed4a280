"""Docstrings, sources of numbers and the architecture page name functions, modules and files that exist. Rows: T4."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

# One worker parses the source.
pytestmark = pytest.mark.xdist_group("source")
ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("memory_platform", "tenants", "profiles", "snapshots", "lab")
REFERENCE = re.compile(r":(func|mod|class|meth|data|attr):`~?([\w.]+)`")
TEST_FILE = re.compile(r"tests/[\w/]+\.py")


def read_sources() -> Iterator[tuple[Path, str]]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path, path.read_text()


@cache
def find_modules() -> frozenset[str]:
    paths = [path.relative_to(ROOT).with_suffix("") for path, _ in read_sources()]
    return frozenset(".".join(path.parts).removesuffix(".__init__") for path in paths)


@cache
def find_names() -> frozenset[str]:
    """The names that any module defines: functions, classes, variables, attributes, parameters."""
    found = set[str]()
    for _, text in read_sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return frozenset(found)


def exists(kind: str, reference: str) -> bool:
    if kind == "mod":
        return reference in find_modules()
    parent, _, name = reference.rpartition(".")
    known = parent.partition(".")[0] not in PACKAGES or {parent, parent.rpartition(".")[0]} & find_modules()
    return name in find_names() and bool(known)


def test_docstrings_refer_to_what_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: {reference}"
        for path, text in read_sources()
        for kind, reference in REFERENCE.findall(text)
        if not exists(kind, reference)
    ]
    assert missing == []


def test_tests_named_as_sources_of_numbers_exist() -> None:
    named = {(path, test) for path, text in read_sources() for test in TEST_FILE.findall(text)}
    assert [f"{path.relative_to(ROOT)}: {test}" for path, test in sorted(named) if not (ROOT / test).exists()] == []


def test_the_architecture_page_names_what_exists() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    files = {path.name for path, _ in read_sources()} | {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    known = find_names() | {name.rpartition(".")[2] for name in find_modules()}
    spoken = re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", page, flags=re.DOTALL))
    missing = [
        one
        for one in spoken
        if (one.endswith(".py") and Path(one).name not in files)
        or (
            re.fullmatch(r"[a-z_]{4,}(/[a-z_]+)*/", one)
            and not any(
                any((ROOT / package).glob(f"**/{one}")) or one == f"{package}/" for package in (*PACKAGES, "tests")
            )
        )
        or (re.fullmatch(r"_?[a-z]+(_[a-z]+)+", one) and one not in known)
    ]
    assert missing == []
