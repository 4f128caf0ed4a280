"""``/v1/subjects/{subject_id}/forget-orders``: orders to forget that users gave in a conversation."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.sensitive_values import OptionalReasonInput, mask_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.v1.conversations.messages import MEMORY_KINDS
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from snapshots.forgetting.order_targets import ForgetOrderDecided
from snapshots.forgetting.undo_order import find_forget_orders, undo_forget_order
from snapshots.models import ForgetOrder, ForgetOrderState
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/forget-orders"


class HiddenOutput(Output):
    """A memory that an order hid."""

    kind = serializers.ChoiceField(choices=MEMORY_KINDS, allow_null=True, help_text="Kind of the memory.")
    memory_id = serializers.UUIDField(help_text="Id of the memory.")


class ForgetOrderOutput(Output):
    """An order to forget. The memories can be restored until `erase_at`; then they are erased."""

    forget_order_id = serializers.UUIDField(source="id", help_text="Id of the order.")
    state = serializers.ChoiceField(choices=ForgetOrderState.values, help_text="What has become of the order.")
    memories = HiddenOutput(many=True, help_text="The memories that it hid.")
    created_at = serializers.DateTimeField(help_text="When the user gave it.")
    erase_at = serializers.DateTimeField(help_text="When the memories are erased.")
    decided_at = serializers.DateTimeField(allow_null=True, help_text="When they were restored or erased.")
    erasure_id = serializers.UUIDField(
        source="erasure_ref", allow_null=True, help_text="Id of the erasure, whose certificate is the proof."
    )

    @staticmethod
    def render_memories(order: ForgetOrder) -> list[dict[str, Any]]:
        return [{"kind": one["kind"], "memory_id": one["memory_id"]} for one in order.items]


class ForgetOrdersView(SubjectView):
    noun = "forget-orders"
    required_scope = MEMORY_READ

    @operation("list_forget_orders", query=PageInput, answer=page_of(ForgetOrderOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the user's orders to forget, newest first, with the memories that each hid."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(
                page.answer(find_forget_orders(subject_by_external_id(subject_id)), ForgetOrderOutput.render)
            )


class BringBackView(SubjectView):
    noun = "forget-orders"
    required_scope = MEMORY_WRITE

    @operation(
        "undo_forget_order",
        request=OptionalReasonInput,
        answer=ForgetOrderOutput,
        errors=[NotFound, ForgetOrderDecided],
    )
    def post(self, request: Request, subject_id: str, forget_order_id: UUID) -> HttpResponse:
        """Restore the memories that an order hid. If they were restored before, or are erased, this is 409."""
        reason = mask_reason(OptionalReasonInput.parse(request))
        return write_once(request, partial(reply_to_undo, subject_id, forget_order_id, self.actor, reason))


def reply_to_undo(subject_id: str, order_id: UUID, by: Actor, reason: str) -> Reply:
    subject = subject_by_external_id(subject_id)
    row = undo_forget_order(subject, order_id, by=by, reason=reason)
    return Reply(ForgetOrderOutput.render(row), subject_id=subject.id)


urlpatterns = [
    path(BELOW, ForgetOrdersView.as_view(), name="forget-orders"),
    path(f"{BELOW}/<own_id:forget_order_id>/undo", BringBackView.as_view(), name="forget-order-undo"),
]
