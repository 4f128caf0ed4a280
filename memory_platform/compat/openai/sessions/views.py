"""``/compat/openai/sessions/{subject_id}/{session_id}/items``: the calls of our Python client's session.

A session is a conversation: ``DELETE /v1/subjects/{subject_id}/conversations/{session_id}`` clears it.
"""

from typing import Any

from django.http import HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_WRITE, READS_AND_WRITES
from memory_platform.api.requests.fields import ListOfField, ProductIdField, WholeField
from memory_platform.api.requests.serializers import Input, NothingInput, StrictSerializer
from memory_platform.api.v1.conversations.message_inputs import MESSAGES_MOST
from memory_platform.api.v1.conversations.messages import MessagesView, reply_to_messages
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import Order, Page, PageInput
from memory_platform.compat.openai.sessions.item_conversion import ItemField, make_message, render_items
from snapshots.conversation_queries import add_archived_words, find_conversation, list_messages
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.forget_newest_message import forget_newest_message
from snapshots.errors import ConversationUnknown
from snapshots.intake.pipeline import prepare_messages
from snapshots.policies.effective_policies import load_effective_notes_policy
from tenants.isolation import tenant_tx

NEWEST_FIRST = Order(fields=("seq",), newest_first=True)
PAGE_MOST = 50


class NamedItemInput(StrictSerializer):
    """An item and the client's id for it: one that is sent again is stored once."""

    id = ProductIdField()
    item = ItemField()


class ItemsInput(Input):
    items = ListOfField(child=NamedItemInput(), least=1, most=MESSAGES_MOST)


class ItemPageInput(PageInput):
    limit = WholeField(least=1, most=PAGE_MOST, default=PAGE_MOST)


class SessionItemsView(MessagesView):
    """It is not part of the OpenAPI document."""

    schema = None
    required_scope = READS_AND_WRITES

    def check_query(self, request: Request) -> None:
        if request.method == "GET":
            ItemPageInput.parse(request)
        else:
            super().check_query(request)

    def get(self, request: Request, subject_id: str, session_id: str) -> Response:
        """Return items from the newest back; none of a session that is not there."""
        page = Page.from_request(request, ItemPageInput.parse(request), NEWEST_FIRST)
        try:
            with tenant_tx(self.tenant_id):
                kept, cursor = page.load_page(list_messages(find_conversation(subject_id, session_id)))
                messages = add_archived_words(kept)
        except ConversationUnknown:
            return Response({"items": [], "next_cursor": None})
        items = [item for message in messages for item in reversed(render_items(message))]
        return Response({"items": items, "next_cursor": cursor})

    def post(self, request: Request, subject_id: str, session_id: str) -> HttpResponse:
        incoming = [make_message(one["id"], one["item"]) for one in ItemsInput.parse(request)["items"]]
        policy = load_effective_notes_policy(self.tenant_id, self.caller.policy_epoch)
        prepared = prepare_messages(self.tenant_id, subject_id, session_id, incoming, policy)

        def work() -> Reply:
            self.make_room_for(subject_id, session_id, incoming)
            stored = reply_to_messages(subject_id, session_id, incoming, prepared)
            return Reply({"stored": len(incoming)}, status=stored.status, subject_id=stored.subject_id)

        return write_once(request, work)


class PoppedItemView(SubjectView):
    """It is not part of the OpenAPI document. Takes no Idempotency-Key: a kept answer would keep the words."""

    schema = None
    noun = "conversations"
    required_scope = MEMORY_WRITE

    def post(self, request: Request, subject_id: str, session_id: str) -> Response:
        """Take the newest item away, with all that it alone taught; return it."""
        NothingInput.parse(request)
        popped: list[str] = []
        while not popped:
            message = forget_newest_message(self.tenant_id, subject_id, session_id, active_embedders(), by=self.actor)
            if message is None:
                break
            popped = render_items(message)
        return Response({"item": popped[-1] if popped else None})


def make_item_paths(base: str) -> list[Any]:
    below = f"{base}/<product_id:subject_id>/<product_id:session_id>/items"
    return [
        path(below, SessionItemsView.as_view(), name="openai-session-items"),
        path(f"{below}/pop", PoppedItemView.as_view(), name="openai-session-pop"),
    ]
