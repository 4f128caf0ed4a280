"""A data set is stored anew when the code or the data that makes memories of it has changed. Rows: D4."""

from pathlib import Path

import pytest

from lab.evaluation.datasets import scratch_tenant


def test_every_room_that_indexes_is_there() -> None:
    assert [room for room in scratch_tenant.INDEXING_ROOMS if not list(room.rglob("*.py"))] == []


@pytest.mark.parametrize("name", ["reader.py", "weights.npz", "patterns.toml"])
def test_code_weights_and_patterns_decide_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(scratch_tenant, "INDEXING_ROOMS", (tmp_path,))
    file = tmp_path / "room" / name
    file.parent.mkdir()
    file.write_bytes(b"before")
    before = scratch_tenant.compute_indexing_version()
    file.write_bytes(b"after")
    assert scratch_tenant.compute_indexing_version() != before


def test_what_running_leaves_behind_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_tenant, "INDEXING_ROOMS", (tmp_path,))
    before = scratch_tenant.compute_indexing_version()
    cache = tmp_path / "__pycache__"
    cache.mkdir()
    (cache / "reader.cpython-311.pyc").write_bytes(b"compiled")
    assert scratch_tenant.compute_indexing_version() == before
