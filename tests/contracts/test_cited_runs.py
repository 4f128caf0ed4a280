"""A number of recall cites the evaluation run that measured it, and the run holds what is said of it. Rows: D4, T4.

A source is prose, then for each run ``run <id>: `` and figures: the policy's own, or those ``at`` another value of the
field, or those ``without`` what it switches on. Names of figures hold until others are named: ``coverage@500/1000
.792/.852; at 0 .759/.826``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest

from lab.evaluation.run_file import FORMAT, run_id
from memory_platform.kernel.policy import Provenance
from snapshots.recall import policy
from snapshots.recall.policy import DEFAULT_RECALL, EARLIER, FILTERING, REWRITE_POLICY

RUNS = Path(__file__).resolve().parents[2] / "docs" / "runs"
PARTS = {
    "recall": DEFAULT_RECALL,
    "scoring": DEFAULT_RECALL.scoring,
    "ranking": DEFAULT_RECALL.ranking,
    "rewrite": REWRITE_POLICY,
}
"""What steers which memories are found. A run holds no numbers of rewriting: there, none can be measured yet."""
OTHERWISE = {type(EARLIER), type(FILTERING)}
"""Measured in milliseconds and bytes, which no run holds."""
SWITCHES = {"say_once": "answer: says everything once"}

RUN = re.compile(r"\brun ([0-9a-f]{12}): ")
NAMES = r"[a-z]+@\d+(?:/\d+)*"
VALUES = r"\d?\.\d{3}(?:/\d?\.\d{3})*"
CLAIM = re.compile(rf"(?:at (?P<value>.+?) |(?P<without>without) )?(?:(?P<names>{NAMES}) )?(?P<figures>{VALUES})")
HALF_A_DIGIT = 0.0005 + 1e-9


def measured_fields() -> Iterator[tuple[str, str]]:
    for part, held in PARTS.items():
        for name, provenance in declared_figures(type(held)).items():
            if provenance.kind == "measured":
                yield f"{part}.{name}", provenance.source


def declared_figures(held: type) -> Mapping[str, Provenance]:
    """Return the provenance of a policy's own numbers, leaving out the policies within it."""
    return {f.name: f.metadata["provenance"] for f in fields(held) if f.metadata}


def run_of(path: Path) -> dict[str, Any]:
    run = orjson.loads(path.read_bytes())
    assert isinstance(run, dict)
    return run


def figures_at(run: Mapping[str, Any], field: str, value: str | None) -> Mapping[str, float]:
    """Return the policy's own figures, or those at another value; of a number by space, ``value`` names it first."""
    if value is None:
        held = run["figures"]["overall"]
    elif value in run["sweep"].get(field, {}):
        held = run["sweep"][field][value]
    else:
        space, _, weight = value.rpartition(" ")
        held = run["sweep"][f"{field}: {space}"][weight]
    assert isinstance(held, dict)
    return held


def figures_without(run: Mapping[str, Any], field: str) -> Mapping[str, float]:
    overall = run["figures"]["overall"]
    return {name: overall[name] - worth["mean"] for name, worth in run["ablation"][SWITCHES[field]].items()}


def faults_of(field: str, run: Mapping[str, Any], claims: str) -> Iterator[str]:
    names: list[str] = []
    for claim in claims.strip("; ").split("; "):
        read = CLAIM.fullmatch(claim)
        if not read:
            yield f"{claim!r} is no figure"
            continue
        if read["names"]:
            figure, _, depths = read["names"].partition("@")
            names = [f"{figure}@{depth}" for depth in depths.split("/")]
        held = figures_without(run, field) if read["without"] else figures_at(run, field, read["value"])
        for name, told in zip(names, read["figures"].split("/"), strict=True):
            if abs(held[name] - float(told)) > HALF_A_DIGIT:
                yield f"{claim!r}: {name} is {held[name]}"


@pytest.mark.parametrize(("field", "source"), [pytest.param(*one, id=one[0]) for one in measured_fields()])
def test_a_number_cites_a_run_that_says_so(field: str, source: str) -> None:
    part, _, name = field.partition(".")
    _, *cited = RUN.split(source)
    assert cited, f"{field} cites no run: manage.py evaluate --sweep --keep lab/runs makes one"
    for run_name, claims in zip(cited[::2], cited[1::2], strict=True):
        run = run_of(RUNS / f"{run_name}.json")
        now = orjson.loads(orjson.dumps(getattr(PARTS[part], name)))
        assert run["policy"][part][name] == now, f"{field} is no longer what run {run_name} measured"
        assert list(faults_of(name, run, claims)) == []


def test_every_policy_of_recall_is_looked_at() -> None:
    looked_at = {*map(type, PARTS.values()), *OTHERWISE}
    for held in vars(policy).values():
        if isinstance(held, type) and is_dataclass(held) and held not in looked_at:
            kinds = {provenance.kind for provenance in declared_figures(held).values()}
            assert "measured" not in kinds, f"{held.__name__} tells of measurements that no test looks at"


@pytest.mark.parametrize(
    "path",
    sorted(path for path in RUNS.glob("*.json") if not path.stem.startswith("cost-")),  # of simulate_cost
    ids=lambda path: path.stem,
)
def test_a_kept_run_is_what_its_id_says(path: Path) -> None:
    run = run_of(path)

    assert run["format"] == FORMAT
    assert run_id(run) == run["run_id"] == path.stem
    assert "rows" not in run
    assert re.fullmatch(r"[0-9a-f]{40}", run["code"]["commit"]), "measured on files that no commit holds"


def test_a_wrong_figure_is_found() -> None:
    run = {
        "figures": {"overall": {"coverage@500": 0.7921}},
        "sweep": {"f": {"0": {"coverage@500": 0.7591}}},
        "ablation": {SWITCHES["say_once"]: {"coverage@500": {"mean": 0.003}}},
    }

    assert list(faults_of("f", run, "coverage@500 .792; at 0 .759; ")) == []
    assert list(faults_of("f", run, "coverage@500 .792; at 0 .758")) == ["'at 0 .758': coverage@500 is 0.7591"]
    assert list(faults_of("say_once", run, "coverage@500 .792; without .789")) == []
    assert list(faults_of("say_once", run, "without coverage@500 .792")) == [
        "'without coverage@500 .792': coverage@500 is 0.7891"
    ]
    assert list(faults_of("f", run, "coverage@500 .792, better")) == ["'coverage@500 .792, better' is no figure"]
