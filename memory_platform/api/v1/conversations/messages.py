"""``.../conversations/{conversation_id}/messages`` and ``/window``: what was said, and the recent part of it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.http import HttpResponse
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.policy import POLICY
from memory_platform.api.reference import examples
from memory_platform.api.requests.serializers import Output
from memory_platform.api.v1.conversations.message_inputs import MessagesInput
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import Order, Page, PageInput
from profiles.services.subjects import ensure_subject
from snapshots.intake.accept import UNPREPARED, Preparation, accept_messages, new_among, prepare_messages
from snapshots.intake.values import Accepted, AcceptedMessage, IncomingMessage
from snapshots.models import Message, MessageRole, SnapshotKind
from snapshots.policies.effective import notes_policy
from snapshots.selectors import conversation_of, messages_of, with_words
from snapshots.values import FastLaneResult
from snapshots.window.values import Window, WindowTurn, turn_of
from snapshots.window.window import window_of
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

BY_SEQ = Order(fields=("seq",))
BELOW = "subjects/<product_id:subject_id>/conversations/<product_id:conversation_id>"


class FateOutput(Output):
    """What became of one message.

    With the reason ``special_category`` the tenant's policy wants nothing learned from it: it is ``stored`` for its own
    conversation alone, or ``rejected``, that is not stored, and has no ``seq``."""

    message_id = serializers.CharField()
    seq = serializers.IntegerField(allow_null=True)
    verdict = serializers.ChoiceField(choices=["stored", "duplicate", "rejected"])
    reason = serializers.ChoiceField(choices=["content_differs", "special_category"], required=False)


class WindowSizeOutput(Output):
    """The window after this write."""

    messages = serializers.IntegerField()
    tokens = serializers.IntegerField()


class FastLaneOutput(Output):
    """What became at once of a correction, or of an order to forget.

    ``kind`` is what a correction changed: a preference of ``category`` and ``key``, a field of the profile or a tag
    (both named by ``key``), or a note, which ended (``superseded``) or is ``possibly_outdated`` (``unchanged``). With
    verdict ``rejected`` and reason ``object_unknown`` nothing that is believed now was
    meant: all three are null; the worker looks again, after the messages before.

    An order to forget is told by one item a memory, verdict ``forgotten``: a slot as above, a note, a statement or
    another snapshot by its kind. ``forget_order_id`` brings it back. ``nothing_to_forget``: the order meant nothing."""

    category = serializers.CharField(allow_null=True)
    key = serializers.CharField(allow_null=True)
    kind = serializers.ChoiceField(choices=["preference", "profile", "tag", *SnapshotKind.values], allow_null=True)
    verdict = serializers.CharField()
    reason = serializers.CharField(allow_null=True)
    preference_id = serializers.UUIDField(allow_null=True)
    memory_id = serializers.UUIDField(allow_null=True)
    forget_order_id = serializers.UUIDField(allow_null=True)


class AcceptedOutput(Output):
    """Accepted means committed."""

    conversation_id = serializers.CharField()
    accepted = FateOutput(many=True)
    window = WindowSizeOutput()
    fast_lane = FastLaneOutput(many=True)


class TurnOutput(Output):
    """One message of the window. ``content`` is the text; parts are joined by line ends."""

    message_id = serializers.CharField()
    seq = serializers.IntegerField()
    role = serializers.ChoiceField(choices=MessageRole.choices)
    name = serializers.CharField(allow_null=True)
    content = serializers.CharField(allow_blank=True)
    tool_calls = serializers.ListField(child=serializers.DictField(), allow_null=True)
    tool_call_id = serializers.CharField(allow_null=True)
    said_at = serializers.DateTimeField()
    tokens = serializers.IntegerField()


class MessageOutput(TurnOutput):
    """One stored message; ``parts`` is the content as it came when it came as a list."""

    parts = serializers.ListField(child=serializers.DictField(), allow_null=True)
    metadata = serializers.DictField()
    remember = serializers.BooleanField()
    accepted_at = serializers.DateTimeField()


class MessagePageOutput(Output):
    """A page of messages in the order of acceptance."""

    data = MessageOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class WindowOutput(Output):
    """The recent turns, oldest first."""

    messages = TurnOutput(many=True)
    tokens = serializers.IntegerField()
    summary = serializers.CharField(allow_null=True)
    degraded_reason = serializers.ChoiceField(choices=["redis_unavailable"], allow_null=True)


class MessagesView(SubjectView):
    """The messages of one conversation."""

    noun = "conversations"
    query_input = PageInput
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES
    body_limit = POLICY.messages_body_bytes

    @extend_schema(request=MessagesInput, responses={202: AcceptedOutput}, examples=examples.MESSAGES)
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """Accept messages; makes the subject and the conversation on first sight, reopens an ended conversation."""
        messages = MessagesInput.parse(request)["messages"]
        incoming = [IncomingMessage(**message) for message in messages]

        policy = notes_policy(self.tenant_id, self.caller.policy_epoch)
        prepared = prepare_messages(self.tenant_id, subject_id, conversation_id, incoming, policy)

        def work() -> Reply:
            self.make_room_for(subject_id, conversation_id, incoming)
            return accept(subject_id, conversation_id, incoming, prepared)

        return write_once(request, work)

    def make_room_for(self, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]) -> None:
        """See that the messages may be stored, in the open scope. Raises QuotaExceeded.

        Duplicates need no room: who says it all again because an answer was lost is answered at the limit, too.
        """
        try:
            self.make_room(messages=len(incoming), snapshots=len(incoming))
        except QuotaExceeded:
            new = new_among(subject_id, conversation_id, incoming)
            if new == len(incoming):
                raise
            self.make_room(messages=new, snapshots=new)

    @extend_schema(parameters=[PageInput], responses=MessagePageOutput)
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """List the messages in the order of acceptance."""
        page = Page.from_request(request, PageInput.parse(request), BY_SEQ)
        with tenant_tx(self.tenant_id):
            kept, cursor = page.of(messages_of(conversation_of(subject_id, conversation_id)))
            return Response({"data": [serialize_message(one) for one in with_words(kept)], "next_cursor": cursor})


class WindowView(SubjectView):
    """The window of one conversation."""

    noun = "conversations"
    required_scope = MEMORY_READ

    @extend_schema(responses=WindowOutput)
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Return the last 20 messages, at most 5,000 tokens."""
        with tenant_tx(self.tenant_id):
            return Response(serialize_window(window_of(conversation_of(subject_id, conversation_id))))


def accept(
    subject_id: str,
    conversation_id: str,
    incoming: Sequence[IncomingMessage],
    prepared: Preparation = UNPREPARED,
) -> Reply:
    """Accept messages for the product's own ids inside the open transaction, and say what became of them."""
    subject = ensure_subject(subject_id)
    accepted = accept_messages(subject, conversation_id, incoming, prepared)
    return Reply(serialize_accepted(accepted), status=202, subject_id=subject.id)


def serialize_accepted(accepted: Accepted) -> dict[str, Any]:
    return {
        "conversation_id": accepted.conversation.external_id,
        "accepted": [serialize_fate(fate) for fate in accepted.messages],
        "window": {"messages": len(accepted.window.turns), "tokens": accepted.window.tokens},
        "fast_lane": [serialize_correction(one) for one in accepted.fast_lane],
    }


def serialize_correction(one: FastLaneResult) -> dict[str, Any]:
    return {
        "category": one.category,
        "key": one.key,
        "kind": one.kind,
        "verdict": one.verdict,
        "reason": one.reason,
        "preference_id": one.memory_id if one.kind == "preference" else None,
        "memory_id": one.memory_id,
        "forget_order_id": one.forget_order_id,
    }


def serialize_fate(fate: AcceptedMessage) -> dict[str, Any]:
    """Return one message's fate; ``reason`` stands only where there is one."""
    shown: dict[str, Any] = {"message_id": fate.message_id, "seq": fate.seq, "verdict": fate.verdict}
    return shown if fate.reason is None else {**shown, "reason": fate.reason}


def serialize_window(window: Window) -> dict[str, Any]:
    return {
        "messages": [serialize_turn(turn) for turn in window.spoken],
        "tokens": window.tokens,
        "summary": window.summary,
        "degraded_reason": "redis_unavailable" if window.degraded else None,
    }


def serialize_turn(turn: WindowTurn) -> dict[str, Any]:
    return {
        "message_id": turn.message_id,
        "seq": turn.seq,
        "role": turn.role,
        "name": turn.name,
        "content": turn.content,
        "tool_calls": turn.tool_calls,
        "tool_call_id": turn.tool_call_id,
        "said_at": turn.said_at,
        "tokens": turn.tokens,
    }


def serialize_message(message: Message) -> dict[str, Any]:
    return {
        **serialize_turn(turn_of(message)),
        "parts": message.parts,
        "metadata": message.metadata,
        "remember": message.remember,
        "accepted_at": message.accepted_at,
    }


urlpatterns = [
    path(f"{BELOW}/messages", MessagesView.as_view(), name="messages"),
    path(f"{BELOW}/window", WindowView.as_view(), name="window"),
]
