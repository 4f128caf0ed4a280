"""Make the messages of claimed deliveries: ids and kinds, and words only for a webhook that asks for them.

Words are read now and not kept in the outbox: words erased meanwhile are not sent, not even in a repeated try.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import orjson

from profiles.models import Preference, ProfileFact, Tag
from profiles.prompt_lines import TagParts, render_preference, render_tag
from profiles.provenance_and_verdict import describe_value
from snapshots.models import Conversation, Snapshot, SnapshotKind, WebhookDelivery, WebhookEvent
from snapshots.webhooks.config import WEBHOOKS
from snapshots.webhooks.deliveries import name_person
from snapshots.webhooks.sending import SignedMessage
from snapshots.webhooks.signatures import build_signature_headers
from snapshots.webhooks.webhooks import TEXT, list_signers

ABOUT_MEMORY = frozenset({WebhookEvent.MEMORY_CREATED, WebhookEvent.MEMORY_SUPERSEDED, WebhookEvent.MEMORY_ERASED})
Row = Snapshot | Preference | ProfileFact | Tag
MODELS: Mapping[str, type[Row]] = {"preference": Preference, "profile": ProfileFact, "tag": Tag}


@dataclass(slots=True)
class HeldRows:
    """The rows that deliveries name and that are still there, by id."""

    memories: dict[UUID, Row] = field(default_factory=dict)
    conversations: dict[UUID, Conversation] = field(default_factory=dict)


def load_held_rows(deliveries: Sequence[WebhookDelivery]) -> HeldRows:
    """Load the rows that the messages of ``deliveries`` need beside ids, in the open scope: a query for each kind of
    row."""
    rows = HeldRows()
    wanted: dict[type[Row], list[UUID]] = {}
    ended = {WebhookEvent.MEMORY_SUPERSEDED}
    for one in deliveries:
        if one.event in ABOUT_MEMORY and one.object_id and (one.event in ended or TEXT in one.webhook.include):
            wanted.setdefault(MODELS.get(one.object_kind, Snapshot), []).append(one.object_id)
    for model, ids in wanted.items():
        rows.memories.update(model._default_manager.in_bulk(ids))
    talks = [one.object_id for one in deliveries if one.event == WebhookEvent.CONVERSATION_SUMMARISED and one.object_id]
    if talks:
        rows.conversations = Conversation.objects.in_bulk(talks)
    return rows


def build_message(delivery: WebhookDelivery, rows: HeldRows) -> SignedMessage:
    """Return the signed message of a claimed delivery, in the open scope. Raises KeyUnreadable."""
    body = orjson.dumps(build_event(delivery, rows))
    webhook = delivery.webhook
    headers = build_signature_headers(f"msg_{delivery.event_id}", int(time.time()), body, list_signers(webhook))
    return SignedMessage(webhook.url, headers, body)


def build_event(delivery: WebhookDelivery, rows: HeldRows) -> dict[str, Any]:
    """Return the event in the message of a delivery."""
    return {
        "type": delivery.event,
        "timestamp": delivery.created_at.isoformat().replace("+00:00", "Z"),
        "data": build_data(delivery, rows),
    }


def build_data(delivery: WebhookDelivery, rows: HeldRows) -> dict[str, Any]:
    """Return the part of a message that depends on its event."""
    match delivery.event:
        case WebhookEvent.TEST:
            return {"webhook_id": str(delivery.webhook_id)}
        case WebhookEvent.JOB_DEAD:
            return {"job_id": str(delivery.object_id), "kind": delivery.object_kind}
        case WebhookEvent.CONVERSATION_SUMMARISED:
            return _describe_summary(delivery, rows)
        case _:
            return _describe_memory(delivery, rows)


def _describe_memory(delivery: WebhookDelivery, rows: HeldRows) -> dict[str, Any]:
    data: dict[str, Any] = {
        "subject_id": name_person(delivery),
        "memory_id": str(delivery.object_id) if delivery.object_id else None,
        "kind": delivery.object_kind,
    }
    row = rows.memories.get(delivery.object_id) if delivery.object_id else None
    if delivery.event == WebhookEvent.MEMORY_SUPERSEDED:
        newer = getattr(row, "superseded_by_id", None)
        data["superseded_by"] = str(newer) if newer else None
    if delivery.event != WebhookEvent.MEMORY_ERASED and TEXT in delivery.webhook.include:
        data[TEXT] = None if row is None else render_memory(row)[: WEBHOOKS.text_chars]
    return data


def _describe_summary(delivery: WebhookDelivery, rows: HeldRows) -> dict[str, Any]:
    talk = rows.conversations.get(delivery.object_id) if delivery.object_id else None
    data: dict[str, Any] = {
        "subject_id": name_person(delivery),
        "conversation_id": talk.external_id if talk else None,
    }
    if TEXT in delivery.webhook.include:
        data[TEXT] = (_find_summary(talk) or None) if talk else None
    return data


def _find_summary(talk: Conversation) -> str:
    """Return the running summary, or the one made at the conversation's end."""
    made = Snapshot.objects.filter(conversation=talk, kind=SnapshotKind.CONVERSATION, retired_at__isnull=True)
    newest = made.order_by("-recorded_at").values_list("text", flat=True).first()
    return (talk.summary or newest or "")[: WEBHOOKS.text_chars]


def render_memory(row: Row) -> str:
    """Return a memory in one line, as contexts tell it."""
    match row:
        case Snapshot():
            return row.text
        case Preference():
            return render_preference(row.category, row.key, row.value)
        case ProfileFact():
            return f"{row.field}: {describe_value(row.value)}"
        case _:
            parts = TagParts(row.label, row.kind, row.address, row.phone, row.relation, row.aliases)
            return render_tag(parts)
