"""Memories that a person should review: too unsure by now, or not validated for long.

Vital notes do not age: they are reviewed when they were never sure, or when their own time has come. The job opens
reviews and closes those whose memory is gone or no longer in question; it retires nothing by itself. A memory that a
person keeps counts as validated, and is not asked about again for a while.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Case, Exists, F, FloatField, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Now

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.audit import record_act
from profiles.models import Preference, ProfileFact, Subject
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import REVIEW, ReviewConfig
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, retire_memory, store_undo_record
from snapshots.models import ActVerb, MemoryLane, MemoryReview, Note, ReviewDecision, ReviewReason, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

Memory = Snapshot | Preference | ProfileFact
TABLES: Mapping[MemoryLane, type[Snapshot] | type[Preference] | type[ProfileFact]] = {
    MemoryLane.SNAPSHOTS: Snapshot,
    MemoryLane.PREFERENCES: Preference,
    MemoryLane.PROFILE: ProfileFact,
}
BY_JOB = "review-memories"
LOCK_REVIEWING = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_NEVER_VALIDATED = Q(snapshot__last_validated_at__lte=F("snapshot__recorded_at"))
# The state of a review that nobody has decided yet.
OPEN_STATE = "open"


class ReviewDecided(Conflict):
    """Somebody has decided about this memory already, or it is no longer in question. HTTP 409."""

    code = "review_decided"


def compute_effective_confidence(
    confidence: float, validated_at: datetime, at: datetime, config: ReviewConfig = REVIEW
) -> float:
    """Return how sure an ageing memory still is at ``at``, 0..1; the stored confidence stays as it is."""
    days = (at - validated_at).total_seconds() / 86_400
    return confidence * config.shares[sum(days > bound for bound in config.days)]


def request_review(memory: Memory, lane: MemoryLane, reason: ReviewReason, *, is_vital: bool = False) -> None:
    """Open a review of a memory, in the open scope; does nothing when one is open already."""
    aged = compute_effective_confidence(memory.confidence, memory.last_validated_at, utc_now())
    sure = memory.confidence if is_vital else aged
    row = MemoryReview(
        subject_id=memory.subject_id, lane=lane, memory_ref=memory.id, reason=reason, effective_confidence=sure
    )
    MemoryReview.objects.bulk_create([row], ignore_conflicts=True)


def find_reviews(subject: Subject, *, state: str | None = None) -> QuerySet[MemoryReview]:
    """Return the reviews of a subject's memories; ``state`` is "open" or a decision."""
    rows = MemoryReview.objects.filter(subject_id=subject.id)
    if state == OPEN_STATE:
        return rows.filter(decided_at__isnull=True)
    return rows.filter(decision=state) if state else rows


def load_reviewed_memories(reviews: Iterable[MemoryReview]) -> dict[UUID, Memory]:
    """Return the memories under review by id, one query a lane; those no longer held are missing."""
    asked: dict[MemoryLane, list[UUID]] = defaultdict(list)
    for review in reviews:
        asked[MemoryLane(review.lane)].append(review.memory_ref)
    return {memory.id: memory for lane, ids in asked.items() for memory in _find_held_rows(lane, ids)}


def decide_review(
    subject: Subject, review_id: UUID, decision: ReviewDecision, *, by: Actor, reason: str
) -> MemoryReview:
    """Retire or keep the memory of an open review, in the open scope; leaves an audit record.

    A kept memory counts as validated now. Deciding the same again returns the review as it is. Raises NotFound,
    ReviewDecided; ValueError for ``gone``, which only the job decides.
    """
    if decision == ReviewDecision.GONE:
        raise ValueError(decision)
    review = MemoryReview.objects.filter(id=review_id, subject_id=subject.id).first()
    if review is None:
        raise NotFound("No review with this id.")
    if review.decision == decision:
        return review
    memory = _find_held_rows(MemoryLane(review.lane), [review.memory_ref]).select_related("subject").first()
    # The memory's own locks come first, as for every writer; then the review's row tells who was first.
    if memory is not None and review.decided_at is None:
        if decision == ReviewDecision.RETIRED:
            retire_memory(memory, ActContext(by, reason), review=review.id)
        else:
            before = {"last_validated_at": memory.last_validated_at.isoformat(), "review": str(review.id)}
            record_validation(memory, by, reason)
            store_undo_record(memory, ActVerb.KEPT, before=before)
    open_row = MemoryReview.objects.filter(id=review.id, decided_at__isnull=True)
    fields = {"decision": decision, "decided_by": by.id[:200]} if memory else {"decision": ReviewDecision.GONE}
    if not open_row.update(decided_at=Now(), **fields) or memory is None:
        raise ReviewDecided("Only an `open` review of a memory that still exists can be decided; this one is closed.")
    review.refresh_from_db()
    return review


def record_validation(memory: Memory, by: Actor, reason: str) -> None:
    rows = type(memory).objects.filter(id=memory.id, subject_id=memory.subject_id)
    if isinstance(memory, Snapshot):
        begin_memory_epoch(memory.subject_id, changed=[memory.position])
    else:
        lock_subject(memory.subject)
    rows.update(last_validated_at=utc_now(), version=F("version") + 1)
    record_act(by, "memory.kept", memory, reason)


def preview_review(config: ReviewConfig = REVIEW) -> CarePreview:
    """Return the reviews that the next run opens, and how many it closes, in the open scope."""
    found = list(islice(_iterate_new_reviews(config), config.open_most))
    counts = Counter(one.reason for one in found)
    taken_back = sum(len(_find_settled_reviews(lane, config)) for lane in TABLES)
    said = [f"{one.lane} {one.memory_ref}: {one.reason} ({one.effective_confidence:.2f})" for one in found]
    return CarePreview({**{reason.value: counts[reason] for reason in ReviewReason}, "gone": taken_back}, said)


def review_tenant(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: ReviewConfig = REVIEW
) -> int:
    """Close reviews that are no longer in question and open new ones; return the rows written.

    Runs outside any ``tenant_tx``. Safe to run twice, also at once, and to kill: a memory has one open row at most.
    """
    written = 0
    for lane in TABLES:
        with tenant_tx(tenant_id):
            gone = MemoryReview.objects.filter(id__in=_find_settled_reviews(lane, config), decided_at__isnull=True)
            written += gone.update(decided_at=Now(), decision=ReviewDecision.GONE, decided_by=BY_JOB)
    while may_go_on():
        with tenant_tx(tenant_id):
            with connection.cursor() as cursor:  # one at a time: two would each fill the room
                cursor.execute(LOCK_REVIEWING, [f"{BY_JOB} {tenant_id}"])
            room = config.open_most - MemoryReview.objects.filter(decided_at__isnull=True).count()
            some = list(islice(_iterate_new_reviews(config), max(0, min(room, config.batch))))
            MemoryReview.objects.bulk_create(some, ignore_conflicts=True)
        written += len(some)
        if len(some) < config.batch:
            break
    return written


def find_questionable_memories(lane: MemoryLane, config: ReviewConfig) -> QuerySet[Any]:
    """Return the held memories of a lane that are too unsure or too old, annotated with ``effective``."""
    steps = zip(config.days, config.shares, strict=False)  # the last share has no end
    since = [When(last_validated_at__gte=Now() - timedelta(days=days), then=Value(share)) for days, share in steps]
    stale = Q(last_validated_at__lt=Now() - config.stale_after)
    if lane == MemoryLane.SNAPSHOTS:
        since = [When(_build_vital_condition(), then=Value(1.0)), *since]
        stale = stale & ~_build_vital_condition() | _build_overdue_condition()
    share = Case(*since, default=Value(config.shares[-1]), output_field=FloatField())
    rows: QuerySet[Any] = _find_held_rows(lane).annotate(effective=F("confidence") * share)
    return rows.filter(Q(effective__lt=config.unsure_below) | stale)


def _build_vital_condition() -> Q:
    return Q(id__in=Note.objects.exclude(vital_class="").order_by().values("snapshot_id"))


def _build_overdue_condition() -> Q:
    """Return the condition for notes whose time of review is past and that were not validated since."""
    overdue = Note.objects.filter(Q(review_by__gt=F("snapshot__last_validated_at")) | _NEVER_VALIDATED)
    due = overdue.filter(review_by__lte=Now()).order_by()
    return Q(id__in=due.values("snapshot_id"))  # not correlated: the notes are read once, not once for each memory


def _build_doubted_from_first_condition() -> Exists:
    return Exists(
        Note.objects.filter(_NEVER_VALIDATED, snapshot_id=OuterRef("id"), review_by__lte=F("snapshot__recorded_at"))
    )


def _iterate_new_reviews(config: ReviewConfig) -> Iterator[MemoryReview]:
    """Yield new reviews, the least sure of each lane first; not those that are open or were lately decided to keep."""
    stale_before = utc_now() - config.stale_after
    for lane in TABLES:
        asked = MemoryReview.objects.filter(lane=lane, memory_ref=OuterRef("id"))
        lately = Q(decided_at__isnull=True) | Q(decision=ReviewDecision.KEPT, decided_at__gt=Now() - config.kept_for)
        doubted = _build_doubted_from_first_condition() if lane == MemoryLane.SNAPSHOTS else Value(False)
        rows = (
            find_questionable_memories(lane, config)
            .exclude(Exists(asked.filter(lately)))
            .annotate(made_in_doubt=doubted)
        )
        for memory in rows.order_by("effective", "id").iterator(config.batch):
            is_unsure = memory.effective < config.unsure_below or memory.made_in_doubt
            is_stale = memory.last_validated_at < stale_before or not is_unsure
            reason = ReviewReason.STALE if is_stale else ReviewReason.UNSURE
            yield MemoryReview(
                subject_id=memory.subject_id,
                lane=lane,
                memory_ref=memory.id,
                reason=reason,
                effective_confidence=memory.effective,
            )


def _find_settled_reviews(lane: MemoryLane, config: ReviewConfig) -> list[UUID]:
    """Return the open reviews whose memory is gone, or sure enough and validated again. A possibly outdated note stays
    under review."""
    questioned = find_questionable_memories(lane, config).filter(
        id=OuterRef("memory_ref"), subject_id=OuterRef("subject_id")
    )
    rows = MemoryReview.objects.filter(~Exists(questioned), lane=lane, decided_at__isnull=True)
    if lane == MemoryLane.SNAPSHOTS:
        doubted = Note.objects.filter(possibly_outdated=True).order_by().values("snapshot_id")
        rows = rows.exclude(memory_ref__in=_find_held_rows(lane).filter(id__in=doubted).order_by().values("id"))
    return list(rows.order_by().values_list("id", flat=True))


def _find_held_rows(lane: MemoryLane, ids: Sequence[UUID] | None = None) -> QuerySet[Any]:
    rows: QuerySet[Any] = TABLES[lane].objects.all() if ids is None else TABLES[lane].objects.filter(id__in=ids)
    if lane == MemoryLane.SNAPSHOTS:
        return rows.filter(build_current_snapshot_condition())
    return rows.filter(retired_at__isnull=True, invalid_at__isnull=True)
