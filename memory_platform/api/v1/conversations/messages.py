"""``.../conversations/{conversation_id}/messages`` and ``/window``."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, READS_AND_WRITES
from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.v1.conversations.message_inputs import IMAGES_LEFT_OUT, MessagesInput, has_images
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Order, Page, PageInput
from profiles.provenance_and_verdict import Verdict
from profiles.services.subjects import ensure_subject
from snapshots.conversation_queries import add_archived_words, find_conversation, list_messages
from snapshots.fast_lane_result import FastLaneResult
from snapshots.forgetting.order_targets import FORGOTTEN, NOTHING_TO_FORGET
from snapshots.intake.pipeline import UNPREPARED, Preparation, accept_messages, count_new_messages, prepare_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import Message, MessageRole, SnapshotKind
from snapshots.policies.effective_policies import load_effective_notes_policy
from snapshots.window.cached_window import load_window
from snapshots.window.values import Window, build_window_message
from tenants.errors import QuotaExceeded
from tenants.isolation import tenant_tx

BY_SEQ = Order(fields=("seq",))
BELOW = "subjects/<product_id:subject_id>/conversations/<product_id:conversation_id>"
# Slots, which have no kind of their own in their tables, and snapshots.
MEMORY_KINDS = ("preference", "profile", "tag", *SnapshotKind.values)
CORRECTION_REASONS = (
    "absent", "added", "asks_for_everything", "contradiction", "duplicate", "echo", "ended", "evidence_missing",
    "forgotten", "instruction", "new", "no_lasting_words", "not_a_list", "not_asserted", "not_the_subject",
    "object_unknown", "older", "one_off", "possibly_outdated", "removed", "replaced", "schema", "sensitive", "unsure",
    "unsupported", "weaker_than_current",
)  # fmt: skip


class FateOutput(Output):
    """The fate of one message.

    With the reason `special_category` the tenant's policy forbids learning from it: it is `stored` for its own
    conversation alone, or `rejected`, which means not stored.
    """

    message_id = serializers.CharField(help_text="Your id of the message, or the one that was made for it.")
    seq = serializers.IntegerField(
        allow_null=True, help_text="Its number in the conversation, from 1; null when it was not stored."
    )
    verdict = serializers.ChoiceField(
        choices=["stored", "duplicate", "rejected"],
        help_text="`duplicate`: a message with this id was stored before and stays as it is.",
    )
    reason = serializers.ChoiceField(
        choices=["content_differs", "special_category", IMAGES_LEFT_OUT],
        required=False,
        help_text="Stands only where there is something to say. `images_left_out`: only the text parts were stored.",
    )


class WindowSizeOutput(Output):
    """The size of the window after this write."""

    messages = serializers.IntegerField(help_text="Messages in the window.")
    tokens = serializers.IntegerField(help_text="Tokens of these messages.")

    @staticmethod
    def render_messages(window: Window) -> int:
        return len(window.turns)


class FastLaneOutput(Output):
    """The immediate effect of a correction, or of an order to forget.

    `kind` names the object of a correction: a preference of `category` and `key`, a field of the profile or a tag (both
    named by `key`), or a note, which ended (`superseded`) or is `possibly_outdated` (`unchanged`). The verdict
    `rejected` with the reason `object_unknown` means that the correction fits no current belief; all three are null
    then, and the worker looks again after the earlier messages.

    An order to forget gives one item for each memory, with the verdict `forgotten`: a slot as above, or a note,
    statement or other snapshot by its kind. The verdict `nothing_to_forget` means that the order fits nothing; with the
    reason `asks_for_everything` it asked for the whole memory, which only `DELETE` of the subject erases.
    """

    category = serializers.CharField(allow_null=True, help_text="Category of the preference.")
    key = serializers.CharField(allow_null=True, help_text="Key of the preference, field of the profile, or tag.")
    kind = serializers.ChoiceField(
        choices=MEMORY_KINDS, allow_null=True, help_text="The kind of memory that it concerns."
    )
    verdict = serializers.ChoiceField(
        choices=[*Verdict.values, FORGOTTEN, NOTHING_TO_FORGET], help_text="What happened to the memory."
    )
    reason = serializers.ChoiceField(
        choices=CORRECTION_REASONS, allow_null=True, help_text="Why, for a verdict that needs it."
    )
    preference_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the preference, if the value belongs to one."
    )
    memory_id = serializers.UUIDField(allow_null=True, help_text="Id of the memory.")
    forget_order_id = serializers.UUIDField(
        allow_null=True, help_text="Id of the order to forget. Undo it with `POST .../forget-orders/{id}/undo`."
    )

    @staticmethod
    def render_preference_id(result: FastLaneResult) -> UUID | None:
        return result.memory_id if result.kind == "preference" else None


class AcceptedOutput(Output):
    """Messages that are stored and committed."""

    conversation_id = serializers.CharField(source="conversation.external_id", help_text="Your id of the conversation.")
    accepted = FateOutput(source="messages", many=True, help_text="One item for each message, in the order sent.")
    window = WindowSizeOutput(help_text="The recent messages that a context would repeat.")
    fast_lane = FastLaneOutput(many=True, help_text="Corrections and orders to forget that took effect at once.")


class TurnOutput(Output):
    """One message of the window."""

    message_id = serializers.CharField(help_text="Your id of the message, or the one that was made for it.")
    seq = serializers.IntegerField(help_text="Its number in the conversation, from 1.")
    role = serializers.ChoiceField(choices=MessageRole.values, help_text="Who said it.")
    name = serializers.CharField(allow_null=True, help_text="Name of the speaker, where one was sent.")
    content = serializers.CharField(allow_blank=True, help_text="The text. Parts are joined by line breaks.")
    tool_calls = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="Tool calls of the assistant, as they were sent."
    )
    tool_call_id = serializers.CharField(allow_null=True, help_text="The tool call that this message answers.")
    said_at = serializers.DateTimeField(help_text="When it was said.")
    tokens = serializers.IntegerField(help_text="Tokens of the message.")


class MessageOutput(TurnOutput):
    """One stored message."""

    parts = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="The content as it was sent, when it was a list."
    )
    metadata = serializers.DictField(help_text="Your own data about the message.")
    remember = serializers.BooleanField(help_text="False: nothing is learned from this message.")
    accepted_at = serializers.DateTimeField(help_text="When it was stored.")

    @classmethod
    def render_row(cls, message: Message) -> dict[str, Any]:
        """Return a stored message; its text and tokens are computed as for the window."""
        own = ("parts", "metadata", "remember", "accepted_at")
        return cls.render(build_window_message(message), **{name: getattr(message, name) for name in own})


class WindowOutput(Output):
    """The recent messages of a conversation, oldest first."""

    messages = TurnOutput(source="remembered_turns", many=True, help_text="At most 20 messages and 5,000 tokens.")
    tokens = serializers.IntegerField(help_text="Tokens of these messages.")
    summary = serializers.CharField(allow_null=True, help_text="Short text in place of the older messages.")
    degraded_reason = serializers.ChoiceField(
        choices=["redis_unavailable"], allow_null=True, help_text="Why the window may be incomplete."
    )

    @staticmethod
    def render_degraded_reason(window: Window) -> str | None:
        return "redis_unavailable" if window.degraded else None


class MessagesView(SubjectView):
    noun = "conversations"
    required_scope = READS_AND_WRITES
    body_limit = API_CONFIG.messages_body_bytes

    @operation(
        "create_messages",
        request=MessagesInput,
        answer=AcceptedOutput,
        status=202,
        errors=[QuotaExceeded],
        tag="messages",
    )
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """Store messages of a conversation.

        The subject and the conversation are created when they are new; a conversation that has ended is reopened.
        A message whose `message_id` is known is a duplicate and changes nothing.
        """
        messages = MessagesInput.parse(request)["messages"]
        incoming = [IncomingMessage(**message) for message in messages]
        sent: Any = request.data["messages"]  # type: ignore[call-overload]  # an object, as was just checked
        stripped = [index for index, message in enumerate(sent) if has_images(message)]
        policy = load_effective_notes_policy(self.tenant_id, self.caller.policy_epoch)
        prepared = prepare_messages(self.tenant_id, subject_id, conversation_id, incoming, policy)

        def work() -> Reply:
            self.make_room_for(subject_id, conversation_id, incoming)
            accepted = reply_to_messages(subject_id, conversation_id, incoming, prepared)
            for index in stripped:
                accepted.data["accepted"][index].setdefault("reason", IMAGES_LEFT_OUT)
            return accepted

        return write_once(request, work)

    def make_room_for(self, subject_id: str, conversation_id: str, incoming: Sequence[IncomingMessage]) -> None:
        """Check that the messages may be stored. Raises QuotaExceeded. Duplicates need no room, so that a retry after a
        lost answer succeeds also at the limit."""
        try:
            self.reserve_quota(messages=len(incoming), snapshots=len(incoming))
        except QuotaExceeded:
            new = count_new_messages(subject_id, conversation_id, incoming)
            if new == len(incoming):
                raise
            self.reserve_quota(messages=new, snapshots=new)

    @operation("list_messages", query=PageInput, answer=page_of(MessageOutput), tag="messages")
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """List the messages of a conversation in the order in which they were stored."""
        page = Page.from_request(request, PageInput.parse(request), BY_SEQ)
        with tenant_tx(self.tenant_id):
            kept, cursor = page.load_page(list_messages(find_conversation(subject_id, conversation_id)))
            return Response(
                {"data": [MessageOutput.render_row(one) for one in add_archived_words(kept)], "next_cursor": cursor}
            )


class WindowView(SubjectView):
    noun = "conversations"
    required_scope = MEMORY_READ

    @operation("get_window", answer=WindowOutput, tag="messages")
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Get the recent messages of a conversation: the last 20, at most 5,000 tokens."""
        with tenant_tx(self.tenant_id):
            return Response(WindowOutput.render(load_window(find_conversation(subject_id, conversation_id))))


def reply_to_messages(
    subject_id: str,
    conversation_id: str,
    incoming: Sequence[IncomingMessage],
    preparation: Preparation = UNPREPARED,
) -> Reply:
    subject = ensure_subject(subject_id)
    accepted = accept_messages(subject, conversation_id, incoming, preparation)
    return Reply(AcceptedOutput.render(accepted), status=202, subject_id=subject.id)


urlpatterns = [
    path(f"{BELOW}/messages", MessagesView.as_view(), name="messages"),
    path(f"{BELOW}/window", WindowView.as_view(), name="window"),
]
