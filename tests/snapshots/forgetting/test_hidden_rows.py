"""Rows that were packed come back as they were. Rows: A4."""

from profiles.models import Preference
from snapshots.forgetting.hidden_rows import (
    MESSAGE_COLUMNS,
    compress_rows,
    decompress_rows,
    pack_beliefs,
    pack_row,
    pack_snapshots,
    unpack_row,
)
from snapshots.models import Message, Snapshot, SnapshotKind
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.forgetting.talk import SECRET, start_talk
from tests.snapshots.held import prefer, remember


def test_a_packed_row_comes_back_with_every_column(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        _, [message] = start_talk(world.acme.subject, SECRET)
        Message.objects.filter(id=message.id).update(content_hash=b"\x00\xff", tool_calls=[{"id": 1}], tokens=7)
        message.refresh_from_db()
        kept = decompress_rows(compress_rows({"message": pack_row(message)}))
        back = unpack_row(Message, kept["message"])
    for field in Message._meta.concrete_fields:
        was, now = getattr(message, field.attname), getattr(back, field.attname)
        assert now == (bytes(was) if isinstance(was, memoryview) else was), field.name
    assert pack_row(message, MESSAGE_COLUMNS).keys() == set(MESSAGE_COLUMNS)


def test_snapshots_that_workers_make_of_others_are_not_packed(world: World) -> None:
    [said] = remember(world.acme, SECRET)
    [joined] = remember(world.acme, SECRET, kind=SnapshotKind.CONSOLIDATED)
    with tenant_tx(world.acme.tenant.id):
        packed = pack_snapshots(world.acme.subject.id, [said, joined])
        assert Snapshot.objects.count() == 2
    assert [row["id"] for row in packed["Snapshot"]] == [said]
    assert [row["snapshot_id"] for row in packed["SnapshotWords"]] == [said]


def test_a_belief_is_packed_with_its_place_and_value(world: World) -> None:
    prefer(world.acme, "food", "diet", "vegan")
    with tenant_tx(world.acme.tenant.id):
        [packed] = pack_beliefs(Preference.objects.all())
    assert (packed["table"], packed["category"], packed["key"], packed["value"]) == (
        "Preference",
        "food",
        "diet",
        "vegan",
    )
