"""The history of one snapshot: every state that it was held in."""

from copy import copy

from snapshots.embedding.versions import images_of, restore
from snapshots.lifecycle.values import HeldSnapshot
from snapshots.models import Snapshot


def history_of(snapshot: Snapshot) -> list[HeldSnapshot]:
    """Return every state that a snapshot was held in, the first one first. One query, in the open scope."""
    images = list(images_of(snapshot))
    since = images[0].retired_at if images else snapshot.recorded_at
    states = [HeldSnapshot(snapshot, since, snapshot.retired_at)]
    for image in images:
        earlier = copy(states[-1].snapshot)
        earlier.version = image.version
        restore(earlier, image.fields)
        states.append(HeldSnapshot(earlier, image.recorded_at, image.retired_at))
    return states[::-1]
