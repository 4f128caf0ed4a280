"""Replace notes that messages correct by notes with the corrected words, with both messages as sources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from snapshots.models import Message, Note, SnapshotSource
from snapshots.notes.values import NoteDetails
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.changes.following import Read, precedes, told_at
from snapshots.understanding.changes.foresee import Ending, HeldChange, held_changes
from snapshots.understanding.changes.judge import Effect
from snapshots.understanding.changes.sentences import Changing, changing_sentences
from snapshots.understanding.config import NOTING
from snapshots.understanding.correcting.righting import Righting, corrections_in, find_rightings
from snapshots.understanding.drafting.assemble import NotePart
from snapshots.understanding.drafting.draft import NoteDraft, draft_part, note_id
from snapshots.understanding.reading.forms import language_of
from snapshots.understanding.statements.topics import importance_of, topics_of
from tenants.isolation import tenant_tx

# The details that a corrected note takes over from the old one.
_SAID = ("grade", "grade_probability", "about_kind", "about_label", "relation", "about_tag_id", "vital_class")


@dataclass(frozen=True, slots=True)
class _Known:
    """The details of a note and the messages that said it."""

    details: NoteDetails
    messages: tuple[UUID, ...]


def put_notes_right(tenant_id: UUID, read: Sequence[Read]) -> list[Read]:
    """Return the messages with the notes that they correct: the corrected note replaces the note of their sentence, and
    the old note ends. Opens a scope of its own where a sentence may correct anything."""
    telling = {one.heard.message.id: found for one in read if (found := _sentences_of(one))}
    if not telling:
        return list(read)
    first = min(told_at(one.heard.message) for one in read if one.heard.message.id in telling)
    subjects = {one.heard.message.subject_id for one in read if one.heard.message.id in telling}
    done: dict[UUID, Read] = {}
    with tenant_tx(tenant_id):
        held = {one: held_changes(one, since=first) for one in subjects}
        drafted: dict[UUID, _Known] = {}
        for one in sorted(read, key=lambda one: (one.heard.message.said_at, one.heard.message.seq)):
            message = one.heard.message
            known = held.get(message.subject_id, [])
            now = one
            for changing in telling.get(message.id, ()):
                now = _with_righting(now, changing, [note for note in known if precedes(note, message)], drafted)
            over = {ending.note_id for ending in now.put_right}
            known[:] = [note for note in known if note.id not in over]
            known += [HeldChange.of_draft(draft) for draft in now.drafts]
            drafted |= {draft.snapshot.id: _Known(draft.details, draft.snapshot.message_ids) for draft in now.drafts}
            done[message.id] = now
    return [done[one.heard.message.id] for one in read]


def _sentences_of(one: Read) -> list[Changing]:
    if one.spoken.answer:
        return []
    found = changing_sentences(one.spoken, one.grades, lasting=True)
    return [changing for changing in found if corrections_in(changing.sentence)]


def _with_righting(one: Read, changing: Changing, held: Sequence[HeldChange], drafted: Mapping[UUID, _Known]) -> Read:
    message = one.heard.message
    near = [place for place, note in enumerate(held) if _is_near(note, message)]
    for number, righting in enumerate(find_rightings(changing.sentence, [note.said for note in held], near)):
        known = _known_of(held[righting.place].id, message, drafted)
        if known is None:
            continue
        over = Ending(held[righting.place].id, Effect.ENDS, changing.start, changing.end, righting.wrong)
        is_replaced = not number and righting.is_all  # the sentence says nothing else
        own = [draft for draft in one.drafts if not (is_replaced and _is_within(draft, changing))]
        place = changing.start + number + (not righting.is_all)  # beside what the sentence makes itself
        drafts = (*own, _corrected(one, changing, righting, known, place))
        one = replace(one, drafts=drafts, put_right=(*one.put_right, over))
    return one


def _is_near(note: HeldChange, message: Message) -> bool:
    is_here = note.conversation_id == message.conversation_id and note.seq is not None
    return is_here and message.seq - (note.seq or 0) <= NOTING.put_right_turns


def _known_of(note_id: UUID, message: Message, drafted: Mapping[UUID, _Known]) -> _Known | None:
    if note_id in drafted:
        return drafted[note_id]
    own = {"subject_id": message.subject_id}
    note = Note.objects.filter(snapshot_id=note_id, **own).first()
    links = SnapshotSource.objects.filter(memory_id=note_id, **own).order_by("message__said_at", "message__seq")
    messages = tuple(one for one in links.values_list("message_id", flat=True) if one != message.id)
    return _Known(NoteDetails(**{name: getattr(note, name) for name in _SAID}), messages) if note else None


def _is_within(draft: NoteDraft, changing: Changing) -> bool:
    start, end = draft.details.span_start, draft.details.span_end
    return start is not None and end is not None and changing.start <= start and end <= changing.end


def _corrected(one: Read, changing: Changing, righting: Righting, known: _Known, place: int) -> NoteDraft:
    grade = max(one.grades, key=lambda grade: grade.lasting)
    part = NotePart(changing.start, changing.end, 0, grade, "", language_of(righting.text))
    said = draft_part(one.heard, one.spoken, part, NOTING)
    message_id = one.heard.message.id
    text, masked = mask_sensitive(righting.text)
    topics = topics_of(text)
    snapshot = replace(
        said.snapshot,
        id=note_id(message_id, place),
        text=text,
        masked=bool(masked),
        topics=topics,
        category=topics[0] if topics else "",
        importance=importance_of(text),
        message_ids=(*known.messages, *said.snapshot.message_ids),
    )
    details = replace(said.details, context="", **{name: getattr(known.details, name) for name in _SAID})
    return NoteDraft(snapshot, details)
