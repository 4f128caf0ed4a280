"""Which messages are new, in which order, and how large they are. Rows: C1."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID, uuid4

import pytest

from memory_platform.providers.token_estimator import TokenEstimator
from snapshots.intake.new_messages import SortedBatch, StoredMessage, estimate_tokens, number_new_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Conversation
from tenants.isolation import tenant_tx
from tests.conftest import World

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def conversation(world: World) -> Conversation:
    with tenant_tx(world.acme.tenant.id):
        return Conversation(subject=world.acme.subject, external_id="trip", next_seq=4)


def sort(
    conversation: Conversation, *incoming: IncomingMessage, known: dict[str, StoredMessage] | None = None
) -> SortedBatch:
    with tenant_tx(UUID(str(conversation.tenant_id))):
        return number_new_messages(conversation, incoming, known or {}, at=NOW)


def draft(content: str, message_id: str | None = None, role: str = "user") -> IncomingMessage:
    return IncomingMessage(role=role, content=content, message_id=message_id)


def test_new_messages_continue_the_conversation_in_the_order_of_the_request(conversation: Conversation) -> None:
    batch = sort(conversation, draft("hello", "a"), draft("你好", "b"))

    assert [(fate.message_id, fate.seq, fate.verdict) for fate in batch.results] == [
        ("a", 4, "stored"),
        ("b", 5, "stored"),
    ]
    assert [row.seq for row in batch.new] == [4, 5]


def test_a_message_without_an_id_gets_one_of_its_own(conversation: Conversation) -> None:
    batch = sort(conversation, draft("hello"), draft("hello"))

    first, second = (fate.message_id for fate in batch.results)
    assert first != second
    assert [row.external_id for row in batch.new] == [first, second]


def test_a_known_message_keeps_its_place_and_takes_no_number(conversation: Conversation) -> None:
    known = {"a": StoredMessage(2, draft("hello", "a").fingerprint())}
    batch = sort(conversation, draft("hello", "a"), draft("again", "b"), known=known)

    assert [(fate.seq, fate.verdict, fate.reason) for fate in batch.results] == [
        (2, "duplicate", None),
        (4, "stored", None),
    ]


@pytest.mark.parametrize(
    "other",
    [
        IncomingMessage(role="user", content="Hello", message_id="a"),
        IncomingMessage(role="assistant", content="hello", message_id="a"),
        IncomingMessage(role="user", content="hello", message_id="a", name="Melanie"),
        IncomingMessage(role="user", content="hello", message_id="a", tool_calls=[{"id": "call_1"}]),
    ],
)
def test_a_known_id_with_other_content_says_so(conversation: Conversation, other: IncomingMessage) -> None:
    batch = sort(conversation, draft("hello", "a"), other)

    assert [(fate.seq, fate.verdict, fate.reason) for fate in batch.results] == [
        (4, "stored", None),
        (4, "duplicate", "content_differs"),
    ]
    assert [row.content for row in batch.new] == ["hello"]


def test_a_retry_that_differs_in_time_and_metadata_only_is_the_same_message(conversation: Conversation) -> None:
    again = IncomingMessage(role="user", content="hello", message_id="a", said_at=NOW, metadata={"try": 2})
    batch = sort(conversation, draft("hello", "a"), again)

    assert batch.results[1].reason is None


def test_parts_become_one_text_on_lines_of_their_own(conversation: Conversation) -> None:
    parts = [{"type": "text", "text": "I like tea."}, {"type": "text", "text": "我有一只猫"}]
    row = sort(conversation, IncomingMessage(role="user", content=parts)).new[0]

    assert row.content == "I like tea.\n我有一只猫"
    assert row.parts == parts


def test_what_was_said_when_is_the_time_of_acceptance_unless_given(conversation: Conversation) -> None:
    earlier = datetime(2023, 5, 8, 7, 56, tzinfo=timezone(timedelta(hours=8)))
    given = IncomingMessage(role="user", content="hello", said_at=earlier)
    first, second = sort(conversation, given, draft("hello")).new

    assert (first.said_at, first.said_at.tzinfo, first.said_offset, first.said_locally.day) == (earlier, UTC, 480, 8)
    assert (second.said_at, second.said_offset, second.said_locally) == (NOW, None, NOW)
    assert first.accepted_at == NOW


@pytest.mark.parametrize(("conversation_remembers", "message_remembers"), [(True, False), (False, True)])
def test_either_the_message_or_its_conversation_can_keep_it_out_of_memory(
    conversation: Conversation, conversation_remembers: bool, message_remembers: bool
) -> None:
    conversation.remember = conversation_remembers
    message = IncomingMessage(role="user", content="hello", remember=message_remembers)

    assert sort(conversation, message).new[0].remember is False


def test_a_message_is_as_large_as_its_text_and_its_tool_calls() -> None:
    text = "导航回家 and avoid the highway"
    calls = [{"id": str(uuid4()), "function": {"name": "navigate", "arguments": '{"to": "家"}'}}]
    plain = estimate_tokens(IncomingMessage(role="assistant", content=text))

    assert plain == TokenEstimator().count(text)
    assert estimate_tokens(IncomingMessage(role="assistant", content=text, tool_calls=calls)) > plain + 10
    assert estimate_tokens(IncomingMessage(role="assistant", tool_calls=calls)) > 10
