"""Undo values: one that ended holds again, one that was recorded is removed.

Both are changes like any other: the earlier belief stays visible to ``known_at``.
"""

from datetime import datetime
from typing import TypeVar
from uuid import UUID

from profiles.models.belief import Belief
from profiles.services.beliefs import (
    LATEST_FIRST,
    BeliefPlace,
    change_belief,
    compute_recording_time,
    list_said_times,
    save_earlier_version,
)
from profiles.services.subject_lock import lock_subject

B = TypeVar("B", bound=Belief)


def reinstate_belief(place: BeliefPlace[B], row_id: UUID, *, now: datetime | None = None) -> B | None:
    """Make an ended value current again and return it; its end is kept in the history. Returns None if it is gone or
    current already, or if another value is current."""
    lock_subject(place.subject)
    ended = place.rows().filter(id=row_id, invalid_at__isnull=False).first()
    if ended is None or place.current() is not None:
        return None
    moment = compute_recording_time(ended, now)
    save_earlier_version(ended, moment)
    change_belief(ended, moment, invalid_at=None, superseded_by=None)
    return ended


def withdraw_belief(place: BeliefPlace[B], row_id: UUID) -> B | None:
    """Replace the current value by the one before it, as if the current one had never been recorded.

    The withdrawn belief is kept in the history. Returns the value that is current again; None, without a change, if
    ``row_id`` is not current, was confirmed since, or replaced nothing.
    """
    lock_subject(place.subject)
    current = place.current()
    replaced = place.rows().filter(superseded_by_id=row_id).order_by(*LATEST_FIRST).first()
    if current is None or current.id != row_id or len(list_said_times(current)) > 1 or replaced is None:
        return None
    moment = compute_recording_time(replaced, compute_recording_time(current, None))
    retire_row(current, moment)
    return reinstate_belief(place, replaced.id, now=moment)


def undo_unconfirmed_value(place: BeliefPlace[B], row_id: UUID) -> bool:
    """Remove the current value as if it had never been recorded; a value that it replaced becomes current again.
    Returns False, without a change, if ``row_id`` is not current or was confirmed since."""
    if withdraw_belief(place, row_id) is not None:
        return True
    current = place.current()
    if current is None or current.id != row_id or len(list_said_times(current)) > 1:
        return False
    retire_row(current, compute_recording_time(current, None))
    return True


def retire_row(row: Belief, moment: datetime) -> None:
    """Take a row out of the current beliefs and out of their history; ``known_at`` still finds it."""
    row.retired_at, row.version = moment, row.version + 1
    row.save(update_fields=["retired_at", "version"])
