"""Writing a receipt: one row for the context, one narrow row for each memory in it (G1)."""

import zlib
from collections.abc import Iterable
from typing import Any

import orjson
from django.db import connection

from memory_platform.kernel.ids import new_id
from snapshots.models import Receipt
from snapshots.receipts.policy import RECEIPTS
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, Rendered

MEMORY_LANES = frozenset({"snapshots", "preferences", "profile", "tags"})
"""Lanes whose candidates are memories: what came of them is counted. Summaries, tasks and documents are not."""

INJECTED = """
INSERT INTO receipt_memory (tenant_id, subject_id, receipt_id, signal, id, memory_ref, lane, context_position)
SELECT %s, %s, %s, '', * FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::int[])
"""


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
    note_injected(receipt, draft.candidates)
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


def note_injected(receipt: Receipt, candidates: Iterable[ReceiptCandidate]) -> None:
    """Write one row for each memory that went into the context, all in one statement of few parameters."""
    injected = [one for one in candidates if one.context_position is not None and one.lane in MEMORY_LANES]
    if not injected:
        return
    columns = (
        [new_id() for _ in injected],
        [one.memory_id for one in injected],
        [one.lane for one in injected],
        [one.context_position for one in injected],
    )
    with connection.cursor() as cursor:
        cursor.execute(INJECTED, [receipt.tenant_id, receipt.subject_id, receipt.id, *columns])


def packed(rendered: Rendered) -> bytes:
    """Return what was sent, compressed."""
    plain = {"query": rendered.query, "messages": list(rendered.messages), "text": rendered.text}
    return zlib.compress(orjson.dumps(plain), RECEIPTS.compression_level)
