"""``/v1/subjects/{subject_id}/export``: all data of a subject as JSON lines."""

from django.http import StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_READ
from memory_platform.api.views.base import SubjectView
from memory_platform.api.views.operations import operation
from snapshots.portability.export import export_lines

TEXT_LINES = "text/x-ndjson"
# The first is the usual name. Generated clients can read the second one, because it is a text to them.
JSON_LINES = ("application/x-ndjson", TEXT_LINES)


class ExportView(SubjectView):
    noun = "subjects"
    required_scope = MEMORY_READ

    @operation("export_subject", answers={(200, kind): OpenApiTypes.STR for kind in JSON_LINES}, tag="export")
    def get(self, request: Request, subject_id: str) -> StreamingHttpResponse:
        """Export everything about a subject, one JSON object a line.

        The first line is a `header` with the `format`, then come the `subject` and one line for each row. The last
        line is an `end` with the counts; a stream without it was cut off. `POST /v1/import` takes the lines back.
        """
        accepted = request.headers.get("Accept", "")
        kind = TEXT_LINES if TEXT_LINES in accepted else JSON_LINES[0]
        return StreamingHttpResponse(export_lines(self.tenant_id, subject_id), content_type=kind)


urlpatterns = [path("subjects/<product_id:subject_id>/export", ExportView.as_view(), name="subject-export")]
