"""What a snapshot said before each of its changes: the earlier values of what was changed, and how long they held."""

from collections.abc import Iterable
from copy import copy
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from snapshots.lifecycle.values import HeldSnapshot
from snapshots.models import Snapshot, SnapshotVersion

TIMES = frozenset({"said_at", "expires_at", "last_validated_at"})


def keep_image(snapshot: Snapshot, fields: Iterable[str], *, until: datetime) -> None:
    """Keep the values that ``fields`` have in ``snapshot``, which was held as it is until ``until``."""
    newest = _images(snapshot).first()
    SnapshotVersion.objects.create(
        subject_id=snapshot.subject_id,
        snapshot_id=snapshot.id,
        version=snapshot.version,
        fields={name: _kept(getattr(snapshot, name)) for name in fields},
        recorded_at=newest.retired_at if newest else snapshot.recorded_at,
        retired_at=until,
    )


def history_of(snapshot: Snapshot) -> list[HeldSnapshot]:
    """Return every state that a snapshot was held in, the first one first. One query, in the open scope."""
    images = list(_images(snapshot))
    since = images[0].retired_at if images else snapshot.recorded_at
    states = [HeldSnapshot(snapshot, since, snapshot.retired_at)]
    for image in images:
        earlier = copy(states[-1].snapshot)
        earlier.version = image.version
        for name, value in image.fields.items():
            setattr(earlier, name, _read(name, value))
        states.append(HeldSnapshot(earlier, image.recorded_at, image.retired_at))
    return states[::-1]


def _images(snapshot: Snapshot) -> QuerySet[SnapshotVersion]:
    own = SnapshotVersion.objects.filter(subject_id=snapshot.subject_id, snapshot_id=snapshot.id)
    return own.order_by("-version")


def _kept(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _read(name: str, value: Any) -> Any:
    return datetime.fromisoformat(value) if name in TIMES and value is not None else value
