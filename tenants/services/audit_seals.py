"""Seals make a change of the audit trail visible: each covers the records since the last one, in a chain of hashes.

A seal lists its records by id, instead of covering "all until a time". Times and ids do not say in which order records
commit: each process has its own clock, a transaction can commit minutes after it wrote its record, and a dump that is
restored into another cluster starts with other transaction ids. So a record that commits late is simply listed by a
later seal, and a listed record that is missing was deleted. The list costs 24 bytes a record.
"""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Max

from memory_platform.kernel.clock import utc_now
from tenants.config import AUDIT_CONFIG, AuditConfig
from tenants.isolation import current_tenant_id, tenant_tx
from tenants.models import AuditRecord, AuditSeal
from tenants.services.audit_chain import (
    FIRST_HEAD,
    MARK_BYTES,
    AuditFault,
    compute_next_hash,
    cut_record_hash,
    describe_record,
    format_moment,
    is_signed,
    sign_statement,
)

# Records that are loaded at once.
PAGE = 1_000
LOCK_SEALING = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
KEEP_FILES = "Compare with exported files, which a change in the database does not reach; ask who has the owner's role."
# NOT IN, because Postgres then looks ids up in a hash table. It takes an array for ten elements long, and would join
# the thousands that there are in a loop.
_UNSEALED = """
SELECT id, at FROM audit_record
WHERE tenant_id = %(tenant)s AND at <= %(until)s AND (%(since)s::timestamptz IS NULL OR at > %(since)s)
  AND id NOT IN (
    SELECT unnest(records) FROM audit_seal
    WHERE tenant_id = %(tenant)s AND (%(since)s::timestamptz IS NULL OR last_at > %(since)s))
ORDER BY at, id LIMIT %(most)s
"""


def seal_new_records(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: AuditConfig = AUDIT_CONFIG
) -> int:
    """Seal the records that are not sealed yet, in transactions of their own; return their number. Safe to repeat and
    to run twice at once. Runs outside any ``tenant_tx``."""
    done = 0
    while may_go_on():
        with tenant_tx(tenant_id):
            sealed = seal_next_records(config)
        done += sealed
        if sealed < config.records_per_seal:
            break
    return done


def seal_next_records(config: AuditConfig = AUDIT_CONFIG) -> int:
    """Make one seal in the open scope; return the number of its records, 0 if there was nothing to seal."""
    _lock_sealing()
    unsealed = _find_unsealed_records(_find_search_start(config), config.records_per_seal)
    if not unsealed:
        return 0
    ids = [record_id for record_id, _at in unsealed]
    before = AuditSeal.objects.order_by("-number").first()
    head = before.head if before else FIRST_HEAD
    marks = bytearray()
    for record in load_records(ids):
        head = compute_next_hash(head, describe_record(record))
        marks += cut_record_hash(head)
    seal = AuditSeal(
        number=before.number + 1 if before else 1,
        records=ids,
        count=len(ids),
        marks=bytes(marks),
        last_at=unsealed[-1][1],
        head=head,
        previous_head=before.head if before else FIRST_HEAD,
        at=utc_now(),
    )
    seal.signature = sign_statement(current_tenant_id(), describe_seal(seal))
    seal.save(force_insert=True)
    return len(ids)


def preview_audit_sealing(config: AuditConfig = AUDIT_CONFIG) -> dict[str, int]:
    """Return how many records the next seal would cover, in the open scope."""
    return {"records": len(_find_unsealed_records(_find_search_start(config), config.records_per_seal))}


def load_records(ids: list[UUID]) -> Iterator[AuditRecord]:
    """Yield the records with these ids in their order, in the open scope. Raises AuditFault for one that is missing."""
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE]
        found = AuditRecord.objects.in_bulk(page)
        for record_id in page:
            if record_id not in found:
                raise AuditFault(
                    f"Record {record_id}",
                    "It is sealed, but it is no longer there.",
                    "Somebody deleted it in the database; the platform's own role cannot.",
                    KEEP_FILES,
                )
            yield found[record_id]


def describe_seal(seal: AuditSeal) -> dict[str, Any]:
    """Return the fields that a seal's signature covers. The head covers the records and their order."""
    return {
        "tenant_id": str(seal.tenant_id),
        "number": seal.number,
        "count": seal.count,
        "previous_head": seal.previous_head,
        "head": seal.head,
        "at": format_moment(seal.at),
    }


def check_seal(seal: AuditSeal, before: AuditSeal | None) -> None:
    """Check a seal against the one before it, and its signature, in the open scope. Raises AuditFault."""
    where = f"Seal {seal.number}"
    if before is not None and seal.number != before.number + 1:
        raise AuditFault(
            where, f"It follows seal {before.number}.", "Seals between them were deleted in the database.", KEEP_FILES
        )
    if before is not None and seal.previous_head != before.head:
        raise AuditFault(
            where,
            f"It continues from {seal.previous_head}, but seal {before.number} ends with {before.head}.",
            "One of the two was changed or replaced in the database.",
            KEEP_FILES,
        )
    if not is_signed(current_tenant_id(), describe_seal(seal), seal.signature):
        raise AuditFault(
            where,
            "Its signature does not fit.",
            "It was changed in the database, or KEY_PEPPER is another one than when it was made.",
            f"Check KEY_PEPPER first. {KEEP_FILES}",
        )


def read_sealed_records(seal: AuditSeal) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the hash before each record, its hash, and the record as it is exported; in the open scope. Raises
    AuditFault at the first one that is not as it was sealed."""
    head, marks = seal.previous_head, bytes(seal.marks)
    for place, record in enumerate(load_records(seal.records)):
        described = describe_record(record)
        previous, head = head, compute_next_hash(head, described)
        if cut_record_hash(head) != marks[place * MARK_BYTES : (place + 1) * MARK_BYTES]:
            raise AuditFault(
                f"Record {record.id}",
                f"It is not what seal {seal.number} of {format_moment(seal.at)} covers.",
                "Somebody changed it in the database; the platform's own role cannot.",
                KEEP_FILES,
            )
        yield previous, head, described
    if head != seal.head:
        raise AuditFault(
            f"Seal {seal.number}",
            f"Its records give {head}, but it says {seal.head}.",
            "It was changed in the database.",
            KEEP_FILES,
        )


def count_and_check_unsealed(config: AuditConfig = AUDIT_CONFIG) -> int:
    """Return how many records wait for their seal, at most as many as one holds; in the open scope. Raises AuditFault
    for a record that is too old to be sealed."""
    horizon = _find_search_start(config)
    waiting = _find_unsealed_records(None, config.records_per_seal)
    if waiting and horizon is not None and waiting[0][1] <= horizon:
        raise AuditFault(
            f"Record {waiting[0][0]}",
            f"It says {format_moment(waiting[0][1])}, but no seal lists it.",
            "It was inserted into the database afterwards with an earlier time, or its seal was deleted.",
            KEEP_FILES,
        )
    return len(waiting)


def _find_search_start(config: AuditConfig) -> datetime | None:
    """Return the time of a record from which on it is still looked for; None before the first seal. It stays behind the
    newest sealed record for longer than any transaction or clock is late, so that no record is passed over."""
    newest: datetime | None = AuditSeal.objects.aggregate(newest=Max("last_at"))["newest"]
    return newest - config.lateness if newest else None


def _find_unsealed_records(since: datetime | None, most: int) -> list[tuple[UUID, datetime]]:
    """Return ids and times of the oldest unsealed records. A record of the future waits until its time has come: as the
    newest sealed one it would move the horizon past all others."""
    given = {"tenant": current_tenant_id(), "since": since, "until": utc_now(), "most": most}
    with connection.cursor() as cursor:
        cursor.execute(_UNSEALED, given)
        return list(cursor.fetchall())


def _lock_sealing() -> None:
    """Wait for another process that seals this tenant's records; the next statement sees its seal."""
    with connection.cursor() as cursor:
        cursor.execute(LOCK_SEALING, [f"audit-seal:{current_tenant_id()}"])
