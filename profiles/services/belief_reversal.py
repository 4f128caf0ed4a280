"""Values taken back: one that ended holds again, one that was said is believed no longer (row P4).

Both are changes like any other: what was believed until now stays visible to ``known_at``.
"""

from datetime import datetime
from typing import TypeVar
from uuid import UUID

from profiles.models.belief import Belief
from profiles.services.beliefs import LATEST_FIRST, BeliefPlace, change_belief, keep_image, recording_time, sayings_of
from profiles.services.locking import lock_subject

B = TypeVar("B", bound=Belief)


def reinstate_belief(place: BeliefPlace[B], row_id: UUID, *, now: datetime | None = None) -> B | None:
    """Have a value that ended hold again, and return it; that it had ended is kept.

    Returns None when it is gone or holds already, or when another value is current.
    """
    lock_subject(place.subject)
    ended = place.rows().filter(id=row_id, invalid_at__isnull=False).first()
    if ended is None or place.current() is not None:
        return None
    moment = recording_time(ended, now)
    keep_image(ended, moment)
    change_belief(ended, moment, invalid_at=None, superseded_by=None)
    return ended


def withdraw_belief(place: BeliefPlace[B], row_id: UUID, *, now: datetime | None = None) -> B | None:
    """Believe the current value no longer, as if it had not been said, and have the one that it replaced hold again.

    That it was believed until now is kept. Returns the value that holds again; None when ``row_id`` is not current, was
    said again since, or replaced nothing: then nothing is changed.
    """
    lock_subject(place.subject)
    current = place.current()
    replaced = place.rows().filter(superseded_by_id=row_id).order_by(*LATEST_FIRST).first()
    if current is None or current.id != row_id or len(sayings_of(current)) > 1 or replaced is None:
        return None
    moment = recording_time(replaced, recording_time(current, now))
    _retire(current, moment)
    return reinstate_belief(place, replaced.id, now=moment)


def unsay_belief(place: BeliefPlace[B], row_id: UUID) -> bool:
    """Believe the current value no longer, as if it had not been said; what it replaced, if anything, holds again.

    Returns False when ``row_id`` is not current or was said again since: then nothing is changed.
    """
    if withdraw_belief(place, row_id) is not None:
        return True
    current = place.current()
    if current is None or current.id != row_id or len(sayings_of(current)) > 1:
        return False
    _retire(current, recording_time(current, None))
    return True


def _retire(row: Belief, moment: datetime) -> None:
    row.retired_at, row.version = moment, row.version + 1
    row.save(update_fields=["retired_at", "version"])
