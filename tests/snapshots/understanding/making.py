"""Messages made into memory without a model, for the tests of what comes of them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from memory_platform.kernel.ids import new_id
from profiles.selectors import current_preferences, current_profile, group_preference_values
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import AcceptedBatch, IncomingMessage
from snapshots.models import (
    Conversation,
    Snapshot,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.enqueue import end_conversation
from snapshots.summaries.conversation_snapshots import store_conversation_snapshots
from snapshots.summaries.running_summaries import write_summaries
from snapshots.understanding.pipeline import learn_from_messages
from snapshots.understanding.statements.statements import store_statements
from tenants.isolation import tenant_tx
from tests.conftest import House

HANDLERS = {
    WorkKind.STATEMENT: store_statements,
    WorkKind.EXTRACT: learn_from_messages,
    WorkKind.CONVERSATION: store_conversation_snapshots,
    WorkKind.SUMMARY: write_summaries,
}
MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


def say(house: House, *texts: str, conversation: str = "c1", at: datetime = MONDAY, **extra: Any) -> AcceptedBatch:
    """Post user messages, a minute apart."""
    messages = [
        IncomingMessage(role="user", content=text, said_at=at + timedelta(minutes=i), **extra)
        for i, text in enumerate(texts)
    ]
    return post(house, messages, conversation)


def post(house: House, messages: list[IncomingMessage], conversation: str = "c1") -> AcceptedBatch:
    with tenant_tx(house.tenant.id):
        return accept_messages(house.subject, conversation, messages)


def settle(house: House) -> None:
    """Have all due work done, and none left over or dead."""
    while drain_work(house.tenant.id, HANDLERS).more:
        pass  # a drain ends with its time: on a busy machine it takes another
    with tenant_tx(house.tenant.id):
        assert set(Work.objects.values_list("state", flat=True)) <= {WorkState.DONE}


def preferences(house: House) -> Mapping[str, Mapping[str, Any]]:
    with tenant_tx(house.tenant.id):
        return group_preference_values(current_preferences(house.subject))


def profile(house: House) -> dict[str, Any]:
    with tenant_tx(house.tenant.id):
        return current_profile(house.subject)


def statements(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return list(Snapshot.objects.filter(kind="statement").order_by("position").values_list("text", flat=True))


def booking(text: str = "Book me a flight to Lisbon on 3 May.") -> list[IncomingMessage]:
    call = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    return [
        IncomingMessage(role="user", content=text, message_id=str(new_id())),
        IncomingMessage(role="assistant", content=None, tool_calls=[call]),
        IncomingMessage(role="tool", content="ok", tool_call_id="t1"),
        IncomingMessage(role="assistant", content=f"Done, I booked it: {text}"),
    ]


def conversation_of(house: House, name: str = "c1") -> Conversation:
    return Conversation.objects.get(subject=house.subject, external_id=name)


def end(house: House, conversation: str = "c1") -> Work:
    with tenant_tx(house.tenant.id):
        return end_conversation(conversation_of(house, conversation))
