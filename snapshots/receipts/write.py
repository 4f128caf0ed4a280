"""Writing a receipt: one row for the context, one narrow row for each memory in it (G1)."""

import zlib
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import orjson
from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.policy import RECEIPTS
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, Rendered

MEMORY_LANES = frozenset({"snapshots", "preferences", "profile", "tags"})
"""Lanes whose candidates are memories: what came of them is counted. Summaries, tasks and documents are not."""


def write_receipt(draft: ReceiptDraft) -> Receipt:
    """Write ``draft`` in the open scope.

    The transaction then commits without waiting for the disk: a receipt lost with a crashing server is no lost message.
    A transaction that accepts messages must not write receipts.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    receipt = Receipt(
        subject_id=draft.subject_id,
        conversation_id=draft.conversation_id,
        policy_version=draft.policy_version,
        intent=draft.intent or "",
        phase=draft.phase or "",
        candidates=[stored_candidate(candidate) for candidate in draft.candidates],
        sections=list(draft.sections),
        tokens=dict(draft.tokens),
        degraded_reason=draft.degraded_reason or "",
        prefix_hash=draft.prefix_hash,
        rendered=packed(draft.rendered),
    )
    receipt.save(force_insert=True)
    ReceiptMemory.objects.bulk_create(injected_rows(receipt, draft))
    return receipt


def stored_candidate(candidate: ReceiptCandidate) -> dict[str, Any]:
    """Return a candidate as it is stored. Policy version and feedback stand once, in the rows that own them."""
    return {
        "memory_id": candidate.memory_id,
        "lane": candidate.lane,
        "kind": candidate.kind,
        "candidate_score": round(candidate.candidate_score, RECEIPTS.score_digits),
        "decision_reason": candidate.decision_reason,
        "guardrail_hit": candidate.guardrail_hit,
        "context_position": candidate.context_position,
        "tokens": candidate.tokens,
        "explain": candidate.explain,
    }


def injected_rows(receipt: Receipt, draft: ReceiptDraft) -> Iterator[ReceiptMemory]:
    """Yield one row for each memory that went into the context."""
    for candidate in draft.candidates:
        if candidate.context_position is not None and candidate.lane in MEMORY_LANES:
            yield ReceiptMemory(
                id=new_id(),
                tenant_id=receipt.tenant_id,
                subject_id=draft.subject_id,
                receipt_id=receipt.id,
                memory_ref=UUID(candidate.memory_id),
                lane=candidate.lane,
                context_position=candidate.context_position,
            )


def packed(rendered: Rendered) -> bytes:
    """Return what was sent, compressed."""
    plain = {"query": rendered.query, "messages": list(rendered.messages), "text": rendered.text}
    return zlib.compress(orjson.dumps(plain), RECEIPTS.compression_level)
