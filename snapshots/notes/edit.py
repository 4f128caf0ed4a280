"""Editing and retiring a note: one new version for what changes in its words and in its details."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

from memory_platform.kernel.errors import Conflict
from memory_platform.kernel.terms import terms
from profiles.models import Subject, Tag
from profiles.services.lists import entries_of
from profiles.services.locking import lock_subject
from profiles.values import Verdict
from snapshots.embedding.drafts import PreparedSnapshot, prepare_snapshots
from snapshots.embedding.spaces import Embedders
from snapshots.embedding.store import touch_memory
from snapshots.lifecycle.edits import TRIES, Edit, EditPlan, apply_edit, plan_edit
from snapshots.lifecycle.snapshots import retire_snapshot
from snapshots.lifecycle.staff_actions.actions import Doing, hold_memory
from snapshots.lifecycle.values import Accept, SnapshotAddress
from snapshots.models import Note, NoteSlot, Snapshot
from snapshots.notes.about import about_columns
from snapshots.notes.selectors import note_at, note_of
from snapshots.notes.slots import names
from snapshots.notes.store import change_note
from snapshots.notes.values import NoteAbout, SourcedNote, Suggest, VitalInstruction, WrittenNote, choose_vital_class
from snapshots.notes.write import audit_vital
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor


@dataclass(frozen=True, slots=True)
class NoteEdit:
    """Changes to a note. ``words`` are those to its snapshot; ``details`` columns of the note.

    ``about`` None leaves whom it speaks of; ``vital`` and ``vital_class`` are as in :func:`choose_vital_class`.
    """

    words: Edit
    by: Actor
    suggest: Suggest
    details: Mapping[str, Any] = field(default_factory=dict)
    about: NoteAbout | None = None
    vital: bool | None = None
    vital_class: str | None = None


@dataclass(frozen=True, slots=True)
class NotePlan:
    """What an edit changes in the version that was read."""

    note: Note
    edit: EditPlan
    details: Mapping[str, Any]


def edit_note(tenant_id: UUID, address: SnapshotAddress, edit: NoteEdit, embedders: Embedders) -> WrittenNote:
    """Change a note and keep what it was. Opens its own scopes, one to read, one to write; embeds between them.

    Raises NoteUnknown, AboutUnknown, VitalInstruction, ConfidenceAboveCeiling, ForgottenMemory, what
    ``edit.words.accept`` raises; Conflict when others keep changing it.
    """
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            plan = plan_note_edit(note_at(address), edit)
        ready = prepare_snapshots([plan.edit.draft], embedders) if plan.edit.draft else []
        with tenant_tx(tenant_id):
            if _apply(plan, edit, ready):
                subject = Subject.objects.get(id=plan.note.subject_id)
                changed = plan.edit.changed or plan.details
                return WrittenNote(
                    Verdict.STORED if changed else Verdict.UNCHANGED, note_of(subject, plan.note.snapshot_id)
                )
    raise Conflict("Other requests keep changing this note.")


def plan_note_edit(sourced: SourcedNote, edit: NoteEdit) -> NotePlan:
    """Return what really changes, in the open scope. Raises what :func:`edit_note` says of refused values."""
    note = sourced.note
    words = plan_edit(sourced.snapshot, edit.words)
    wanted = dict(edit.details)
    if edit.about is not None:
        wanted |= about_columns(sourced.snapshot.subject, edit.about)
    text = edit.words.changes.get("text", sourced.snapshot.text)
    if note.is_vital and "text" in edit.words.changes and edit.vital is None and edit.vital_class is None:
        vital_class = _class_of_new_words(note.vital_class, sourced.snapshot.text, text, edit.suggest)
    else:
        suggest = partial(edit.suggest, text)
        vital_class = choose_vital_class(edit.vital, edit.vital_class, suggest, held=note.vital_class)
    if vital_class is not None:
        wanted["vital_class"] = vital_class
    if "grade" in wanted:
        wanted["grade_probability"] = 1.0  # somebody said so
    details = {name: value for name, value in wanted.items() if getattr(note, name) != value}
    before = {name: getattr(note, name) for name in details}
    return NotePlan(note, replace(words, note_before=before), details)


def change_vital_class(snapshot: Snapshot, vital_class: str, doing: Doing) -> Snapshot:
    """Say why a note always stands in a context, or with "" that it need not, on record, in the open scope.

    Raises NotFound, NoteUnknown, NoLongerHeld, what ``doing.accept`` raises.
    """
    held = hold_memory(snapshot, doing.accept)
    note = note_of(held.subject, held.id).note
    if note.vital_class != vital_class:
        touch_memory(held.subject_id, changed=[held.position])
        change_note(held, note, {}, {"vital_class": vital_class})
        audit_vital(held.subject, held.id, doing.by, reason=doing.reason)
    return held


def retire_note(address: SnapshotAddress, *, accept: Accept, by: Actor | None = None, reason: str = "") -> None:
    """Take a note out of every context and recall, in the open scope; its history stays. Raises NoteUnknown."""
    note_at(address)
    retire_snapshot(address, accept=accept, by=by, reason=reason)


def _class_of_new_words(held: str, before: str, now: str, suggest: Suggest) -> str | None:
    """Return the vital class of a note whose words change, None for no change: the class that the new words name. What
    they do not name goes, unless the old ones did not name it either: then somebody had set it."""
    says = suggest(now)
    try:
        return says or ("" if suggest(before) == held else None)
    except VitalInstruction:
        return ""


def _unlink_slots(note: Note, before: str, now: str) -> None:
    """Take a note from the slots whose values its new words no longer say, in the open scope."""
    said, says = set(terms(before)), set(terms(now))
    is_new = len(said & says) < len(said) / 2  # the words of a value may be others than those it was read from
    links = NoteSlot.objects.filter(subject_id=note.subject_id, snapshot_id=note.snapshot_id)
    gone = []
    for link in links.select_related("preference", "fact", "tag"):
        slot: Any = link.preference or link.fact or link.tag
        values = [slot.label, *slot.aliases] if isinstance(slot, Tag) else entries_of(slot.value) or [slot.value]
        was_named = any(names(before, value) for value in values)
        if (was_named or is_new) and not any(names(now, value) for value in values):
            gone.append(link.id)
    links.filter(id__in=gone).delete()


def _apply(plan: NotePlan, edit: NoteEdit, ready: Sequence[PreparedSnapshot]) -> bool:
    """Write a planned edit in the open scope; False when the note has changed since it was read."""
    subject = plan.note.subject
    if plan.details.get("about_tag_id") is not None:
        lock_subject(subject)
        about_columns(subject, edit.about)  # the tag is still there, and stays until the commit
    before = plan.edit.snapshot.text
    if not apply_edit(plan.edit, ready[0] if ready else None):
        return False
    if "text" in plan.edit.changed:
        _unlink_slots(plan.note, before, plan.edit.changed["text"])
    if plan.details:
        Note.objects.filter(id=plan.note.id, subject_id=subject.id).update(**plan.details)
    if "vital_class" in plan.details:
        audit_vital(subject, plan.note.snapshot_id, edit.by)
    return True
