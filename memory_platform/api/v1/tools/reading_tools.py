"""The tools that do not save: recall and forget."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from memory_platform.api.v1.recall.recall import RecallInput, query_of
from memory_platform.api.v1.recall.recall_serializers import render_tag_match
from memory_platform.api.v1.tools.tool_calls import ABSENT, ERASED, RECALLED, ToolAnswer, ToolCall
from memory_platform.kernel.errors import NotFound
from profiles.models import Erasure, Subject
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import subject_by_external_id
from profiles.services.erasure_certificates import build_certificate, erasure_by_id
from profiles.services.profile import FactName
from profiles.services.tags.tags import find_tag_by_label
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.learned.forget_whole_belief import forget_fact, forget_preference, forget_tag
from snapshots.erasure.memories import forget_memory
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.policies.effective_policies import Policies
from snapshots.recall.pipeline import recall
from snapshots.recall.values import OWN_INDEX_LANES, RecalledMemory
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

REASON = "asked for through a tool"


def recall_for_model(tenant_id: UUID, subject_id: str, call: ToolCall, policies: Policies) -> ToolAnswer:
    """Return memories in a short form for a model. Opens its own transactions and writes nothing."""
    query = query_of(RecallInput().run_validation(dict(call.arguments)), policies)
    query = replace(
        query, lanes=query.lanes - OWN_INDEX_LANES.keys()
    )  # a model reads the messages that these were made from
    found = recall(tenant_id, subject_id, query, policies.recall)
    beliefs = found.lanes.beliefs
    result = {
        "memories": [_render_memory(memory) for memory in found.memories],
        "profile": beliefs.profile,
        "preferences": beliefs.preference_values,
        "tags": [render_tag_match(match) for match in found.lanes.meant_tags],
    }
    return ToolAnswer(call.tool, RECALLED, result=result)


def forget_for_model(tenant_id: UUID, subject_id: str, call: ToolCall, *, by: Actor) -> tuple[UUID, ToolAnswer]:
    """Erase the named memory; return the id of the subject's row, and the answer with the certificate. Opens its own
    transactions. If there is nothing to erase, the answer is ``absent``. Raises NotFound for an unknown subject."""
    with tenant_tx(tenant_id):
        subject = subject_by_external_id(subject_id)
    try:
        erasure_id = _forget(tenant_id, subject_id, call, by)
    except NotFound:
        return subject.id, ToolAnswer(call.tool, Verdict.UNCHANGED, ABSENT)
    with tenant_tx(tenant_id):
        certificate = build_certificate(erasure_by_id(erasure_id))
    return subject.id, ToolAnswer(call.tool, ERASED, result={"certificate": certificate})


def _forget(tenant_id: UUID, subject_id: str, call: ToolCall, by: Actor) -> UUID:
    named = call.arguments
    if named["kind"] == "memory":
        address = SnapshotAddress(subject_id, named["memory_id"])
        return forget_memory(tenant_id, address, active_embedders(), by=by, reason=REASON)
    with tenant_tx(tenant_id):
        return _forget_belief(subject_by_external_id(subject_id), call, by).id


def _forget_belief(subject: Subject, call: ToolCall, by: Actor) -> Erasure:
    named = call.arguments
    if named["kind"] == "preference":
        return forget_preference(subject, named["category"], named["key"], by=by, reason=REASON)
    if named["kind"] == "profile_fact":
        name = FactName.read(named["field"])
        return forget_fact(subject, name.field, is_attribute=name.is_attribute, by=by, reason=REASON)
    tag = find_tag_by_label(subject, named["label"])
    if tag is None:
        raise NotFound("No tag has this label.")
    return forget_tag(subject, tag, by=by, reason=REASON)


def _render_memory(memory: RecalledMemory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text,
        "name": memory.name,
        "confidence": memory.confidence,
        "provenance": memory.provenance,
        "said_at": memory.said_at,
    }
