"""Export and import of a subject as JSON lines."""

from functools import partial
from typing import Any

import orjson
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access import MEMORY_READ, MEMORY_WRITE
from memory_platform.api.config import API_CONFIG, MIB
from memory_platform.api.requests.body_parsing import JsonParser
from memory_platform.api.requests.fields import FlagField, JsonField, ListOfField, ProductIdField
from memory_platform.api.requests.json_guard import MALFORMED_JSON
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from memory_platform.api.views.base_views import SubjectView, TenantView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.api.views.operation_description import operation
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.product_ids import find_product_id_fault
from snapshots.portability.accept_import import CheckedImport, accept_import, parse_export
from snapshots.portability.export import export_lines

TEXT_LINES = "text/x-ndjson"
# The first is the usual name. Generated clients can read the second one, because it is a text to them.
JSON_LINES = ("application/x-ndjson", TEXT_LINES)
FILE = "application/octet-stream"
LINES_MOST = 200_000
LINE_BYTES = 2 * MIB


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


class JsonLinesParser(JsonParser):
    """Parses an export as it was streamed: one JSON object a line."""

    media_type = JSON_LINES[0]

    def value_of(self, body: bytes) -> Any:
        lines = [line for line in body.split(b"\n") if line.strip()]
        try:
            return super().value_of(b'{"lines":[' + b",".join(lines) + b"]}")
        except InvalidInput as invalid:
            if invalid.faults[0].code == MALFORMED_JSON:
                for index, line in enumerate(lines):
                    check_line(index, line)
            raise


class TextLinesParser(JsonLinesParser):
    """Parses the same lines under the media type that `Accept: text/x-ndjson` gives them."""

    media_type = TEXT_LINES


class FileParser(JsonLinesParser):
    """Parses the same lines sent as a file: generated clients know no media type of JSON lines."""

    media_type = FILE


def check_line(index: int, line: bytes) -> None:
    """Raise InvalidInput when a line is not JSON; lines count from 0, as all places in a body."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError as error:
        message = f"Is not JSON in UTF-8 (column {error.colno})."
        raise InvalidInput(faults=[FieldFault(f"lines.{index}", MALFORMED_JSON, message)]) from None


class ImportQuery(QueryInput):
    """Where an import goes."""

    subject_id = ProductIdField(required=False, help_text="Import under this id instead of the exported one.")
    allow_forgotten = FlagField(default=False, help_text="Also import what the subject wanted to be forgotten.")


class ImportInput(Input):
    """The lines of an export as JSON."""

    lines = ListOfField(
        child=JsonField(max_bytes=LINE_BYTES), most=LINES_MOST, help_text="All lines of an export, in their order."
    )
    allow_forgotten = FlagField(default=False, help_text="Also import what the subject wanted to be forgotten.")


class ImportedOutput(Output):
    """An import that a job carries out."""

    job_id = serializers.UUIDField(help_text="See `GET /v1/jobs/{job_id}`.")
    subject_id = serializers.CharField(source="external_id", help_text="Your id of the subject that it goes to.")


class ImportView(TenantView):
    noun = "jobs"
    required_scope = MEMORY_WRITE
    body_limit = API_CONFIG.bulk_body_bytes
    parser_classes = (JsonParser, JsonLinesParser, TextLinesParser, FileParser)

    @operation(
        "import_subject",
        request={"application/json": ImportInput, FILE: OpenApiTypes.BINARY},
        query=ImportQuery,
        answer=ImportedOutput,
        status=202,
        tag="export",
    )
    def post(self, request: Request) -> HttpResponse:
        """Import an export. All lines are checked first, then a job stores them.

        Send the lines as they were exported, as `application/octet-stream`, `application/x-ndjson` or `text/x-ndjson`,
        or as JSON. The answer to a bad line names it. Rows that exist stay as they are, so that the same import twice
        changes nothing.
        """
        query, given = ImportQuery.parse(request), ImportInput.parse(request)
        asked = parse_export(given["lines"])
        found = find_product_id_fault(asked.subject_id)
        if found:
            raise InvalidInput(faults=[FieldFault("lines.1.subject_id", *found)])
        allowed = given["allow_forgotten"] or query["allow_forgotten"]
        return write_once(request, partial(reply_to_import, asked, query.get("subject_id"), allowed))


def reply_to_import(checked_import: CheckedImport, subject_id: str | None, allow_forgotten: bool) -> Reply:
    subject, job = accept_import(checked_import, subject_id=subject_id, allow_forgotten=allow_forgotten)
    return Reply(ImportedOutput.render(subject, job_id=job.id), status=202, subject_id=subject.id)


urlpatterns = [
    path("subjects/<product_id:subject_id>/export", ExportView.as_view(), name="subject-export"),
    path("import", ImportView.as_view(), name="import"),
]
