"""The audit trail leaves as a file and is checked on the command line. Rows: D14, T7, T1."""

from io import StringIO
from pathlib import Path

import orjson
import pytest
from django.core.management import CommandError, call_command

from memory_platform.kernel.ids import new_id
from tenants.services.audit_chain import encode_canonical_json
from tests.conftest import World
from tests.tenants.services.audit_trail import list_records, record_acts, run_as_owner


def run(command: str, *given: object) -> str:
    out, err = StringIO(), StringIO()
    call_command(command, *(str(one) for one in given), stdout=out, stderr=err)
    return out.getvalue()


def export(tenant: str, path: Path, *given: object) -> Path:
    run("export_audit", "--tenant", tenant, "--out", path, *given)
    return path


def test_an_exported_trail_checks_and_a_second_export_is_the_same_chain(world: World, tmp_path: Path) -> None:
    record_acts(world.acme, "a", "b")
    first = export("acme", tmp_path / "first")
    count = len(list_records(world.acme))
    assert f"unchanged, {count} records of acme." in run("verify_audit", first)
    assert first.stat().st_mode & 0o777 == 0o600
    second = export("acme", tmp_path / "second")
    assert first.read_bytes().splitlines()[1:-1] == second.read_bytes().splitlines()[1:-1]
    record_acts(world.acme, "c")
    later = export("acme", tmp_path / "later", "--after", second)
    said = run("verify_audit", later, "--after", first, "--tenant", "acme")
    assert f"unchanged, 1 records of acme. It continues {first}." in said
    assert list(tmp_path.glob("*.part")) == []


def test_lines_go_to_standard_output_without_a_file(world: World) -> None:
    lines = run("export_audit", "--tenant", "globex", "--since", "2020-01-01").splitlines()
    assert [orjson.loads(line)["kind"] for line in (lines[0], lines[1], lines[-1])] == ["header", "record", "trailer"]
    assert str(world.acme.tenant.id) not in "".join(lines)


def test_a_changed_file_fails_with_the_line_and_what_to_do(world: World, tmp_path: Path) -> None:
    record_acts(world.acme, "a")
    file = export("acme", tmp_path / "file")
    file.write_bytes(file.read_bytes().replace(b'"reason":"a"', b'"reason":"b"'))
    with pytest.raises(CommandError, match=r"file: Line \d+: The hash of record .* Do not rely on this file"):
        run("verify_audit", file)
    with pytest.raises(CommandError, match="No such file"):
        run("verify_audit", tmp_path / "nowhere")
    with pytest.raises(CommandError, match="Name a file of export_audit, or a tenant"):
        run("verify_audit")


def test_a_file_of_another_tenant_is_refused(world: World, tmp_path: Path) -> None:
    acme, globex = export("acme", tmp_path / "acme"), export("globex", tmp_path / "globex")
    with pytest.raises(CommandError, match="The file is of 'acme', not of 'globex'"):
        run("verify_audit", acme, "--tenant", "globex")
    with pytest.raises(CommandError, match="belong to different tenants"):
        run("verify_audit", globex, "--after", acme)
    with pytest.raises(CommandError, match="Name a file of 'globex'"):
        export("globex", tmp_path / "next", "--after", acme)
    renamed = [orjson.loads(line) for line in acme.read_bytes().splitlines()]
    renamed[0] |= {"tenant": "globex", "tenant_id": str(world.globex.tenant.id)}
    acme.write_bytes(b"".join(encode_canonical_json(line) + b"\n" for line in renamed))
    with pytest.raises(CommandError, match="of another tenant than the header"):
        run("verify_audit", acme, "--tenant", "globex")


def test_the_database_is_checked_against_its_seals(world: World) -> None:
    record_acts(world.acme, "a", "b")
    assert "acme: unchanged, 0 sealed records in 0 seals" in run("verify_audit", "--tenant", "acme")
    run("export_audit", "--tenant", "acme")
    count = len(list_records(world.acme))
    said = run("verify_audit", "--tenant", "acme")
    assert f"acme: unchanged from seal 1 on, {count} sealed records in 1 seals; 0 not sealed yet." in said
    run_as_owner(world.acme, "UPDATE audit_record SET reason = 'x' WHERE reason = 'a'")
    changed = next(record for record in list_records(world.acme) if record.reason == "x")
    with pytest.raises(CommandError, match=f"Record {changed.id}: It is not what seal 1"):
        run("verify_audit", "--tenant", "acme")
    with pytest.raises(CommandError, match="The export stopped"):
        run("export_audit", "--tenant", "acme")
    assert "globex: unchanged" in run("verify_audit", "--tenant", "globex")


def test_an_export_that_stops_leaves_the_earlier_file(world: World, tmp_path: Path) -> None:
    record_acts(world.acme, "a")
    file = export("acme", tmp_path / "file")
    before = file.read_bytes()
    run_as_owner(world.acme, "DELETE FROM audit_record WHERE reason = 'a'")
    with pytest.raises(CommandError, match="It is sealed, but it is no longer there"):
        export("acme", file)
    assert file.read_bytes() == before
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize(
    "given", [("--tenant", str(new_id())), ("--tenant", "acme", "--out", "/nowhere/at/all"), ("--since", "then")]
)
def test_a_wrong_argument_is_explained(world: World, given: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match=r"There is no tenant|Cannot write|required|must be a date"):
        run("export_audit", *given)
