"""Record values on two clocks, for preferences and profile facts.

The values of one thing (a preference's key, a profile's field) succeed each other on the valid clock. A new value takes
over from the one that holds at its ``valid_at``. Whether it is current depends on later statements, not on later
processing. Nothing is overwritten: see :class:`profiles.models.belief.Belief` for the two clocks.

Every write locks the subject's row, so parallel writes queue and each sees the one before it.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from django.db.models import F, Manager, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.config import BELIEFS
from profiles.models import Candidate, CandidateKind, Subject
from profiles.models.belief import Belief
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.subject_lock import lock_subject
from profiles.services.value_claims import OLDER, WEAKER, Claim, ClaimOutcome, have_same_value, is_weaker

B = TypeVar("B", bound=Belief)

# Of values that start together, the one that holds comes first: the others ended when they began.
LATEST_FIRST = ("-valid_at", F("invalid_at").desc(nulls_first=True), "-recorded_at")
_EARLIEST_FIRST = ("valid_at", F("invalid_at").desc(nulls_first=True), "-recorded_at")


@dataclass(frozen=True, slots=True)
class BeliefPlace(Generic[B]):
    """The place of all values of one thing: table, subject, and the columns that name the thing. ``target`` names it in
    a candidate: ``category/key`` or a field."""

    model: type[B]
    subject: Subject
    columns: Mapping[str, Any]
    kind: CandidateKind
    target: str

    def rows(self) -> QuerySet[B]:
        manager = cast("Manager[B]", self.model._default_manager)
        return manager.filter(subject_id=self.subject.id, retired_at__isnull=True, **self.columns)

    def latest_row(self) -> B | None:
        return self.rows().order_by(*LATEST_FIRST).first()

    def current(self) -> B | None:
        return self.rows().filter(invalid_at__isnull=True).first()

    def row_at(self, at: datetime) -> B | None:
        begun = self.last_row_before(at)
        return begun if begun is not None and (begun.invalid_at is None or at < begun.invalid_at) else None

    def last_row_before(self, at: datetime) -> B | None:
        return self.rows().filter(valid_at__lte=at).order_by(*LATEST_FIRST).first()


@dataclass(frozen=True, slots=True)
class _ClaimMoment(Generic[B]):
    """A claim's place in time: ``holds`` is the value at ``at``, ``follower`` the one that ends the claim."""

    at: datetime
    now: datetime
    latest: B | None
    holds: B | None
    ends_at: datetime | None = None
    follower: B | None = None


def record_belief(place: BeliefPlace[B], claim: Claim, *, now: datetime | None = None) -> ClaimOutcome[B]:
    """Record one value and return the outcome. ``now`` is the time of recording.

    Verdicts: stored (the first value, or one after a retraction), superseded (the current value gave way), unchanged
    (the same value again: confirmed, with the stronger provenance and higher confidence; or with reason ``older`` a
    value that entered history only), rejected (``weaker_than_current``: kept as a candidate). A ``valid_at`` after
    ``now`` is taken as ``now``: clocks of products run ahead, and a current value must be true now.
    """
    lock_subject(place.subject)
    moment = _find_moment(place, claim, now)
    holds = moment.holds
    if holds is not None and have_same_value(holds.value, claim.value):
        return _confirm_value(holds, claim, moment)
    if holds is not None and is_weaker(claim, holds):
        return _record_rejection(place, claim, moment)
    return _insert(place, claim, _limit_moment(place, moment))


def retract_belief(place: BeliefPlace[B], *, at: datetime | None = None, now: datetime | None = None) -> B | None:
    """End the current value at ``at`` (by default now) without a successor, and return it; its history stays. Returns
    None if there is no current value, or if it was confirmed after ``at``."""
    lock_subject(place.subject)
    current = place.latest_row()
    if current is None or not current.is_current:
        return None
    moment = compute_recording_time(current, now)
    ended_at = min(at or moment, moment)
    if ended_at < max(list_said_times(current)):
        return None
    save_earlier_version(current, moment)
    change_belief(current, moment, invalid_at=ended_at)
    return current


def rate_belief(row: B, confidence: float) -> None:
    """Change a belief's confidence; the earlier confidence is kept in the history. The caller holds the subject
    (``lock_subject``) and read ``row`` under that lock."""
    moment = compute_recording_time(row, None)
    save_earlier_version(row, moment)
    change_belief(row, moment, confidence=confidence)


def _find_moment(place: BeliefPlace[B], claim: Claim, now: datetime | None) -> _ClaimMoment[B]:
    latest = place.latest_row()
    recorded = compute_recording_time(latest, now)
    at = min(claim.valid_at or recorded, recorded)
    if claim.explicit and latest is not None and latest.invalid_at is not None:
        # Nothing is current: the product's own word starts anew after what was retracted.
        at = max(at, latest.invalid_at)
    before = latest if latest is None or latest.valid_at <= at else place.last_row_before(at)
    holds = before if before is not None and (before.invalid_at is None or at < before.invalid_at) else None
    return _ClaimMoment(at, compute_recording_time(holds, recorded), latest, holds)


def compute_recording_time(changed: Belief | None, now: datetime | None) -> datetime:
    """Return the time of recording: never before the last change, which a slow clock would hide from known_at."""
    time = now or utc_now()
    return time if changed is None else max(time, changed.recorded_at)


def _limit_moment(place: BeliefPlace[B], moment: _ClaimMoment[B]) -> _ClaimMoment[B]:
    """Return ``moment``, moved to the end of a value that begins there."""
    holds, at = moment.holds, moment.at
    said_later = [time for time in list_said_times(holds) if time > at] if holds is not None else []
    if said_later:
        return _replace_end(moment, said_later[0], holds)
    if holds is not None and holds.invalid_at is not None and holds.superseded_by_id is None:
        return _replace_end(moment, holds.invalid_at, None)  # retracted later than this was said
    if moment.latest is None or moment.latest.valid_at <= at:
        return moment
    follower = place.rows().filter(valid_at__gt=at).order_by(*_EARLIEST_FIRST).first()
    return _replace_end(moment, follower.valid_at if follower else None, follower)


def _replace_end(moment: _ClaimMoment[B], ends_at: datetime | None, follower: B | None) -> _ClaimMoment[B]:
    return _ClaimMoment(moment.at, moment.now, moment.latest, moment.holds, ends_at, follower)


def _insert(place: BeliefPlace[B], claim: Claim, moment: _ClaimMoment[B]) -> ClaimOutcome[B]:
    row = _build_row(place, claim, moment)
    holds = moment.holds
    if holds is None:
        row.save(force_insert=True)
    elif moment.follower is holds:
        _split(place, row, holds, moment)
    else:
        save_earlier_version(holds, moment.now)
        change_belief(holds, moment.now, invalid_at=moment.at)
        row.save(force_insert=True)
        # Only now: the key to the successor is checked at once, and two current values are refused at once.
        place.rows().filter(id=holds.id).update(superseded_by=row)
        holds.superseded_by = row
    if row.is_current:
        return ClaimOutcome(Verdict.SUPERSEDED if holds is not None else Verdict.STORED, "", row, row)
    latest = moment.latest
    return ClaimOutcome(Verdict.UNCHANGED, OLDER, row, latest if latest is not None and latest.is_current else None)


def _split(place: BeliefPlace[B], row: B, holds: B, moment: _ClaimMoment[B]) -> None:
    """Insert ``row`` inside a value that was confirmed after it: that value keeps its id for the later part."""
    save_earlier_version(holds, moment.now)
    added = [row]
    said = list_said_times(holds)
    cut = bisect_right(said, moment.at)
    if holds.valid_at < moment.at:
        earlier = copy(holds)
        earlier.id, earlier.version = new_id(), 1
        earlier.invalid_at, earlier.superseded_by = moment.at, row
        earlier.said_times, earlier.recorded_at = said[:cut], moment.now
        added.append(earlier)
    change_belief(holds, moment.now, valid_at=said[cut], said_times=said[cut:])
    place.model._default_manager.bulk_create(added)


def _confirm_value(holds: B, claim: Claim, moment: _ClaimMoment[B]) -> ClaimOutcome[B]:
    holds.said_times = _add_said_time(list_said_times(holds), moment.at)
    holds.last_validated_at = max(holds.last_validated_at, moment.at)
    holds.provenance, holds.confidence = _choose_strongest(holds, claim)
    holds.version += 1
    fields = ["said_times", "last_validated_at", "provenance", "confidence", "version"]
    if claim.explicit:
        for name, value in claim.details.items():
            setattr(holds, name, value)
        fields += claim.details
    holds.save(update_fields=fields)
    if holds.is_current:
        return ClaimOutcome(Verdict.UNCHANGED, "", holds, holds)
    latest = moment.latest
    return ClaimOutcome(Verdict.UNCHANGED, OLDER, holds, latest if latest is not None and latest.is_current else None)


def _choose_strongest(holds: Belief, claim: Claim) -> tuple[Provenance, float]:
    if is_weaker(claim, holds):
        return Provenance(holds.provenance), holds.confidence
    return claim.provenance, claim.confidence if claim.explicit else max(claim.confidence, holds.confidence)


def _record_rejection(place: BeliefPlace[B], claim: Claim, moment: _ClaimMoment[B]) -> ClaimOutcome[B]:
    Candidate.objects.get_or_create(
        subject_id=place.subject.id,
        kind=place.kind,
        target=place.target,
        value=claim.value,
        verdict=Verdict.REJECTED,
        reason=WEAKER,
        message_ref=claim.message_ref,
        defaults={"confidence": claim.confidence, "provenance": claim.provenance},
    )
    latest = moment.latest
    return ClaimOutcome(Verdict.REJECTED, WEAKER, None, latest if latest is not None and latest.is_current else None)


def _build_row(place: BeliefPlace[B], claim: Claim, moment: _ClaimMoment[B]) -> B:
    return place.model(
        subject=place.subject,
        value=claim.value,
        confidence=claim.confidence,
        provenance=claim.provenance,
        valid_at=moment.at,
        invalid_at=moment.ends_at,
        superseded_by=moment.follower,
        said_times=[moment.at],
        recorded_at=moment.now,
        last_validated_at=moment.now,
        **place.columns,
        **claim.details,
    )


def save_earlier_version(row: Belief, now: datetime) -> None:
    """Keep an image of ``row`` as it was believed until ``now``; a belief that lasted no time leaves no image."""
    if row.recorded_at >= now:
        return
    image = copy(row)
    image.id, image.version_of_id, image.retired_at = new_id(), row.id, now
    image.save(force_insert=True)


def change_belief(row: Belief, now: datetime, **changes: Any) -> None:
    for name, value in {**changes, "recorded_at": now, "version": row.version + 1}.items():
        setattr(row, name, value)
    row.save(update_fields=[*changes, "recorded_at", "version"])


def list_said_times(row: Belief) -> list[datetime]:
    return row.said_times or [row.valid_at]


def _add_said_time(said_times: Sequence[datetime], at: datetime) -> list[datetime]:
    """Return ``said_times`` with ``at``; if there are too many, the first and the newest are kept."""
    times = list(said_times)
    if at not in times:
        insort(times, at)
    kept = BELIEFS.sayings_kept
    return times if len(times) <= kept else [times[0], *times[len(times) - kept + 1 :]]
