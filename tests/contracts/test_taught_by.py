"""Weights name their data by hash: who changes what taught a reader teaches it anew. Rows: E2, G3, R3, R6, P9."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("snapshots", "profiles", "memory_platform")
GOLDEN = ROOT / "tests" / "golden"


def read_taught(path: Path) -> Mapping[str, Any]:
    """Return what weights say of what taught them; {} for a file that holds no weights."""
    if path.suffix == ".npz":
        with np.load(path) as held:
            said = json.loads(str(held["taught"])) if "taught" in held.files else {}
    else:
        held = json.loads(path.read_text(encoding="utf-8"))
        said = held.get("taught", {}) if isinstance(held, dict) else {}
    return said if isinstance(said, dict) else {}


def weights() -> list[Path]:
    found = [path for room in ROOMS for kind in ("*.npz", "*.json") for path in (ROOT / room).rglob(kind)]
    return sorted(path for path in found if read_taught(path))


WEIGHTS = weights()


def hashes_of(name: str, beside: Path) -> set[str]:
    """Return the hashes of the committed files of this name: among the labels, or beside the weights."""
    held = [path for form in (name, f"{name}.*") for folder in (GOLDEN, beside) for path in folder.rglob(form)]
    return {sha256(path.read_bytes()).hexdigest() for path in held if path.is_file()}


@pytest.mark.parametrize("path", WEIGHTS, ids=lambda path: path.stem)
def test_a_reader_was_taught_by_the_data_as_they_are(path: Path) -> None:
    said = read_taught(path)
    by = {**said.get("by", {}), **said.get("sets", {})}
    assert by, "weights say what taught them"
    stale = [name for name, held in by.items() if not any(one.startswith(held) for one in hashes_of(name, path.parent))]
    assert stale == [], "teach the reader anew"
    assert min(map(len, by.values())) >= 12


def test_every_taught_reader_is_there() -> None:
    names = {path.stem for path in WEIGHTS}
    assert {"clauses", "replies", "changes", "corrections", "orders", "acknowledgements", "meant", "senses"} <= names
    assert {"notes", "questions", "reader", "intents_use", "phases_use"} <= names
