"""``/v1/import``: takes an export back, under the same or another subject id."""

from functools import partial
from typing import Any

import orjson
from django.http import HttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from memory_platform.api.access.permissions import MEMORY_WRITE
from memory_platform.api.policy import MIB, POLICY
from memory_platform.api.reference import examples
from memory_platform.api.requests.fields import FlagField, JsonField, ListOfField, ProductIdField
from memory_platform.api.requests.json_guard import MALFORMED_JSON
from memory_platform.api.requests.parsing import JsonParser
from memory_platform.api.requests.serializers import Input, Output, QueryInput
from memory_platform.api.requests.targets import product_id_fault
from memory_platform.api.v1.administration.export import JSON_LINES
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.portability.accept import Import, accept_import, read_export

LINES_MOST = 200_000
LINE_BYTES = 2 * MIB


class JsonLinesParser(JsonParser):
    """Parses an export as it was streamed: one JSON object a line."""

    media_type = JSON_LINES

    def value_of(self, body: bytes) -> Any:
        """Return the lines as the object that ``application/json`` would hold. Raises InvalidInput, naming the line."""
        lines = [line for line in body.split(b"\n") if line.strip()]
        try:
            return super().value_of(b'{"lines":[' + b",".join(lines) + b"]}")
        except InvalidInput as invalid:
            if invalid.faults[0].code == MALFORMED_JSON:
                for index, line in enumerate(lines):
                    check_line(index, line)
            raise


def check_line(index: int, line: bytes) -> None:
    """Raise InvalidInput when a line, counted from 0 as all places in a body are, is no JSON."""
    try:
        orjson.loads(line)
    except orjson.JSONDecodeError as error:
        message = f"Is not JSON in UTF-8 (column {error.colno})."
        raise InvalidInput(faults=[FieldFault(f"lines.{index}", MALFORMED_JSON, message)]) from None


class ImportQuery(QueryInput):
    """``subject_id`` imports under another id than the exported one."""

    subject_id = ProductIdField(required=False)
    allow_forgotten = FlagField(default=False)


class ImportInput(Input):
    """The lines of an export. ``allow_forgotten`` brings back what the subject had forgotten, too."""

    lines = ListOfField(child=JsonField(max_bytes=LINE_BYTES), most=LINES_MOST)
    allow_forgotten = FlagField(default=False)


class ImportedOutput(Output):
    """An import that was accepted, and the subject that it goes to."""

    job_id = serializers.UUIDField()
    subject_id = serializers.CharField()


class ImportView(TenantView):
    """Exports on their way back."""

    noun = "jobs"
    required_scope = MEMORY_WRITE
    body_limit = POLICY.bulk_body_bytes
    parser_classes = (JsonParser, JsonLinesParser)

    def check_query(self, request: Request) -> None:
        """Raise ValidationError naming the parameters that this call does not know."""
        ImportQuery.parse(request)

    @extend_schema(
        parameters=[ImportQuery],
        request={"application/json": ImportInput, JSON_LINES: OpenApiTypes.STR},
        responses={202: ImportedOutput},
        examples=examples.IMPORT,
    )
    def post(self, request: Request) -> HttpResponse:
        """Take an export back. It is checked as a whole, the first bad line is named; a job then stores its lines.

        Rows that are there stay as they are, so that the same import twice changes nothing.
        """
        query, given = ImportQuery.parse(request), ImportInput.parse(request)
        asked = read_export(given["lines"])
        found = product_id_fault(asked.subject_id)
        if found:
            raise InvalidInput(faults=[FieldFault("lines.1.subject_id", *found)])
        allowed = given["allow_forgotten"] or query["allow_forgotten"]
        return write_once(request, partial(accept, asked, query.get("subject_id"), allowed))


def accept(asked: Import, subject_id: str | None, allow_forgotten: bool) -> Reply:
    """Accept an import inside the open transaction, and name its job."""
    subject, job = accept_import(asked, subject_id=subject_id, allow_forgotten=allow_forgotten)
    return Reply({"job_id": job.id, "subject_id": subject.external_id}, status=202, subject_id=subject.id)


urlpatterns = [path("import", ImportView.as_view(), name="import")]
