"""``/v1/subjects/{subject_id}/export``: everything held about a subject, as JSON lines."""

from django.http import StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.views.base import SubjectView
from snapshots.portability.export import export_lines

JSON_LINES = "application/x-ndjson"


class ExportView(SubjectView):
    """Everything that is held about one subject."""

    noun = "subjects"
    required_scope = MEMORY_READ

    @extend_schema(responses={(200, JSON_LINES): OpenApiTypes.STR})
    def get(self, request: Request, subject_id: str) -> StreamingHttpResponse:
        """Stream everything held, one JSON object a line.

        First a ``header`` with the ``format``, then the ``subject``, then one line per row, last an ``end`` that counts
        them: a stream without it was cut off. ``POST /v1/import`` takes it back.
        """
        return StreamingHttpResponse(export_lines(self.tenant_id, subject_id), content_type=JSON_LINES)


urlpatterns = [path("subjects/<product_id:subject_id>/export", ExportView.as_view(), name="subject-export")]
