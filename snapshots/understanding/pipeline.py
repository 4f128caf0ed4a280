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
from profiles.selectors import load_own_names
from profiles.services.subject_lock import lock_subjects
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, prepare_snapshots
from snapshots.embedding.snapshot_store import store_snapshots
from snapshots.models import Message, MessageRole
from snapshots.notes.notes_of_ended_slots import end_outdated_notes, list_changed_subjects
from snapshots.notes.policy_section import NotesPolicy, load_notes_policy
from snapshots.notes.values import PreparedNote
from snapshots.queue.draining.leases import complete_items, lock_leased, release_items
from snapshots.queue.enqueue import enqueue_summaries
from snapshots.queue.values import ClaimedWork
from snapshots.understanding.believing.apply_candidates import apply_message_candidates
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.lesson import extract_message_candidates
from snapshots.understanding.changes.apply_note_endings import write_endings
from snapshots.understanding.changes.notes_ended_by_messages import MessageEndings, ReadMessage, find_message_endings
from snapshots.understanding.changes.successor_notes import add_successor_notes
from snapshots.understanding.correcting.corrected_notes import correct_notes
from snapshots.understanding.drafting.answered_asks import (
    add_answered_asks,
    build_extraction_context,
    settle_answered_ask,
    settle_note_ask,
)
from snapshots.understanding.drafting.remember_consent import RememberConsent, draft_consented_notes, find_consents
from snapshots.understanding.drafting.repeated_habits import draft_doings, find_habits
from snapshots.understanding.drafting.reply_drafts import AssistantAnswer, draft_replies, load_assistant_answers
from snapshots.understanding.fields.fill_tenant_fields import FieldsFilled, fill_fields, match_fields
from snapshots.understanding.fields.requested_fields import (
    RequestedFields,
    annotate_policy_epoch,
    load_requested_fields,
)
from snapshots.understanding.grading.clause_classifier import list_graded_spans
from snapshots.understanding.note_making import drop_unwanted_notes, grade_and_draft_messages, index_notes, write_notes
from snapshots.understanding.note_people import assign_notes_to_people, load_people_nearby
from snapshots.understanding.proposing.config import ASKING
from snapshots.understanding.proposing.field_gate import add_proposed_fields
from snapshots.understanding.proposing.model_questions import ProposedByMessage, collect_proposals
from snapshots.understanding.proposing.proposal_gate import (
    JudgedProposals,
    add_proposed_notes,
    add_proposed_slots,
    judge_proposals,
)
from snapshots.understanding.proposing.question_batches import split_into_batches
from snapshots.understanding.statements.shown_memories import load_shown_prompts
from snapshots.understanding.statements.statements import HeardMessage, load_claimed_messages, load_messages_of_work
from snapshots.understanding.values import GradedSpan, NearbyPeople
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat


@dataclass(frozen=True, slots=True)
class WorkInputs:
    """The loaded messages of claimed work: those of users, the names under which each subject speaks, the tenant's
    policy of notes and fields, the assistant's answers, and users' consents to remember something."""

    messages: Sequence[HeardMessage]
    names: Mapping[UUID, frozenset[str]]
    policy: NotesPolicy
    requested_fields: RequestedFields
    answers: Sequence[AssistantAnswer]
    consents: Sequence[RememberConsent]


@dataclass(frozen=True, slots=True)
class WorkResults:
    """The results of claimed work before they are written. Mappings are by message id."""

    notes: Mapping[UUID, Sequence[PreparedNote]]
    endings: Sequence[MessageEndings]
    replies: Mapping[UUID, Sequence[PreparedSnapshot]]
    judged: JudgedProposals
    filled_fields: FieldsFilled
    messages: Mapping[UUID, HeardMessage]
    graded: Mapping[UUID, tuple[GradedSpan, ...]]


def learn_from_messages(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Make notes, slots and snapshots of claimed messages, and complete the work.

    Classifiers and patterns find them. Where the tenant has a chat model, it proposes more and the gate decides; a
    model that does not answer costs only time. Work beyond the model's share is released and claimed again.
    """
    items, later, proposed = _ask_for_proposals(tenant_id, items)
    inputs = _load_inputs(tenant_id, items)
    read = grade_and_draft_messages(inputs.messages, inputs.names)
    judged = judge_proposals(proposed, read, inputs.requested_fields)
    read = drop_unwanted_notes(add_proposed_notes(read, judged), inputs.policy)
    read = correct_notes(tenant_id, read)
    endings = find_message_endings(tenant_id, read)
    read = add_successor_notes(read, endings)
    drafts = [draft for one in read for draft in one.drafts]
    results = WorkResults(
        notes=_index_all_notes(tenant_id, read, inputs),
        endings=(*endings, *judged.endings),
        replies=_index_replies(inputs.answers),
        judged=judged,
        filled_fields=add_proposed_fields(match_fields(drafts, inputs.requested_fields), judged.fields),
        messages={one.message.id: one for one in inputs.messages},
        graded={one.heard.message.id: list_graded_spans(one.spoken, one.grades) for one in read},
    )
    _write_results(tenant_id, items, results)
    if later:
        with tenant_tx(tenant_id):
            release_items(later)


def _ask_for_proposals(
    tenant_id: UUID, items: Sequence[ClaimedWork]
) -> tuple[Sequence[ClaimedWork], list[ClaimedWork], ProposedByMessage]:
    model = find_metered_chat(tenant_id, "extract")
    if model is None:
        return items, [], {}
    with tenant_tx(tenant_id):
        shares = list(split_into_batches(items))
    now, left = shares[: ASKING.calls], shares[ASKING.calls :]
    proposed = collect_proposals(model, [share.question for share in now])
    ours = sorted((item for share in now for item in share.items), key=lambda item: item.position)
    return ours, [item for share in left for item in share.items], proposed


def _load_inputs(tenant_id: UUID, items: Sequence[ClaimedWork]) -> WorkInputs:
    with tenant_tx(tenant_id):
        said = load_messages_of_work(items)
        heard = add_answered_asks(one for one in said if one.message.role == MessageRole.USER)
        subjects = list(annotate_policy_epoch(Subject.objects.filter(id__in={one.message.subject_id for one in heard})))
        return WorkInputs(
            messages=heard,
            names=load_own_names(subjects),
            policy=load_notes_policy(),
            requested_fields=load_requested_fields(subjects),
            answers=load_assistant_answers(said),
            consents=find_consents(heard),
        )


def _index_all_notes(
    tenant_id: UUID, read: Sequence[ReadMessage], inputs: WorkInputs
) -> dict[UUID, list[PreparedNote]]:
    drafts = [draft for one in read for draft in one.drafts]
    doings = [draft for one in read for draft in draft_doings(one.heard, one.spoken, one.grades)]
    notes = index_notes([*drafts, *find_habits(tenant_id, doings)])
    for one in inputs.consents:
        own = notes.setdefault(one.message_id, [])
        known = {note.snapshot.draft.id for note in own}
        agreed = [draft for draft in draft_consented_notes(one, inputs.names) if draft.snapshot.id not in known]
        own += (note for indexed in index_notes(agreed).values() for note in indexed)
    return notes


def _index_replies(answers: Sequence[AssistantAnswer]) -> dict[UUID, list[PreparedSnapshot]]:
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


def _write_results(tenant_id: UUID, items: Sequence[ClaimedWork], results: WorkResults) -> None:
    with tenant_tx(tenant_id):
        held = lock_leased(items)
        said = load_claimed_messages(held).values()
        messages = [message for message in said if message.role == MessageRole.USER]
        subjects = Subject.objects.in_bulk({message.subject_id for message in messages})
        lock_subjects(subjects.values())  # before anybody's memory, as everywhere
        nearby = _learn_slots(subjects, messages, results)
        notes = ((one, results.notes.get(one.id, ())) for one in messages)
        given = [assign_notes_to_people(subjects[one.subject_id], one, own, nearby[one.id]) for one, own in notes]
        write_notes(subjects, [note for own in given for note in own])
        for subject_id in list_changed_subjects(subjects, [one.id for one in messages]):
            end_outdated_notes(subject_id, [one.id for one in messages if one.subject_id == subject_id])
        write_endings([(one.message, one.endings) for one in results.endings if one.message.subject_id in subjects])
        store_snapshots([reply for message in said for reply in results.replies.get(message.id, ())])
        enqueue_summaries({message.conversation_id for message in messages})
        complete_items(held)


def _learn_slots(
    subjects: Mapping[UUID, Subject], messages: Sequence[Message], results: WorkResults
) -> dict[UUID, NearbyPeople]:
    names, shown = load_own_names(list(subjects.values())), load_shown_prompts(messages)
    nearby: dict[UUID, NearbyPeople] = {}
    believed = BeliefCache(subjects.values())
    for message in messages:
        subject, heard = subjects[message.subject_id], results.messages.get(message.id)
        nearby[message.id] = load_people_nearby(message, believed)
        context = build_extraction_context(names[subject.id], heard, nearby[message.id])
        context = replace(context, graded=results.graded.get(message.id, ()))
        lesson = extract_message_candidates(subject, message, context, shown, belief_cache=believed)
        lesson = add_proposed_slots(lesson, results.judged.slots.get(message.id, ()), context.own_names)
        if has_learned := bool(apply_message_candidates(lesson)):
            names |= load_own_names([subject])
            settle_answered_ask(subject, heard)
        has_settled = settle_note_ask(subject, heard)
        filled = fill_fields(lesson, context.own_names, results.filled_fields.get(message.id, ()))
        if has_learned or has_settled or filled:
            believed.invalidate(subject.id)
    return nearby
