"""``/v1/subjects/{subject_id}/conversations``: list, one, end, restore, delete, and the work that is pending."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.fields import FlagField
from memory_platform.api.requests.serializers import Input, NothingInput, Output
from memory_platform.api.v1.conversations.messages import BELOW
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.etags import IfMatch, etag_of
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import Page, PageInput
from profiles.selectors import subject_by_external_id
from snapshots.intake.conversation_end import end_on_request
from snapshots.intake.conversations import locked_known, set_remember
from snapshots.intake.delete import delete_conversation
from snapshots.lifecycle.retention.archive import restore_messages
from snapshots.models import Conversation, ConversationStatus
from snapshots.queue.figures.counts import pending
from snapshots.selectors import conversation_of, conversations_of
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor


class ConversationInput(Input):
    """What a product may change about a conversation."""

    remember = FlagField(required=False)


class ConversationOutput(Output):
    """One conversation. ``last_seq`` is the order number of its newest message, 0 when there is none."""

    conversation_id = serializers.CharField()
    status = serializers.ChoiceField(choices=ConversationStatus.choices)
    remember = serializers.BooleanField()
    last_seq = serializers.IntegerField()
    summary = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    last_accepted_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class ConversationPageOutput(Output):
    """A page of conversations, oldest first."""

    data = ConversationOutput(many=True)  # type: ignore[assignment]  # a field here, not REST framework's property
    next_cursor = serializers.CharField(allow_null=True)


class EndOutput(Output):
    """The end and its work: asking twice names the same job."""

    conversation_id = serializers.CharField()
    status = serializers.ChoiceField(choices=ConversationStatus.choices)
    job_id = serializers.UUIDField()


class RestoredOutput(Output):
    """How many messages have their words back."""

    conversation_id = serializers.CharField()
    restored = serializers.IntegerField()


class PendingOutput(Output):
    """Work that is due and not done; ``oldest_seconds`` is null when there is none."""

    pending = serializers.IntegerField()
    dead = serializers.IntegerField()
    oldest_seconds = serializers.FloatField(allow_null=True)


class ConversationsView(SubjectView):
    """The conversations of one subject."""

    noun = "conversations"
    query_input = PageInput
    required_scope = MEMORY_READ

    @extend_schema(parameters=[PageInput], responses=ConversationPageOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """List the conversations, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(page.answer(conversations_of(subject_by_external_id(subject_id)), serialize_conversation))


class ConversationView(SubjectView):
    """One conversation."""

    noun = "conversations"
    versioned = True
    required_scope: ClassVar[Mapping[str, str]] = READS_AND_WRITES

    @extend_schema(responses=ConversationOutput)
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Return the conversation."""
        with tenant_tx(self.tenant_id):
            return answer(conversation_of(subject_id, conversation_id))

    @extend_schema(request=ConversationInput, responses=ConversationOutput)
    def patch(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Say whether messages from now on may teach anything."""
        change, condition = ConversationInput.parse(request), IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            conversation = locked_known(subject_id, conversation_id)
            check(condition, conversation)
            return answer(set_remember(conversation, remember=change.get("remember", conversation.remember)))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponseBase:
        """Delete the conversation, its messages, and what was remembered and learned from it alone.

        Preferences, profile facts and tags that no other conversation supports go; values that they had superseded hold
        again. ``Location`` names the erasure with its certificate.
        """
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            conversation = locked_known(subject_id, conversation_id)
            check(condition, conversation)
            erasure = delete_conversation(conversation, by=self.actor)
        return Response(status=204, headers={"Location": f"/v1/erasures/{erasure.id}"})


class EndView(SubjectView):
    """The end of one conversation."""

    noun = "conversations"
    required_scope = MEMORY_WRITE

    @extend_schema(request=NothingInput, responses={202: EndOutput})
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """End the conversation; its snapshot is made by the job that is named."""
        NothingInput.parse(request)
        return write_once(request, partial(end, subject_id, conversation_id))


class RestoreView(SubjectView):
    """The words of one conversation, back from the archive."""

    noun = "conversations"
    required_scope = MEMORY_WRITE

    @extend_schema(request=NothingInput, responses=RestoredOutput)
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """Put the words of an archived conversation's messages back, for as long as if they had just been said.

        Lists of messages and exports show archived words without it. One that is not archived: ``restored`` is 0.
        """
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_restore, subject_id, conversation_id, self.actor))


class PendingView(SubjectView):
    """How much of what a subject said has not become memory yet."""

    noun = "conversations"
    required_scope = MEMORY_READ

    @extend_schema(responses=PendingOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Count the work that is due and not done, and the work that gave up."""
        with tenant_tx(self.tenant_id):
            count = pending(subject_by_external_id(subject_id))
        return Response({"pending": count.pending, "dead": count.dead, "oldest_seconds": count.oldest_seconds})


def end(subject_id: str, conversation_id: str) -> Reply:
    """End a conversation inside the open transaction, and name the job."""
    conversation, work = end_on_request(subject_id, conversation_id)
    data = {"conversation_id": conversation.external_id, "status": conversation.status, "job_id": work.id}
    return Reply(data, status=202, subject_id=conversation.subject_id)


def reply_to_restore(subject_id: str, conversation_id: str, by: Actor) -> Reply:
    """Restore archived messages in the open transaction."""
    conversation = locked_known(subject_id, conversation_id)
    data = {"conversation_id": conversation.external_id, "restored": restore_messages(conversation, by=by)}
    return Reply(data, subject_id=conversation.subject_id)


def answer(conversation: Conversation) -> Response:
    """Return the conversation under its ETag."""
    tag = etag_of(conversation.id, conversation.version)
    return Response(serialize_conversation(conversation), headers={"ETag": tag})


def check(condition: IfMatch, conversation: Conversation) -> None:
    """Raise VersionMismatch when the caller has seen another version."""
    condition.check(conversation.id, conversation.version)


def serialize_conversation(conversation: Conversation) -> dict[str, Any]:
    return {
        "conversation_id": conversation.external_id,
        "status": conversation.status,
        "remember": conversation.remember,
        "last_seq": conversation.next_seq - 1,
        "summary": conversation.summary or None,
        "created_at": conversation.created_at,
        "last_accepted_at": conversation.last_accepted_at,
        "ended_at": conversation.ended_at,
    }


urlpatterns = [
    path("subjects/<product_id:subject_id>/conversations", ConversationsView.as_view(), name="conversations"),
    path(BELOW, ConversationView.as_view(), name="conversation"),
    path(f"{BELOW}/end", EndView.as_view(), name="conversation-end"),
    path(f"{BELOW}/restore", RestoreView.as_view(), name="conversation-restore"),
    path("subjects/<product_id:subject_id>/pending", PendingView.as_view(), name="pending"),
]
