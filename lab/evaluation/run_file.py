"""The JSON file of a run: its data set, code, policy and every figure, without any person's words."""

import hashlib
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import orjson

import memory_platform
from lab.evaluation.datasets.questions import EvaluationSet
from lab.evaluation.datasets.scratch_tenant import compute_indexing_version
from lab.evaluation.ranking.runner import AskingPlan, QuestionRow, group_rows, mean_figures
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.recall.config import RecallPolicy

# Raised when a field changes its meaning or goes; a new field leaves it alone.
FORMAT = 2

ID_CHARS = 12
DIGITS = 6
ROWS, ROWS_HASH = "rows", "rows_sha256"
ROOT = Path(memory_platform.__path__[0]).parent


def describe_run(
    evaluation_set: EvaluationSet, plan: AskingPlan, policy: RecallPolicy, rows: Sequence[QuestionRow], **parts: Any
) -> dict[str, Any]:
    """Return the run as plain values: the product's own policy, its rows, and ``parts`` such as lanes and ablation.

    ``run_id`` is a hash of everything else, of the rows by their own hash: the same code, data and policy give the same
    id on any day, and a run without its rows still proves its id.
    """
    run: dict[str, Any] = {
        "format": FORMAT,
        "dataset": {"name": evaluation_set.dataset.name, "sha256": evaluation_set.sha256},
        "code": {"commit": read_code_version(), "indexing": compute_indexing_version()},
        "embedders": [embedder.name for embedder in active_embedders()],
        "policy": asdict(policy),
        "asked": {"questions": len(rows), "left_out": dict(evaluation_set.left_out), **asdict(plan)},
        "figures": {
            "overall": mean_figures(rows),
            "by_category": compute_figures_by_category(rows),
            "by_subject": _mean_figures_by_group(group_rows(rows, lambda row: row.subject)),
        },
        **parts,
    }
    told = _round_numbers(rows)
    rounded = {**_round_numbers(run), ROWS_HASH: _compute_sha256(told)}
    return {"run_id": run_id(rounded), **rounded, ROWS: told}


def compute_lane_figures(rows: Sequence[QuestionRow]) -> dict[str, Any]:
    """Return the figures of one lane alone: over all questions that it was asked, and by category."""
    return {"questions": len(rows), **mean_figures(rows), "by_category": compute_figures_by_category(rows)}


def compute_figures_by_category(rows: Sequence[QuestionRow]) -> dict[str, dict[str, Any]]:
    return _mean_figures_by_group(group_rows(rows, lambda row: row.category))


def summarise_run(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the run without its rows: small enough to be kept with the code that cites it."""
    return {name: value for name, value in run.items() if name != ROWS}


def run_id(run: Mapping[str, Any]) -> str:
    """Return the short id of a run: a hash of all its fields but the id itself and the rows, which have their own."""
    return _compute_sha256({name: value for name, value in run.items() if name not in {"run_id", ROWS}})[:ID_CHARS]


def write_run(run: Mapping[str, Any], path: Path) -> None:
    """Write a run to ``path``. Raises OSError."""
    path.write_bytes(orjson.dumps(run, option=orjson.OPT_INDENT_2) + b"\n")


def read_code_version() -> str | None:
    """Return the commit of this code, with ``-dirty`` behind it when files differ; None outside a repository."""
    asked = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=10)  # noqa: S603 - fixed words
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip()


def _compute_sha256(value: Any) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()


def _mean_figures_by_group(groups: Mapping[str, Sequence[QuestionRow]]) -> dict[str, dict[str, Any]]:
    return {name: {"questions": len(rows), **mean_figures(rows)} for name, rows in groups.items()}


def _round_numbers(value: Any) -> Any:
    """Return plain values with numbers of at most ``DIGITS`` digits, so that a file reads back as it was hashed."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _round_numbers(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _round_numbers(held) for key, held in value.items()}
    return [_round_numbers(held) for held in value] if isinstance(value, list | tuple) else value
