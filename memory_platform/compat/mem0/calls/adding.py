"""``add``: messages are learned from, or kept word by word (``infer: false``)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

import orjson
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.api.config import API_CONFIG
from memory_platform.api.v1.conversations.message_inputs import MessagesInput
from memory_platform.api.views.idempotency import Reply, write_once
from memory_platform.compat.mem0.calls.add_results import (
    build_message_id,
    describe_batch,
    load_batch,
    wait_until_learned,
)
from memory_platform.compat.mem0.ignored_options import TO_ADD, explain_ignored
from memory_platform.compat.mem0.memory_scope import ID_OF_TYPE, MARKS, MemoryScope, read_scope
from memory_platform.compat.mem0.request_values import read_categories, read_expiration, read_metadata, read_timestamp
from memory_platform.compat.mem0.views import Mem0View, read_body, read_flag, refuse_unknown_options
from memory_platform.compat.mem0.visible_memories import render_result
from memory_platform.kernel.errors import FieldFault, InvalidInput
from memory_platform.kernel.ids import new_id
from profiles.provenance_and_verdict import Verdict
from profiles.services.subjects import ensure_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.intake.pipeline import accept_messages, prepare_messages
from snapshots.intake.values import SPECIAL_CATEGORY, AcceptedBatch, IncomingMessage
from snapshots.lifecycle.product_snapshots import create_snapshots, prepare_offers
from snapshots.lifecycle.write_types import NewSnapshot, SnapshotOffer, SnapshotResult
from snapshots.models import Message, MessageRole
from snapshots.policies.effective_policies import load_effective_notes_policy
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx

_MESSAGE_FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id")
_EVENT_OF = {Verdict.STORED: "ADD", Verdict.UNCHANGED: "NONE"}
# The first form of the answer: the results alone.
LIST_FORM = "v1.0"


@dataclass(frozen=True, slots=True)
class AddRequest:
    """A checked body of ``add``. ``metadata`` holds the product's own and our marks."""

    scope: MemoryScope
    messages: Sequence[IncomingMessage]
    infer: bool
    metadata: Mapping[str, Any]
    said_at: datetime | None
    expires_at: datetime | None
    ignored: Mapping[str, Any] = field(default_factory=dict)


class AddView(Mem0View):
    body_limit: ClassVar[int] = API_CONFIG.messages_body_bytes

    def post(self, request: Request) -> HttpResponse:
        """Store messages, and answer with the memories learned, or that they are being learned."""
        body = read_body(request)
        add_request = read_add(body)
        told = (
            self._learn_from_messages(request, add_request)
            if add_request.infer
            else self._keep_word_by_word(request, add_request)
        )
        if body.get("output_format") == LIST_FORM:
            return Response(told["results"])
        return Response({**told, **add_request.ignored})

    def _learn_from_messages(self, request: Request, add_request: AddRequest) -> dict[str, Any]:
        subject_id, conversation_id = add_request.scope.subject_id, add_request.scope.conversation_id
        policy = load_effective_notes_policy(self.tenant_id, self.caller.policy_epoch)
        prepared = prepare_messages(self.tenant_id, subject_id, conversation_id, add_request.messages, policy)

        def work() -> Reply:
            self.reserve_quota(messages=len(add_request.messages), snapshots=len(add_request.messages))
            subject = ensure_subject(subject_id)
            accepted = accept_messages(subject, conversation_id, add_request.messages, prepared)
            return Reply(describe_accepted(accepted), subject_id=subject.id)

        accepted = _read_reply(write_once(request, work))
        refused = [{"message": place, "reason": SPECIAL_CATEGORY} for place in accepted["refused"]]
        if accepted["event_id"] is None:
            return {**REFUSED_ALL, "not_learned": refused}
        with tenant_tx(self.tenant_id):
            batch = load_batch(UUID(accepted["event_id"]))
        wait_until_learned(self.tenant_id, batch)
        with tenant_tx(self.tenant_id):
            told = describe_batch(batch)
        return {**told, "not_learned": [*told.get("not_learned", ()), *refused]} if refused else told

    def _keep_word_by_word(self, request: Request, add_request: AddRequest) -> dict[str, Any]:
        kept = [(n, one) for n, one in enumerate(add_request.messages) if one.role != MessageRole.SYSTEM and one.text]
        posted = [build_verbatim_snapshot(message, add_request) for _, message in kept]
        offers = prepare_offers(posted, active_embedders(), mask=mask_sensitive)

        def work() -> Reply:
            self.reserve_quota(snapshots=len(offers))
            subject = ensure_subject(add_request.scope.subject_id)
            fates = create_snapshots(subject, offers)
            told = describe_kept(
                add_request.messages, dict(zip((n for n, _ in kept), zip(offers, fates, strict=True), strict=True))
            )
            return Reply(told, subject_id=subject.id)

        return _read_reply(write_once(request, work))


REFUSED_ALL: Mapping[str, Any] = {
    "event_id": None,
    "status": "SUCCEEDED",
    "results": [],
    "message": "No message was stored: the tenant's policy refuses what they say.",
}


def read_add(body: Mapping[str, Any]) -> AddRequest:
    """Return the checked body of ``add``. Raises InvalidInput, ValidationError."""
    refuse_unknown_options(body, TO_ADD)
    scope = read_scope({**_read_filter_ids(body), **_read_run_ids(body)})
    metadata = read_metadata(body.get("metadata", {}))
    marks: dict[str, Any] = dict(scope.list_marks())
    if body.get("categories"):
        marks[MARKS["categories"]] = read_categories(body["categories"])
    if read_flag(body, "immutable", default=False):
        marks[MARKS["immutable"]] = True
    said_at, expires_at = read_timestamp(body), read_expiration(body.get("expiration_date"))
    return AddRequest(
        scope=scope,
        messages=read_messages(body.get("messages"), said_at, {**metadata, **marks}, expires_at),
        infer=read_flag(body, "infer", default=True),
        metadata={**metadata, **marks},
        said_at=said_at,
        expires_at=expires_at,
        ignored=explain_ignored(body),
    )


def read_messages(
    messages: object, said_at: datetime | None, metadata: Mapping[str, Any], expires_at: datetime | None
) -> list[IncomingMessage]:
    """Return the messages, each with the details that the memories made of it carry. Raises ValidationError."""
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    items = [messages] if isinstance(messages, Mapping) else messages
    known = [_keep_known_fields(one) for one in items] if isinstance(items, list) else items
    parsed = MessagesInput().run_validation({"messages": known})["messages"]
    memory: dict[str, Any] = {"metadata": dict(metadata)} if metadata else {}
    memory |= {} if expires_at is None else {"expires_at": expires_at.isoformat()}
    shared: dict[str, Any] = {"metadata": {"memory": memory}} if memory else {}
    shared |= {} if said_at is None else {"said_at": said_at}
    token = new_id()
    return [
        IncomingMessage(**{**message, **shared, "message_id": build_message_id(token, place)})
        for place, message in enumerate(parsed)
    ]


def build_verbatim_snapshot(message: IncomingMessage, add_request: AddRequest) -> NewSnapshot:
    role = {} if message.role == MessageRole.USER else {MARKS["role"]: message.role}
    return NewSnapshot(
        message.text,
        said_at=add_request.said_at,
        expires_at=add_request.expires_at,
        metadata={**add_request.metadata, **role},
    )


def describe_accepted(accepted: AcceptedBatch) -> dict[str, Any]:
    """Return the id of the first stored message, None without one, and the places of the refused ones, in the open
    scope."""
    rows = Message.objects.filter(
        subject_id=accepted.conversation.subject_id,
        conversation_id=accepted.conversation.id,
        external_id__in=[one.message_id for one in accepted.messages if one.seq is not None],
    )
    first = rows.order_by("seq").values_list("id", flat=True).first()
    refused = [place for place, one in enumerate(accepted.messages) if one.seq is None]
    return {"event_id": None if first is None else str(first), "refused": refused}


def describe_kept(
    messages: Sequence[IncomingMessage], fates: Mapping[int, tuple[SnapshotOffer, SnapshotResult]]
) -> dict[str, Any]:
    """Return the answer for messages that are kept word by word; ``fates`` by place. The others are not kept."""
    results, missing = [], []
    for place, message in enumerate(messages):
        offer, fate = fates.get(place, (None, None))
        if offer is None or fate is None:
            reason = "no_words" if not message.text else f"said_by_{message.role}"
            missing.append({"message": place, "role": message.role, "reason": reason})
        elif fate.id is None or offer.snapshot is None:
            missing.append({"message": place, "role": message.role, "reason": fate.reason})
        else:
            text = offer.snapshot.draft.text
            results.append(render_result(fate.id, text, _EVENT_OF[fate.verdict], role=message.role))
    return {
        "event_id": results[0]["id"] if results else None,
        "status": "SUCCEEDED",
        "message": f"{len(results)} of {len(messages)} messages are kept word by word.",
        "results": results,
        **({"not_learned": missing} if missing else {}),
    }


def _read_filter_ids(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ids that a client puts into ``filters``; a memory cannot be stored under conditions."""
    filters = body.get("filters", {})
    if not isinstance(filters, Mapping) or not filters.keys() <= set(ID_OF_TYPE.values()):
        message = f"When adding, filters may only hold {', '.join(ID_OF_TYPE.values())}, each with one id."
        raise InvalidInput(faults=[FieldFault("filters", "malformed", message)])
    return dict(filters)


def _read_run_ids(body: Mapping[str, Any]) -> dict[str, Any]:
    given = {name: body[name] for name in ID_OF_TYPE.values() if name in body}
    return given if "run_id" in given or "session_id" not in body else {**given, "run_id": body["session_id"]}


def _keep_known_fields(message: object) -> object:
    return (
        {name: message[name] for name in _MESSAGE_FIELDS if name in message}
        if isinstance(message, Mapping)
        else message
    )


def _read_reply(response: HttpResponse) -> dict[str, Any]:
    """Return the body of a reply, made now or kept from before."""
    told: dict[str, Any] = response.data if isinstance(response, Response) else orjson.loads(response.content)
    return told
