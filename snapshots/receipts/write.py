"""Writing a receipt: one row for the context, one narrow row for each memory in it (G1), one for the cost ledger (X10),
in one statement.

It commits without waiting for the disk: a receipt lost with a crashing server is no lost message. Nothing is written of
what changed since it was read: a prompt that shows what was forgotten meanwhile must not be kept.
"""

import zlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import orjson
from django.db import IntegrityError, connection

from memory_platform.kernel.ids import new_id
from memory_platform.postgres.prepared import Rows, Statement, fetch_together
from snapshots.models import Receipt
from snapshots.receipts.errors import ContextOutdated
from snapshots.receipts.policy import RECEIPTS
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, Rendered
from tenants.isolation import current_tenant_id, tenant_notes

Run = Callable[[Sequence[Statement]], list[Rows]]

MEMORY_LANES = frozenset({"snapshots", "preferences", "profile", "tags"})
"""Lanes whose candidates are memories: what came of them is counted. Summaries, tasks and documents are not."""

RECEIPT = """
WITH written AS (
  INSERT INTO receipt (tenant_id, id, subject_id, conversation_id, created_at, policy_version, intent, phase,
                       candidates, sections, tokens, degraded_reason, prefix_hash, rendered, model_route,
                       experiment, arm)
  SELECT $1, $2::uuid, $3, $4::uuid, $5::timestamptz, $6::text, $7::text, $8::text,
         $9::jsonb, $10::jsonb, $11::jsonb, $12::text, $13::text, $14::bytea, $15::jsonb, $16::text, $17::text
  WHERE $18::bigint IS NULL OR $18::bigint = coalesce(
    (SELECT epoch FROM subject_memory WHERE tenant_id = $1 AND subject_id = $3), 0)
  RETURNING id
), injected AS (
  INSERT INTO receipt_memory (tenant_id, subject_id, receipt_id, signal, id, memory_ref, lane, context_position)
  SELECT $1, $3, written.id, '', memory.*
  FROM written, unnest($19::uuid[], $20::uuid[], $21::text[], $22::int[]) memory
), used AS (
  INSERT INTO usage_event (tenant_id, id, messages, contexts, tokens_in_context, tokens_full_history, sections)
  SELECT $1, gen_random_uuid(), 0, 1, coalesce(($11::jsonb ->> 'total')::bigint, 0),
         coalesce(($11::jsonb ->> 'full_history')::bigint, 0), $10::jsonb
  FROM written
)
SELECT id FROM written
"""


def write_receipt(draft: ReceiptDraft) -> Receipt:
    """Write ``draft`` in the open scope. Raises ContextOutdated; the scope must then be given up.

    A transaction that accepts messages must not write receipts.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
    return written(current_tenant_id(), draft, fetch_together)


def note_receipt(tenant_id: UUID, draft: ReceiptDraft) -> Receipt:
    """Write ``draft`` in one round trip, with no scope open. Raises ContextOutdated."""
    return written(tenant_id, draft, partial(tenant_notes, tenant_id))


def written(tenant_id: UUID, draft: ReceiptDraft, run: Run) -> Receipt:
    """Write ``draft`` as ``run`` runs statements. Raises ContextOutdated when what it shows has changed or is gone."""
    receipt = receipt_of(tenant_id, draft)
    try:
        (found,) = run([statement_of(receipt, draft)])
    except IntegrityError:  # the subject or the conversation
        raise ContextOutdated from None
    if not found:
        raise ContextOutdated
    return receipt


def receipt_of(tenant_id: UUID, draft: ReceiptDraft) -> Receipt:
    """Return the row to be."""
    return Receipt(
        tenant_id=tenant_id,
        subject_id=draft.subject_id,
        conversation_id=draft.conversation_id,
        policy_version=draft.policy_version,
        experiment=draft.experiment,
        arm=draft.arm,
        intent=draft.intent or "",
        phase=draft.phase or "",
        candidates=[stored_candidate(candidate) for candidate in draft.candidates],
        sections=list(draft.sections),
        tokens=dict(draft.tokens),
        model_route=draft.model_route,
        degraded_reason=draft.degraded_reason or "",
        prefix_hash=draft.prefix_hash,
        rendered=packed(draft.rendered),
    )


def statement_of(receipt: Receipt, draft: ReceiptDraft) -> Statement:
    """Return the statement that writes ``receipt`` and what it injected; it brings a row when it did."""
    injected = [one for one in draft.candidates if one.context_position is not None and one.lane in MEMORY_LANES]
    row = (
        receipt.tenant_id,
        receipt.id,
        receipt.subject_id,
        receipt.conversation_id,
        receipt.created_at,
        receipt.policy_version,
        receipt.intent,
        receipt.phase,
        *(orjson.dumps(value).decode() for value in (receipt.candidates, receipt.sections, receipt.tokens)),
        receipt.degraded_reason,
        receipt.prefix_hash,
        receipt.rendered,
        orjson.dumps(draft.model_route).decode() if draft.model_route else None,
        receipt.experiment,
        receipt.arm,
    )
    columns: Sequence[list[Any]] = (
        [new_id() for _ in injected],
        [UUID(one.memory_id) for one in injected],
        [one.lane for one in injected],
        [one.context_position for one in injected],
    )
    return Statement(RECEIPT, [*row, draft.epoch, *columns])


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


def packed(rendered: Rendered) -> bytes:
    """Return what was sent, compressed."""
    plain = {"query": rendered.query, "messages": list(rendered.messages), "text": rendered.text}
    return zlib.compress(orjson.dumps(plain), RECEIPTS.compression_level)
