"""Receipts for a world: the product makes some contexts, the others are copies at earlier times.

Each row equals one that the product writes. A memory in one prompt is in many, as after a year of use.
"""

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from uuid import UUID

from django.db import connection
from django.db.models import Count

from lab.benchmarks.worlds.sentences import make_questions
from lab.benchmarks.worlds.world_builder import copy_of
from snapshots.context.pipeline import ContextCall, build_context
from snapshots.context.values import ContextRequest
from snapshots.models import Conversation, Receipt, ReceiptMemory
from snapshots.receipts.injected_memory_rows import write_memory_rows_of_tenant
from tenants.isolation import current_tenant_id, tenant_tx

# Contexts that are made, whatever number of receipts is wanted: a few milliseconds each; a copy takes a tenth.
DRAWN = 500

# Time between a receipt and its next copy: of 50,000 the oldest are a month old.
BETWEEN = "interval '7 hours'"

FROM = "{table} o WHERE o.tenant_id = %(tenant)s AND o.{key} = ANY(%(made)s)"
COPY_ID = "md5({column}::text || %(copy)s::text)::uuid"
OF_COPY = {"id": COPY_ID.format(column="o.id"), "created_at": f"o.created_at - %(copy)s * {BETWEEN}"}
COPIES = (
    copy_of(Receipt, FROM.format(table="receipt", key="id"), OF_COPY),
    copy_of(
        ReceiptMemory,
        FROM.format(table="receipt_memory", key="receipt_id"),
        {"id": OF_COPY["id"], "receipt_id": COPY_ID.format(column="o.receipt_id")},
    ),
)


def fill_receipts(tenant_id: UUID, subjects: Sequence[str], count: int, *, advance: Callable[[int], object]) -> int:
    """Give ``subjects`` in turn receipts until the tenant has ``count``; return how many are new. Safe to repeat.

    ``advance`` hears of each receipt, old or new. No scope may be open.
    """
    with tenant_tx(tenant_id):
        held = Receipt.objects.count()
        talks = dict(
            Conversation.objects.filter(subject__external_id__in=subjects)
            .order_by("created_at")
            .values_list("subject__external_id", "external_id")
        )
    advance(min(held, count))
    wanted = max(count - held, 0)
    made = []
    for subject, question in islice(zip(cycle(subjects), make_questions(held), strict=False), min(wanted, DRAWN)):
        asked = ContextCall(ContextRequest(question), "1", talks.get(subject))
        made.append(build_context(tenant_id, subject, asked).receipt.id)
        advance(1)
    write_memory_rows_of_tenant(tenant_id)
    for copy, start in enumerate(range(len(made), wanted, DRAWN), 1):
        some = made[: wanted - start]
        with tenant_tx(tenant_id), connection.cursor() as cursor:
            for statement in COPIES:
                cursor.execute(statement, {"tenant": current_tenant_id(), "made": some, "copy": copy})
        advance(len(some))
    return wanted


def find_most_used_snapshot(subject_id: UUID) -> tuple[UUID, UUID] | None:
    """Return the newest receipt of a subject and the snapshot that went into most of its prompts, in the open scope;
    None where there is no such."""
    newest = Receipt.objects.filter(subject_id=subject_id).order_by("-created_at").values_list("id", flat=True).first()
    used = ReceiptMemory.objects.filter(subject_id=subject_id, lane="snapshots").order_by().values("memory_ref")
    most = used.annotate(answers=Count("id")).order_by("-answers").values_list("memory_ref", flat=True).first()
    return (newest, most) if newest and most else None
