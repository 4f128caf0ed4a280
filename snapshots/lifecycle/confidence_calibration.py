"""Adjust the confidence of snapshots, preferences and profile facts to their feedback.

A calibration uses the counts that a memory's tally gained since the last one. One transaction changes the memory, keeps
its history, adds a ``Calibration`` row with the counts, and restarts the tally. So the job may run twice, concurrently,
or be killed anywhere.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from operator import attrgetter
from typing import TypeVar
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.config import BELIEFS
from profiles.models import Preference, ProfileFact, Subject
from profiles.provenance_and_verdict import Provenance
from profiles.services.beliefs import rate_belief
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_history import store_version
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.job_preview import CarePreview
from snapshots.lifecycle.config import CALIBRATION, CalibrationConfig
from snapshots.lifecycle.memory_reviews import Memory, request_review
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import (
    BeliefCounter,
    Calibration,
    CalibrationRule,
    MemoryLane,
    Note,
    ReviewReason,
    Snapshot,
    SnapshotCounter,
)
from tenants.isolation import tenant_tx

TallyRow = SnapshotCounter | BeliefCounter
TallyT = TypeVar("TallyT", SnapshotCounter, BeliefCounter)
BELIEF_TABLES: Mapping[MemoryLane, type[Preference] | type[ProfileFact]] = {
    MemoryLane.PREFERENCES: Preference,
    MemoryLane.PROFILE: ProfileFact,
}
COUNTS = ("injected", "judged", "positive", "corrected")
# Sums of tenths would otherwise drift off the steps that the rules name.
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Reception:
    """How a memory's injections were received since its last calibration."""

    injected: int
    judged: int
    positive: int
    corrected: int

    def compute_positive_share(self, judged_least: int) -> float | None:
        """Return the share of positive judgements, None below ``judged_least`` (at least one) judgements."""
        return self.positive / self.judged if self.judged >= judged_least else None


def choose_calibration_rule(
    seen: Reception, config: CalibrationConfig = CALIBRATION, *, is_vital: bool = False
) -> CalibrationRule | None:
    """Return the first rule that holds, of disliked, corrected, liked; None if no rule holds.

    A vital note stands in every context whether or not it helps, so it is never disliked; and it is corrected however
    seldom it was injected.
    """
    share = seen.compute_positive_share(config.judged_least)
    if (
        not is_vital
        and seen.injected >= config.disliked_injected
        and share is not None
        and share < config.disliked_below
    ):
        return CalibrationRule.DISLIKED
    if (is_vital or seen.injected >= config.corrected_injected) and seen.corrected >= config.corrected_times:
        return CalibrationRule.CORRECTED
    if seen.injected >= config.liked_injected and share is not None and share > config.liked_above:
        return CalibrationRule.LIKED
    return None


def calibrate_confidence(
    confidence: float, provenance: Provenance, rule: CalibrationRule, config: CalibrationConfig = CALIBRATION
) -> float:
    """Return the confidence after ``rule``: at most its provenance's ceiling, at least the floor. A rule that raises
    never lowers, nor the other way round."""
    step = {
        CalibrationRule.DISLIKED: config.disliked,
        CalibrationRule.CORRECTED: config.corrected,
        CalibrationRule.LIKED: config.liked,
    }[rule]
    moved = round(confidence + step, DIGITS)
    if step > 0:
        return max(confidence, min(moved, BELIEFS.ceiling(provenance)))
    return min(confidence, max(moved, config.floor))


def preview_calibration(config: CalibrationConfig = CALIBRATION) -> CarePreview:
    found = list(_iterate_changes(config))
    counts = Counter(rule for _, rule, _, _ in found)
    said = [f"{lane} {memory.id}: {rule} {memory.confidence:.2f} -> {after:.2f}" for lane, rule, memory, after in found]
    return CarePreview({rule.value: counts[rule] for rule in CalibrationRule}, said)


def calibrate_tenant(
    tenant_id: UUID, *, may_go_on: Callable[[], bool] = lambda: True, config: CalibrationConfig = CALIBRATION
) -> int:
    """Calibrate the memories whose reception meets a rule; return how many changed. Runs outside any ``tenant_tx``, a
    batch of one kind in a transaction of its own."""
    changed = _calibrate_in_batches(tenant_id, _select_snapshot_tallies, _calibrate_snapshots, may_go_on, config)
    return changed + _calibrate_in_batches(tenant_id, _select_belief_tallies, _calibrate_beliefs, may_go_on, config)


def find_due_tallies(tallies: QuerySet[TallyT], config: CalibrationConfig) -> QuerySet[TallyT]:
    """Return those of ``tallies`` for which a rule may hold: the rules' conditions as a query."""
    gained = {f"new_{name}": F(name) - F(f"calibrated_{name}") for name in COUNTS}
    disliked = Q(
        new_injected__gte=config.disliked_injected,
        new_judged__gte=config.judged_least,
        new_positive__lt=F("new_judged") * config.disliked_below,
    )
    often = Q(new_injected__gte=config.corrected_injected)
    if tallies.model is SnapshotCounter:
        often |= Q(snapshot_id__in=Note.objects.exclude(vital_class="").order_by().values("snapshot_id"))
    corrected = often & Q(new_corrected__gte=config.corrected_times)
    liked = Q(
        new_injected__gte=config.liked_injected,
        new_judged__gte=config.judged_least,
        new_positive__gt=F("new_judged") * config.liked_above,
    )
    return tallies.annotate(**gained).filter(disliked | corrected | liked)


def measure_reception(tally: TallyRow) -> Reception:
    """Return the tally's gains since the last calibration; counts that were taken back meanwhile are 0."""
    return Reception(*(max(0, getattr(tally, name) - getattr(tally, f"calibrated_{name}")) for name in COUNTS))


def _calibrate_in_batches(
    tenant_id: UUID,
    tallies: Callable[[], QuerySet[TallyT]],
    calibrate_some: Callable[[UUID, Sequence[TallyT], CalibrationConfig], int],
    may_go_on: Callable[[], bool],
    config: CalibrationConfig,
) -> int:
    changed, after = 0, UUID(int=0)
    while may_go_on():
        with tenant_tx(tenant_id):
            batch = list(find_due_tallies(tallies(), config).filter(id__gt=after).order_by("id")[: config.batch])
            # In the order of subjects, as for every writer of several.
            by_subject = groupby(sorted(batch, key=attrgetter("subject_id")), key=attrgetter("subject_id"))
            changed += sum(calibrate_some(subject_id, list(some), config) for subject_id, some in by_subject)
        if len(batch) < config.batch:
            break
        after = batch[-1].id
    return changed


def _calibrate_snapshots(subject_id: UUID, tallies: Sequence[SnapshotCounter], config: CalibrationConfig) -> int:
    lock_memory(subject_id)  # the memory before its rows, as every writer does
    ours = SnapshotCounter.objects.filter(subject_id=subject_id, id__in=[tally.id for tally in tallies])
    locked = list(ours.order_by("id").select_for_update(no_key=True))
    held = _load_current_snapshots([tally.snapshot_id for tally in locked])
    vital = _find_vital_notes(held)
    moved = [
        held[tally.snapshot_id]
        for tally in locked
        if _calibrate_memory(
            MemoryLane.SNAPSHOTS, tally, held.get(tally.snapshot_id), config, is_vital=tally.snapshot_id in vital
        )
    ]
    if moved:
        begin_memory_epoch(subject_id, changed=[snapshot.position for snapshot in moved])
    return len(moved)


def _calibrate_beliefs(subject_id: UUID, tallies: Sequence[BeliefCounter], config: CalibrationConfig) -> int:
    lock_subject(Subject.objects.get(id=subject_id))
    ours = BeliefCounter.objects.filter(subject_id=subject_id, id__in=[tally.id for tally in tallies])
    moved = [
        tally.lane
        for tally in ours.order_by("id").select_for_update(no_key=True)
        if _calibrate_memory(MemoryLane(tally.lane), tally, _load_current_belief(tally), config)
    ]
    if MemoryLane.PROFILE in moved:
        Subject.objects.filter(id=subject_id).update(profile_version=F("profile_version") + 1)
    return len(moved)


def _calibrate_memory(
    lane: MemoryLane, tally: TallyRow, memory: Memory | None, config: CalibrationConfig, *, is_vital: bool = False
) -> bool:
    """Apply the rule that holds to one memory, and begin its tally anew; return whether the memory changed.

    A vital note that was corrected often enough is marked as possibly outdated and reviewed, so that the subject and a
    person are asked: nothing ends it by itself.
    """
    seen = measure_reception(tally)
    rule = choose_calibration_rule(seen, config, is_vital=is_vital) if memory else None
    if memory is None or rule is None:
        return False
    before = memory.confidence
    after = calibrate_confidence(before, Provenance(memory.provenance), rule, config)
    is_asked = is_vital and rule is CalibrationRule.CORRECTED
    lost = _mark_possibly_outdated(memory.id) if is_asked else {}
    if after != before or lost:
        _set_confidence(memory, after, lost)
    if after != before:
        Calibration.objects.create(
            subject_id=tally.subject_id,
            lane=lane,
            memory_ref=memory.id,
            rule=rule,
            before=before,
            after=after,
            **asdict(seen),
        )
    for name in COUNTS:
        setattr(tally, f"calibrated_{name}", getattr(tally, name))
    tally.save(update_fields=[f"calibrated_{name}" for name in COUNTS])
    if after < config.retire_below or is_asked:
        request_review(memory, lane, ReviewReason.UNSURE, is_vital=is_vital)
    return after != before or bool(lost)


def _mark_possibly_outdated(snapshot_id: UUID) -> Mapping[str, bool]:
    """Mark a note as possibly outdated; return the columns for its image: nothing where it was marked already."""
    own = Note.objects.filter(snapshot_id=snapshot_id, possibly_outdated=False)
    return {"possibly_outdated": False} if own.update(possibly_outdated=True) else {}


def _set_confidence(memory: Memory, confidence: float, note: Mapping[str, bool]) -> None:
    """Give a memory another confidence. ``note``: the columns that its note had before, for the image."""
    if not isinstance(memory, Snapshot):
        rate_belief(memory, confidence)
        return
    store_version(memory, ["confidence"], until=utc_now(), note=note)
    own = Snapshot.objects.filter(id=memory.id, subject_id=memory.subject_id)
    own.update(confidence=confidence, version=F("version") + 1)
    memory.confidence = confidence


def _iterate_changes(config: CalibrationConfig) -> Iterator[tuple[MemoryLane, CalibrationRule, Memory, float]]:
    snapshots = list(find_due_tallies(_select_snapshot_tallies(), config).order_by("id"))
    held = _load_current_snapshots([tally.snapshot_id for tally in snapshots])
    beliefs = find_due_tallies(_select_belief_tallies(), config).order_by("id")
    found: Iterable[tuple[MemoryLane, TallyRow, Memory | None]] = (
        *((MemoryLane.SNAPSHOTS, tally, held.get(tally.snapshot_id)) for tally in snapshots),
        *((MemoryLane(tally.lane), tally, _load_current_belief(tally)) for tally in beliefs),
    )
    vital = _find_vital_notes(held)
    for lane, tally, memory in found:
        rule = (
            choose_calibration_rule(
                measure_reception(tally), config, is_vital=memory is not None and memory.id in vital
            )
            if memory
            else None
        )
        if memory is None or rule is None:
            continue
        after = calibrate_confidence(memory.confidence, Provenance(memory.provenance), rule, config)
        if after != memory.confidence:
            yield lane, rule, memory, after


def _select_snapshot_tallies() -> QuerySet[SnapshotCounter]:
    return SnapshotCounter.objects.all()


def _select_belief_tallies() -> QuerySet[BeliefCounter]:
    return BeliefCounter.objects.filter(lane__in=BELIEF_TABLES)


def _load_current_snapshots(ids: Sequence[UUID]) -> dict[UUID, Snapshot]:
    return {row.id: row for row in Snapshot.objects.filter(build_current_snapshot_condition(), id__in=ids)}


def _find_vital_notes(ids: Collection[UUID]) -> set[UUID]:
    rows = Note.objects.filter(snapshot_id__in=list(ids)).exclude(vital_class="").order_by()
    return set(rows.values_list("snapshot_id", flat=True))


def _load_current_belief(tally: BeliefCounter) -> Preference | ProfileFact | None:
    rows = BELIEF_TABLES[MemoryLane(tally.lane)].objects.filter(id=tally.memory_ref, subject_id=tally.subject_id)
    return rows.filter(retired_at__isnull=True, invalid_at__isnull=True).first()
