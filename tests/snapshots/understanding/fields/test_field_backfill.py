"""Fields that are asked for later are filled from the notes that are held. Row: P11."""

from io import StringIO

from django.core.management import call_command

from snapshots.erasure.conversations import delete_conversation
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.models import NoteSlot, ProfileFactSource
from snapshots.understanding.fields.field_backfill import backfill_fields, count_fillable_notes
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.understanding.fields.test_filling import (
    AISLE,
    PARCELS,
    SEAT,
    TO_STATION,
    WINDOW,
    ask,
    read_fields,
    row_of,
)
from tests.snapshots.understanding.making import say, settle


def test_what_is_held_fills_a_field_that_is_asked_for_later_and_only_once(world: World) -> None:
    acme = world.acme
    say(acme, WINDOW, TO_STATION, AISLE)
    settle(acme)
    ask(acme, seat_preference=SEAT)
    assert read_fields(acme) == {}
    (progress,) = backfill_fields(acme.tenant.id)
    assert (progress.notes, progress.filled) == (3, 2)
    assert read_fields(acme) == {"seat_preference": AISLE}
    before = row_of(acme, "seat_preference")
    assert sum(one.filled for one in backfill_fields(acme.tenant.id)) == 0
    after = row_of(acme, "seat_preference")
    assert (before.id, before.version) == (after.id, after.version)
    with tenant_tx(acme.tenant.id):
        assert ProfileFactSource.objects.filter(memory_id=after.id).count() == 1
        assert [one.snapshot.text for one in NoteSlot.objects.filter(fact_id=after.id)] == [AISLE]
    ask(acme, seat_preference=SEAT, shipping_preference=PARCELS)
    assert sum(one.filled for one in backfill_fields(acme.tenant.id)) == 1
    assert read_fields(acme) == {"seat_preference": AISLE, "shipping_preference": TO_STATION}


def test_a_dry_run_counts_and_a_tenant_without_fields_has_nothing_to_read(world: World) -> None:
    for house in (world.acme, world.globex):
        say(house, WINDOW)
        settle(house)
    ask(world.globex, seat_preference=SEAT)
    told = StringIO()
    call_command("fill_fields", dry_run=True, stdout=told)
    assert "globex: 1 notes read, 1 fields would be filled." in told.getvalue()
    assert "acme: 0 notes read, 0 fields would be filled." in told.getvalue()
    assert read_fields(world.globex) == {}
    assert (count_fillable_notes(world.acme.tenant.id), count_fillable_notes(world.globex.tenant.id)) == (0, 1)
    call_command("fill_fields", tenant="globex", stdout=StringIO())
    assert (read_fields(world.acme), read_fields(world.globex)) == ({}, {"seat_preference": WINDOW})


def test_what_was_forgotten_fills_nothing(world: World) -> None:
    acme = world.acme
    say(acme, WINDOW)
    settle(acme)
    with tenant_tx(acme.tenant.id):
        delete_conversation(lock_conversation(acme.subject.external_id, "c1"))
    ask(acme, seat_preference=SEAT)
    assert list(backfill_fields(acme.tenant.id)) == []
    assert read_fields(acme) == {}
