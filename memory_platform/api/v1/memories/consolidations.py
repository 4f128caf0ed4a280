"""``/v1/subjects/{subject_id}/consolidations``: memories that were joined into one, and taking them apart (row E3)."""

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
from snapshots.consolidation.join import ConsolidationUndone, consolidations_of, undo_consolidation
from snapshots.models import Consolidation
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

BELOW = "subjects/<product_id:subject_id>/consolidations"


class ConsolidationOutput(Output):
    """Snapshots that said nearly the same. ``memory_id`` is the joined one, ``members`` those that it stands for."""

    consolidation_id = serializers.UUIDField()
    memory_id = serializers.UUIDField()
    members = serializers.ListField(child=serializers.UUIDField())
    similarity = serializers.FloatField()
    created_at = serializers.DateTimeField()
    undone_at = serializers.DateTimeField(allow_null=True)


class ConsolidationsView(SubjectView):
    """What was joined of one subject's memories."""

    noun = "consolidations"
    query_input = PageInput
    required_scope = MEMORY_READ

    @operation("list_consolidations", query=PageInput, answer=page_of(ConsolidationOutput))
    def get(self, request: Request, subject_id: str) -> Response:
        """List what was joined, newest first; also what was taken apart again."""
        page = Page.from_request(request, PageInput.parse(request), NEWEST_FIRST)
        with tenant_tx(self.tenant_id):
            return Response(page.answer(consolidations_of(subject_by_external_id(subject_id)), serialize_consolidation))


class UndoView(SubjectView):
    """Taking one joined memory apart."""

    noun = "consolidations"
    required_scope: ClassVar[str] = MEMORY_WRITE

    @operation(
        "undo_consolidation",
        request=OptionalReasonInput,
        answer=ConsolidationOutput,
        errors=[NotFound, ConsolidationUndone],
    )
    def post(self, request: Request, subject_id: str, consolidation_id: UUID) -> HttpResponse:
        """Let the members hold again as they did and retire the joined memory; they are not joined again. 409 when it
        was taken apart already, or the joined memory is not held any longer."""
        reason = masked_reason(OptionalReasonInput.parse(request))
        return write_once(request, partial(reply_to_undo, subject_id, consolidation_id, self.actor, reason))


def reply_to_undo(subject_id: str, consolidation_id: UUID, by: Actor, reason: str) -> Reply:
    """Undo a consolidation in the open transaction."""
    subject = subject_by_external_id(subject_id)
    row = undo_consolidation(subject, consolidation_id, by=by, reason=reason)
    return Reply(serialize_consolidation(row), subject_id=subject.id)


def serialize_consolidation(row: Consolidation) -> dict[str, Any]:
    return {
        "consolidation_id": row.id,
        "memory_id": row.memory_ref,
        "members": row.members,
        "similarity": row.similarity,
        "created_at": row.created_at,
        "undone_at": row.undone_at,
    }


urlpatterns = [
    path(BELOW, ConsolidationsView.as_view(), name="consolidations"),
    path(f"{BELOW}/<own_id:consolidation_id>/undo", UndoView.as_view(), name="consolidation-undo"),
]
