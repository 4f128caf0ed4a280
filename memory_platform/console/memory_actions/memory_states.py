"""Whether a memory is believed now, and since when."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_and_state_labels import (
    CURRENT,
    ENDED,
    RETIRED,
    classify_state,
    render_state_badge,
)
from memory_platform.console.shared.value_rendering import make_computed_column
from profiles.models import Tag
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import load_tag_start
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.models import Note, Snapshot, SnapshotVersion
from tenants.models import AuditRecord

# How the audit trail calls it when a memory is retired.
RETIREMENT_AUDIT_ACTIONS = ("preference.retracted", "profile.retracted", "snapshot.retired", "tag.deleted")


def find_memory_state(memory: Any) -> str:
    """Return the state, with beliefs that :func:`mark_retired_beliefs` marked as retired."""
    return RETIRED if getattr(memory, "was_retired", False) else classify_state(memory)


state_column = make_computed_column("state", lambda row: render_state_badge(find_memory_state(row)), _("status"))


def mark_retired_beliefs(rows: Iterable[Any]) -> None:
    """Mark the beliefs that somebody retired: in the table they have ended, as if the user had said so. One query."""
    ended = {
        str(row.pk): row for row in rows if not isinstance(row, Snapshot | Note | Tag) and classify_state(row) == ENDED
    }
    if not ended:
        return
    records = AuditRecord.objects.filter(
        subject_ref__in={row.subject_id for row in ended.values()},
        object_id__in=list(ended),
        action__in=RETIREMENT_AUDIT_ACTIONS,
        refused=False,
    )
    for object_id, at in records.values_list("object_id", "at"):
        # An earlier retirement may have been undone: the value has changed since.
        if at >= ended[object_id].recorded_at:
            ended[object_id].was_retired = True


def find_state_start(memory: ActedMemory, state: str) -> datetime | None:
    """Return since when the memory is in this state."""
    if isinstance(memory, Tag):
        return load_tag_start(memory) if state == CURRENT else None
    if state == CURRENT:
        return _find_correction(memory) or memory.valid_at
    if memory.retired_at is not None:
        return memory.retired_at
    ends: list[datetime] = [at for at in (memory.invalid_at, getattr(memory, "expires_at", None)) if at is not None]
    return min(ends, default=None)


def _find_correction(memory: Any) -> datetime | None:
    """Return when staff gave a memory the value that it has; None if they did not."""
    if memory.provenance != Provenance.CORRECTED_BY_STAFF:
        return None
    if not isinstance(memory, Snapshot):
        return memory.recorded_at  # type: ignore[no-any-return]  # a column of both tables of beliefs
    replaced = SnapshotVersion.objects.filter(snapshot_id=memory.pk).order_by("-version").first()
    return replaced.retired_at if replaced else memory.recorded_at
