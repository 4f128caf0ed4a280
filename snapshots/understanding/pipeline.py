"""A worker learns from messages, on one page: hear, grade, draft notes, see what they end, ask a model, then write it.

Everything that embeds or asks a model happens with no transaction open. The rest is one transaction: it writes in the
order in which things were said, and only while the work is still ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.models import Subject
from profiles.services.locking import lock_subjects
from snapshots.echo.shown_memories import shown_before
from snapshots.embedding.drafts import PreparedSnapshot, prepare_snapshots
from snapshots.embedding.spaces import active_embedders
from snapshots.embedding.store import store_snapshots
from snapshots.models import Message, MessageRole, SnapshotKind, SnapshotSource
from snapshots.notes.section import NotesPolicy, notes_policy_in_force
from snapshots.notes.slot_ends import end_outdated_notes
from snapshots.notes.slots import SaidPart, link_slots
from snapshots.notes.store import confirm_notes, store_notes
from snapshots.notes.told import subjects_told_of
from snapshots.notes.values import NoteRepeat, PreparedNote
from snapshots.queue.draining.leases import complete, hold, release
from snapshots.queue.enqueue import enqueue_summaries
from snapshots.queue.values import ClaimedWork
from snapshots.understanding.believing.held_values import Believed
from snapshots.understanding.believing.learn import learn
from snapshots.understanding.believing.message_lessons import lesson_of, own_names
from snapshots.understanding.changes.ending import write_endings
from snapshots.understanding.changes.following import MessageEndings, Read, endings_in
from snapshots.understanding.changes.successors import keep_successors
from snapshots.understanding.correcting.notes import put_notes_right
from snapshots.understanding.drafting.draft import NoteDraft, note_drafts, spoken_of
from snapshots.understanding.drafting.repeats import HeldNote, as_held, held_notes, repeat_of
from snapshots.understanding.drafting.replies import Answer, answers_in, draft_replies
from snapshots.understanding.drafting.wanted import wanted_notes
from snapshots.understanding.fields.asked import Asked, fields_asked, with_epoch
from snapshots.understanding.fields.fill import FieldsFilled, fill_fields, match_fields
from snapshots.understanding.grading.orders import without_orders
from snapshots.understanding.grading.reader import grade_messages, graded_spans
from snapshots.understanding.heard.asks import context_of, settle_answered, settle_doubted, with_asks
from snapshots.understanding.heard.consent import Consent, draft_consented, read_consents
from snapshots.understanding.heard.repetition import as_guessed, doing_drafts, habit_repeat_of, keep_repeated
from snapshots.understanding.people import give_to_people, people_before
from snapshots.understanding.proposing.ask import ProposedByMessage, ask_model
from snapshots.understanding.proposing.config import ASKING
from snapshots.understanding.proposing.fields import with_proposed_fields
from snapshots.understanding.proposing.judging import Judged, judge_proposals, with_proposed_notes
from snapshots.understanding.proposing.merge import with_proposed_slots
from snapshots.understanding.proposing.share import shares_of
from snapshots.understanding.statements.statements import Heard, hear
from snapshots.understanding.values import GradedSpan, Nearby
from tenants.isolation import tenant_tx
from tenants.services.usage.model_use import chat_for

# Prepared notes by message.
Notes = Mapping[UUID, Sequence[PreparedNote]]
# Prepared replies by message.
Replies = Mapping[UUID, Sequence[PreparedSnapshot]]


@dataclass(frozen=True, slots=True)
class Learned:
    """What is to be written of claimed messages. ``judged``: what stands of a model's proposals, notes among ``notes``;
    ``heard``: what users said, with what stood before it; ``graded``: how probable it is that its clauses last."""

    notes: Notes
    endings: Sequence[MessageEndings]
    replies: Replies
    judged: Judged
    filled: FieldsFilled
    heard: Mapping[UUID, Heard]
    graded: Mapping[UUID, tuple[GradedSpan, ...]]


def learn_from_messages(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Learn from claimed messages: notes by the reader of clauses, beliefs by rows, and of what the tenant's model
    proposes, where it has one, what the gate lets through. A model that does not answer costs nothing but time."""
    items, later, proposed = ask_about(tenant_id, items)
    heard, names, wanted, asked, answers, consented = _hear(tenant_id, items)
    read = read_messages(heard, names)
    judged = judge_proposals(proposed, read, asked)
    read = put_notes_right(tenant_id, keep_wanted(with_proposed_notes(read, judged), wanted))
    endings = endings_in(tenant_id, read)
    read = keep_successors(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    notes = index_notes([*drafts, *habits_in(tenant_id, read)])
    filled = with_proposed_fields(match_fields(drafts, asked), judged.fields)
    for one in consented:
        there = {note.prepared.draft.id for note in notes.get(one.message_id, ())}
        agreed = [draft for draft in draft_consented(one, names) if draft.snapshot.id not in there]
        notes.setdefault(one.message_id, []).extend(index_agreed(agreed))
    replies = index_replies(answers)
    said = {one.message.id: one for one in heard}
    graded = {one.heard.message.id: graded_spans(one.spoken, one.grades) for one in read}
    _write(tenant_id, items, Learned(notes, endings, replies, judged, filled, said, graded))
    if later:
        with tenant_tx(tenant_id):
            release(later)


def ask_about(
    tenant_id: UUID, items: Sequence[ClaimedWork]
) -> tuple[Sequence[ClaimedWork], list[ClaimedWork], ProposedByMessage]:
    """Return the work that is learned from now, what is left for later, and what the tenant's model proposes of it:
    without a model all of it, nothing and nothing."""
    model = chat_for(tenant_id, "extract")
    if model is None:
        return items, [], {}
    with tenant_tx(tenant_id):
        shares = list(shares_of(items))
    now, left = shares[: ASKING.calls], shares[ASKING.calls :]
    proposed = ask_model(model, [share.question for share in now])
    ours = sorted((item for share in now for item in share.items), key=lambda item: item.position)
    return ours, [item for share in left for item in share.items], proposed


def read_messages(heard: Sequence[Heard], names: Mapping[UUID, frozenset[str]]) -> list[Read]:
    """Grade the messages and return them with their notes, in order. No transaction may be open.

    Without the encoder's files there are none: ``manage.py make_notes`` makes them later.
    """
    told = [spoken_of(one, names[one.message.subject_id]) for one in heard]
    try:
        spoken = without_orders(told)
        grades = grade_messages(spoken)
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(heard), error=type(missing).__name__)
        return []
    return [
        Read(one, said, graded, [as_guessed(note) for note in note_drafts(one, said, graded)])
        for one, said, graded in zip(heard, spoken, grades, strict=True)
    ]


def keep_wanted(read: Sequence[Read], policy: NotesPolicy) -> list[Read]:
    """Return the messages with the notes that the tenant's policy lets stand, as it lets them stand."""
    return [replace(one, drafts=list(wanted_notes(one.drafts, policy))) for one in read]


def index_notes(drafts: Sequence[NoteDraft]) -> dict[UUID, list[PreparedNote]]:
    """Return drafted notes indexed and embedded, by the message that says them. No transaction may be open."""
    found: dict[UUID, list[PreparedNote]] = {}
    prepared = prepare_snapshots([draft.snapshot for draft in drafts], active_embedders())
    for draft, ready in zip(drafts, prepared, strict=True):
        found.setdefault(draft.snapshot.message_ids[-1], []).append(PreparedNote(ready, draft.details))
    return found


def index_agreed(drafts: Sequence[NoteDraft]) -> list[PreparedNote]:
    """Return notes of earlier words, indexed and embedded, to be written with the message that agreed to them."""
    return [note for own in index_notes(drafts).values() for note in own]


def habits_in(tenant_id: UUID, read: Sequence[Read]) -> list[NoteDraft]:
    """Return what becomes a habit, for it was done on another day before. Opens a scope of its own where any may."""
    doings = [draft for one in read for draft in doing_drafts(one.heard, one.spoken, one.grades)]
    if not doings:
        return []
    with tenant_tx(tenant_id):
        return keep_repeated(doings)


def index_replies(answers: Sequence[Answer]) -> dict[UUID, list[PreparedSnapshot]]:
    """Return what assistants gave, indexed and embedded, by message. No transaction may be open.

    Without the encoder's files there is nothing.
    """
    try:
        drafts = draft_replies(answers)
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(answers), error=type(missing).__name__)
        return {}
    found: dict[UUID, list[PreparedSnapshot]] = {}
    for ready in prepare_snapshots(drafts, active_embedders()) if drafts else ():
        (message_id,) = ready.draft.message_ids
        found.setdefault(message_id, []).append(ready)
    return found


def write_notes(subjects: Mapping[UUID, Subject], prepared: Sequence[PreparedNote]) -> int:
    """Store notes in the order in which they were said, or confirm those that are held already, in the open scope;
    return how many are new. What a message said before it was delivered again is held, or has ended since: it makes no
    further note."""
    read = messages_with_notes(prepared)
    new: list[PreparedNote] = []
    repeats: dict[UUID, list[NoteRepeat]] = {}
    repeated: set[UUID] = set()
    parts: list[SaidPart] = []
    held: dict[UUID, list[HeldNote]] = {}
    for one in prepared:
        draft = NoteDraft(one.prepared.draft, one.details)
        subject_id = draft.snapshot.subject_id
        if subject_id not in held:
            held[subject_id] = held_notes(subject_id)
        known = held[subject_id]
        repeat = repeat_of(draft, known) or habit_repeat_of(draft, known)
        if repeat is None and draft.snapshot.message_ids[-1] not in read:
            new.append(one)
            known.append(as_held(draft))
        elif repeat is not None:
            repeats.setdefault(subject_id, []).append(repeat)
            repeated.add(repeat.note_id)
        parts += said_parts(draft, repeat.note_id if repeat else draft.snapshot.id)
    stored = store_notes(new)
    link_slots([part for part in parts if part.note_id in {*stored, *repeated}])
    for subject_id, again in sorted(repeats.items(), key=lambda pair: str(pair[0])):
        confirm_notes(subjects[subject_id], again)
    return len(stored)


def messages_with_notes(prepared: Sequence[PreparedNote]) -> frozenset[UUID]:
    """Return which messages of prepared notes are a source of some note already, in the open scope."""
    messages = {message for one in prepared for message in one.prepared.draft.message_ids}
    links = SnapshotSource.objects.filter(message_id__in=messages, memory__kind=SnapshotKind.NOTE)
    return frozenset(links.values_list("message_id", flat=True)) if messages else frozenset()


def said_parts(draft: NoteDraft, note_id: UUID) -> list[SaidPart]:
    """Return the part of its message that a drafted note holds, for the note that it became; none without a place."""
    start, end = draft.details.span_start, draft.details.span_end
    if start is None or end is None:
        return []
    return [SaidPart(draft.snapshot.subject_id, note_id, one, start, end) for one in draft.snapshot.message_ids[-1:]]


def _hear(
    tenant_id: UUID, items: Sequence[ClaimedWork]
) -> tuple[list[Heard], dict[UUID, frozenset[str]], NotesPolicy, Asked, list[Answer], list[Consent]]:
    """Return what users said in claimed messages, under which names each of them speaks, what the tenant wants of
    notes, which fields it asks for, what assistants said, and which messages agree to an offer to remember."""
    with tenant_tx(tenant_id):
        said = hear(items)
        heard = with_asks(one for one in said if one.message.role == MessageRole.USER)
        wanted = {one.message.subject_id for one in heard}
        subjects = list(with_epoch(Subject.objects.filter(id__in=wanted)))
        consents = read_consents(heard)
        policy = notes_policy_in_force()
        return heard, own_names(subjects), policy, fields_asked(subjects), answers_in(said), consents


def _write(tenant_id: UUID, items: Sequence[ClaimedWork], learned: Learned) -> None:
    """Learn from messages in one transaction, in their order, and complete the work that is still ours."""
    with tenant_tx(tenant_id):
        held = hold(items)
        said = _messages_of(held)
        messages = [message for message in said if message.role == MessageRole.USER]
        subjects = Subject.objects.in_bulk({message.subject_id for message in messages})
        lock_subjects(subjects.values())  # before anybody's memory, as everywhere
        nearby = _learn_slots(subjects, messages, learned)
        notes = ((one, learned.notes.get(one.id, ())) for one in messages)
        given = [give_to_people(subjects[one.subject_id], one, own, nearby[one.id]) for one, own in notes]
        write_notes(subjects, [note for own in given for note in own])
        for subject_id in subjects_told_of(subjects, [one.id for one in messages]):
            end_outdated_notes(subject_id, [one.id for one in messages if one.subject_id == subject_id])
        endings = (*learned.endings, *learned.judged.endings)
        write_endings([(one.message, one.endings) for one in endings if one.message.subject_id in subjects])
        store_snapshots([reply for message in said for reply in learned.replies.get(message.id, ())])
        enqueue_summaries({message.conversation_id for message in messages})
        complete(held)


def _learn_slots(subjects: Mapping[UUID, Subject], messages: Sequence[Message], learned: Learned) -> dict[UUID, Nearby]:
    """Learn slots from messages, one after the other, in the open scope; return who was known before each."""
    names, shown = own_names(list(subjects.values())), shown_before(messages)
    nearby: dict[UUID, Nearby] = {}
    believed = Believed(subjects.values())
    for message in messages:
        subject, heard = subjects[message.subject_id], learned.heard.get(message.id)
        nearby[message.id] = people_before(message, believed)
        context = context_of(names[subject.id], heard, nearby[message.id])
        context = replace(context, graded=learned.graded.get(message.id, ()))
        lesson = lesson_of(subject, message, context, shown, believed=believed)
        lesson = with_proposed_slots(lesson, learned.judged.slots.get(message.id, ()), context.own_names)
        if has_learned := bool(learn(lesson)):
            names |= own_names([subject])
            settle_answered(subject, heard)
        has_settled = settle_doubted(subject, heard)
        filled = fill_fields(lesson, context.own_names, learned.filled.get(message.id, ()))
        if has_learned or has_settled or filled:
            believed.read_again(subject.id)
    return nearby


def _messages_of(held: Sequence[ClaimedWork]) -> list[Message]:
    """Return the messages of held work in its order; those that must not be remembered are left out."""
    ids = [item.message_id for item in held if item.message_id]
    rows = Message.objects.filter(subject_id__in={item.subject_id for item in held}, id__in=ids, remember=True)
    found = {row.id: row for row in rows.select_related("conversation")}
    return [found[message_id] for message_id in ids if message_id in found]
