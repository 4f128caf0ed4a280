"""Runs of ``manage.py evaluate`` over a small data set."""

from io import StringIO
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.lab.evaluation.dataset import write_dataset


def evaluate(path: Path, *options: str) -> str:
    out = StringIO()
    call_command("evaluate", str(path), *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def read_refusal(path: Path, *options: str) -> str:
    with pytest.raises(CommandError) as refused:
        evaluate(path, *options)
    return str(refused.value)


def make_run(tmp_path: Path, *options: str, content: Any = None) -> dict[str, Any]:
    out = tmp_path / "run.json"
    evaluate(write_dataset(tmp_path, content), "--json", str(out), *options)
    run = orjson.loads(out.read_bytes())
    assert isinstance(run, dict)
    return run
