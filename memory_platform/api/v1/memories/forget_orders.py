"""``/v1/subjects/{subject_id}/forget-orders``: what users told us to forget, and bringing it back (row A4)."""

from functools import partial
from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access.permissions import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.reference.operations import operation
from memory_platform.api.requests.reasons import OptionalReasonInput, masked_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from snapshots.forgetting.undo import forget_orders_of, undo_forget_order
from snapshots.forgetting.values import ForgetOrderDecided, ForgetOrderUnknown
from snapshots.models import ForgetOrder, ForgetOrderState
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/forget-orders"


class HiddenOutput(Output):
    """One memory that an order hid, by kind and id."""

    kind = serializers.CharField(allow_null=True)
    memory_id = serializers.UUIDField()


class ForgetOrderOutput(Output):
    """One order. Until ``erase_at`` what it hid can be brought back; then it is erased: ``erasure_id`` proves it."""

    forget_order_id = serializers.UUIDField()
    state = serializers.ChoiceField(choices=ForgetOrderState.values)
    memories = HiddenOutput(many=True)
    created_at = serializers.DateTimeField()
    erase_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    erasure_id = serializers.UUIDField(allow_null=True)


class ForgetOrdersView(SubjectView):
    """The orders of one subject."""

    noun = "forget-orders"
    query_input = PageInput
    required_scope = MEMORY_READ

    @operation("list_forget_orders", query=PageInput, answer=page_of(ForgetOrderOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List what the user told us to forget, newest first: which memories, and until when each can come back."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(forget_orders_of(subject_by_external_id(subject_id)), serialize_forget_order))


class BringBackView(SubjectView):
    """Bringing back what one order hid."""

    noun = "forget-orders"
    required_scope: ClassVar[str] = MEMORY_WRITE

    @operation(
        "undo_forget_order",
        request=OptionalReasonInput,
        answer=ForgetOrderOutput,
        errors=[NotFound, ForgetOrderUnknown, ForgetOrderDecided],
    )
    def post(self, request: Request, subject_id: str, forget_order_id: UUID) -> HttpResponse:
        """Bring back what an order hid, as it was. 409 when it was brought back already, or is erased."""
        reason = masked_reason(OptionalReasonInput.parse(request))
        return write_once(request, partial(reply_to_undo, subject_id, forget_order_id, self.actor, reason))


def reply_to_undo(subject_id: str, order_id: UUID, by: Actor, reason: str) -> Reply:
    """Undo a forget order in the open transaction."""
    subject = subject_by_external_id(subject_id)
    row = undo_forget_order(subject, order_id, by=by, reason=reason)
    return Reply(serialize_forget_order(row), subject_id=subject.id)


def serialize_forget_order(row: ForgetOrder) -> dict[str, Any]:
    return {
        "forget_order_id": row.id,
        "state": row.state,
        "memories": [{"kind": one["kind"], "memory_id": one["memory_id"]} for one in row.items],
        "created_at": row.created_at,
        "erase_at": row.erase_at,
        "decided_at": row.decided_at,
        "erasure_id": row.erasure_ref,
    }


urlpatterns = [
    path(BELOW, ForgetOrdersView.as_view(), name="forget-orders"),
    path(f"{BELOW}/<own_id:forget_order_id>/undo", BringBackView.as_view(), name="forget-order-undo"),
]
