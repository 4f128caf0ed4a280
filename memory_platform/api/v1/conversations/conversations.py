"""``/v1/subjects/{subject_id}/conversations`` and ``.../pending``."""

from functools import partial

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.fields import FlagField
from memory_platform.api.requests.serializers import Input, NothingInput, Output, page_of
from memory_platform.api.v1.conversations.messages import BELOW
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.etags import IfMatch, build_etag_header
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from snapshots.conversation_queries import find_conversation, list_conversations
from snapshots.erasure.conversations import delete_conversation
from snapshots.intake.conversation_rows import end_conversation_on_request, lock_conversation, set_remember
from snapshots.lifecycle.retention.message_archive import restore_messages
from snapshots.models import Conversation, ConversationStatus
from snapshots.queue.metrics import count_pending_work
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor


class ConversationInput(Input):
    """A change of a conversation."""

    remember = FlagField(required=False, help_text="False: nothing is learned from messages that come from now on.")


class ConversationOutput(Output):
    """A conversation."""

    conversation_id = serializers.CharField(source="external_id", help_text="Your id of the conversation.")
    status = serializers.ChoiceField(
        choices=ConversationStatus.values, help_text="A new message reopens one that ended."
    )
    remember = serializers.BooleanField(help_text="False: nothing is learned from messages that come from now on.")
    last_seq = serializers.IntegerField(help_text="Number of its newest message; 0 when there is none.")
    summary = serializers.CharField(allow_null=True, help_text="Short text in place of the older messages.")
    created_at = serializers.DateTimeField(help_text="When its first message was stored.")
    last_accepted_at = serializers.DateTimeField(help_text="When its newest message was stored.")
    ended_at = serializers.DateTimeField(allow_null=True, help_text="When it ended; null while it is open.")

    @staticmethod
    def render_last_seq(conversation: Conversation) -> int:
        return conversation.next_seq - 1


class EndOutput(Output):
    """The end of a conversation, and the job that makes its memories."""

    conversation_id = serializers.CharField(source="external_id", help_text="Your id of the conversation.")
    status = serializers.ChoiceField(choices=ConversationStatus.values, help_text="Its state after the request.")
    job_id = serializers.UUIDField(help_text="See `GET /v1/jobs/{job_id}`. Asking twice returns the same job.")


class RestoredOutput(Output):
    """The messages of a conversation that came back from the archive."""

    conversation_id = serializers.CharField(source="external_id", help_text="Your id of the conversation.")
    restored = serializers.IntegerField(help_text="How many messages have their text back.")


class PendingOutput(Output):
    """Work for a subject that is due and not done."""

    pending = serializers.IntegerField(help_text="Pieces of work that wait or run.")
    dead = serializers.IntegerField(help_text="Pieces of work that failed too often and are not tried again.")
    oldest_seconds = serializers.FloatField(
        allow_null=True, help_text="Age of the oldest piece of work in seconds; null when there is none."
    )


class ConversationsView(SubjectView):
    noun = "conversations"
    required_scope = MEMORY_READ

    @operation("list_conversations", query=PageInput, answer=page_of(ConversationOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the conversations of a subject, oldest first."""
        page = Page.from_request(request, PageInput.parse(request))
        with tenant_tx(self.tenant_id):
            return Response(
                page.answer(list_conversations(subject_by_external_id(subject_id)), ConversationOutput.render)
            )


class ConversationView(SubjectView):
    noun = "conversations"
    versioned = True
    required_scope = READS_AND_WRITES

    @operation("get_conversation", answer=ConversationOutput)
    def get(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Get a conversation."""
        with tenant_tx(self.tenant_id):
            return answer(find_conversation(subject_id, conversation_id))

    @operation("update_conversation", request=ConversationInput, answer=ConversationOutput)
    def patch(self, request: Request, subject_id: str, conversation_id: str) -> Response:
        """Update a conversation: allow or forbid learning from its messages."""
        change, condition = ConversationInput.parse(request), IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            conversation = lock_conversation(subject_id, conversation_id)
            check_version(condition, conversation)
            return answer(set_remember(conversation, remember=change.get("remember", conversation.remember)))

    @operation("delete_conversation", status=204, headers=["Location"])
    def delete(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponseBase:
        """Delete a conversation, its messages, and all that was learned from it alone.

        Preferences, profile fields and tags that no other conversation supports are deleted; the values before them
        are valid again. The header `Location` is the path of the erasure with its certificate.
        """
        condition = IfMatch.from_request(request)
        with tenant_tx(self.tenant_id):
            conversation = lock_conversation(subject_id, conversation_id)
            check_version(condition, conversation)
            erasure = delete_conversation(conversation, by=self.actor)
        return Response(status=204, headers={"Location": f"/v1/erasures/{erasure.id}"})


class EndConversationView(SubjectView):
    noun = "conversations"
    required_scope = MEMORY_WRITE

    @operation("end_conversation", request=NothingInput, answer=EndOutput, status=202, errors=[NotFound])
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """End a conversation; a job then makes its memories."""
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_end, subject_id, conversation_id))


class RestoreView(SubjectView):
    noun = "conversations"
    required_scope = MEMORY_WRITE

    @operation("restore_conversation", request=NothingInput, answer=RestoredOutput, errors=[NotFound])
    def post(self, request: Request, subject_id: str, conversation_id: str) -> HttpResponse:
        """Restore the messages of an archived conversation, for as long as if they were new.

        Lists of messages and exports show archived text without it. If nothing is archived, `restored` is 0.
        """
        NothingInput.parse(request)
        return write_once(request, partial(reply_to_restore, subject_id, conversation_id, self.actor))


class PendingView(SubjectView):
    noun = "conversations"
    required_scope = MEMORY_READ

    @operation("get_pending", answer=PendingOutput)
    def get(self, request: Request, subject_id: str) -> Response:
        """Count the work for a subject that is due and not done."""
        with tenant_tx(self.tenant_id):
            count = count_pending_work(subject_by_external_id(subject_id))
        return Response(PendingOutput.render(count))


def reply_to_end(subject_id: str, conversation_id: str) -> Reply:
    conversation, work = end_conversation_on_request(subject_id, conversation_id)
    return Reply(EndOutput.render(conversation, job_id=work.id), status=202, subject_id=conversation.subject_id)


def reply_to_restore(subject_id: str, conversation_id: str, by: Actor) -> Reply:
    conversation = lock_conversation(subject_id, conversation_id)
    restored = restore_messages(conversation, by=by)
    return Reply(RestoredOutput.render(conversation, restored=restored), subject_id=conversation.subject_id)


def answer(conversation: Conversation) -> Response:
    return Response(ConversationOutput.render(conversation), headers=build_etag_header(conversation))


def check_version(condition: IfMatch, conversation: Conversation) -> None:
    condition.check(conversation.id, conversation.version)


urlpatterns = [
    path("subjects/<product_id:subject_id>/conversations", ConversationsView.as_view(), name="conversations"),
    path(BELOW, ConversationView.as_view(), name="conversation"),
    path(f"{BELOW}/end", EndConversationView.as_view(), name="conversation-end"),
    path(f"{BELOW}/restore", RestoreView.as_view(), name="conversation-restore"),
    path("subjects/<product_id:subject_id>/pending", PendingView.as_view(), name="pending"),
]
