"""The words of aged messages move away and come back. Rows: E7, C1, E8."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from memory_platform.kernel.clock import utc_now
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.lifecycle.config import ArchiveConfig
from snapshots.lifecycle.retention.message_archive import archive_tenant, preview_archive, restore_messages
from snapshots.models import Conversation, ConversationStatus, Message, MessageArchive, Work, WorkState
from snapshots.window.cached_window import load_window
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World

CALL = [{"id": "c1", "type": "function", "function": {"name": "book", "arguments": "{}"}}]


def talk(house: House, name: str, *, ended_days_ago: int) -> Conversation:
    """Make a conversation of three messages, done with and ended so long ago."""
    incoming = [
        IncomingMessage(role="user", content="我喜欢靠窗的座位", metadata={"channel": "车机"}),
        IncomingMessage(role="assistant", content=[{"type": "text", "text": "Noted."}], tool_calls=CALL),
        IncomingMessage(role="user", content="Thank you very much indeed"),
    ]
    with tenant_tx(house.tenant.id):
        accept_messages(house.subject, name, incoming)
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        conversation = Conversation.objects.get(external_id=name)
        conversation.status = ConversationStatus.ENDED
        conversation.last_accepted_at = conversation.ended_at = utc_now() - timedelta(days=ended_days_ago)
        conversation.save()
    return conversation


def load_messages(house: House) -> list[tuple[Any, ...]]:
    with tenant_tx(house.tenant.id):
        rows = Message.objects.order_by("conversation", "seq")
        return list(rows.values_list("content", "parts", "tool_calls", "metadata", "archived"))


def list_messages(house: House, name: str, **query: Any) -> list[dict[str, Any]]:
    path = f"/v1/subjects/{house.subject.external_id}/conversations/{name}/messages"
    answer = Client().get(path, query, headers=house.headers)
    assert answer.status_code == 200
    messages: list[dict[str, Any]] = answer.json()["data"]
    return messages


def preview(house: House) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        return dict(preview_archive().counts)


def test_aged_words_move_and_are_read_from_where_they_stand(world: World) -> None:
    house = world.acme
    talk(house, "old", ended_days_ago=91)
    talk(house, "young", ended_days_ago=89)
    before, young = list_messages(house, "old"), list_messages(house, "young")
    assert preview(house) == {"conversations": 1, "messages": 3}
    assert archive_tenant(house.tenant.id) == 3
    assert preview(house) == {"conversations": 0, "messages": 0}
    assert archive_tenant(house.tenant.id) == 0
    assert [row for row in load_messages(house) if row[-1]] == [("", None, None, {}, True)] * 3
    assert list_messages(house, "old") == before
    assert list_messages(house, "old", limit=2) == before[:2]
    assert list_messages(house, "young") == young
    with tenant_tx(house.tenant.id):
        archive = MessageArchive.objects.get()
        assert (archive.first_seq, archive.last_seq, archive.messages) == (1, 3, 3)


def test_they_come_back_as_they_were(world: World) -> None:
    house = world.acme
    conversation = talk(house, "old", ended_days_ago=91)
    before = load_messages(house)
    archive_tenant(house.tenant.id, config=ArchiveConfig(stretch=2))
    with tenant_tx(house.tenant.id):
        assert MessageArchive.objects.count() == 2
        assert restore_messages(conversation, by=COMMAND_LINE, reason="asked for") == 3
        assert restore_messages(conversation, by=COMMAND_LINE) == 0
        assert not MessageArchive.objects.exists()
        assert AuditRecord.objects.get(action="conversation.restored").reason == "asked for"
    assert load_messages(house) == before


def test_what_came_back_stays_for_as_long_as_what_was_just_said(world: World) -> None:
    house = world.acme
    conversation = talk(house, "old", ended_days_ago=91)
    archive_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        restore_messages(conversation, by=COMMAND_LINE)
    assert (preview(house)["conversations"], archive_tenant(house.tenant.id)) == (0, 0)
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(restored_at=F("restored_at") - timedelta(days=91))
    assert archive_tenant(house.tenant.id) == 3


def test_a_conversation_that_goes_on_shows_its_archived_turns_in_the_window(world: World) -> None:
    house = world.acme
    talk(house, "old", ended_days_ago=91)
    archive_tenant(house.tenant.id)
    with tenant_tx(house.tenant.id):
        accept_messages(house.subject, "old", [IncomingMessage(role="user", content="我又来了，还是靠窗")])
        window = load_window(Conversation.objects.get())
        assert window.turns[0].content == "我喜欢靠窗的座位"
    assert archive_tenant(house.tenant.id) == 0
    with tenant_tx(house.tenant.id):
        Work.objects.update(state=WorkState.DONE, done_at=utc_now())
        late = timedelta(days=200)
        Conversation.objects.update(status="ended", last_accepted_at=F("last_accepted_at") - late)
    assert archive_tenant(house.tenant.id) == 1
    assert [one["content"] for one in list_messages(house, "old")][-1] == "我又来了，还是靠窗"


@pytest.mark.parametrize("state", [WorkState.READY, WorkState.DEAD])
def test_what_has_work_left_keeps_its_words(world: World, state: WorkState) -> None:
    house = world.acme
    talk(house, "old", ended_days_ago=91)
    with tenant_tx(house.tenant.id):
        Work.objects.filter(pk=Work.objects.values_list("pk")[:1]).update(state=state)
    assert archive_tenant(house.tenant.id) == 0


def test_tenants_stay_apart_and_a_cut_run_goes_on(world: World) -> None:
    for house in (world.acme, world.globex):
        talk(house, "old", ended_days_ago=91)
    turns = iter([True, True, False, False, False])
    small = ArchiveConfig(stretch=1)
    assert archive_tenant(world.acme.tenant.id, may_go_on=lambda: next(turns, False), config=small) == 1
    assert archive_tenant(world.acme.tenant.id, config=small) == 2
    assert preview(world.globex) == {"conversations": 1, "messages": 3}
