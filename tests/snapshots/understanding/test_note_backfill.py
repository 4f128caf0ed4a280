"""What make_notes has read it does not read again, also when it was killed. Rows: P9, T1."""

from collections.abc import Sequence
from datetime import timedelta
from itertools import islice

from snapshots.intake.values import IncomingMessage
from snapshots.models import Note, Snapshot, SubjectMemory, Work
from snapshots.understanding.note_backfill import BATCH, backfill_notes, count_unread_messages, reset_passes
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import MONDAY, post

IDLE = ("what time is it {}", "今天第{}次问你几点了")


def post_unread(house: House, texts: Sequence[str], *, days: int = 0) -> None:
    """Post messages that no worker will read."""
    at = MONDAY + timedelta(days=days)
    for start in range(0, len(texts), 50):
        some = texts[start : start + 50]
        messages = [
            IncomingMessage(role="user", content=text, said_at=at + timedelta(seconds=start + place))
            for place, text in enumerate(some)
        ]
        post(house, messages)
    with tenant_tx(house.tenant.id):
        Work.objects.all().delete()


def read(house: House) -> int:
    """Run to the end; return how many messages were read."""
    return sum(done.messages for done in backfill_notes(house.tenant.id))


def note_texts(house: House) -> set[str]:
    with tenant_tx(house.tenant.id):
        return set(Snapshot.objects.filter(id__in=Note.objects.values("snapshot_id")).values_list("text", flat=True))


def test_a_run_that_was_stopped_goes_on_behind_what_it_has_read(world: World) -> None:
    acme = world.acme
    idle = [IDLE[place % 2].format(place) for place in range(BATCH + 10)]
    post_unread(acme, ["I live in Ghent with two cats", *idle, "我每周四晚上打羽毛球"])
    assert [done.messages for done in islice(backfill_notes(acme.tenant.id), 1)] == [BATCH], "and no more"
    assert note_texts(acme) == {"I live in Ghent with two cats"}
    assert count_unread_messages(acme.tenant.id) == 12
    assert sum(done.messages for done in backfill_notes(acme.tenant.id, dry_run=True)) == 12
    post_unread(acme, ["I'm allergic to peanuts"], days=-30)  # said before all that was read, while nobody read on
    assert read(acme) == 13
    assert note_texts(acme) == {"I live in Ghent with two cats", "我每周四晚上打羽毛球", "I'm allergic to peanuts"}
    assert (count_unread_messages(acme.tenant.id), read(acme)) == (0, 0)


def test_what_is_new_is_read_and_an_import_or_another_reader_has_all_read_again(world: World) -> None:
    acme = world.acme
    post_unread(acme, ["what time is it", "几点了"])
    assert (read(acme), read(acme)) == (2, 0)
    post_unread(acme, ["what is the time"], days=-1)
    assert read(acme) == 1
    with tenant_tx(acme.tenant.id):
        reset_passes(acme.subject.id)
    assert (read(acme), read(acme)) == (3, 0)
    with tenant_tx(acme.tenant.id):
        SubjectMemory.objects.update(noted_by="another reader")
    assert (read(acme), read(acme)) == (3, 0)


def test_a_dry_run_marks_nothing(world: World) -> None:
    post_unread(world.acme, ["what time is it"])
    assert sum(done.messages for done in backfill_notes(world.acme.tenant.id, dry_run=True)) == 1
    assert count_unread_messages(world.acme.tenant.id) == 1
