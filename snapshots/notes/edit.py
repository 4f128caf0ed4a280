"""Edits and retires a note: one new version for changes of its words and of its details."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import UUID

from memory_platform.kernel.errors import Conflict
from profiles.models import Subject
from profiles.provenance_and_verdict import Verdict
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.lifecycle.edit_snapshot import TRIES, Edit, EditPlan, EditResult, apply_edit, edit_snapshot, plan_edit
from snapshots.lifecycle.note_trace_hooks import NO_TRACES, end_note_traces
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.selectors import load_held_snapshot
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, lock_memory_in_use, store_undo_record
from snapshots.lifecycle.write_types import SnapshotAddress, SourcedSnapshot, VersionCheck
from snapshots.models import ActVerb, Note, Snapshot, SnapshotKind
from snapshots.notes.about_filter import build_about_columns
from snapshots.notes.handwritten_notes import record_vital_audit
from snapshots.notes.selectors import get_note_or_ended_note, load_note_with_sources
from snapshots.notes.store_and_confirm import change_note
from snapshots.notes.values import NoteAbout, SourcedNote, Suggest, VitalInstruction, WrittenNote, choose_vital_class
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor


@dataclass(frozen=True, slots=True)
class NoteEdit:
    """Changes to a note. ``words`` are those of its snapshot; ``details`` columns of the note. ``about`` None changes
    nothing; ``vital`` and ``vital_class`` are as in :func:`choose_vital_class`."""

    words: Edit
    by: Actor
    suggest: Suggest
    details: Mapping[str, Any] = field(default_factory=dict)
    about: NoteAbout | None = None
    vital: bool | None = None
    vital_class: str | None = None


@dataclass(frozen=True, slots=True)
class NotePlan:
    """The effective changes of an edit, relative to the version that was read."""

    note: Note
    edit: EditPlan


def edit_note(tenant_id: UUID, address: SnapshotAddress, edit: NoteEdit, embedders: Embedders) -> WrittenNote:
    """Change a note and keep its earlier version; the slots that it filled follow its words. Opens its own scopes, one
    to read, one to write; embeds between them.

    Raises NoteUnknown, AboutUnknown, VitalInstruction, ConfidenceAboveCeiling, ForgottenMemory, the errors of
    ``edit.words.accept``; Conflict if others keep changing it.
    """
    for _ in range(TRIES):
        with tenant_tx(tenant_id):
            plan = plan_note_edit(get_note_or_ended_note(address), edit)
        ready = prepare_snapshots([plan.edit.draft], embedders) if plan.edit.draft else []
        with tenant_tx(tenant_id):
            if _apply_plan(plan, edit, ready):
                subject = Subject.objects.get(id=plan.note.subject_id)
                changed = plan.edit.changed or plan.edit.details
                return WrittenNote(
                    Verdict.STORED if changed else Verdict.UNCHANGED,
                    load_note_with_sources(subject, plan.note.snapshot_id),
                )
    raise Conflict("Other requests keep changing this note.")


def edit_memory(
    tenant_id: UUID, address: SnapshotAddress, edit: Edit, embedders: Embedders, *, by: Actor, suggest: Suggest
) -> EditResult:
    """Change a snapshot as :func:`snapshots.lifecycle.edit_snapshot.edit_snapshot` does, a note as :func:`edit_note`; a
    note whose new words name nothing vital is no longer vital. Opens its own scopes. Raises the errors of both."""
    with tenant_tx(tenant_id):
        is_note = load_held_snapshot(address).kind == SnapshotKind.NOTE
    if not is_note:
        return edit_snapshot(tenant_id, address, edit, embedders)
    written = edit_note(tenant_id, address, NoteEdit(edit, by, suggest), embedders)
    return EditResult(written.verdict, SourcedSnapshot(written.sourced.snapshot, written.sourced.sources))


def plan_note_edit(sourced: SourcedNote, edit: NoteEdit) -> NotePlan:
    note = sourced.note
    wanted = dict(edit.details)
    if edit.about is not None:
        wanted |= build_about_columns(sourced.snapshot.subject, edit.about)
    text = edit.words.changes.get("text", sourced.snapshot.text)
    if note.is_vital and "text" in edit.words.changes and edit.vital is None and edit.vital_class is None:
        vital_class = _choose_class_of_new_words(note.vital_class, sourced.snapshot.text, text, edit.suggest)
    else:
        suggest = partial(edit.suggest, text)
        vital_class = choose_vital_class(edit.vital, edit.vital_class, suggest, current_class=note.vital_class)
    if vital_class is not None:
        wanted["vital_class"] = vital_class
    if "grade" in wanted:
        wanted["grade_probability"] = 1.0  # somebody said so
    return NotePlan(note, plan_edit(sourced.snapshot, replace(edit.words, details=wanted)))


def change_vital_class(snapshot: Snapshot, vital_class: str, doing: ActContext, suggest: Suggest) -> Snapshot:
    """Set a note's vital class, or clear it with "", with an audit record, in the open scope. Raises NotFound,
    NoteUnknown, NoLongerHeld, VitalInstruction, errors of ``doing.accept``."""
    held = lock_memory_in_use(snapshot, doing.accept)
    note = load_note_with_sources(held.subject, held.id).note
    if note.vital_class != vital_class:
        choose_vital_class(None, vital_class, partial(suggest, held.text))
        before = {"vital_class": note.vital_class, "became": vital_class}
        begin_memory_epoch(held.subject_id, changed=[held.position])
        change_note(held, note, {}, {"vital_class": vital_class})
        store_undo_record(held, ActVerb.VITAL_CHANGED, before=before)
        record_vital_audit(held.subject, held.id, doing.by, reason=doing.reason)
    return held


def retire_note(address: SnapshotAddress, *, accept: VersionCheck) -> None:
    """Remove a note from every context and recall, in the open scope; its history stays. Raises NoteUnknown."""
    get_note_or_ended_note(address)
    retire_snapshot(address, accept=accept)


def _choose_class_of_new_words(current_class: str, before: str, now: str, suggest: Suggest) -> str | None:
    """Return the vital class of a note whose words change, None for no change: the class that the new words name. A
    class that neither the old nor the new words name was set by hand and stays."""
    says = suggest(now)
    try:
        return says or ("" if suggest(before) == current_class else None)
    except VitalInstruction:
        return ""


def _apply_plan(plan: NotePlan, edit: NoteEdit, ready: Sequence[PreparedSnapshot]) -> bool:
    subject = plan.note.subject
    if plan.edit.details.get("about_tag_id") is not None:
        lock_subject(subject)
        build_about_columns(subject, edit.about)  # the tag is still there, and stays until the commit
    if not apply_edit(plan.edit, ready[0] if ready else None):
        return False
    snapshot, now = plan.edit.snapshot, plan.edit.changed.get("text")
    ended = NO_TRACES if now is None else end_note_traces(snapshot, snapshot.text, now)
    if edit.words.note is not None and (plan.edit.changed or plan.edit.details):
        edit.words.note(snapshot, ended)
    if "vital_class" in plan.edit.details:
        record_vital_audit(subject, plan.note.snapshot_id, edit.by)
    return True
