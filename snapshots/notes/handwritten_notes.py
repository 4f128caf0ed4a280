"""Notes written by hand: prepared outside of any transaction, then created."""

from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.text import content_hash, to_comparable
from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import MEMORIES_WRITTEN
from profiles.models import Subject
from profiles.provenance_and_verdict import Verdict
from profiles.services.subject_lock import lock_subject
from profiles.services.tombstones import ForgottenMemory, find_forgotten_texts
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.embedding.snapshot_drafts import MaskText
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.lifecycle.product_snapshots import assign_subject, prepare_offers
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.write_types import NewSnapshot
from snapshots.models import AboutKind, Note, NoteGrade, Snapshot, SnapshotKind
from snapshots.notes.about_filter import build_about_columns
from snapshots.notes.selectors import load_note_with_sources
from snapshots.notes.store_and_confirm import build_confirmed_columns, change_note, choose_stronger, store_notes
from snapshots.notes.values import (
    FindRepeated,
    NewNote,
    NoteAbout,
    NoteDetails,
    NoteOffer,
    PreparedNote,
    ReadGrade,
    Suggest,
    WrittenNote,
    choose_vital_class,
)
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor, record_audit


def prepare_note(
    new: NewNote, embedders: Embedders, *, mask: MaskText, suggest: Suggest, read_grade: ReadGrade
) -> NoteOffer:
    """Index and embed a posted note; ``read_grade`` grades it if its writer does not. No transaction may be open.
    Raises ConfidenceAboveCeiling, VitalInstruction."""
    vital_class = choose_vital_class(new.vital, new.vital_class, partial(suggest, new.text))
    posted = NewSnapshot(
        text=new.text,
        kind=SnapshotKind.NOTE,
        confidence=new.confidence,
        provenance=new.provenance,
        said_at=new.said_at,
        allow_forgotten=new.allow_forgotten,
    )
    (offer,) = prepare_offers([posted], embedders, mask=mask)
    if offer.snapshot is None:
        raise offer.refusal or ValueError("an offer is prepared or refused")
    asked = {"grade": new.grade, "vital_class": vital_class, "review_by": new.review_by}
    stated: dict[str, Any] = {name: value for name, value in asked.items() if value is not None}
    grade = new.grade or _choose_about(read_grade(offer.snapshot.draft.text), new.about)
    return NoteOffer(offer.snapshot, NoteDetails(**(stated | {"grade": grade})), new.about, stated, new.allow_forgotten)


def create_note(subject: Subject, offer: NoteOffer, *, by: Actor | None, find_repeated: FindRepeated) -> WrittenNote:
    """Store a note in the open scope. One that says the same about the same is confirmed, and takes over the news;
    ``find_repeated`` finds it in other words.

    Verdicts: stored; merged (an existing note got news); unchanged. A note that becomes vital, or no longer vital,
    leaves an audit record, unless ``by`` is None: the caller records the act. Raises AboutUnknown, ForgottenMemory.
    """
    lock_subject(subject)
    details = replace(offer.details, **build_about_columns(subject, offer.about))
    lock_memory(subject.id)
    draft = offer.snapshot.draft
    if not offer.allow_forgotten and find_forgotten_texts(subject.id, [draft.text]):
        raise ForgottenMemory("The subject had this forgotten; allow_forgotten stores it anyway.")
    held = _find_same_note(subject, draft.text, details, find_repeated)
    if held is None:
        store_notes([PreparedNote(assign_subject(offer.snapshot, subject), details)], allow_forgotten=True)
        verdict, note_id = Verdict.STORED, draft.id
        if details.vital_class and by is not None:
            record_vital_audit(subject, note_id, by)
    else:
        verdict, note_id = _confirm_same_note(held, offer, by), held.snapshot_id
    transaction.on_commit(partial(_report, current_tenant_id(), subject.id, verdict), robust=True)
    return WrittenNote(verdict, load_note_with_sources(subject, note_id))


def record_vital_audit(subject: Subject, note_id: UUID, by: Actor, *, reason: str = "") -> None:
    about = {"object_kind": "note", "object_id": str(note_id), "subject_ref": subject.id}
    record_audit(by, "note.vital_changed", reason=reason, **about)  # type: ignore[arg-type]  # texts and an id


def _choose_about(grade: NoteGrade, about: NoteAbout | None) -> NoteGrade:
    """Return the grade of a note about somebody: a fact about another person is ``about_other``."""
    is_other = about is not None and about.kind != AboutKind.SELF
    return NoteGrade.ABOUT_OTHER if is_other and grade is NoteGrade.FACT else grade


def _find_same_note(subject: Subject, text: str, details: NoteDetails, find_repeated: FindRepeated) -> Note | None:
    """Return the oldest current note that says just this about the same person or thing, else the newest that says it
    in nearly these words."""
    own = {"subject_id": subject.id}
    about = Note.objects.filter(about_kind=details.about_kind, about_tag_id=details.about_tag_id, **own)
    notes = {note.snapshot_id: note for note in about if _build_about_key(note) == _build_about_key(details)}
    held = Snapshot.objects.filter(
        build_current_snapshot_condition(), kind=SnapshotKind.NOTE, id__in=list(notes), **own
    )
    same = held.filter(content_hash=content_hash(text)).order_by("position").values_list("id", flat=True).first()
    if same is None:
        same = find_repeated(text, held.order_by("-position").values_list("id", "text").iterator())
    return notes[same] if same is not None else None


def _build_about_key(one: Note | NoteDetails) -> tuple[str, Any]:
    return one.about_kind, one.about_tag_id or to_comparable(one.about_label)


def _confirm_same_note(note: Note, offer: NoteOffer, by: Actor | None) -> Verdict:
    snapshot = Snapshot.objects.get(id=note.snapshot_id, subject_id=note.subject_id)
    stated = {name: value for name, value in offer.stated_columns.items() if getattr(note, name) != value}
    details = stated | build_confirmed_columns(note)
    columns = choose_stronger(snapshot, offer.snapshot.draft.confidence, offer.snapshot.draft.provenance)
    learnt = details or columns.keys() - {"last_validated_at"}
    begin_memory_epoch(note.subject_id, changed=[snapshot.position])
    change_note(snapshot, note, columns, details)
    if "vital_class" in details and by is not None:
        record_vital_audit(note.subject, snapshot.id, by)
    return Verdict.MERGED if learnt else Verdict.UNCHANGED


def _report(tenant_id: UUID, subject_id: UUID, verdict: Verdict) -> None:
    MEMORIES_WRITTEN.labels(type="note", verdict=verdict).inc()
    log(Event.SNAPSHOT_WRITTEN, tenant=tenant_id, subject=subject_id, offered=1)
