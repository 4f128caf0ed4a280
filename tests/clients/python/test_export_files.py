"""Exports go to files and come back from them, piece by piece. Rows: D11, D1."""

import json
from pathlib import Path

import pytest

from memory_platform_client import IncompleteExport, NotFound
from tests.clients.python.conftest import Asker
from tests.clients.python.scripted_server import HALF, HANG_UP, Line, Script

LINES = [
    {"type": "header", "format": 2},
    {"type": "subject", "subject_id": "ada"},
    {"type": "end", "counts": {"note": 2}},
]
EXPORT = b"".join(json.dumps(line).encode() + b"\n" for line in LINES)
IMPORTED = Line(202, {"job_id": "j1", "subject_id": "ada"})


def test_a_whole_export_is_saved(asker: Asker, script: Script, tmp_path: Path) -> None:
    script.play(Line(200, EXPORT, ending=HALF), Line(503, {}), Line(200, EXPORT))
    exported = asker(asker.memory.subject("ada").export(tmp_path / "ada.jsonl"))
    assert (tmp_path / "ada.jsonl").read_bytes() == EXPORT
    assert (exported.size_bytes, exported.counts) == (len(EXPORT), {"note": 2})
    assert [path.name for path in tmp_path.iterdir()] == ["ada.jsonl"]


@pytest.mark.parametrize("content", [EXPORT.rpartition(b'{"type": "end"')[0], b"", b"<html>"])
def test_an_export_without_its_last_line_is_not_kept(
    asker: Asker, script: Script, tmp_path: Path, content: bytes
) -> None:
    """Nor does it take the place of the one before."""
    path = tmp_path / "ada.jsonl"
    path.write_text("before")
    script.play(Line(200, content))
    with pytest.raises(IncompleteExport):
        asker(asker.memory.subject("ada").export(path))
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_refusal_leaves_no_file(asker: Asker, script: Script, tmp_path: Path) -> None:
    script.play(Line(404, {"detail": "No subject with this id."}))
    with pytest.raises(NotFound, match="No subject with this id"):
        asker(asker.memory.subject("ada").export(str(tmp_path / "ada.jsonl")))
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_sent_whole_at_each_attempt(asker: Asker, script: Script, tmp_path: Path) -> None:
    path = tmp_path / "ada.jsonl"
    path.write_bytes(EXPORT + b" " * 200_000)
    script.play(Line(ending=HANG_UP), Line(503, {}), IMPORTED)
    imported = asker(asker.memory.import_file(path, subject_id="bo", allow_forgotten=True))
    assert imported.job_id == "j1"
    assert {one.body for one in script.questions} == {path.read_bytes()}
    assert {one.path for one in script.questions} == {"/v1/import?subject_id=bo&allow_forgotten=true"}
    assert len({one.headers["Idempotency-Key"] for one in script.questions}) == 1
    assert {one.headers["Content-Type"] for one in script.questions} == {"application/octet-stream"}
