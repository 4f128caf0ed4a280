"""Writes a receipt: one row for the context and one for the cost ledger, in one statement.

The injected memories are part of the receipt until each gets a row of its own, a moment later:
:mod:`snapshots.receipts.injected_memory_rows`. It commits without waiting for the disk: a receipt lost with a crashing
server is no lost message. If the content has changed since it was read, nothing is written: a prompt that shows
forgotten content must not be kept.
"""

import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from operator import itemgetter
from uuid import UUID

import orjson
from django.db import IntegrityError, connection

from memory_platform.postgres.prepared_statements import Rows, Statement, fetch_together
from snapshots.models import Receipt
from snapshots.receipts.candidate_packing import pack_candidates
from snapshots.receipts.config import RECEIPTS
from snapshots.receipts.values import ContextOutdated, ReceiptCandidate, ReceiptDraft, RenderedPrompt
from tenants.isolation import current_tenant_id, tenant_writes

Run = Callable[[Sequence[Statement]], list[Rows]]

# Lanes whose candidates are memories with outcomes. Summaries, tasks and documents are not.
MEMORY_LANES = frozenset({"snapshots", "preferences", "profile", "tags"})

RECEIPT = """
WITH written AS (
  INSERT INTO receipt (tenant_id, id, subject_id, conversation_id, created_at, policy_version, intent, phase,
                       candidates, packed, due, sections, tokens, degraded_reason, prefix_hash, rendered, model_route,
                       experiment, arm, made_by, abstained)
  SELECT $1, $2::uuid, $3, $4::uuid, $5::timestamptz, $6::text, $7::text, $8::text,
         '[]', $9::bytea, $10::jsonb, $11::jsonb, $12::jsonb, $13::text, $14::text, $15::bytea, $16::jsonb,
         $17::text, $18::text, $20::jsonb, $21::text
  WHERE $19::bigint IS NULL OR $19::bigint = coalesce(
    (SELECT epoch FROM subject_memory WHERE tenant_id = $1 AND subject_id = $3), 0)
  RETURNING id
), shown AS (
  INSERT INTO receipt_document (tenant_id, id, subject_id, receipt_id, document_id)
  SELECT $1, uuidv7(), $3, written.id, named.id FROM written, unnest($22::uuid[]) AS named(id)
), used AS (
  INSERT INTO usage_event (tenant_id, id, messages, contexts, tokens_in_context, tokens_full_history, sections)
  SELECT $1, gen_random_uuid(), 0, 1, coalesce(($12::jsonb ->> 'total')::bigint, 0),
         coalesce(($12::jsonb ->> 'full_history')::bigint, 0), $11::jsonb
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
    return run_receipt_insert(current_tenant_id(), draft, fetch_together)


def write_receipt_in_own_transaction(tenant_id: UUID, draft: ReceiptDraft) -> Receipt:
    """Write ``draft`` in one round trip, with no scope open. Raises ContextOutdated."""
    return run_receipt_insert(tenant_id, draft, partial(tenant_writes, tenant_id))


def run_receipt_insert(tenant_id: UUID, draft: ReceiptDraft, run: Run) -> Receipt:
    """Write ``draft`` through ``run``. Raises ContextOutdated if its content has changed or is gone."""
    receipt = build_receipt(tenant_id, draft)
    try:
        (found,) = run([build_receipt_insert(receipt, draft)])
    except IntegrityError:  # the subject, the conversation, or a document
        raise ContextOutdated from None
    if not found:
        raise ContextOutdated
    return receipt


def build_receipt(tenant_id: UUID, draft: ReceiptDraft) -> Receipt:
    return Receipt(
        tenant_id=tenant_id,
        subject_id=draft.subject_id,
        conversation_id=draft.conversation_id,
        policy_version=draft.policy_version,
        experiment=draft.experiment,
        arm=draft.arm,
        made_by=dict(draft.made_by),
        intent=draft.intent or "",
        phase=draft.phase or "",
        packed=pack_candidates(draft.candidates),
        due=list_injected_memories(draft.candidates),
        sections=list(draft.sections),
        tokens=dict(draft.tokens),
        model_route=draft.model_route,
        abstained=draft.abstained or "",
        degraded_reason=draft.degraded_reason or "",
        prefix_hash=draft.prefix_hash,
        rendered=pack_rendered_prompt(draft.rendered),
    )


def build_receipt_insert(receipt: Receipt, draft: ReceiptDraft) -> Statement:
    row = (
        receipt.tenant_id,
        receipt.id,
        receipt.subject_id,
        receipt.conversation_id,
        receipt.created_at,
        receipt.policy_version,
        receipt.intent,
        receipt.phase,
        receipt.packed,
        _to_json(receipt.due),
        _to_json(receipt.sections),
        _to_json(receipt.tokens),
        receipt.degraded_reason,
        receipt.prefix_hash,
        receipt.rendered,
        _to_json(draft.model_route or None),
        receipt.experiment,
        receipt.arm,
    )
    more = (draft.epoch, _to_json(receipt.made_by), receipt.abstained, list(draft.documents))
    return Statement(RECEIPT, [*row, *more])


def list_injected_memories(candidates: Iterable[ReceiptCandidate]) -> list[tuple[str, str, int]] | None:
    """Return the injected memories by position, as ``due`` stores them; None for a context without memories."""
    injected = [
        (one.memory_id, one.lane, one.context_position)
        for one in candidates
        if one.context_position is not None and one.lane in MEMORY_LANES
    ]
    return sorted(injected, key=itemgetter(2)) or None


def _to_json(value: object) -> str | None:
    return None if value is None else orjson.dumps(value).decode()


def pack_rendered_prompt(rendered: RenderedPrompt) -> bytes:
    plain = {
        "query": rendered.query,
        "messages": list(rendered.messages),
        "text": rendered.text,
        "places": list(rendered.places),
    }
    return zlib.compress(orjson.dumps(plain), RECEIPTS.compression_level)
