"""``/v1/subjects/{subject_id}/consolidations``: memories that were joined into one."""

from functools import partial
from uuid import UUID

from django.http import HttpResponse
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.requests.sensitive_values import OptionalReasonInput, mask_reason
from memory_platform.api.requests.serializers import Output, page_of
from memory_platform.api.views.base_views import SubjectView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.api.views.pagination import NEWEST_FIRST, Page, PageInput
from memory_platform.kernel.errors import NotFound
from profiles.selectors import subject_by_external_id
from snapshots.consolidation.consolidation_store import ConsolidationUndone, list_consolidations, undo_consolidation
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/consolidations"


class ConsolidationOutput(Output):
    """Memories that said nearly the same and were joined into one."""

    consolidation_id = serializers.UUIDField(source="id", help_text="Id of the consolidation.")
    memory_id = serializers.UUIDField(source="memory_ref", help_text="Id of the joined memory.")
    members = serializers.ListField(
        child=serializers.UUIDField(), help_text="Ids of the memories that it stands for; recall no longer finds them."
    )
    similarity = serializers.FloatField(help_text="How similar the members are, 0 to 1.")
    created_at = serializers.DateTimeField(help_text="When they were joined.")
    undone_at = serializers.DateTimeField(allow_null=True, help_text="When they were separated again, if they were.")


class ConsolidationsView(SubjectView):
    noun = "consolidations"
    required_scope = MEMORY_READ

    @operation("list_consolidations", query=PageInput, answer=page_of(ConsolidationOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List the memories that were joined, newest first; also those that were separated again."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(
                page.answer(list_consolidations(subject_by_external_id(subject_id)), ConsolidationOutput.render)
            )


class UndoView(SubjectView):
    noun = "consolidations"
    required_scope = MEMORY_WRITE

    @operation(
        "undo_consolidation",
        request=OptionalReasonInput,
        answer=ConsolidationOutput,
        errors=[NotFound, ConsolidationUndone],
    )
    def post(self, request: Request, subject_id: str, consolidation_id: UUID) -> HttpResponse:
        """Separate a joined memory: its members are found again, and the joined memory is retired.

        They are not joined again. If it was separated before, or the joined memory no longer exists, this is 409.
        """
        reason = mask_reason(OptionalReasonInput.parse(request))
        return write_once(request, partial(reply_to_undo, subject_id, consolidation_id, self.actor, reason))


def reply_to_undo(subject_id: str, consolidation_id: UUID, by: Actor, reason: str) -> Reply:
    subject = subject_by_external_id(subject_id)
    row = undo_consolidation(subject, consolidation_id, by=by, reason=reason)
    return Reply(ConsolidationOutput.render(row), subject_id=subject.id)


urlpatterns = [
    path(BELOW, ConsolidationsView.as_view(), name="consolidations"),
    path(f"{BELOW}/<own_id:consolidation_id>/undo", UndoView.as_view(), name="consolidation-undo"),
]
