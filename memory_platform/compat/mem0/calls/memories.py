"""Single memories and lists of them: get, update, history, lists by filter."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.requests.path_and_query import own_id
from memory_platform.api.v1.memories.snapshot_serializers import MemoryField
from memory_platform.compat.mem0.calls.deleting import delete_memory
from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.errors import NotServed
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.ignored_options import TO_LIST, explain_ignored
from memory_platform.compat.mem0.memory_scope import MARKS, choose_marks, drop_marks, find_scope
from memory_platform.compat.mem0.request_values import check_value, read_expiration, read_metadata, read_timestamp
from memory_platform.compat.mem0.requested_filters import read_fields, read_requested_filters
from memory_platform.compat.mem0.views import Mem0View, read_body, read_number, read_raw_body, refuse_unknown_options
from memory_platform.compat.mem0.visible_memories import (
    choose_fields,
    list_memories,
    load_memory,
    render_memory,
)
from memory_platform.kernel.errors import FieldFault, InvalidInput
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.lifecycle.edit_snapshot import Edit
from snapshots.lifecycle.selectors import load_snapshot_history
from snapshots.lifecycle.write_types import SnapshotAddress, SnapshotState
from snapshots.models import Snapshot
from snapshots.notes.edit import edit_memory
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from snapshots.understanding.statements.topics import find_topics
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

UPDATED = frozenset({"text", "data", "memory", "metadata", "timestamp", "expiration_date", "org_id", "project_id"})


class MemoryLister(Mem0View):
    """Lists memories, the newest first. ``as_list`` answers the list alone unless a page is asked for, as version 1 of
    the client wants it; ``free_fields``: filters may name fields of the metadata, as on the self-hosted server."""

    free_fields = False
    as_list = False

    def answer_list(self, request: Request, values: Mapping[str, Any]) -> Response:
        refuse_unknown_options(values, TO_LIST)
        filters, fields = read_requested_filters(values, free_fields=self.free_fields), read_fields(values)
        page = read_page(values)
        with tenant_tx(self.tenant_id):
            rows = list_memories(filters, load_named_subjects(filters))
            count = rows.order_by().count()
            found = [choose_fields(render_memory(row), fields) for row in rows[page.start : page.start + page.size]]
        if self.as_list and not {"page", "page_size"} & values.keys():
            return Response(found)
        return Response({"count": count, **page.link(request, count), "results": found, **explain_ignored(values)})


class ListView(MemoryLister):
    required_scope = "memory:read"

    def post(self, request: Request) -> Response:
        return self.answer_list(request, {**query_of(request), **read_body(request)})


@dataclass(frozen=True, slots=True)
class NumberedPage:
    """A page of a list: its number from 1, and how many it holds."""

    number: int
    size: int

    @property
    def start(self) -> int:
        return (self.number - 1) * self.size

    def link(self, request: Request, count: int) -> dict[str, str | None]:
        """Return the addresses of the pages around it."""
        after = self.number + 1 if self.start + self.size < count else None
        before = self.number - 1 if self.number > 1 else None
        return {"next": self._address(request, after), "previous": self._address(request, before)}

    def _address(self, request: Request, number: int | None) -> str | None:
        if number is None:
            return None
        query = request._request.GET.copy()
        query["page"], query["page_size"] = str(number), str(self.size)
        return f"{request.build_absolute_uri(request._request.path)}/?{query.urlencode()}"


def read_page(values: Mapping[str, Any]) -> NumberedPage:
    """Return the asked page. Raises InvalidInput."""
    name = next((name for name in ("page_size", "limit", "top_k") if name in values), "page_size")
    size = read_number(values, name, default=MEM0.page_size, most=MEM0.page_size_most)
    return NumberedPage(read_number(values, "page", default=1, most=MEM0.page_most), size)


def query_of(request: Request) -> dict[str, Any]:
    return {name: value for name, value in request.query_params.items() if value}


class OneMemoryView(Mem0View):
    def get(self, request: Request, memory_id: UUID) -> Response:
        with tenant_tx(self.tenant_id):
            return Response(render_memory(load_memory(memory_id)))

    def put(self, request: Request, memory_id: UUID) -> Response:
        """Change the given details; earlier versions stay in the history."""
        body = read_raw_body(request)
        refuse_unknown_options(body, UPDATED)
        update_memory(self.tenant_id, memory_id, body, self.actor)
        with tenant_tx(self.tenant_id):
            return Response(render_memory(load_memory(memory_id), message="Memory updated successfully!"))

    def delete(self, request: Request, memory_id: UUID) -> HttpResponseBase:
        """Forget a memory, with everything made of the same messages."""
        return Response(delete_memory(self.tenant_id, memory_id, by=self.actor))


class HistoryView(Mem0View):
    required_scope = "memory:read"

    def get(self, request: Request, memory_id: UUID) -> Response:
        """List the events of a memory, oldest first. A deleted one has no history: it is erased."""
        with tenant_tx(self.tenant_id):
            row = load_memory(memory_id, retired=True)
            return Response(list_events(row, load_snapshot_history(row)))


class BatchView(Mem0View):
    def put(self, request: Request) -> Response:
        """Update up to 1,000 memories. All are checked first."""
        items = read_batch(read_raw_body(request))
        for item in items:
            update_memory(self.tenant_id, item["memory_id"], item, self.actor)
        return Response({"message": f"Successfully updated {len(items)} memories"})

    def delete(self, request: Request) -> Response:
        """Delete up to 1,000 memories. All must exist; one that went with an earlier one is done."""
        ids = [item["memory_id"] for item in read_batch(read_raw_body(request))]
        with tenant_tx(self.tenant_id):
            for memory_id in ids:
                load_memory(memory_id)
        erasures = [delete_memory(self.tenant_id, memory_id, by=self.actor, is_gone_fine=True) for memory_id in ids]
        done = [one["erasure_id"] for one in erasures if one["erasure_id"]]
        return Response({"message": f"Successfully deleted {len(ids)} memories", "erasure_ids": done})


def update_memory(tenant_id: UUID, memory_id: UUID, body: Mapping[str, Any], by: Actor) -> None:
    """Change one memory. Raises MemoryUnknown, NotServed, InvalidInput, the errors of an edit."""
    with tenant_tx(tenant_id):
        row = load_memory(memory_id)
    if row.metadata.get(MARKS["immutable"]):
        raise NotServed("This memory was added as immutable: it can be deleted, not updated.")
    changes = read_changes(body, row)
    edit = Edit(changes, mask_sensitive, _accept_any_version, topics_of=find_topics)
    address = SnapshotAddress(row.subject.external_id, row.id)
    edit_memory(tenant_id, address, edit, active_embedders(), by=by, suggest=suggest_vital_class)


def read_changes(body: Mapping[str, Any], row: Snapshot) -> dict[str, Any]:
    """Return the changed columns. Raises InvalidInput, ValidationError."""
    changes: dict[str, Any] = {}
    text = next((body[name] for name in ("text", "data", "memory") if body.get(name) is not None), None)
    if text is not None:
        changes["text"] = check_value("text", MemoryField(), text)
    if body.get("metadata") is not None:
        changes["metadata"] = {**read_metadata(body["metadata"]), **choose_marks(row.metadata)}
    said_at = read_timestamp(body)
    if said_at is not None:
        changes["said_at"] = said_at
    if "expiration_date" in body:
        changes["expires_at"] = read_expiration(body["expiration_date"])
    if not changes:
        message = "Give at least one of text, metadata, timestamp and expiration_date."
        raise InvalidInput(faults=[FieldFault("text", "required", message)])
    return changes


def list_events(row: Snapshot, states: list[SnapshotState]) -> list[dict[str, Any]]:
    """Return the changes of a memory's text and metadata in mem0's words, and its end."""
    events: list[dict[str, Any]] = []
    before: Snapshot | None = None
    for state in states:
        now = state.snapshot
        if before is None or (before.text, before.metadata) != (now.text, now.metadata):
            event = "ADD" if before is None else "UPDATE"
            events.append(_render_change(row, event, before, now, state.recorded_at))
        before = now
    ended = row.retired_at or (row.invalid_at if row.superseded_by_id or row.invalid_at else None)
    if ended is not None:
        events.append(_render_change(row, "DELETE", before, None, ended))
    return [{**event, "id": f"{row.id}.{number}"} for number, event in enumerate(events, start=1)]


def _render_change(
    row: Snapshot, event: str, before: Snapshot | None, now: Snapshot | None, at: datetime
) -> dict[str, Any]:
    scope, shown = find_scope(row), now or before or row
    return {
        "memory_id": str(row.id),
        "input": [],
        "old_memory": before.text if before else None,
        "new_memory": now.text if now else None,
        "user_id": scope.user_id,
        "agent_id": scope.agent_id,
        "app_id": scope.app_id,
        "session_id": scope.run_id,
        "categories": list(shown.topics),
        "metadata": drop_marks(shown.metadata),
        "event": event,
        "created_at": at,
        "updated_at": at,
    }


def read_batch(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the items of a batch, their ids read. Raises InvalidInput."""
    items = body.get("memories")
    if not isinstance(items, list) or not 1 <= len(items) <= MEM0.batch_most:
        message = f"Must be a list of 1 to {MEM0.batch_most} objects."
        raise InvalidInput(faults=[FieldFault("memories", "length", message)])
    read = []
    for number, item in enumerate(items):
        if not isinstance(item, Mapping) or not isinstance(item.get("memory_id"), str):
            raise InvalidInput(
                faults=[FieldFault(f"memories.{number}.memory_id", "required", "Must be a memory's id.")]
            )
        read.append({**item, "memory_id": own_id(item["memory_id"])})
    return read


def _accept_any_version(_snapshot_id: UUID, _version: int) -> None: ...
