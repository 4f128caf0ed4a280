"""Exports, summaries and counts of memories."""

from typing import Any

from django.core import signing
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.filters.grammar import EVERYTHING
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.holder_queries import list_holders
from memory_platform.compat.mem0.memory_scope import ID_OF_TYPE, TYPES
from memory_platform.compat.mem0.requested_filters import read_requested_filters
from memory_platform.compat.mem0.views import Mem0View, read_body
from memory_platform.compat.mem0.visible_memories import list_memories, render_memory
from memory_platform.kernel.errors import NotFound
from tenants.isolation import tenant_tx

NO_SCHEMA = (
    "Memories are exported as they are: the platform fills no schema. All of a person: /v1/subjects/{id}/export."
)
EXTRACTED = "The newest memories in their own words; no model wrote this."
_FILTERING = (
    "filters",
    "metadata",
    "categories",
    "keywords",
    "start_date",
    "end_date",
    "session_id",
    *ID_OF_TYPE.values(),
)


class ExportsView(Mem0View):
    def post(self, request: Request) -> Response:
        """Answer an id under which the memories that match now and later can be read. Nothing is stored."""
        body = read_body(request)
        read_requested_filters(body)
        asked = {name: body[name] for name in _FILTERING if name in body}
        token = signing.dumps(asked, salt=self._salt, compress=True)
        return Response({"message": f"The export is ready. {NO_SCHEMA}", "id": token}, status=201)

    @property
    def _salt(self) -> str:
        """A token is good for its own tenant alone."""
        return f"mem0-export {self.tenant_id}"


class ReadExportView(ExportsView):
    required_scope = "memory:read"

    def post(self, request: Request) -> Response:
        """Answer the memories of an export, or of filters."""
        body = read_body(request)
        if "memory_export_id" in body:
            body = self._read_token(body["memory_export_id"])
        filters = read_requested_filters(body)
        with tenant_tx(self.tenant_id):
            rows = list_memories(filters, load_named_subjects(filters))[: MEM0.page_size_most]
            memories = [render_memory(row) for row in rows]
        return Response({"memories": memories, "count": len(memories), "message": NO_SCHEMA})

    def _read_token(self, token: object) -> dict[str, Any]:
        try:
            asked: dict[str, Any] = signing.loads(str(token), salt=self._salt)
        except signing.BadSignature:
            raise NotFound("No export with this id.") from None
        return asked


class SummaryView(Mem0View):
    required_scope = "memory:read"

    def post(self, request: Request) -> Response:
        """Answer the newest memories as one text."""
        filters = read_requested_filters(read_body(request))
        with tenant_tx(self.tenant_id):
            rows = list_memories(filters, load_named_subjects(filters))
            texts = list(rows.values_list("text", flat=True)[: MEM0.summary_memories])
        summary = "\n".join(f"- {text}" for text in texts)
        return Response({"summary": summary, "memories": len(texts), "message": EXTRACTED})


class StatsView(Mem0View):
    required_scope = "memory:read"

    def get(self, request: Request) -> Response:
        with tenant_tx(self.tenant_id):
            memories = list_memories(EVERYTHING, {}).order_by().count()
            holders = list_holders()
        totals = {f"total_{kind}s": sum(one.kind == kind for one in holders) for kind in TYPES}
        return Response({"total_memories": memories, **totals})
