"""Reads receipts: the content of a prompt, the reasons, and the outcome."""

import zlib
from collections.abc import Collection, Iterable
from datetime import datetime
from json import JSONDecoder
from typing import Any
from uuid import UUID

import orjson
from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import BooleanField, Exists, F, Func, OuterRef, Q, QuerySet

from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.keyword_terms import shared_words
from profiles.selectors import build_subject_key
from snapshots.models import Receipt, ReceiptMemory
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.receipts.values import RenderedPrompt

# Columns that lists do not load.
LARGE = ("candidates", "packed", "due", "rendered")
# What stands before the question of a packed prompt, whose first value it is.
PACKED_QUERY_PREFIX = '{"query":"'


class _AnyOf(Func):
    """SQL ``= ANY``: whether the first is one of the second, an array."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()


def find_receipt(receipt_id: UUID) -> Receipt:
    """Return one receipt of the tenant with its subject and conversation, in one query. Raises NotFound."""
    found = (
        Receipt.objects.filter(id=receipt_id, subject__erasing=False).select_related("subject", "conversation").first()
    )
    if found is None:
        raise NotFound("No receipt with this id.")
    return found


def list_receipts(
    *,
    subject_external_id: str | None = None,
    memory_id: UUID | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Receipt]:
    """Return the tenant's receipts that match all filters, without candidates and rendered words; unordered.

    ``memory_id``: those that put this memory into a prompt. ``since`` and ``until`` are both included.
    """
    found = Receipt.objects.select_related("subject", "conversation").defer(*LARGE).order_by()
    found = found.filter(subject__erasing=False)
    if subject_external_id is not None:
        found = found.filter(subject_id=build_subject_key(subject_external_id))
    if memory_id is not None:
        found = found.filter(build_memory_condition(memory_id))
    if since is not None:
        found = found.filter(created_at__gte=since)
    return found if until is None else found.filter(created_at__lte=until)


def build_memory_condition(memory_id: UUID) -> Q:
    """Return the condition on receipts that put this memory into a prompt, whether it has its row there yet or not; in
    the open scope.

    Nearly all have their rows: then Postgres reads only these receipts, even without statistics. An array is used for
    the rest: a memory is in receipts of one subject, so it is short.
    """
    rows = ReceiptMemory.objects.filter(memory_ref=memory_id).order_by()
    due = Receipt.objects.filter(due__isnull=False, due__contains=[[str(memory_id)]]).order_by()
    if not due.exists():
        return Q(Exists(rows.filter(receipt_id=OuterRef("id"), subject_id=OuterRef("subject_id"))))
    ids = rows.values("receipt_id").union(due.values("id"), all=True)
    return Q(_AnyOf(F("id"), ArraySubquery(ids)))


def find_positions_without_rows(memory_id: UUID, receipt_ids: Collection[UUID]) -> dict[UUID, int]:
    """Return the memory's position in those of the receipts that have no rows yet, by receipt; in the open scope."""
    held = Receipt.objects.filter(id__in=receipt_ids, due__isnull=False).order_by().values_list("id", "due")
    return {one: position for one, due in held for memory, _, position in due or () if memory == str(memory_id)}


def list_injected_with_lanes(receipt: Receipt) -> list[tuple[UUID, str]]:
    """Return the memories that a receipt put into a prompt, each with its lane, by position; in the open scope."""
    if receipt.due is not None:
        return [(UUID(memory), lane) for memory, lane, _ in receipt.due]
    rows = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id)
    return list(rows.order_by("context_position").values_list("memory_ref", "lane"))


def unpack_rendered_prompt(receipt: Receipt) -> RenderedPrompt | None:
    if receipt.rendered is None:
        return None
    plain = orjson.loads(zlib.decompress(bytes(receipt.rendered)))
    return RenderedPrompt(
        plain["query"], plain["messages"], plain.get("text"), tuple(map(tuple, plain.get("places", ())))
    )


def read_query_beginning(packed: bytes) -> str:
    """Return the question of a packed prompt from its first bytes; of a long one as much as they hold."""
    begin = zlib.decompressobj().decompress(packed).decode("utf-8", "ignore").removeprefix(PACKED_QUERY_PREFIX)
    try:
        return str(JSONDecoder().raw_decode(f'"{begin}')[0])
    except ValueError:  # the question goes on behind the bytes
        return begin


def list_explained_candidates(receipt: Receipt, rows: Iterable[ReceiptMemory] | None = None) -> list[dict[str, Any]]:
    """Return every candidate with its explanation: those in the context by position, then the others, best first.
    ``rows``: those of the receipt, if they are loaded.

    ``words`` are the words of the question in its text, None after a purge and for candidates that were left out.
    ``utilized`` (bool or None) and ``user_feedback_signal`` come from the rows of the memories, where feedback writes
    them: None before.
    """
    if rows is None:
        rows = ReceiptMemory.objects.filter(receipt_id=receipt.id, subject_id=receipt.subject_id).order_by()
    outcomes = {str(row.memory_ref): row for row in rows}
    met = list_matched_words(unpack_rendered_prompt(receipt))
    candidates = [
        {
            **candidate,
            "policy_version": receipt.policy_version,
            "words": met.get(candidate["context_position"]),
            "passage": candidate.get("passage"),
            **_attach_outcome(candidate, outcomes),
        }
        for candidate in unpack_candidates(receipt)
    ]
    return sorted(candidates, key=_sort_key_of)


def list_matched_words(rendered: RenderedPrompt | None) -> dict[int | None, list[str]]:
    """Return the words that the question shares with each candidate in the prompt, by position."""
    if rendered is None:
        return {}
    return {place[0]: shared_words(rendered.query, rendered.text_at(place)) for place in rendered.places}


def _attach_outcome(candidate: dict[str, Any], outcomes: dict[str, ReceiptMemory]) -> dict[str, Any]:
    row = outcomes.get(candidate["memory_id"]) if candidate["context_position"] is not None else None
    return {
        "utilized": row.utilised if row else None,
        "user_feedback_signal": (row.signal or None) if row else None,
    }


def _sort_key_of(candidate: dict[str, Any]) -> tuple[bool, float]:
    position = candidate["context_position"]
    return position is None, -candidate["candidate_score"] if position is None else position
