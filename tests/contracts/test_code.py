"""Promises about the code itself: words, sizes, imports, numbers with a provenance. Rows: D16."""

import ast
import dataclasses
import importlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from memory_platform.kernel.number_sources import source_of_numbers

# One worker parses the source.
pytestmark = pytest.mark.xdist_group("source")
ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("memory_platform", "tenants", "profiles", "snapshots", "lab")
BANNED = re.compile(r"\b(end_?user|customer|account|entity|entities)s?\b", re.IGNORECASE)
LIBRARY_SETTING = re.compile(r"ACCOUNT_[A-Z_]+")  # of django-allauth, which chose the word
LONGEST_MODULE = 400
LONGER_MODULES: dict[str, str] = {}
"""Modules over 400 lines, each with its reason."""
LARGEST_FOLDER = 15
# Numbers that nobody has measured yet. It may only fall, but for those that a new ability brings.
MAX_ASSUMED = 365
LARGER_FOLDERS: dict[str, str] = {
    "memory_platform/management/commands": "Django looks for commands in one folder",
    "lab/notes": "pages, found by their index",
    "tests/golden": "sets of sentences that are read by name, and their answers",
}
"""Folders of more than 15 files, each with its reason."""


def modules() -> Iterator[Path]:
    for source in SOURCES:
        for path in sorted((ROOT / source).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path


@dataclasses.dataclass(frozen=True, slots=True)
class ModuleNames:
    """The names that a module uses, its functions (with their lengths in lines), their arguments, its classes and their
    fields, the top packages that it imports when it loads, and the words of its docstrings."""

    used: frozenset[str]
    functions: tuple[tuple[str, int], ...]
    arguments: frozenset[str]
    classes: tuple[str, ...]
    fields: frozenset[str]
    imports: frozenset[str]
    docstring_words: tuple[str, ...]


@cache
def read_names(path: Path) -> ModuleNames:
    """Parse a module once for all tests; its tree, a million objects of all modules, is not kept."""
    used, arguments, fields = set[str](), set[str](), set[str]()
    functions, classes, docstrings = [], [], []
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstrings.append(ast.get_docstring(node, clean=False) or "")
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                used.add(name)
            case ast.arg(arg=name):
                arguments.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                functions.append((name, (node.end_lineno or node.lineno) - node.lineno + 1))
            case ast.ClassDef(name=name, body=body):
                classes.append(name)
                fields.update(_list_fields(body))
    used.update(classes, arguments, (name for name, _ in functions))
    return ModuleNames(
        frozenset(used),
        tuple(functions),
        frozenset(arguments),
        tuple(classes),
        frozenset(fields),
        frozenset(_find_imports(tree)),
        tuple(re.findall("[a-z]+", " ".join(docstrings).lower())),
    )


def _list_fields(body: Sequence[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def _find_imports(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_one_word_per_idea() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules()
        for name in sorted(read_names(path).used)
        if BANNED.search(re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name)) and not LIBRARY_SETTING.fullmatch(name)
    ]
    assert found == []


def test_a_module_stays_within_a_page_or_says_why() -> None:
    sizes = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in (*modules(), *(ROOT / "tests").rglob("*.py"))
    }
    assert {name for name, size in sizes.items() if size > LONGEST_MODULE} == set(LONGER_MODULES)


def test_a_folder_can_be_taken_in_at_a_glance_or_says_why() -> None:
    """Tables, weights, templates and pages count as modules do."""
    paths = [path for name in (*SOURCES, "docs", "tests") for path in (ROOT / name).rglob("*.*") if path.is_file()]
    seen = [path.parent.relative_to(ROOT) for path in paths if "migrations" not in path.parts]
    sizes = Counter(str(folder) for folder in seen if folder.name != "__pycache__")
    large = {name for name, size in sizes.items() if size > LARGEST_FOLDER + 1}  # and __init__
    assert {name for name in large if not name.startswith(tuple(LARGER_FOLDERS))} == set()


def test_a_function_does_not_hide_its_stages() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{name} {lines}"
        for path in modules()
        for name, lines in read_names(path).functions
        if lines > 60
    ]
    assert long == []


@pytest.mark.processes
def test_imports_point_down_only() -> None:
    checked = subprocess.run(
        [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout[-3000:]


def number_classes() -> Iterator[type]:
    """Yield the frozen classes of numbers: every ``config.py``, and what a tenant's policy may set."""
    for path in modules():
        if path.name in ("config.py", "section.py", "policy_section.py") and "kernel" not in path.parts:
            module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
            for value in vars(module).values():
                is_own = isinstance(value, type) and value.__module__ == module.__name__
                if is_own and value.__name__.endswith(("Config", "Policy")):
                    yield value


@pytest.mark.parametrize("numbers", list(number_classes()), ids=lambda numbers: numbers.__name__)
def test_every_number_has_a_source(numbers: type) -> None:
    plain = {f.name for f in dataclasses.fields(numbers) if "provenance" in f.metadata}
    nested = {f.name for f in dataclasses.fields(numbers)} - plain
    assert all(dataclasses.is_dataclass(getattr(numbers(), name)) for name in nested)
    if not nested:
        assert source_of_numbers(numbers)


def test_assumed_numbers_do_not_grow() -> None:
    """Each names its owner and the measurement that will replace it."""
    sources = [
        field.metadata["provenance"]
        for numbers in number_classes()
        for field in dataclasses.fields(numbers)
        if "provenance" in field.metadata
    ]
    assumed = [one for one in sources if one.kind == "assumed"]
    assert 100 < len(assumed) <= MAX_ASSUMED
    assert all(re.fullmatch(r"[\w ]+: .+", one.source) for one in assumed)


def test_no_environment_is_read_outside_env_py() -> None:
    allowed = {
        "memory_platform/env/environment.py",
        "memory_platform/celery.py",
        "memory_platform/wsgi.py",
        "memory_platform/asgi.py",
        "lab/standalone.py",
    }
    readers = {
        str(path.relative_to(ROOT))
        for path in modules()
        if re.search(r"os\.environ|getenv\(", path.read_text()) and "devstack" not in path.parts
    }
    assert readers <= allowed
