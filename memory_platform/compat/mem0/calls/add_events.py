"""Events: the results of an ``add``, asked for again later."""

from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.compat.mem0.calls.add_results import PREFIX, LearningBatch, describe_batch, load_batch
from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.views import Mem0View
from memory_platform.compat.mem0.visible_memories import render_result
from memory_platform.kernel.errors import NotFound
from snapshots.models import Message, Snapshot, SnapshotKind
from tenants.isolation import tenant_tx


class EventView(Mem0View):
    def get(self, request: Request, event_id: UUID) -> Response:
        """Answer with the results of one ``add``."""
        with tenant_tx(self.tenant_id):
            return Response(render_event(event_id))


class EventsView(Mem0View):
    def get(self, request: Request) -> Response:
        """List the newest events."""
        with tenant_tx(self.tenant_id):
            rows = Message.objects.filter(
                external_id__startswith=PREFIX, external_id__endswith=".000", subject__erasing=False
            ).order_by("-accepted_at", "-id")
            events = [render_event(row.id) for row in rows[: MEM0.events_listed]]
        return Response({"count": len(events), "next": None, "previous": None, "results": events})


def render_event(event_id: UUID) -> dict[str, Any]:
    """Return an event, in the open scope. Raises NotFound."""
    try:
        return _render_learning(load_batch(event_id))
    except NotFound:
        kept = Snapshot.objects.filter(id=event_id, kind=SnapshotKind.MANUAL, subject__erasing=False).first()
        if kept is None:
            raise
    done = {"event_id": str(kept.id), "status": "SUCCEEDED", "results": [render_result(kept.id, kept.text, "ADD")]}
    return _render(done, kept.recorded_at, infer=False)


def _render_learning(batch: LearningBatch) -> dict[str, Any]:
    return _render(describe_batch(batch), batch.messages[0].accepted_at, infer=True)


def _render(details: dict[str, Any], since: Any, *, infer: bool) -> dict[str, Any]:
    return {
        "id": details["event_id"],
        "event_type": "ADD",
        "created_at": since,
        "updated_at": since,
        "payload": {"infer": infer},
        **details,
    }
