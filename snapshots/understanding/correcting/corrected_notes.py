"""Replace notes that messages correct by notes with the corrected words, with both messages as sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from snapshots.models import Message, Note, SnapshotSource
from snapshots.notes.values import NoteDetails
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.changes.ending_classifier import EndingEffect
from snapshots.understanding.changes.note_ending_sentences import ChangingSentence, find_changing_sentences
from snapshots.understanding.changes.notes_ended_by_messages import ReadMessage, compute_ending_time, holds_before
from snapshots.understanding.changes.predicted_endings import CurrentNote, NoteEnding, load_current_notes
from snapshots.understanding.config import NOTING
from snapshots.understanding.correcting.note_corrections import (
    CorrectedNote,
    correct_matching_notes,
    find_figure_corrections,
)
from snapshots.understanding.drafting.clause_joining import NotePart
from snapshots.understanding.drafting.note_drafts import NoteDraft, compute_note_id, draft_note
from snapshots.understanding.reading.text_folding import detect_rule_language
from snapshots.understanding.statements.topics import find_topics, score_importance
from tenants.isolation import tenant_tx

# The details that a corrected note takes over from the old one.
_SAID = ("grade", "grade_probability", "about_kind", "about_label", "relation", "about_tag_id", "vital_class")


@dataclass(frozen=True, slots=True)
class _NoteOrigin:
    """The details of a note and the messages that said it."""

    details: NoteDetails
    messages: tuple[UUID, ...]


def correct_notes(tenant_id: UUID, read: Sequence[ReadMessage]) -> list[ReadMessage]:
    """Return the messages with the notes that they correct: the corrected note replaces the note of their sentence, and
    the old note ends. Opens a scope of its own where a sentence may correct anything."""
    telling = {one.heard.message.id: found for one in read if (found := _find_correcting_sentences(one))}
    if not telling:
        return list(read)
    first = min(compute_ending_time(one.heard.message) for one in read if one.heard.message.id in telling)
    subjects = {one.heard.message.subject_id for one in read if one.heard.message.id in telling}
    done: dict[UUID, ReadMessage] = {}
    with tenant_tx(tenant_id):
        held = {one: load_current_notes(one, since=first) for one in subjects}
        drafted: dict[UUID, _NoteOrigin] = {}
        for one in sorted(read, key=lambda one: (one.heard.message.said_at, one.heard.message.seq)):
            message = one.heard.message
            known = held.get(message.subject_id, [])
            now = one
            for changing in telling.get(message.id, ()):
                now = _add_correction(now, changing, [note for note in known if holds_before(note, message)], drafted)
            over = {ending.note_id for ending in now.put_right}
            known[:] = [note for note in known if note.id not in over]
            known += [CurrentNote.from_draft(draft) for draft in now.drafts]
            drafted |= {
                draft.snapshot.id: _NoteOrigin(draft.details, draft.snapshot.message_ids) for draft in now.drafts
            }
            done[message.id] = now
    return [done[one.heard.message.id] for one in read]


def _find_correcting_sentences(one: ReadMessage) -> list[ChangingSentence]:
    if one.spoken.answer:
        return []
    found = find_changing_sentences(one.spoken, one.grades, lasting=True)
    return [changing for changing in found if find_figure_corrections(changing.sentence)]


def _add_correction(
    one: ReadMessage, changing: ChangingSentence, notes: Sequence[CurrentNote], drafted: Mapping[UUID, _NoteOrigin]
) -> ReadMessage:
    message = one.heard.message
    near = [place for place, note in enumerate(notes) if _is_recent(note, message)]
    for number, righting in enumerate(
        correct_matching_notes(changing.sentence, [note.content for note in notes], near)
    ):
        known = _load_origin(notes[righting.place].id, message, drafted)
        if known is None:
            continue
        over = NoteEnding(notes[righting.place].id, EndingEffect.ENDS, changing.start, changing.end, righting.wrong)
        is_replaced = not number and righting.is_all  # the sentence says nothing else
        own = [draft for draft in one.drafts if not (is_replaced and _is_within(draft, changing))]
        place = changing.start + number + (not righting.is_all)  # beside what the sentence makes itself
        drafts = (*own, _draft_corrected_note(one, changing, righting, known, place))
        one = replace(one, drafts=drafts, put_right=(*one.put_right, over))
    return one


def _is_recent(note: CurrentNote, message: Message) -> bool:
    is_here = note.conversation_id == message.conversation_id and note.seq is not None
    return is_here and message.seq - (note.seq or 0) <= NOTING.put_right_turns


def _load_origin(note_id: UUID, message: Message, drafted: Mapping[UUID, _NoteOrigin]) -> _NoteOrigin | None:
    if note_id in drafted:
        return drafted[note_id]
    own = {"subject_id": message.subject_id}
    note = Note.objects.filter(snapshot_id=note_id, **own).first()
    links = SnapshotSource.objects.filter(memory_id=note_id, **own).order_by("message__said_at", "message__seq")
    messages = tuple(one for one in links.values_list("message_id", flat=True) if one != message.id)
    return _NoteOrigin(NoteDetails(**{name: getattr(note, name) for name in _SAID}), messages) if note else None


def _is_within(draft: NoteDraft, changing: ChangingSentence) -> bool:
    start, end = draft.details.span_start, draft.details.span_end
    return start is not None and end is not None and changing.start <= start and end <= changing.end


def _draft_corrected_note(
    one: ReadMessage, changing: ChangingSentence, righting: CorrectedNote, origin: _NoteOrigin, place: int
) -> NoteDraft:
    grade = max(one.grades, key=lambda grade: grade.lasting)
    part = NotePart(changing.start, changing.end, 0, grade, "", detect_rule_language(righting.text))
    said = draft_note(one.heard, one.spoken, part, NOTING)
    message_id = one.heard.message.id
    text, masked = mask_sensitive(righting.text)
    topics = find_topics(text)
    snapshot = replace(
        said.snapshot,
        id=compute_note_id(message_id, place),
        text=text,
        masked=bool(masked),
        topics=topics,
        category=topics[0] if topics else "",
        importance=score_importance(text),
        message_ids=(*origin.messages, *said.snapshot.message_ids),
    )
    details = replace(said.details, context="", **{name: getattr(origin.details, name) for name in _SAID})
    return NoteDraft(snapshot, details)
