"""Memories of a receipt get rows of their own a moment later; readers see them before. Rows: G1, G2."""

import threading
from uuid import UUID

from django.db import connection

from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from profiles.services.subject_lock import lock_subject
from snapshots.feedback.tallies.memory_tallies import count_untallied, roll_up_tallies
from snapshots.jobs import spread_receipts_job
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.injected_memory_rows import (
    INJECTED,
    count_missing_rows,
    write_memory_rows,
    write_memory_rows_of_subject,
    write_memory_rows_of_tenant,
)
from snapshots.receipts.read import build_memory_condition, find_receipt, list_injected_with_lanes, list_receipts
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from tenants.isolation import current_tenant_id, tenant_tx
from tests.conftest import House, World

ONE, TWO, OUT = new_id(), new_id(), new_id()
CANDIDATES = (
    ReceiptCandidate(str(TWO), "preferences", "preference", 0.2, "kept", 10, context_position=2),
    ReceiptCandidate(str(ONE), "snapshots", "statement", 0.7, "kept", 20, context_position=1),
    ReceiptCandidate(str(OUT), "snapshots", "statement", 0.1, "over_budget", 40),
    ReceiptCandidate("summary", "summary", "summary", 0.0, "kept", 30, context_position=3),
)
PUT_IN = [(ONE, "snapshots"), (TWO, "preferences")]


def write_one(house: House, subject: Subject | None = None) -> UUID:
    draft = ReceiptDraft((subject or house.subject).id, "7", RenderedPrompt("在哪里？"), CANDIDATES)
    with tenant_tx(house.tenant.id):
        return write_receipt(draft).id


def rows(receipt_id: UUID) -> list[tuple[UUID, str, int]]:
    found = ReceiptMemory.objects.filter(receipt_id=receipt_id).order_by("context_position")
    return list(found.values_list("memory_ref", "lane", "context_position"))


def list_injected_rows() -> set[tuple[UUID, UUID, str]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT receipt_id, memory_ref, lane FROM {INJECTED} m")  # noqa: S608 - made of constants
        return set(cursor.fetchall())


def test_what_a_receipt_put_in_is_the_same_before_and_after_it_is_spread(world: World) -> None:
    receipt_id = write_one(world.acme)
    for due in (True, False):
        with tenant_tx(world.acme.tenant.id):
            receipt = find_receipt(receipt_id)
            assert (receipt.due is not None) is due
            assert list_injected_with_lanes(receipt) == PUT_IN
            assert list_injected_rows() == {(receipt_id, *one) for one in PUT_IN}
            assert [one.id for one in list_receipts(memory_id=TWO)] == [receipt_id]
            assert not list_receipts(memory_id=OUT).exists()
            assert Receipt.objects.filter(build_memory_condition(ONE), subject=world.acme.subject).count() == 1
            assert count_untallied().counts["injections"] == 2
            assert bool(rows(receipt_id)) is not due
        assert write_memory_rows_of_tenant(world.acme.tenant.id) == due


def test_spreading_twice_writes_each_row_once_with_its_position(world: World) -> None:
    receipt_id = write_one(world.acme)
    with tenant_tx(world.acme.tenant.id):
        stale = find_receipt(receipt_id)
        assert count_missing_rows() == 2
        write_memory_rows(find_receipt(receipt_id))
        write_memory_rows(stale)
        assert (write_memory_rows_of_subject(world.acme.subject.id), count_missing_rows()) == (0, 0)
        assert rows(receipt_id) == [(ONE, "snapshots", 1), (TWO, "preferences", 2)]
    assert write_memory_rows_of_tenant(world.acme.tenant.id) == 0


def test_a_subject_is_spread_alone(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        other = Subject.objects.create(external_id="小林")
    adas, lins = write_one(world.acme), write_one(world.acme, other)
    with tenant_tx(world.acme.tenant.id):
        assert write_memory_rows_of_subject(other.id) == 1
        assert (len(rows(adas)), len(rows(lins))) == (0, 2)


def test_tallies_count_what_has_no_row_yet(world: World) -> None:
    write_one(world.acme)
    assert roll_up_tallies(world.acme.tenant.id) == 2


def test_the_job_spreads_the_receipts_of_all_tenants(world: World) -> None:
    mine, theirs = write_one(world.acme), write_one(world.globex)
    spread_receipts_job()
    for house, receipt_id in ((world.acme, mine), (world.globex, theirs)):
        with tenant_tx(house.tenant.id):
            assert len(rows(receipt_id)) == 2


def test_nobody_sees_what_another_tenants_receipt_put_in(world: World) -> None:
    write_one(world.acme)
    with tenant_tx(world.globex.tenant.id):
        assert current_tenant_id() == world.globex.tenant.id
        assert list_injected_rows() == set()
        assert count_missing_rows() == 0
        assert not Receipt.objects.filter(build_memory_condition(ONE)).exists()
    assert write_memory_rows_of_tenant(world.globex.tenant.id) == 0


def test_a_receipt_whose_subject_is_held_for_erasure_is_left_for_later(world: World) -> None:
    receipt_id = write_one(world.acme)
    done: list[int] = []

    def spread() -> None:
        try:
            done.append(write_memory_rows_of_tenant(world.acme.tenant.id))
        finally:
            connection.close()

    with tenant_tx(world.acme.tenant.id):
        Subject.objects.select_for_update().get(id=world.acme.subject.id)
        other = threading.Thread(target=spread)
        other.start()
        other.join(10)
        assert done == [0]
    with tenant_tx(world.acme.tenant.id):
        lock_subject(world.acme.subject)  # what writers hold does not keep rows from being written
        other = threading.Thread(target=spread)
        other.start()
        other.join(10)
    assert done == [0, 1]
    with tenant_tx(world.acme.tenant.id):
        assert len(rows(receipt_id)) == 2
