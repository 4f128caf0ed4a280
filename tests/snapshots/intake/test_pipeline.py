"""Accepted means committed: messages, their work and their order, once. Rows: C1, C2, C3, C5."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.providers.redis.client import redis_client
from snapshots.intake.conversation_rows import lock_or_create_conversation, set_remember
from snapshots.intake.pipeline import accept_messages, prepare_messages
from snapshots.intake.values import AcceptedBatch, IncomingMessage
from snapshots.models import Conversation, ConversationStatus, Message, Work, WorkKind
from snapshots.understanding.slots.slot_patterns import load_language
from snapshots.window.redis_store import load_cached_turns, make_window_key
from tenants.isolation import tenant_tx
from tests.conftest import House, World


def draft(content: str, message_id: str | None = None, role: str = "user", *, remember: bool = True) -> IncomingMessage:
    return IncomingMessage(role=role, content=content, message_id=message_id, remember=remember)


def accept(house: House, *incoming: IncomingMessage, conversation_id: str = "trip") -> AcceptedBatch:
    with tenant_tx(house.tenant.id):
        return accept_messages(house.subject, conversation_id, incoming)


def load_stored(house: House) -> list[tuple[int, str, str]]:
    with tenant_tx(house.tenant.id):
        rows = Message.objects.filter(subject=house.subject).order_by("conversation", "seq")
        return [(row.seq, row.external_id, row.content) for row in rows]


def work(house: House) -> list[tuple[str, str]]:
    with tenant_tx(house.tenant.id):
        rows = Work.objects.filter(subject=house.subject).order_by("message__seq", "kind")
        return [(row.message.external_id, row.kind) for row in rows.select_related("message")]


def conversation_now(house: House, conversation_id: str = "trip") -> Conversation:
    with tenant_tx(house.tenant.id):
        return Conversation.objects.get(subject=house.subject, external_id=conversation_id)


def end(house: House) -> None:
    with tenant_tx(house.tenant.id):
        Conversation.objects.filter(subject=house.subject).update(status=ConversationStatus.ENDED)


def test_a_first_message_makes_its_conversation_and_two_kinds_of_work(world: World) -> None:
    accepted = accept(world.acme, draft("我对花生过敏", "m1"))

    assert [(fate.message_id, fate.seq, fate.verdict) for fate in accepted.messages] == [("m1", 1, "stored")]
    assert load_stored(world.acme) == [(1, "m1", "我对花生过敏")]
    assert work(world.acme) == [("m1", "extract"), ("m1", "statement")]


@pytest.mark.slow
def test_a_new_process_compiles_its_rows_before_the_transaction(world: World) -> None:
    """Postgres ends a transaction in which nothing happens for a while."""
    said = [draft("Not the aisle, I prefer a window seat."), draft("我不喜欢靠过道，以后给我靠窗的座位")]
    load_language.cache_clear()
    prepared = prepare_messages(world.acme.tenant.id, "ada", "trip", said)
    compiled = load_language.cache_info().misses
    assert compiled > 1
    with tenant_tx(world.acme.tenant.id):
        accept_messages(world.acme.subject, "trip", said, prepared)
    assert load_language.cache_info().misses == compiled


def test_only_remembered_messages_of_user_and_assistant_become_work(world: World) -> None:
    accept(
        world.acme,
        draft("book a table", "m1"),
        draft("Done.", "m2", role="assistant"),
        draft("{}", "m3", role="tool"),
        draft("be polite", "m4", role="system"),
        draft("my secret", "m5", remember=False),
    )

    assert [content for _, _, content in load_stored(world.acme)][-1] == "my secret"
    assert {message_id for message_id, _ in work(world.acme)} == {"m1", "m2"}


def test_a_conversation_that_is_not_remembered_keeps_the_window_and_teaches_nothing(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        set_remember(lock_or_create_conversation(world.acme.subject, "trip"), remember=False)

    accepted = accept(world.acme, draft("I moved to Berlin", "m1"))

    assert [turn.content for turn in accepted.window.turns] == ["I moved to Berlin"]
    assert work(world.acme) == []


def test_the_same_request_again_changes_nothing(world: World) -> None:
    first = accept(world.acme, draft("hello", "m1"), draft("hi", "m2", role="assistant"))
    before = conversation_now(world.acme)
    again = accept(world.acme, draft("hello", "m1"), draft("hi", "m2", role="assistant"))

    assert [fate.seq for fate in again.messages] == [fate.seq for fate in first.messages]
    assert {fate.verdict for fate in again.messages} == {"duplicate"}
    assert again.window.turns == first.window.turns
    assert len(work(world.acme)) == 3
    assert conversation_now(world.acme).version == before.version


def test_the_first_content_stays(world: World) -> None:
    accept(world.acme, draft("I live in Rome", "m1"))
    again = accept(world.acme, draft("I live in Paris", "m1"), draft("more", "m2"))

    assert [(fate.verdict, fate.reason) for fate in again.messages] == [
        ("duplicate", "content_differs"),
        ("stored", None),
    ]
    assert [content for _, _, content in load_stored(world.acme)] == ["I live in Rome", "more"]


def test_one_id_may_stand_in_two_conversations(world: World) -> None:
    accept(world.acme, draft("hello", "m1"))
    other = accept(world.acme, draft("hello", "m1"), conversation_id="other")

    assert other.messages[0].verdict == "stored"


def test_a_message_reopens_an_ended_conversation_and_its_next_end_is_a_new_one(world: World) -> None:
    accept(world.acme, draft("hello", "m1"))
    end(world.acme)
    accept(world.acme, draft("one more thing", "m2"))

    now = conversation_now(world.acme)
    assert (now.status, now.generation, now.ended_at) == (ConversationStatus.OPEN, 1, None)


def test_a_repeated_message_does_not_reopen_an_ended_conversation(world: World) -> None:
    accept(world.acme, draft("hello", "m1"))
    end(world.acme)
    accept(world.acme, draft("hello", "m1"))

    now = conversation_now(world.acme)
    assert (now.status, now.generation) == (ConversationStatus.ENDED, 0)


def test_the_window_is_hot_after_the_commit(world: World) -> None:
    accepted = accept(world.acme, *(draft(f"第{n}句话", f"m{n}") for n in range(1, 31)))

    assert [turn.seq for turn in accepted.window.turns] == list(range(11, 31))
    key = make_window_key(world.acme.tenant.id, accepted.conversation.id)
    assert load_cached_turns(redis_client(), key, conversation_now(world.acme).version) == accepted.window.turns


def test_the_window_reaches_back_behind_a_small_batch(world: World) -> None:
    accept(world.acme, *(draft("words", f"m{n}") for n in range(1, 6)))
    accepted = accept(world.acme, draft("new", "m6"))

    assert [turn.seq for turn in accepted.window.turns] == [1, 2, 3, 4, 5, 6]


def test_what_is_rolled_back_leaves_no_message_no_work_and_no_window(world: World) -> None:
    with pytest.raises(ZeroDivisionError), tenant_tx(world.acme.tenant.id):
        accepted = accept_messages(world.acme.subject, "trip", [draft("hello", "m1")])
        raise ZeroDivisionError

    assert load_stored(world.acme) == []
    key = make_window_key(world.acme.tenant.id, accepted.conversation.id)
    assert load_cached_turns(redis_client(), key, accepted.conversation.version) is None


def in_threads(house: House, batches: Sequence[Sequence[IncomingMessage]]) -> list[AcceptedBatch]:
    def one(batch: Sequence[IncomingMessage]) -> AcceptedBatch:
        try:
            return accept(house, *batch)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, batches))


def test_writers_at_the_same_time_make_one_conversation_without_gaps(world: World) -> None:
    batches = [[draft(f"{writer}-{n}", f"m{writer}-{n}") for n in range(5)] for writer in range(12)]
    in_threads(world.acme, batches)

    rows = load_stored(world.acme)
    assert [seq for seq, _, _ in rows] == list(range(1, 61))
    for start in range(0, 60, 5):  # a batch stays together and in its order
        assert [external_id[-1] for _, external_id, _ in rows[start : start + 5]] == ["0", "1", "2", "3", "4"]
    window = load_cached_turns(
        redis_client(),
        make_window_key(world.acme.tenant.id, conversation_now(world.acme).id),
        conversation_now(world.acme).version,
    )
    assert window is not None
    assert [turn.seq for turn in window] == list(range(41, 61))


def test_twins_at_the_same_time_are_stored_once(world: World) -> None:
    accepted = in_threads(world.acme, [[draft("hello", "m1")]] * 20)

    assert sorted(one.messages[0].verdict for one in accepted) == ["duplicate"] * 19 + ["stored"]
    assert {one.messages[0].seq for one in accepted} == {1}
    assert work(world.acme) == [("m1", WorkKind.EXTRACT), ("m1", WorkKind.STATEMENT)]


@pytest.mark.parametrize("count", [1, 50, 200])
def test_the_number_of_statements_does_not_grow_with_the_batch(world: World, count: int) -> None:
    accept(world.acme, draft("first", "m0"))
    batch = [draft(f"我喜欢第{n}首歌", f"m{n}") for n in range(1, count + 1)]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        accept(world.acme, *batch)

    # begin, tenant, lock, known ids, messages, work, conversation, ledger, window (unless the batch fills it), commit
    assert len(queries) <= 10, [query["sql"][:100] for query in queries.captured_queries]
