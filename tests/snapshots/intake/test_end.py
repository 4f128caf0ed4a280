"""A conversation ends once; a message after the end makes the next end a new one. Rows: C5."""

import pytest

from snapshots.errors import ConversationUnknown
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import ConversationStatus, Work
from tenants.isolation import tenant_tx
from tests.conftest import House, World


def say(house: House, content: str) -> None:
    with tenant_tx(house.tenant.id):
        accept_messages(house.subject, "trip", [IncomingMessage(role="user", content=content)])


def end(house: House, conversation_id: str = "trip") -> Work:
    with tenant_tx(house.tenant.id):
        conversation, work = end_conversation_on_request(house.subject.external_id, conversation_id)
        assert conversation.status == ConversationStatus.ENDED
        return work


def test_ending_twice_is_the_same_work(world: World) -> None:
    say(world.acme, "hello")
    assert end(world.acme).id == end(world.acme).id


def test_a_message_after_the_end_makes_the_next_end_new_work(world: World) -> None:
    say(world.acme, "hello")
    first = end(world.acme)
    say(world.acme, "还有一件事")

    assert end(world.acme).id != first.id


def test_what_was_never_said_cannot_end(world: World) -> None:
    with pytest.raises(ConversationUnknown):
        end(world.acme, "never")
