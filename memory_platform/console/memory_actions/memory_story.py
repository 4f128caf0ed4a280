"""Whether a memory is believed now, since when, and what staff did to it: who, when, and why.

The acts are read from the audit trail, which outlives what an undo needs.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.note_labels import (
    CURRENT,
    EARLIER,
    ENDED,
    RETIRED,
    SUPERSEDED,
    classify_state,
    is_note,
    render_state_badge,
)
from memory_platform.console.shared.rendering import (
    MAX_LINE_CHARS,
    format_json_value,
    make_computed_column,
    render_link,
    shorten_id,
)
from memory_platform.console.shared.tenant_access import annotate_actor_names
from profiles.models import Tag
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.models import ActVerb, MemoryAct, Note, Snapshot
from tenants.models import ActorKind, AuditRecord

# How the audit trail calls it when a memory is retired.
RETIREMENT_AUDIT_ACTIONS = ("preference.retracted", "profile.retracted", "snapshot.retired")
CORRECTION_AUDIT_ACTION, MERGE_AUDIT_ACTION = "memory.corrected", "memory.merged"
ACT_LABELS: Mapping[str, Any] = {
    **dict.fromkeys(RETIREMENT_AUDIT_ACTIONS, _("Retired")),
    CORRECTION_AUDIT_ACTION: _("Corrected"),
    MERGE_AUDIT_ACTION: _("Merged with another memory"),
    "memory.confirmed": _("Confirmed"),
    "memory.kept": _("Kept after a review"),
    "memory.confirmed_undone": _("Confirmation undone"),
    "memory.corrected_undone": _("Correction undone"),
    "memory.merged_undone": _("Merge undone"),
    "memory.retired_undone": _("Retirement undone"),
    "note.vital_changed": _("Vital changed"),
}
MAX_ACTS = 5
MAX_REPLACED = 5


@dataclass(frozen=True, slots=True)
class StaffAct:
    """One act on a memory, as its page tells it."""

    label: Any
    who: str
    at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class MemoryStory:
    """What became of a memory, for its page: related memories as links, and the newest acts."""

    links: Sequence[tuple[Any, str]]
    acts: Sequence[StaffAct]


def build_memory_story(memory: ActedMemory) -> MemoryStory:
    """Return what became of a memory. At most five queries."""
    mark_retired_beliefs([memory])
    state = find_state(memory)
    links: list[tuple[Any, str]] = []
    told_by = {memory.id, getattr(memory, "value_id", memory.id)}
    if not isinstance(memory, Tag):
        follower = memory.superseded_by_id if state in (SUPERSEDED, RETIRED, ENDED) else None
        merged_into = _find_survivor(memory) if state != CURRENT and follower is None else None
        told_by |= {one for one in (follower, merged_into) if one is not None}
        links = [
            *_link_rows(_("Superseded by"), memory, [follower]),
            *_link_rows(_("Merged into"), memory, [merged_into]),
            *_link_rows(_("Earlier version of"), memory, [getattr(memory, "version_of_id", None)]),
            *(_link_replaced(memory) if state != EARLIER else ()),
        ]
    return MemoryStory(links, _list_acts(memory, told_by))


def find_state(memory: Any) -> str:
    """Return the state, with beliefs that :func:`mark_retired_beliefs` marked as retired."""
    return RETIRED if getattr(memory, "was_retired", False) else classify_state(memory)


state_column = make_computed_column("state", lambda row: render_state_badge(find_state(row)), _("status"))


def mark_retired_beliefs(rows: Iterable[Any]) -> None:
    """Mark the beliefs that somebody retired: in the table they have ended, as if the user had said so. One query."""
    ended = {str(row.pk): row for row in rows if not isinstance(row, Snapshot | Note) and classify_state(row) == ENDED}
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


def find_since(memory: ActedMemory, state: str) -> datetime | None:
    """Return since when the memory is in this state."""
    if isinstance(memory, Tag):
        return memory.created_at
    if state == CURRENT:
        return memory.valid_at
    if memory.retired_at is not None:
        return memory.retired_at
    ends: list[datetime] = [at for at in (memory.invalid_at, getattr(memory, "expires_at", None)) if at is not None]
    return min(ends, default=None)


def _find_survivor(memory: Any) -> UUID | None:
    """Return the id of the memory that this one was merged into, or None."""
    merged = MemoryAct.objects.filter(subject_id=memory.subject_id, verb=ActVerb.MERGED, undone_at__isnull=True)
    return merged.filter(other_ref=memory.id).values_list("memory_ref", flat=True).first()


def _link_replaced(memory: Any) -> list[tuple[Any, str]]:
    rows = type(memory)._default_manager.filter(subject_id=memory.subject_id, superseded_by_id=memory.id)
    replaced = rows.filter(retired_at__isnull=True).order_by("-invalid_at", "-id")[:MAX_REPLACED]
    return [(_("Replaces"), _render_memory_link(row)) for row in replaced]


def _link_rows(label: Any, memory: Any, ids: Sequence[UUID | None]) -> list[tuple[Any, str]]:
    wanted = [one for one in ids if one is not None]
    if not wanted:
        return []
    rows = type(memory)._default_manager.filter(subject_id=memory.subject_id, id__in=wanted)
    return [(label, _render_memory_link(row)) for row in rows]


def _render_memory_link(row: Any) -> str:
    words = row.text if isinstance(row, Snapshot) else format_json_value(row.value)
    shown = Truncator(words).chars(MAX_LINE_CHARS) or shorten_id(row.pk)
    return render_link(Note if is_note(row) else type(row), row.pk, shown)


def _list_acts(memory: ActedMemory, ids: Iterable[UUID]) -> list[StaffAct]:
    """Return the newest acts on the memory, and those on a successor that ended it."""
    own, others = str(memory.id), {str(one) for one in ids}
    records = AuditRecord.objects.filter(
        subject_ref=memory.subject_id, object_id__in=others, action__in=list(ACT_LABELS), refused=False
    )
    newest: list[Any] = list(annotate_actor_names(records).order_by("-at", "-id")[: MAX_ACTS * 2])
    ending = (CORRECTION_AUDIT_ACTION, MERGE_AUDIT_ACTION)
    value_id = str(getattr(memory, "value_id", memory.id))
    told = [one for one in newest if one.object_id in (own, value_id) or one.action in ending]
    return [StaffAct(ACT_LABELS[one.action], _render_actor(one), one.at, one.reason) for one in told[:MAX_ACTS]]


def _render_actor(record: Any) -> str:
    """Return a user name; an API key or a job with what it is."""
    if record.actor_kind in (ActorKind.STAFF, ActorKind.OPERATOR):
        return str(record.who)
    return f"{record.get_actor_kind_display()} {record.who}"
