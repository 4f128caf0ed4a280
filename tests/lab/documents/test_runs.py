"""A kept run is what its id says, and recall's measured numbers are those of the runs they name. Rows: D4, D16."""

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import orjson
import pytest

from lab.documents.run_tables import RUNS, read_run
from lab.evaluation.run_file import FORMAT, run_id
from snapshots.recall.config import DEFAULT_RECALL

EVALUATIONS = sorted(path for path in RUNS.glob("*.json") if not path.stem.startswith("cost-"))


def measured_numbers() -> Iterator[tuple[str, str, str]]:
    """Yield the part, the name and the source of each number of recall that says it was measured."""
    for part in ("scoring", "ranking"):
        for one in fields(getattr(DEFAULT_RECALL, part)):
            provenance = one.metadata["provenance"]
            if provenance.kind == "measured":
                yield part, one.name, provenance.source


@pytest.mark.parametrize(("part", "name", "source"), list(measured_numbers()))
def test_a_measured_number_is_that_of_the_runs_it_names(part: str, name: str, source: str) -> None:
    runs = re.findall(r"\b[0-9a-f]{12}\b", source)
    assert runs, "`manage.py evaluate --sweep --keep lab/runs` makes a run to name"
    now = orjson.loads(orjson.dumps(getattr(getattr(DEFAULT_RECALL, part), name)))
    assert [read_run(run)["policy"][part][name] for run in runs] == [now] * len(runs)


@pytest.mark.parametrize("path", EVALUATIONS, ids=lambda path: path.stem)
def test_a_kept_run_is_what_its_id_says(path: Path) -> None:
    run = read_run(path.stem)
    assert run["format"] == FORMAT
    assert run_id(run) == run["run_id"] == path.stem
    assert "rows" not in run
    assert re.fullmatch(r"[0-9a-f]{40}", run["code"]["commit"]), "measured on files that no commit holds"
