"""Intent and phase by a chat model, for a context that asks for it: reading calls no model otherwise."""

from dataclasses import replace
from uuid import UUID

from pydantic import BaseModel

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.lru_cache import LruCache
from memory_platform.kernel.text import comparable, content_hash, detect_language
from memory_platform.providers.contracts import ChatModel, Preparable
from snapshots.context.turn.intent_rules import Intent, Phase
from snapshots.context.turn.prompts import UNDERSTAND
from snapshots.context.values import ContextRequest
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.policy import REWRITE_POLICY
from snapshots.recall.rewording.rewriting import fenced
from tenants.services.usage.model_use import chat_for

# The purpose whose model reads questions while somebody waits: a small one, with a short time box.
PURPOSE = "rewrite"


class Understanding(BaseModel):
    """What the model is asked for."""

    intent: Intent
    phase: Phase


# By model, prompt and hash of the turn: the same turn is read once by a process.
_KEPT: LruCache[tuple[str, str, bytes], Understanding] = LruCache(REWRITE_POLICY.kept)


def understood(text: str, model: ChatModel) -> Understanding | None:
    """Return what a turn is after; None without a timely answer of the right shape. No transaction may be open."""
    key = (model.name, UNDERSTAND.version, content_hash(text))
    kept = _KEPT.get(key)
    if kept is not None or not comparable(text):
        return kept
    if isinstance(model, Preparable) and not model.ready:
        return None  # still being prepared, which takes longer than anybody waits
    try:
        told = model.answer(UNDERSTAND.text(detect_language(text)), fenced(text, REWRITE_POLICY), Understanding)
    except Unavailable:
        return None
    _KEPT.put(key, told)
    return told


def understand(
    tenant_id: UUID, request: ContextRequest, *, reads_phase: bool
) -> tuple[ContextRequest, frozenset[DegradedReason]]:
    """Return the request with what a chat model says of it where there is one and the caller does not say so itself,
    the phase only where ``reads_phase`` allows one that nobody named; and what was missing meanwhile."""
    wants_phase = reads_phase and not request.phase
    model = chat_for(tenant_id, PURPOSE) if wants_phase or not request.intent else None
    told = understood(request.query, model) if model else None
    if told is None:
        return request, frozenset({DegradedReason.UNDERSTANDING_TIMEOUT}) if model else frozenset()
    intent_read = request.intent is None
    phase = told.phase if wants_phase else request.phase
    return replace(request, intent=request.intent or told.intent, intent_read=intent_read, phase=phase), frozenset()
