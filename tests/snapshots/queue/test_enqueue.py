"""Accepted messages bring their work with them, once, in the order of acceptance. Rows: C1, C3, C5."""

from snapshots.models import ConversationStatus, MessageRole, Work, WorkKind
from snapshots.queue.enqueue import end_conversation, enqueue_conversation_end, enqueue_messages
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.queue.world import post, post_messages, start_conversation, states


def test_a_user_message_brings_one_item_of_each_kind_due_at_once(world: World) -> None:
    post_messages(world.acme.tenant.id, world.acme.subject, 1)
    with tenant_tx(world.acme.tenant.id):
        items = list(Work.objects.all())
        assert {item.kind for item in items} == {WorkKind.STATEMENT, WorkKind.EXTRACT}
        assert all(item.due_at <= item.created_at for item in items)


def test_positions_grow_in_the_order_of_acceptance(world: World) -> None:
    messages = post_messages(world.acme.tenant.id, world.acme.subject, 30)
    with tenant_tx(world.acme.tenant.id):
        for kind in (WorkKind.STATEMENT, WorkKind.EXTRACT):
            by_position = Work.objects.filter(kind=kind).order_by("position").values_list("message_id", flat=True)
            assert list(by_position) == [message.pk for message in messages]


def test_enqueueing_the_same_messages_again_changes_nothing(world: World) -> None:
    messages = post_messages(world.acme.tenant.id, world.acme.subject, 3)
    with tenant_tx(world.acme.tenant.id):
        before = list(Work.objects.values_list("id", "position"))
        enqueue_messages(messages)
        assert list(Work.objects.values_list("id", "position")) == before


def test_what_is_not_to_be_remembered_brings_no_work(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        muted = start_conversation(world.acme.subject, "muted")
        muted.remember = False
        post(muted, ["secret plan"])
        loud = start_conversation(world.acme.subject, "loud")
        for role in (MessageRole.TOOL, MessageRole.SYSTEM):
            post(loud, ["答案是四十二"], role=role)
        post(loud, [""], role=MessageRole.ASSISTANT)
        assert not Work.objects.exists()


def test_what_the_assistant_says_is_only_learned_from(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        (message,) = post(start_conversation(world.acme.subject), ["答案是四十二"], role=MessageRole.ASSISTANT)
        assert list(Work.objects.values_list("message_id", "kind")) == [(message.id, WorkKind.EXTRACT)]


def test_ending_a_conversation_twice_is_the_same_work(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        conversation = start_conversation(world.acme.subject)
        first = end_conversation(conversation)
        assert conversation.status == ConversationStatus.ENDED
        assert conversation.ended_at is not None
        version = conversation.version
        assert end_conversation(conversation).pk == first.pk
        assert conversation.version == version


def test_the_end_after_a_reopening_is_new_work(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        conversation = start_conversation(world.acme.subject)
        first = end_conversation(conversation)
        conversation.generation += 1
        assert enqueue_conversation_end(conversation).pk != first.pk
        assert states(WorkKind.CONVERSATION) == {"ready": 2}
