"""Tombstones of threads: a run that goes on after its thread was deleted must not bring it back.

A checkpoint that continues a deleted one is refused, and so is one that was made before the deletion: the time is in
its id, a UUID of version 6. A new run on the same thread begins without a parent, later, and is welcome.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Greatest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.kernel.keyed_hashes import derived_key, keyed_digest
from snapshots.models import ThreadTombstone
from tenants.isolation import current_tenant_id

PURPOSE = "deleted threads"
_TIME_ORDERED = 6
_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


def make_thread_mark(thread_id: str) -> bytes:
    """Return the keyed hash by which a deleted thread of the open tenant is recognised."""
    return keyed_digest(derived_key(settings.KEY_PEPPER, PURPOSE), current_tenant_id(), thread_id)


def record_closed_threads(thread_ids: Iterable[str], closed_at: datetime) -> None:
    """Store tombstones in the open scope; of two deletions of one thread the later counts."""
    marks = {make_thread_mark(one) for one in thread_ids}
    known = ThreadTombstone.objects.filter(mark__in=marks)
    known.update(closed_at=Greatest(F("closed_at"), closed_at), created_at=utc_now())
    held = {bytes(one) for one in known.values_list("mark", flat=True)}
    rows = [ThreadTombstone(id=new_id(), mark=mark, closed_at=closed_at) for mark in marks - held]
    ThreadTombstone.objects.bulk_create(rows, ignore_conflicts=True)


def was_made_before(checkpoint_id: str, moment: datetime) -> bool:
    """Return whether the id tells a time before ``moment``; one that tells none was not."""
    made_at = read_checkpoint_time(checkpoint_id)
    return made_at is not None and made_at < moment


def read_checkpoint_time(checkpoint_id: str) -> datetime | None:
    """Return the time in a UUID of version 6, or None for another id."""
    try:
        known = UUID(checkpoint_id)
    except ValueError:
        return None
    if known.version != _TIME_ORDERED:
        return None
    ticks = (known.int >> 80) << 12 | (known.int >> 64) & 0xFFF  # of 100 ns
    try:
        return _GREGORIAN + timedelta(microseconds=ticks // 10)
    except OverflowError:
        return None
