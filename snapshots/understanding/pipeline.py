"""A worker makes memory of messages, on one page: load, propose, read, judge, correct, end, index, write.

Everything that embeds or asks a model happens with no transaction open. The writing is one transaction, in the order in
which things were said, and only while the work is still ours.
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
from snapshots.models import Message, MessageRole
from snapshots.notes.section import NotesPolicy, notes_policy_in_force
from snapshots.notes.slot_ends import end_outdated_notes
from snapshots.notes.told import subjects_told_of
from snapshots.notes.values import PreparedNote
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
from snapshots.understanding.drafting.replies import Answer, answers_in, draft_replies
from snapshots.understanding.fields.fill import FieldsFilled, fill_fields, match_fields
from snapshots.understanding.fields.section import Asked, fields_asked, with_epoch
from snapshots.understanding.grading.reader import graded_spans
from snapshots.understanding.heard.asks import context_of, settle_answered, settle_doubted, with_asks
from snapshots.understanding.heard.consent import Consent, draft_consented, read_consents
from snapshots.understanding.heard.repetition import find_habits
from snapshots.understanding.note_making import index_notes, keep_wanted, read_messages, write_notes
from snapshots.understanding.people import give_to_people, people_before
from snapshots.understanding.proposing.ask import ProposedByMessage, ask_model
from snapshots.understanding.proposing.config import ASKING
from snapshots.understanding.proposing.fields import with_proposed_fields
from snapshots.understanding.proposing.judging import Judged, judge_proposals, with_proposed_notes, with_proposed_slots
from snapshots.understanding.proposing.share import shares_of
from snapshots.understanding.statements.statements import Heard, hear, load_messages
from snapshots.understanding.values import GradedSpan, Nearby
from tenants.isolation import tenant_tx
from tenants.services.usage.model_use import chat_for


@dataclass(frozen=True, slots=True)
class WorkInputs:
    """The loaded messages of claimed work: those of users, the names under which each subject speaks, the tenant's
    policy of notes and fields, the assistant's answers, and users' consents to remember something."""

    heard: Sequence[Heard]
    names: Mapping[UUID, frozenset[str]]
    policy: NotesPolicy
    asked: Asked
    answers: Sequence[Answer]
    consents: Sequence[Consent]


@dataclass(frozen=True, slots=True)
class WorkResults:
    """The results of claimed work before they are written. Mappings are by message id."""

    notes: Mapping[UUID, Sequence[PreparedNote]]
    endings: Sequence[MessageEndings]
    replies: Mapping[UUID, Sequence[PreparedSnapshot]]
    judged: Judged
    filled: FieldsFilled
    heard: Mapping[UUID, Heard]
    graded: Mapping[UUID, tuple[GradedSpan, ...]]


def learn_from_messages(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Make notes, slots and snapshots of claimed messages, and complete the work.

    Classifiers and patterns find them. Where the tenant has a chat model, it proposes more and the gate decides; a
    model that does not answer costs only time. Work beyond the model's share is released and claimed again.
    """
    items, later, proposed = _propose(tenant_id, items)
    inputs = _load(tenant_id, items)
    read = read_messages(inputs.heard, inputs.names)
    judged = judge_proposals(proposed, read, inputs.asked)
    read = keep_wanted(with_proposed_notes(read, judged), inputs.policy)
    read = put_notes_right(tenant_id, read)
    endings = endings_in(tenant_id, read)
    read = keep_successors(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    results = WorkResults(
        notes=_index_all_notes(tenant_id, read, inputs),
        endings=(*endings, *judged.endings),
        replies=_index_replies(inputs.answers),
        judged=judged,
        filled=with_proposed_fields(match_fields(drafts, inputs.asked), judged.fields),
        heard={one.message.id: one for one in inputs.heard},
        graded={one.heard.message.id: graded_spans(one.spoken, one.grades) for one in read},
    )
    _write(tenant_id, items, results)
    if later:
        with tenant_tx(tenant_id):
            release(later)


def _propose(
    tenant_id: UUID, items: Sequence[ClaimedWork]
) -> tuple[Sequence[ClaimedWork], list[ClaimedWork], ProposedByMessage]:
    model = chat_for(tenant_id, "extract")
    if model is None:
        return items, [], {}
    with tenant_tx(tenant_id):
        shares = list(shares_of(items))
    now, left = shares[: ASKING.calls], shares[ASKING.calls :]
    proposed = ask_model(model, [share.question for share in now])
    ours = sorted((item for share in now for item in share.items), key=lambda item: item.position)
    return ours, [item for share in left for item in share.items], proposed


def _load(tenant_id: UUID, items: Sequence[ClaimedWork]) -> WorkInputs:
    with tenant_tx(tenant_id):
        said = hear(items)
        heard = with_asks(one for one in said if one.message.role == MessageRole.USER)
        subjects = list(with_epoch(Subject.objects.filter(id__in={one.message.subject_id for one in heard})))
        return WorkInputs(
            heard=heard,
            names=own_names(subjects),
            policy=notes_policy_in_force(),
            asked=fields_asked(subjects),
            answers=answers_in(said),
            consents=read_consents(heard),
        )


def _index_all_notes(tenant_id: UUID, read: Sequence[Read], inputs: WorkInputs) -> dict[UUID, list[PreparedNote]]:
    drafts = [draft for one in read for draft in one.drafts]
    notes = index_notes([*drafts, *find_habits(tenant_id, read)])
    for one in inputs.consents:
        own = notes.setdefault(one.message_id, [])
        known = {note.prepared.draft.id for note in own}
        agreed = [draft for draft in draft_consented(one, inputs.names) if draft.snapshot.id not in known]
        own += (note for indexed in index_notes(agreed).values() for note in indexed)
    return notes


def _index_replies(answers: Sequence[Answer]) -> dict[UUID, list[PreparedSnapshot]]:
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


def _write(tenant_id: UUID, items: Sequence[ClaimedWork], results: WorkResults) -> None:
    with tenant_tx(tenant_id):
        held = hold(items)
        said = load_messages(held).values()
        messages = [message for message in said if message.role == MessageRole.USER]
        subjects = Subject.objects.in_bulk({message.subject_id for message in messages})
        lock_subjects(subjects.values())  # before anybody's memory, as everywhere
        nearby = _learn_slots(subjects, messages, results)
        notes = ((one, results.notes.get(one.id, ())) for one in messages)
        given = [give_to_people(subjects[one.subject_id], one, own, nearby[one.id]) for one, own in notes]
        write_notes(subjects, [note for own in given for note in own])
        for subject_id in subjects_told_of(subjects, [one.id for one in messages]):
            end_outdated_notes(subject_id, [one.id for one in messages if one.subject_id == subject_id])
        write_endings([(one.message, one.endings) for one in results.endings if one.message.subject_id in subjects])
        store_snapshots([reply for message in said for reply in results.replies.get(message.id, ())])
        enqueue_summaries({message.conversation_id for message in messages})
        complete(held)


def _learn_slots(
    subjects: Mapping[UUID, Subject], messages: Sequence[Message], results: WorkResults
) -> dict[UUID, Nearby]:
    names, shown = own_names(list(subjects.values())), shown_before(messages)
    nearby: dict[UUID, Nearby] = {}
    believed = Believed(subjects.values())
    for message in messages:
        subject, heard = subjects[message.subject_id], results.heard.get(message.id)
        nearby[message.id] = people_before(message, believed)
        context = context_of(names[subject.id], heard, nearby[message.id])
        context = replace(context, graded=results.graded.get(message.id, ()))
        lesson = lesson_of(subject, message, context, shown, believed=believed)
        lesson = with_proposed_slots(lesson, results.judged.slots.get(message.id, ()), context.own_names)
        if has_learned := bool(learn(lesson)):
            names |= own_names([subject])
            settle_answered(subject, heard)
        has_settled = settle_doubted(subject, heard)
        filled = fill_fields(lesson, context.own_names, results.filled.get(message.id, ()))
        if has_learned or has_settled or filled:
            believed.read_again(subject.id)
    return nearby
