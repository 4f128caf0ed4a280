"""mem0's webhooks over the platform's: the same rows, in mem0's words. Deliveries have the platform's form."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.access import ADMIN
from memory_platform.compat.mem0.access import check_project, name_project
from memory_platform.compat.mem0.views import Mem0View, read_body
from memory_platform.kernel.errors import FieldFault, InvalidInput, NotFound
from snapshots.models import Webhook, WebhookEvent
from snapshots.webhooks.webhooks import WebhookDraft, change_webhook, create_webhook, delete_webhook
from tenants.isolation import tenant_tx

EVENTS: Mapping[str, str] = {
    "memory_add": WebhookEvent.MEMORY_CREATED,
    "memory_update": WebhookEvent.MEMORY_SUPERSEDED,
    "memory_delete": WebhookEvent.MEMORY_ERASED,
}
TEXTS = ("url", "name")
NAME_CHARS = 100


class ProjectWebhooksView(Mem0View):
    noun = "webhooks"
    required_scope = ADMIN

    def get(self, request: Request, project_id: str) -> Response:
        """List the webhooks of the project."""
        check_project(self.caller, None, project_id)
        with tenant_tx(self.tenant_id):
            return Response([self.render(row) for row in Webhook.objects.all()])

    def post(self, request: Request, project_id: str) -> Response:
        """Add a webhook; the answer also has the ``secret`` of its signatures."""
        check_project(self.caller, None, project_id)
        given = read_changes(read_body(request))
        if "url" not in given:
            raise _make_fault("url", "Must be given.")
        with tenant_tx(self.tenant_id):
            made = create_webhook(WebhookDraft(**{"events": list(EVENTS.values()), **given}), by=self.actor)
        return Response({**self.render(made.webhook), "secret": made.secret}, status=201)

    def render(self, row: Webhook) -> dict[str, Any]:
        return render_webhook(row, name_project(self.caller))


class OneProjectWebhookView(Mem0View):
    noun = "webhooks"
    required_scope = ADMIN

    def put(self, request: Request, webhook_id: str) -> Response:
        """Change the given fields; the others stay."""
        row_id, given = read_webhook_id(webhook_id), read_changes(read_body(request))
        with tenant_tx(self.tenant_id):
            change_webhook(row_id, given, by=self.actor)
        return Response({"message": "Webhook updated successfully"})

    def delete(self, request: Request, webhook_id: str) -> Response:
        row_id = read_webhook_id(webhook_id)
        with tenant_tx(self.tenant_id):
            delete_webhook(row_id, by=self.actor)
        return Response({"message": "Webhook deleted successfully"})


def render_webhook(row: Webhook, project_id: str) -> dict[str, Any]:
    """Return a webhook as mem0 shows one. Events that mem0 does not know are left out."""
    return {
        "webhook_id": str(row.id),
        "name": row.name,
        "url": row.url,
        "event_types": [name for name, event in EVENTS.items() if event in row.events],
        "project": project_id,
        "is_active": row.is_on,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def read_changes(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes that a body asks for, in the platform's words. Raises InvalidInput."""
    found: dict[str, Any] = {name: _read_text(body[name], name) for name in TEXTS if name in body}
    if "event_types" in body:
        found["events"] = _read_events(body["event_types"])
    return found


def read_webhook_id(text: str) -> UUID:
    """Return an id. Raises NotFound for a text that is no id."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound("No webhook with this id.") from None


def _read_text(value: object, name: str) -> str:
    if not isinstance(value, str) or (name == "name" and len(value) > NAME_CHARS) or "\x00" in value:
        raise _make_fault(name, f"Must be a text, a name of at most {NAME_CHARS} characters.")
    return value


def _read_events(names: object) -> list[str]:
    listed: list[object] = names if isinstance(names, list) else []
    known = [EVENTS[name] for name in listed if isinstance(name, str) and name in EVENTS]
    if not known or len(known) < len(listed):
        raise _make_fault("event_types", f"Must be a list of some of: {', '.join(EVENTS)}. There are no others here.")
    return known


def _make_fault(field: str, message: str) -> InvalidInput:
    return InvalidInput(faults=[FieldFault(field, "invalid", message)])
