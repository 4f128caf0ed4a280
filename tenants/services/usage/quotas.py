"""Limits on a tenant's use: set by an operator, and compared with the use so far."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Self
from uuid import UUID

from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import FieldFault, InvalidInput
from tenants.config import LIMIT_CONFIG, LimitConfig
from tenants.errors import QuotaExceeded
from tenants.isolation import current_tenant_id
from tenants.models import ApiKey, UsageLimit
from tenants.services.audit import Actor, record_audit

REQUESTS = ("requests_per_second", "burst")
# The limits that come with a key's check, and those that are read when a document is written.
NAMES = (*REQUESTS, "messages_per_day", "stored_snapshots", "model_tokens_per_day")
DOCUMENTS, DOCUMENT_BYTES, CHUNKS = "stored_documents", "document_bytes", "stored_chunks"
ALL_NAMES = (*NAMES, DOCUMENTS, DOCUMENT_BYTES, CHUNKS)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one key. ``model_tokens_per_day`` None: each purpose has its own bound, without a common bound."""

    requests_per_second: int = LIMIT_CONFIG.requests_per_second
    burst: int = LIMIT_CONFIG.burst
    messages_per_day: int = LIMIT_CONFIG.messages_per_day
    stored_snapshots: int = LIMIT_CONFIG.stored_snapshots
    model_tokens_per_day: int | None = None

    @classmethod
    def from_values(cls, *values: int | None, config: LimitConfig = LIMIT_CONFIG) -> Self:
        """Return the limits for ``values`` in the order of ``NAMES``; None is the default."""
        defaults = [getattr(config, name, None) for name in NAMES]
        return cls(*(own if given is None else given for given, own in zip(values, defaults, strict=True)))  # type: ignore[arg-type]  # only the last may be None

    def to_dict(self) -> dict[str, int | None]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class DocumentLimits:
    """How many documents, bytes of them and chunks a tenant may store."""

    stored_documents: int = LIMIT_CONFIG.stored_documents
    document_bytes: int = LIMIT_CONFIG.document_bytes
    stored_chunks: int = LIMIT_CONFIG.stored_chunks


def load_document_limits() -> DocumentLimits:
    """Return the open tenant's limits of documents; one query."""
    row = UsageLimit.objects.filter(api_key=None).first()
    own = {name: getattr(row, name, None) for name in (DOCUMENTS, DOCUMENT_BYTES, CHUNKS)}
    return DocumentLimits(**{name: value for name, value in own.items() if value is not None})


def find_default_limit(name: str) -> int | None:
    """Return a limit where neither tenant nor key has its own; None is no limit."""
    default: int | None = getattr(LIMIT_CONFIG, name, None)
    return default


def set_limits(
    values: dict[str, int | None], *, by: Actor, api_key: ApiKey | None = None, reason: str = ""
) -> UsageLimit:
    """Set some limits of the open tenant, or of one of its keys; None restores the default.

    Other limits stay. Raises InvalidInput for an unknown limit, for one that a key cannot have, and for a rate below
    one request.
    """
    check_limits(values, of_key=api_key is not None)
    row, _ = UsageLimit.objects.get_or_create(api_key=api_key)
    for name, value in values.items():
        setattr(row, name, value)
    row.save(update_fields=list(values))
    told = ", ".join(f"{name} {'default' if value is None else value}" for name, value in sorted(values.items()))
    record_audit(
        by,
        "usage_limit.set",
        object_kind="usage_limit",
        object_id=str(row.id),
        reason=f"{told}: {reason}" if reason else told,
    )
    return row


def copy_limits(old: ApiKey, new: ApiKey, *, by: Actor) -> None:
    row = UsageLimit.objects.filter(api_key=old).first()
    if row is not None:
        set_limits({name: getattr(row, name) for name in REQUESTS}, by=by, api_key=new)


def check_limits(values: dict[str, int | None], *, of_key: bool) -> None:
    known = REQUESTS if of_key else ALL_NAMES
    faults = [
        FieldFault(name, "unknown", f"Must be one of: {', '.join(known)}.") for name in sorted(set(values) - set(known))
    ]
    faults += [
        FieldFault(name, "too_small", "Must be at least 1." if name in REQUESTS else "Must be at least 0.")
        for name, value in sorted(values.items())
        if value is not None and value < (1 if name in REQUESTS else 0)
    ]
    if faults:
        raise InvalidInput(" ".join(f"{fault.field}: {fault.message}" for fault in faults), faults=faults)


MESSAGES = "messages_per_day"
SNAPSHOTS = "stored_snapshots"
MODEL_TOKENS = "model_tokens_per_day"
MOST_HELD = 10_000

_TODAY = """
SELECT coalesce((SELECT messages FROM usage_day WHERE tenant_id = %(tenant)s AND day = %(day)s), 0)
     + coalesce((SELECT sum(messages) FROM usage_event WHERE tenant_id = %(tenant)s AND at >= %(since)s), 0)
"""


@dataclass(frozen=True, slots=True)
class _Meter:
    """One quota: its public name, its period, and how long a count is cached.

    ``near``: share of the limit from which a count is not cached. ``resets_at`` None: after a deletion.
    ``recount_after``: an expensive count is repeated after this many times its duration, if only reserved and perhaps
    unused room would refuse.
    """

    name: str
    span: str
    allowed: int
    trusted_for: timedelta
    near: float
    resets_at: datetime | None
    retry_after: timedelta
    recount_after: float


@dataclass(slots=True)
class _Count:
    """A count as it was read, and with the room reserved by this process since; ``took``: seconds to count."""

    counted: int
    used: int
    read_at: float
    took: float


_counts: dict[tuple[UUID, str, str], _Count] = {}


def reserve_messages(limits: Limits, adding: int) -> None:
    """Reserve room for today's messages, in the open scope. Raises QuotaExceeded."""
    now = utc_now()
    midnight = _find_midnight(now)
    resets_at = midnight + timedelta(days=1)
    period = (LIMIT_CONFIG.trusted_for, LIMIT_CONFIG.near, resets_at, resets_at - now, LIMIT_CONFIG.recount_after)
    meter = _Meter(MESSAGES, f"{midnight:%Y-%m-%d}", limits.messages_per_day, *period)
    _reserve(meter, adding, lambda: _count_messages_since(midnight))


def reserve_snapshots(
    limits: Limits, adding: int, count_stored: Callable[[], int], config: LimitConfig = LIMIT_CONFIG
) -> None:
    """Reserve room for snapshots, in the open scope; ``count_stored`` counts those that are stored. Raises
    QuotaExceeded.

    Counting millions takes a while: it is done rarely, also at the limit. Repeated and refused snapshots reserve room
    that they do not use: a count that only they exhaust is read anew.
    """
    reserve_room_under_limit(SNAPSHOTS, limits.stored_snapshots, adding, count_stored, config)


def reserve_room_under_limit(
    name: str, allowed: int, adding: int, count_stored: Callable[[], int], config: LimitConfig = LIMIT_CONFIG
) -> None:
    """Reserve room under a limit on stored rows, as :func:`reserve_snapshots` does. Raises QuotaExceeded."""
    believed = config.stock_trusted_for
    meter = _Meter(name, "", allowed, believed, 1.0, None, believed, config.recount_after)
    _reserve(meter, adding, count_stored)


def count_messages_today() -> int:
    """Return how many messages the open tenant has sent since midnight (UTC)."""
    return _count_messages_since(_find_midnight(utc_now()))


def forget_counts() -> None:
    _counts.clear()


def _reserve(meter: _Meter, adding: int, count: Callable[[], int]) -> None:
    key = (current_tenant_id(), meter.name, meter.span)
    known = _counts.get(key)
    if known is None or not _can_trust_cached_count(known, adding, meter):
        known = _time_count(count)
        if len(_counts) >= MOST_HELD:
            _counts.clear()
        _counts[key] = known
    if known.used + adding > meter.allowed:
        raise QuotaExceeded(
            meter.name,
            allowed=meter.allowed,
            remaining=max(0, meter.allowed - known.used),
            resets_at=meter.resets_at,
            retry_after_s=math.ceil(meter.retry_after.total_seconds()),
        )
    known.used += adding


def _time_count(count: Callable[[], int]) -> _Count:
    began = time.monotonic()
    found = count()
    now = time.monotonic()
    return _Count(found, found, now, now - began)


def _can_trust_cached_count(count: _Count, adding: int, meter: _Meter) -> bool:
    age = time.monotonic() - count.read_at
    if age >= meter.trusted_for.total_seconds():
        return False
    if meter.near < 1:
        return count.used + adding <= meter.near * meter.allowed
    had_room = count.counted + adding <= meter.allowed < count.used + adding
    return not had_room or age < meter.recount_after * count.took


def _find_midnight(now: datetime) -> datetime:
    return datetime(now.year, now.month, now.day, tzinfo=UTC)


def _count_messages_since(midnight: datetime) -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TODAY, {"tenant": current_tenant_id(), "day": midnight.date(), "since": midnight})
        return int(cursor.fetchone()[0])
