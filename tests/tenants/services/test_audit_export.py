"""A file of audit records is a piece of the tenant's chain; any change of it shows. Rows: D14, T7, T1."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import orjson
import pytest
from django.conf import settings as configured
from pytest_django.fixtures import Settings

from tenants.config import AUDIT_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import AuditSeal
from tenants.services.audit_chain import FIRST_HEAD, AuditFault, encode_canonical_json, sign_statement
from tenants.services.audit_export import (
    check_against_seals,
    check_continuation,
    check_file,
    choose_seals,
    export_trail,
)
from tenants.services.audit_seals import seal_new_records
from tests.conftest import House, World
from tests.tenants.services.audit_trail import list_records, list_seals, record_acts, run_as_owner

SMALL = replace(AUDIT_CONFIG, records_per_seal=3)
Lines = list[bytes]


def export(house: House, **which: Any) -> Lines:
    seal_new_records(house.tenant.id, config=SMALL)
    with tenant_tx(house.tenant.id):
        chosen = choose_seals(**which)
    return list(export_trail(house.tenant, chosen))


@pytest.fixture
def lines(world: World) -> Lines:
    """A header, eleven or so records, a trailer."""
    record_acts(world.acme, *"abcdefghi")
    return export(world.acme)


def test_a_file_holds_every_record_with_all_its_columns(world: World, lines: Lines) -> None:
    header, *records, trailer = map(orjson.loads, lines)
    held = list_records(world.acme)
    assert (header["kind"], header["tenant"], header["previous_head"]) == ("header", "acme", FIRST_HEAD)
    assert [one["record"]["id"] for one in records] == [str(record.id) for record in held]
    assert records[-1]["record"] == {
        "id": str(held[-1].id),
        "tenant_id": str(world.acme.tenant.id),
        "at": held[-1].at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "actor_kind": "operator",
        "actor_id": "command-line",
        "action": "test.acted",
        "object_kind": "test",
        "object_id": "7",
        "subject_ref": None,
        "reason": "i",
        "refused": False,
        "request_id": "",
    }
    assert (trailer["count"], trailer["head"]) == (len(held), list_seals(world.acme)[-1].head)
    checked = check_file(lines)
    assert (checked.count, checked.head) == (len(held), trailer["head"])


def test_nothing_to_export_is_a_file_that_checks(world: World) -> None:
    with tenant_tx(world.globex.tenant.id):
        chosen = choose_seals()
    assert check_file(export_trail(world.globex.tenant, chosen)).count == 0


def test_a_later_file_continues_an_earlier_one(world: World, lines: Lines) -> None:
    earlier = check_file(lines)
    record_acts(world.acme, "j", "k")
    later = check_file(export(world.acme, after=earlier.header["last_seal"]))
    assert later.count == 2
    check_continuation(earlier, later)
    nothing = check_file(export(world.acme, after=later.header["last_seal"]))
    check_continuation(later, nothing)
    assert nothing.count == 0
    record_acts(world.acme, "l")
    after_a_gap = check_file(export(world.acme, after=later.header["last_seal"]))
    with pytest.raises(AuditFault, match=r"continues from .* but the earlier one ends with"):
        check_continuation(earlier, after_a_gap)
    with pytest.raises(AuditFault, match="different tenants"):
        check_continuation(earlier, check_file(export(world.globex)))


def test_a_trail_whose_oldest_seals_are_gone_is_exported_from_what_is_left(world: World, lines: Lines) -> None:
    run_as_owner(
        world.acme, "DELETE FROM audit_record WHERE id IN (SELECT unnest(records) FROM audit_seal WHERE number <= 2)"
    )
    run_as_owner(world.acme, "DELETE FROM audit_seal WHERE number <= 2")
    left = export(world.acme)
    assert left[1:-1] == lines[7:-1]
    assert check_file(left).header["previous_head"] == list_seals(world.acme)[0].previous_head != FIRST_HEAD


def test_a_file_since_a_time_begins_with_the_seal_made_then(world: World, lines: Lines) -> None:
    record_acts(world.acme, "j")
    later = export(world.acme, since=list_seals(world.acme)[-1].at)
    assert later[1:-1] != []
    seals = list_seals(world.acme)
    since = export(world.acme, since=seals[-1].at)
    assert [orjson.loads(line)["record"]["reason"] for line in since[1:-1]] == ["j"]
    assert check_file(since).header["previous_head"] == seals[-2].head


def find_line(lines: Lines, reason: str) -> int:
    return next(place for place, line in enumerate(lines) if f'"reason":"{reason}"'.encode() in line)


def change_reason(lines: Lines) -> Lines:
    return [line.replace(b'"reason":"c"', b'"reason":"x"') for line in lines]


def remove_line(lines: Lines) -> Lines:
    return [line for line in lines if b'"reason":"c"' not in line]


def swap_lines(lines: Lines) -> Lines:
    place = find_line(lines, "c")
    return [*lines[:place], lines[place + 1], lines[place], *lines[place + 2 :]]


def insert_line(lines: Lines) -> Lines:
    place = find_line(lines, "c")
    return [*lines[:place], lines[place], *lines[place:]]


def cut_end(lines: Lines) -> Lines:
    return lines[:-1]


def cut_inside_a_line(lines: Lines) -> Lines:
    return [*lines[:-1], lines[-1][:20]]


def remove_last_record(lines: Lines) -> Lines:
    return [*lines[:-2], lines[-1]]


def change_member(member: str, value: Any, place: int) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        changed = list(lines)
        changed[place] = encode_canonical_json({**orjson.loads(changed[place]), member: value}) + b"\n"
        return changed

    return change


def remove_header(lines: Lines) -> Lines:
    return lines[1:]


def add_line(lines: Lines) -> Lines:
    return [*lines, lines[-2]]


def write_otherwise(lines: Lines) -> Lines:
    """Say the reason twice in a line: readers of JSON differ in which one they take."""
    return [line.replace(b'"reason":"c"', b'"reason":"x","reason":"c"') for line in lines]


FAULTS: Sequence[tuple[Callable[[Lines], Lines], str]] = (
    (change_reason, r"Line \d+: The hash of record .* The record was changed"),
    (remove_line, r"Line \d+: Record .* does not follow .* removed, inserted or moved"),
    (swap_lines, r"Line \d+: Record .* does not follow"),
    (insert_line, r"Line \d+: Record .* does not follow"),
    (cut_end, r"After line \d+: The trailer is missing"),
    (cut_inside_a_line, r"Line \d+: It is not a line as the platform writes it"),
    (remove_last_record, r"Line \d+: It counts \d+ records, but the file has \d+"),
    (remove_header, r"Line 1: It is not a header"),
    (add_line, r"Line \d+: It follows the trailer"),
    (write_otherwise, r"Line \d+: It is not a line as the platform writes it"),
    (change_member("count", 3, -1), r"It counts 3 records"),
    (change_member("head", "0" * 64, -1), r"It ends with 0+, but the last record"),
    (change_member("signature", "v1.00000000." + "0" * 64, -1), r"The signature does not fit"),
    (change_member("tenant", "globex", 0), r"The signature does not fit"),
    (change_member("sealed_after", "2020-01-01T00:00:00.000000Z", 0), r"The signature does not fit"),
    (change_member("previous_head", "1" * 64, 0), r"Line 2: Record .* does not follow"),
    (change_member("schema", 2, 0), r"Line 1: It is not a header of schema 1"),
)


@pytest.mark.parametrize("number", range(len(FAULTS)), ids=[f"{n}-{one.__name__}" for n, (one, _) in enumerate(FAULTS)])
def test_a_changed_file_is_found_and_the_fault_named(lines: Lines, number: int) -> None:
    change, said = FAULTS[number]
    changed = change(lines)
    assert changed != lines
    with pytest.raises(AuditFault, match=said):
        check_file(changed)


NESTED = b'{"a":' * 300 + b"1" + b"}" * 300 + b"\n"


@pytest.mark.parametrize(
    "nonsense", [[], [b""], [b"{"], [b"[]\n"], [b"null\n"], [b"\xff\n"], [NESTED], [b'{"kind":"header"}\n']]
)
def test_what_is_no_file_of_ours_is_refused(nonsense: Lines) -> None:
    with pytest.raises(AuditFault, match="Line 1"):
        check_file(nonsense)


def test_another_tenant_s_key_signs_nothing_of_this_one(world: World, lines: Lines) -> None:
    header, trailer = orjson.loads(lines[0]), orjson.loads(lines[-1])
    statement = {"header": header, "count": trailer["count"], "head": trailer["head"]}
    assert trailer["signature"] == sign_statement(world.acme.tenant.id, statement)
    forged = change_member("signature", sign_statement(world.globex.tenant.id, statement), -1)(lines)
    with pytest.raises(AuditFault, match="another tenant's or platform's key"):
        check_file(forged)


def test_a_file_under_another_platform_s_key_says_to_check_the_key(lines: Lines, settings: Settings) -> None:
    settings.KEY_PEPPER = f"{configured.KEY_PEPPER}-other"
    with pytest.raises(AuditFault, match="KEY_PEPPER"):
        check_file(lines)


def test_a_trail_that_was_changed_in_the_database_is_not_signed(world: World, lines: Lines) -> None:
    run_as_owner(world.acme, "UPDATE audit_record SET reason = 'nothing' WHERE reason = 'c'")
    changed = export(world.acme)
    assert orjson.loads(changed[-1])["kind"] == "stopped"
    assert not any(b"nothing" in line for line in changed)
    with pytest.raises(AuditFault, match=r"The export stopped here: Record .* not what seal"):
        check_file(changed)


def test_a_file_outside_shows_that_the_database_was_sealed_anew(world: World, lines: Lines) -> None:
    acme, checked = world.acme, check_file(lines)

    def check() -> bool:
        with tenant_tx(acme.tenant.id):
            return check_against_seals(checked)

    assert check()
    run_as_owner(acme, "UPDATE audit_record SET reason = 'nothing' WHERE reason = 'c'")
    run_as_owner(acme, "DELETE FROM audit_seal")
    seal_new_records(acme.tenant.id, config=SMALL)
    with pytest.raises(AuditFault, match="changed and sealed anew"):
        check()
    run_as_owner(acme, "DELETE FROM audit_seal")
    assert not check()
    with tenant_tx(acme.tenant.id):
        assert AuditSeal.objects.count() == 0
