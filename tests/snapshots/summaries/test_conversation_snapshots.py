"""What the end of a conversation leaves behind, without a model. Rows: S1, S2, C3, C5."""

from datetime import timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.models import (
    Snapshot,
    SnapshotVersion,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.enqueue import end_conversation
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import HANDLERS, booking, conversation_of, end, post, say, settle


@pytest.fixture
def acme(world: World) -> House:
    return world.acme


def test_a_conversation_with_a_tool_call_leaves_a_snapshot_at_its_end(acme: House) -> None:
    post(acme, booking())
    with tenant_tx(acme.tenant.id):
        end_conversation(conversation_of(acme))
    settle(acme)
    with tenant_tx(acme.tenant.id):
        snapshot = Snapshot.objects.get(kind="conversation")
    assert "Lisbon" in snapshot.text
    assert snapshot.expires_at is not None
    assert snapshot.expires_at - snapshot.recorded_at == pytest.approx(timedelta(days=7), abs=timedelta(seconds=5))


def test_small_talk_leaves_no_conversation_snapshot(acme: House) -> None:
    say(acme, "Lovely weather in Lisbon today.")
    with tenant_tx(acme.tenant.id):
        end_conversation(conversation_of(acme))
    settle(acme)
    with tenant_tx(acme.tenant.id):
        assert not Snapshot.objects.filter(kind="conversation").exists()


def test_a_reopened_conversation_supersedes_its_earlier_snapshot(acme: House) -> None:
    for text in ("Book me a flight to Lisbon on 3 May.", "Book a hotel in Porto for 5 May, 2 nights."):
        post(acme, booking(text))
        with tenant_tx(acme.tenant.id):
            end_conversation(conversation_of(acme))
        settle(acme)
    with tenant_tx(acme.tenant.id):
        current = Snapshot.objects.get(kind="conversation", invalid_at__isnull=True)
        earlier = Snapshot.objects.get(kind="conversation", invalid_at__isnull=False)
        (image,) = SnapshotVersion.objects.all()
    assert "Porto" in current.text
    assert earlier.superseded_by_id == current.id
    assert (image.snapshot_id, image.fields) == (earlier.id, {"invalid_at": None, "superseded_by_id": None})
    assert earlier.recorded_at == image.recorded_at <= current.recorded_at <= image.retired_at


def conversation_snapshots(house: House) -> list[tuple[str, bool]]:
    """Return the texts of the conversation's own snapshots, each with whether it is current."""
    with tenant_tx(house.tenant.id):
        found = Snapshot.objects.filter(kind__in=("conversation", "segment")).order_by("position")
        return [(snapshot.text, snapshot.invalid_at is None) for snapshot in found]


def test_of_two_ends_done_together_only_the_later_leaves_snapshots(acme: House) -> None:
    for text in ("Book me a flight to Lisbon on 3 May.", "Book a hotel in Porto for 5 May, 2 nights."):
        post(acme, booking(text))
        end(acme)
    settle(acme)
    ((text, current),) = conversation_snapshots(acme)
    assert "Porto" in text
    assert current
    with tenant_tx(acme.tenant.id):
        assert Work.objects.filter(kind=WorkKind.CONVERSATION, state=WorkState.DONE).count() == 2


@pytest.mark.parametrize("order", ["earlier first", "later first"])
def test_ends_done_in_either_order_leave_the_later_as_current(acme: House, order: str) -> None:
    post(acme, booking())
    earlier = end(acme)
    post(acme, booking("Book a hotel in Porto for 5 May, 2 nights."))
    later = end(acme)
    for work in (earlier, later) if order == "earlier first" else (later, earlier):
        only_due(acme, work)
        drain_work(acme.tenant.id, HANDLERS)
    ((text, current),) = conversation_snapshots(acme)
    assert "Porto" in text
    assert current


def only_due(house: House, work: Work) -> None:
    """Make one item due now and leave all other open ones for later."""
    now = utc_now()
    with tenant_tx(house.tenant.id):
        Work.objects.filter(state=WorkState.READY).update(due_at=now + timedelta(hours=1))
        Work.objects.filter(id=work.id).update(due_at=now - timedelta(minutes=1))


def test_a_late_retry_of_an_earlier_end_takes_nothing_from_the_later_one(acme: House) -> None:
    ends = []
    for text in ("Book me a flight to Lisbon on 3 May.", "Book a hotel in Porto for 5 May, 2 nights."):
        post(acme, booking(text))
        ends.append(end(acme))
        settle(acme)
    before = conversation_snapshots(acme)
    assert [current for _, current in before] == [False, True]
    with tenant_tx(acme.tenant.id):
        Work.objects.filter(id=ends[0].id).update(state=WorkState.READY, done_at=None)
    settle(acme)
    assert conversation_snapshots(acme) == before


def test_an_end_that_a_message_undid_before_it_was_done_waits_for_the_next_end(acme: House) -> None:
    post(acme, booking())
    end(acme)
    say(acme, "And a hotel in Porto for 5 May, 2 nights.")
    settle(acme)
    assert conversation_snapshots(acme) == []
    end(acme)
    settle(acme)
    ((text, current),) = conversation_snapshots(acme)
    assert "Porto" in text
    assert current


@pytest.mark.parametrize(("tool_called", "segments"), [(False, 0), (True, 3)])
def test_only_a_long_conversation_with_a_tool_call_is_kept_in_segments(
    acme: House, tool_called: bool, segments: int
) -> None:
    say(acme, *[f"I paid {n} euros for the hotel in Porto on {n} May." for n in range(1, 23)])
    if tool_called:
        post(acme, booking())
    end(acme)
    settle(acme)
    with tenant_tx(acme.tenant.id):
        assert Snapshot.objects.filter(kind="segment").count() == segments
