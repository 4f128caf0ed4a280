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
from snapshots.summaries.conversation_snapshots import (
    draft_conversation_snapshot,
    draft_segment_snapshot,
    split_segments,
)
from snapshots.understanding.reading.text_folding import estimate_tokens
from snapshots.understanding.statements.statements import extract_statement
from snapshots.understanding.statements.topics import find_topics, score_importance
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.snapshots.understanding.making import HANDLERS, booking, conversation_of, end, post, say, settle
from tests.snapshots.understanding.utterances import utter

TALK = [
    utter("Hi!", key="u1"),
    utter("Hello, how can I help?", key="a1", role="assistant"),
    utter("I need a hotel in Rome for 3 nights. My budget is 150 euros a night. The weather is odd here.", key="u2"),
    utter('{"hotels": [{"name": "Roma Inn", "price": 140}]}', key="t1", role="tool"),
    utter("Roma Inn costs 140 euros a night.", key="a2", role="assistant"),
    utter("Great, book it. I always want a quiet room.", key="u3"),
    utter("Booked: Roma Inn, 3 nights from May 4.", key="a3", role="assistant"),
    utter("Thanks!", key="u4"),
]


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


def test_a_conversation_keeps_decisions_numbers_and_wishes_in_order() -> None:
    draft = draft_conversation_snapshot(TALK, tool_called=True)
    assert draft is not None
    assert draft.text.index("budget") < draft.text.index("quiet room") < draft.text.index("Booked")
    assert "Thanks" not in draft.text
    assert "hotels" not in draft.text
    assert set(draft.sources) <= {"u2", "u3", "a2", "a3"}
    assert (draft.kind, draft.category) == ("conversation", "travel")
    assert 0.3 < draft.importance <= 0.9


def test_talk_without_a_tool_leaves_no_conversation_snapshot() -> None:
    assert draft_conversation_snapshot(TALK, tool_called=False) is None
    assert draft_conversation_snapshot([utter("hi"), utter("ok")], tool_called=True) is None


def test_the_summary_holds_its_budget() -> None:
    english = [utter(f"I decided on plan {n} with a budget of {n}00 euros and many words besides.") for n in range(40)]
    chinese = [utter(f"我决定第{n}个方案,预算是{n}00元,以后都按照这个来安排出行。") for n in range(40)]
    long, short = (
        draft_conversation_snapshot(english, tool_called=True),
        draft_conversation_snapshot(chinese, tool_called=True),
    )
    assert long is not None
    assert short is not None
    assert estimate_tokens(long.text) <= 200
    assert sum("\u3400" <= c <= "\u9fff" for c in short.text) <= 100


def test_a_long_conversation_gets_one_snapshot_per_segment() -> None:
    talk = [utter(f"I booked flight {n}.", key=f"u{n}") for n in range(25)]
    drafts = [draft for part in split_segments(talk) if (draft := draft_segment_snapshot(part))]
    assert [draft.kind for draft in drafts] == ["segment"] * 3
    assert drafts[0].sources[0] == "u0"  # the opening says what it is about
    assert split_segments(talk[:20]) == []


def test_a_statement_is_masked_and_sorted_by_topic() -> None:
    draft = extract_statement(utter("Pay my sushi dinner with 4111 1111 1111 1111", name="Grace"))
    assert draft is not None
    assert draft.text == "Pay my sushi dinner with [masked card number]"
    assert (draft.masked, draft.category, draft.sources) == (1, "food", ("m1",))


def test_courtesies_and_assistants_make_no_statement() -> None:
    assert extract_statement(utter("thanks!")) is None
    assert extract_statement(utter("Rome is lovely in May", role="assistant")) is None


def test_topics_and_importance_read_both_languages() -> None:
    assert find_topics("晚上去吃火锅,再看一部电影") == ("food", "entertainment")
    assert find_topics("订了酒店") == ("travel",)
    assert score_importance("以后别放摇滚") > score_importance("天空很蓝")
    assert score_importance("I decided: the flight on May 4, I always prefer aisle seats") == 0.9
