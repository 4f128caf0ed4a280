"""Seals cover every audit record once, in whatever order records commit, and show a later change. Rows: D14, T7, T1."""

from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import ProgrammingError, connection
from django.utils import timezone

from memory_platform.kernel.ids import new_id
from snapshots.jobs import seal_audit_trail_job
from snapshots.scheduled_job_registry import CARE
from tenants.config import AUDIT_CONFIG
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord, AuditSeal, JobRun
from tenants.services.audit_chain import FIRST_HEAD, AuditFault
from tenants.services.audit_seals import check_seal, count_and_check_unsealed, read_sealed_records, seal_new_records
from tests.conftest import House, World
from tests.tenants.services.audit_trail import list_records, list_seals, record_acts, run_as_owner

SMALL = replace(AUDIT_CONFIG, records_per_seal=3)


def check_trail(house: House) -> int:
    """Check all seals of a tenant; return the number of records that are not sealed yet."""
    before = None
    for seal in list_seals(house):
        with tenant_tx(house.tenant.id):
            check_seal(seal, before)
            assert [record["id"] for *_, record in read_sealed_records(seal)] == [str(one) for one in seal.records]
        before = seal
    with tenant_tx(house.tenant.id):
        return count_and_check_unsealed()


def insert_record(house: House, **given: object) -> None:
    """Insert a record with a time of its own, as a process with another clock does."""
    with tenant_tx(house.tenant.id):
        record = AuditRecord(actor_kind="job", actor_id="t", action="test.acted", **given)
        record.save(force_insert=True)


def test_each_record_is_in_one_seal_and_the_seals_form_a_chain(world: World) -> None:
    acme = world.acme
    record_acts(acme, *(f"act {number}" for number in range(7)))
    total = len(list_records(acme))
    assert check_trail(acme) == total
    assert seal_new_records(acme.tenant.id, config=SMALL) == total
    assert seal_new_records(acme.tenant.id, config=SMALL) == 0
    seals = list_seals(acme)
    assert [seal.number for seal in seals] == list(range(1, len(seals) + 1))
    assert [one for seal in seals for one in seal.records] == [record.id for record in list_records(acme)]
    assert [seal.previous_head for seal in seals] == [FIRST_HEAD, *(seal.head for seal in seals[:-1])]
    assert check_trail(acme) == 0
    assert list_seals(world.globex) == []


def test_a_record_that_commits_after_younger_ones_is_in_the_next_seal(world: World) -> None:
    acme, seen = world.acme, Barrier(2)

    def act_slowly() -> None:
        with tenant_tx(acme.tenant.id):
            AuditRecord.objects.create(actor_kind="job", actor_id="slow", action="test.slow")
            seen.wait(10)
            seen.wait(10)
        connection.close()

    slow = Thread(target=act_slowly)
    slow.start()
    seen.wait(10)
    record_acts(acme, "younger")
    seal_new_records(acme.tenant.id)
    seen.wait(10)
    slow.join(10)
    assert check_trail(acme) == 1
    assert seal_new_records(acme.tenant.id) == 1
    late = list_records(acme)[-2]
    assert late.action == "test.slow"
    assert list_seals(acme)[-1].records == [late.id]
    assert check_trail(acme) == 0


def test_clocks_that_differ_pass_no_record_over_and_count_none_twice(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, now = world.acme, timezone.now()
    field = AuditRecord._meta.get_field("at")
    monkeypatch.setattr(field, "auto_now_add", False)
    insert_record(acme, at=now)
    seal_new_records(acme.tenant.id)
    for hours in (-23, -1, 0, 5):
        insert_record(acme, at=now + timedelta(hours=hours))
    assert seal_new_records(acme.tenant.id) == 3, "the one of the future waits until its time has come"
    assert seal_new_records(acme.tenant.id) == 0
    insert_record(acme, at=timezone.now())
    assert seal_new_records(acme.tenant.id) == 1
    assert check_trail(acme) == 0


def test_four_processes_that_seal_at_once_make_one_chain(world: World) -> None:
    acme = world.acme
    record_acts(acme, *(f"act {number}" for number in range(20)))
    together = Barrier(4)

    def seal() -> None:
        together.wait(10)
        seal_new_records(acme.tenant.id, config=SMALL)
        connection.close()

    threads = [Thread(target=seal) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    sealed = [one for seal in list_seals(acme) for one in seal.records]
    assert sorted(sealed) == sorted(record.id for record in list_records(acme))
    assert check_trail(acme) == 0


def test_the_job_seals_every_tenant_and_may_run_twice(world: World) -> None:
    seal_audit_trail_job()
    seal_audit_trail_job()
    for house in (world.acme, world.globex):
        (seal,) = list_seals(house)
        assert seal.records == [record.id for record in list_records(house)]
    assert JobRun.objects.filter(job="seal-audit-trail").count() == 1


def test_the_preview_foretells_the_run_and_changes_nothing(world: World) -> None:
    acme = world.acme
    total = len(list_records(acme))
    for _ in range(2):
        assert CARE["seal-audit-trail"].preview(acme.tenant.id).counts == {"records": total}
    assert list_seals(acme) == []
    seal_new_records(acme.tenant.id)
    assert CARE["seal-audit-trail"].preview(acme.tenant.id).counts == {"records": 0}


def test_sealing_stops_when_its_time_is_up_and_goes_on_later(world: World) -> None:
    acme, turns = world.acme, iter([True, False])
    record_acts(acme, *"abcdef")
    assert seal_new_records(acme.tenant.id, may_go_on=lambda: next(turns), config=SMALL) == 3
    seal_new_records(acme.tenant.id, config=SMALL)
    assert check_trail(acme) == 0


def test_the_serving_role_cannot_change_what_is_recorded_or_sealed(world: World) -> None:
    seal_new_records(world.acme.tenant.id)
    managers: tuple[Any, ...] = (AuditRecord.objects, AuditSeal.objects)
    for rows in managers:
        with pytest.raises(ProgrammingError), tenant_tx(world.acme.tenant.id):
            rows.update(id=new_id())
        with pytest.raises(ProgrammingError), tenant_tx(world.acme.tenant.id):
            rows.all().delete()
    with tenant_tx(world.globex.tenant.id):
        assert AuditSeal.objects.count() == 0


FAULTS: dict[str, tuple[str, str]] = {
    "changed": ("UPDATE audit_record SET reason = 'nothing' WHERE reason = 'b'", "It is not what seal 2 of .* covers"),
    "changed in the past": (
        "UPDATE audit_record SET at = at - interval '1 s' WHERE reason = 'b'",
        "is not what seal 2",
    ),
    "deleted": ("DELETE FROM audit_record WHERE reason = 'b'", "It is sealed, but it is no longer there"),
    "seal's head changed": ("UPDATE audit_seal SET head = repeat('a', 64) WHERE number = 2", "signature does not fit"),
    "seal's records changed": ("UPDATE audit_seal SET records = records[1:2] WHERE number = 1", "Its records give"),
    "seal deleted": ("DELETE FROM audit_seal WHERE number = 2", "It follows seal 1"),
    "oldest seal deleted, its records left": (
        "DELETE FROM audit_seal WHERE number = 1",
        "no seal lists it",
    ),
    "inserted": (
        "INSERT INTO audit_record (tenant_id, id, at, actor_kind, actor_id, action, object_kind, object_id, reason, "
        "refused, request_id) SELECT tenant_id, gen_random_uuid(), at - interval '2 days', actor_kind, actor_id, "
        "action, object_kind, object_id, reason, refused, request_id FROM audit_record WHERE reason = 'b'",
        "no seal lists it",
    ),
}


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_a_change_by_the_owner_of_the_tables_is_found_and_named(world: World, fault: str) -> None:
    acme = world.acme
    record_acts(acme, *"abcdefghi")
    seal_new_records(acme.tenant.id, config=SMALL)
    age_trail(acme)
    assert check_trail(acme) == 0
    sql, said = FAULTS[fault]
    run_as_owner(acme, sql)
    with pytest.raises(AuditFault, match=said) as found:
        check_trail(acme)
    assert found.value.where.startswith(("Record ", "Seal "))


def age_trail(house: House) -> None:
    """Let the newest seal's time stand two days after all others, so that their records are past the lateness."""
    run_as_owner(house, "UPDATE audit_seal SET last_at = last_at + interval '2 days' WHERE number = 4")


def test_a_record_whose_seal_is_forged_too_is_found_by_the_signature(world: World) -> None:
    acme = world.acme
    record_acts(acme, "a", "b")
    seal_new_records(acme.tenant.id)
    run_as_owner(acme, "UPDATE audit_record SET reason = 'nothing' WHERE reason = 'b'")
    run_as_owner(acme, "DELETE FROM audit_seal")
    seal_new_records(acme.tenant.id)
    # Who has the database alone does not have the key.
    run_as_owner(acme, "UPDATE audit_seal SET signature = left(signature, 13) || repeat('0', 64)")
    with pytest.raises(AuditFault, match="signature does not fit"):
        check_trail(acme)


def test_what_retention_deletes_with_its_seals_leaves_a_chain_that_can_be_checked(world: World) -> None:
    acme = world.acme
    record_acts(acme, *"abcdefghi")
    seal_new_records(acme.tenant.id, config=SMALL)
    run_as_owner(
        acme, "DELETE FROM audit_record WHERE id IN (SELECT unnest(records) FROM audit_seal WHERE number <= 2)"
    )
    run_as_owner(acme, "DELETE FROM audit_seal WHERE number <= 2")
    assert list_seals(acme)[0].number == 3
    assert check_trail(acme) == 0
    record_acts(acme, "later")
    seal_new_records(acme.tenant.id, config=SMALL)
    assert check_trail(acme) == 0


def test_a_trail_after_a_restore_into_another_database_is_sealed_on(world: World) -> None:
    """Ids of transactions begin anew there; nothing here depends on them."""
    acme = world.acme
    record_acts(acme, "before")
    seal_new_records(acme.tenant.id)
    run_as_owner(acme, "UPDATE audit_record SET refused = refused")  # each row gets a new id of its transaction
    record_acts(acme, "after")
    assert seal_new_records(acme.tenant.id) == 1
    assert check_trail(acme) == 0
