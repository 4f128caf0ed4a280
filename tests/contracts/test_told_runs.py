"""The documents tell of runs that are kept, and their tables say what the runs do. Rows: D4, T4."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import orjson
import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS, RUNS = ROOT / "docs", ROOT / "docs" / "runs"
RUN = re.compile(r"\b[0-9a-f]{12}\b")
NUMBER = re.compile(r"(?<![\w.])[+−]?\d*\.?\d+\*?")
HALF = 0.5 + 1e-9

Row = tuple[str, Sequence[str]]
"""The first cell of a table's row, and the numbers of the others."""


def run_of(name: str) -> dict[str, Any]:
    run = orjson.loads((RUNS / f"{name}.json").read_bytes())
    assert isinstance(run, dict)
    return run


def depths(run: Mapping[str, Any]) -> list[str]:
    return ["recall@10", *coverages(run)]


def coverages(run: Mapping[str, Any]) -> list[str]:
    return [f"coverage@{budget}" for budget in run["asked"]["budgets"]]


def tables(document: str, header: str) -> Iterator[list[Row]]:
    """Yield the rows of each table whose first line begins with ``header``."""
    lines = iter((DOCS / document).read_text("utf-8").splitlines())
    for line in lines:
        if line.startswith(header):
            yield [row_of(told) for told in takewhile(lambda told: told.startswith("|"), lines) if "---" not in told]


def row_of(line: str) -> Row:
    first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
    return first, [number for cell in cells for number in NUMBER.findall(cell)]


def says(told: str, value: float) -> bool:
    return abs(float(told.replace("−", "-").rstrip("*")) - value) <= HALF


def thousandths(told: str, value: float) -> bool:
    return abs(float(told) - value) * 1000 <= HALF


def test_every_run_that_is_told_of_is_kept() -> None:
    told = {
        (path.name, name) for path in (*DOCS.glob("*.md"), ROOT / "README.md") for name in RUN.findall(path.read_text())
    }
    assert len(told) > 10
    assert {(path, name) for path, name in told if not (RUNS / f"{name}.json").exists()} == set()


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ("benchmarks.md", ["2e04e7676a89", "4d70dcd5c729"]),
        ("evaluation.md", ["2e04e7676a89", "4d70dcd5c729", "eb56e6735399"]),
    ],
)
def test_the_worth_of_each_optimisation_is_that_of_the_runs(document: str, names: list[str]) -> None:
    runs = [run_of(name) for name in names]
    (table,) = tables(document, "| without |")
    assert len(table) > 20
    for optimisation, told in table:
        held = [run["ablation"][optimisation][figure] for run in runs for figure in depths(run)]
        assert len(told) == len(held), optimisation
        for number, worth in zip(told, held, strict=True):
            assert says(number, worth["mean"] * 1000), f"{optimisation}: {number} is {worth['mean']}"
            sure = worth["low"] > 0 or worth["high"] < 0
            assert number.endswith("*") == sure, f"{optimisation}: {number}, {worth}"


def test_the_ways_beside_recall_find_what_the_runs_say() -> None:
    runs = [run_of(name) for name in ("0728d5a4bbda", "ea91ce238748")]
    (table,) = tables("benchmarks.md", "| coverage within |")
    assert [way for way, _ in table] == list(runs[0]["curves"])
    for way, told in table:
        held = [run["curves"][way][str(budget)] for run in runs for budget in run["asked"]["budgets"]]
        assert all(thousandths(*pair) for pair in zip(told, held, strict=True)), f"{way}: {held}"


def test_each_lane_finds_what_the_runs_say() -> None:
    runs = {"LoCoMo": "0728d5a4bbda", "MADial": "ea91ce238748", "four lives": "38aee0090b5a"}
    (table,) = tables("evaluation.md", "| | n | recall | keyword alone |")
    assert len(table) == 12
    for row, (questions, *told) in table:
        name, _, category = row.partition(", ")
        run = run_of(runs[name])
        lanes = [run["lanes"]["keyword"], run["lanes"]["dense"]]
        if category == "all":
            parts, number = [run["figures"]["overall"], *lanes], run["asked"]["questions"]
        else:
            parts = [part["by_category"][category] for part in (run["figures"], *lanes)]
            number = parts[0]["questions"]
        held = [part[figure] for part in parts for figure in depths(run)]
        assert int(questions) == number, row
        assert all(thousandths(*pair) for pair in zip(told, held, strict=True)), f"{row}: {held}"


def test_what_is_found_from_inside_is_what_the_runs_say() -> None:
    (table,) = tables("evaluation.md", "| | questions | recall@10 | coverage |")
    inside = [(RUN.search(row), told) for row, told in table if "`evaluate" in row]
    assert len(inside) == 4
    for name, (questions, *told) in inside:
        assert name is not None
        run = run_of(name[0])
        assert int(questions) == run["asked"]["questions"]
        assert all(
            thousandths(*pair)
            for pair in zip(told, [run["figures"]["overall"][figure] for figure in depths(run)], strict=True)
        )
