"""An import may be repeated, stopped and tried dry; it touches nothing else. Rows: D11."""

from io import StringIO
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from memory_platform.importers.config import IMPORTERS
from snapshots.jobs import drain_work_job
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.importers.conftest import Import
from tests.memory_platform.importers.foreign_files import (
    CHAT_LINES,
    LETTA,
    MEM0,
    PREFERENCES,
    ZEP,
    write_history,
    write_json,
    write_json_lines,
)
from tests.snapshots.portability.exporting import export, take_back


def files(folder: Path) -> dict[str, tuple[str, Path]]:
    table = folder / "p.csv"
    table.write_text(PREFERENCES, encoding="utf-8")
    return {
        "mem0": ("mem0", write_json(folder / "mem0.json", MEM0)),
        "history": ("mem0", write_history(folder / "history.db")),
        "zep": ("zep", write_json(folder / "zep.json", ZEP)),
        "letta": ("letta", write_json(folder / "l.af", LETTA)),
        "chats": ("chats", write_json_lines(folder / "c.jsonl", CHAT_LINES)),
        "preferences": ("preferences", table),
    }


@pytest.mark.parametrize("name", ["mem0", "history", "zep", "letta", "chats", "preferences"])
def test_a_second_import_stores_nothing(
    name: str, world: World, acme: Caller, import_file: Import, tmp_path: Path
) -> None:
    system, path = files(tmp_path)[name]
    untouched = rows_of(world.acme.tenant.id)
    dry = import_file(system, path, "--subject", "ada", "--dry-run")
    assert rows_of(world.acme.tenant.id) == untouched
    first = import_file(system, path, "--subject", "ada")
    drain_work_job(tenant_id=str(world.acme.tenant.id))
    before = rows_of(world.acme.tenant.id)

    second = import_file(system, path, "--subject", "ada")

    assert [one["verdict"] for one in dry] == [one["verdict"] for one in first]
    assert {one["verdict"] for one in second} <= {"unchanged", "refused"}
    assert [one["verdict"] == "unchanged" for one in second] == [one["verdict"] == "stored" for one in first]
    assert import_file(system, path, "--subject", "ada", "--dry-run") == second
    assert rows_of(world.acme.tenant.id) == before


@pytest.mark.slow
def test_a_stopped_import_goes_on_where_it_stopped(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    rows = [{"id": f"m{n}", "memory": f"Ada's plant {n} needs water", "user_id": "ada"} for n in range(450)]
    half = write_json_lines(tmp_path / "half.jsonl", rows[:250])
    assert len(rows) > 2 * IMPORTERS.batch_rows

    import_file("mem0", half)
    verdicts = import_file("mem0", write_json_lines(tmp_path / "whole.jsonl", rows))

    assert [one["verdict"] for one in verdicts] == ["unchanged"] * 250 + ["stored"] * 200
    assert len([line for line in export(acme) if line["type"] == "snapshot"]) == 450


def test_the_same_row_twice_in_a_file_is_stored_once(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    row = {"memory": "Likes tea", "user_id": "ada"}

    verdicts = import_file("mem0", write_json(tmp_path / "m.json", [row, row]))

    assert [one["verdict"] for one in verdicts] == ["stored", "unchanged"]


def test_a_subject_of_another_tenant_is_another_subject(
    world: World, acme: Caller, globex: Caller, import_file: Import, tmp_path: Path
) -> None:
    acme("PUT", "/v1/subjects/ada/preferences/travel/seat", {"value": "bulkhead"})
    before = rows_of(world.acme.tenant.id)
    path = files(tmp_path)["preferences"][1]

    assert {one["verdict"] for one in import_file("preferences", path, tenant="globex")} == {"stored"}
    assert rows_of(world.acme.tenant.id) == before


def test_secrets_are_masked_or_refused(acme: Caller, import_file: Import, tmp_path: Path) -> None:
    card = "4111 1111 1111 1111"
    path = write_json(tmp_path / "m.json", [{"memory": f"Her card is {card}", "user_id": "ada"}])
    table = tmp_path / "p.csv"
    table.write_text(f"subject,key,value,when\nada,card,{card},2025-01-01\n")

    assert [one["verdict"] for one in import_file("mem0", path)] == ["stored"]
    assert [one["reason"] for one in import_file("preferences", table)] == ["sensitive"]
    assert card not in str(export(acme))


def test_a_summary_says_what_was_refused_without_its_words(world: World, tmp_path: Path) -> None:
    path = write_json(tmp_path / "m.json", [{"memory": "Likes tea", "user_id": "ada"}, {"memory": "my secret"}])
    out = StringIO()

    call_command("import_from", "mem0", str(path), "--tenant", "acme", stdout=out, stderr=StringIO())

    printed = out.getvalue()
    assert "1 stored, 0 unchanged, 1 refused." in printed
    assert "row 1: no_subject." in printed
    assert "my secret" not in printed


def test_the_command_says_what_is_wrong_with_its_arguments(world: World, tmp_path: Path) -> None:
    path = write_json(tmp_path / "m.json", [])
    for arguments, said in (
        (("mem0", "missing.json", "--tenant", "acme"), "No such file"),
        (("mem0", str(path), "--tenant", "nobody"), "There is no tenant"),
        (("mem0", str(path), "--tenant", "acme", "--subject", "a/b"), "must not contain '/'"),
        (("mem0", str(path), "--tenant", "acme", "--zone", "Mars"), "no time zone"),
        (("mem0", str(path), "--tenant", "acme", "--encoding", "klingon"), "no encoding"),
    ):
        with pytest.raises(CommandError, match=said):
            call_command("import_from", *arguments, stdout=StringIO(), stderr=StringIO())


def test_written_exports_go_through_the_api_and_meet_the_command(
    world: World, acme: Caller, import_file: Import, tmp_path: Path
) -> None:
    path, folder = write_json(tmp_path / "mem0.json", MEM0), tmp_path / "exports"

    call_command("import_from", "mem0", str(path), "--write-exports", str(folder), stdout=StringIO(), stderr=StringIO())

    written = sorted(folder.iterdir())
    assert len(written) == 3  # the subjects of the rows: ada, 小敏, ada
    for file in written:
        job = take_back(acme, [orjson.loads(line) for line in file.read_bytes().splitlines()])
        assert job["result"] == {"stored": {"snapshot": 1}}
    assert [one["verdict"] for one in import_file("mem0", path)] == ["unchanged"] * 3
