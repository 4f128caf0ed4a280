"""Gate a model's proposals on one page: notes, slots, fields, endings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.provenance_and_verdict import STATED_PROVENANCES, Provenance
from snapshots.understanding.believing.candidate_extraction import group_candidates
from snapshots.understanding.believing.lesson import (
    Lesson,
    is_forgotten_message,
    join_extractions,
    list_candidates,
)
from snapshots.understanding.candidate_gate import gate_candidates
from snapshots.understanding.changes.notes_ended_by_messages import MessageEndings, ReadMessage
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.clause_joining import NotePart
from snapshots.understanding.drafting.note_drafts import NoteDraft, draft_note, set_person
from snapshots.understanding.drafting.person_mentions import NamedPerson
from snapshots.understanding.fields.fill_tenant_fields import FilledField
from snapshots.understanding.fields.requested_fields import RequestedFields
from snapshots.understanding.proposing.config import JUDGING
from snapshots.understanding.proposing.ending_gate import gate_endings
from snapshots.understanding.proposing.field_gate import gate_fields
from snapshots.understanding.proposing.model_questions import MessageProposals, ProposedByMessage
from snapshots.understanding.proposing.model_quotes import GatedMessage
from snapshots.understanding.proposing.note_gate import gate_notes
from snapshots.understanding.proposing.proposal_metrics import Kind, Outcome, count_proposal
from snapshots.understanding.proposing.slot_gate import SlotVerdict, gate_slots, is_known_candidate
from snapshots.understanding.statements.statements import build_utterance
from snapshots.understanding.values import Candidate, Rejection

T = TypeVar("T")
_VERSION_CHARS = 32


@dataclass(frozen=True, slots=True)
class JudgedProposals:
    """The accepted proposals by message: notes beside drafted ones, slots and fields, and notes to be doubted. Refused
    slots are included, because their records keep the reason."""

    notes: Mapping[UUID, Sequence[NoteDraft]] = field(default_factory=dict)
    slots: Mapping[UUID, Sequence[SlotVerdict]] = field(default_factory=dict)
    fields: Mapping[UUID, Sequence[FilledField]] = field(default_factory=dict)
    endings: Sequence[MessageEndings] = ()


NOTHING = JudgedProposals()


def judge_proposals(
    proposed: ProposedByMessage, read: Sequence[ReadMessage], requested_fields: RequestedFields = ()
) -> JudgedProposals:
    """Return the accepted proposals and count each outcome. No transaction may be open. Without the encoder's files the
    result is empty: no grade speaks for or against a proposal."""
    found = [(one, proposed[one.heard.message.id]) for one in read if one.heard.message.id in proposed]
    try:
        notes = {one.heard.message.id: _gate_notes(one, told) for one, told in found}
        slots = {one.heard.message.id: _gate_slots(one, told) for one, told in found}
        fields = {
            one.heard.message.id: _count_accepted(
                "field", gate_fields(_build_gated_message(one), told.proposals.fields, requested_fields)
            )
            for one, told in found
        }
        ended = [
            (one, gate_endings(_build_gated_message(one), told.proposals.ended, told.notes_by_handle))
            for one, told in found
        ]
        endings = [MessageEndings(one.heard.message, tuple(_count_accepted("ending", judged))) for one, judged in ended]
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(found), error=type(missing).__name__)
        return NOTHING
    return JudgedProposals(notes, slots, fields, [one for one in endings if one.endings])


def add_proposed_notes(read: Sequence[ReadMessage], judged: JudgedProposals) -> list[ReadMessage]:
    drafts = [[*one.drafts, *judged.notes.get(one.heard.message.id, ())] for one in read]
    in_order = (sorted(own, key=lambda draft: draft.details.span_start or 0) for own in drafts)
    return [replace(one, drafts=own) for one, own in zip(read, in_order, strict=True)]


def add_proposed_slots(lesson: Lesson, slot_verdicts: Sequence[SlotVerdict], own_names: frozenset[str]) -> Lesson:
    """Return a lesson with the accepted and the refused slots, in the open scope. A slot that patterns found, too, is
    left out. Forgotten words teach nothing."""
    if not slot_verdicts or is_forgotten_message(lesson.message):
        return lesson
    extraction, said = lesson.extraction, build_utterance(lesson.message)
    known, fresh = list(list_candidates(extraction)), list[Candidate]()
    for one in (one for each in slot_verdicts for one in each.candidates):
        if is_known_candidate(one, [*known, *fresh]):
            count_proposal("slot", "known")
        else:
            fresh.append(one)
    verdicts = gate_candidates(fresh, cited={said.message_key: said}, own_names=own_names)
    for _ in verdicts.accepted:
        count_proposal("slot", "accepted")
    refused = [Rejection(one.reason, one.as_proposed.evidence, one.as_proposed) for one in slot_verdicts if one.reason]
    for rejection in verdicts.rejected:
        count_proposal("slot", rejection.reason)
    more = group_candidates(verdicts.accepted, (*refused, *verdicts.rejected))
    return replace(lesson, extraction=join_extractions(extraction, more))


def _build_gated_message(read: ReadMessage) -> GatedMessage:
    """Return a message for the gate. A bare answer is left out: the model sees it without its question."""
    spoken = replace(read.spoken, clauses=()) if read.spoken.answer else read.spoken
    return GatedMessage(read.heard.message.content, spoken, read.grades)


def _gate_notes(read: ReadMessage, proposed: MessageProposals) -> list[NoteDraft]:
    held = [(one.details.span_start or 0, one.details.span_end or 0) for one in read.drafts]
    made = []
    for judged in gate_notes(_build_gated_message(read), proposed.proposals.notes, held):
        count_proposal("note", judged.outcome)
        if judged.lost_vital:
            count_proposal("note", "vital_unsupported")
        if judged.part is not None:
            made.append(_draft_note(read, judged.part, judged.person, proposed.origin))
    return made


def _draft_note(read: ReadMessage, part: NotePart, person: NamedPerson | None, origin: str) -> NoteDraft:
    if person is not None:
        part = replace(part, grade=replace(part.grade, other=max(part.grade.other, NOTING.other_from)))
    draft = draft_note(read.heard, read.spoken, part, NOTING)
    details = replace(draft.details, reader_version=origin[:_VERSION_CHARS])
    if person is not None and not details.about_label:
        details = set_person(details, person)
    if draft.snapshot.provenance in STATED_PROVENANCES:
        said = replace(draft.snapshot, provenance=Provenance.ANALYSIS, confidence=JUDGING.confidence)
        return NoteDraft(said, details)
    return NoteDraft(replace(draft.snapshot, confidence=min(draft.snapshot.confidence, JUDGING.hedged)), details)


def _gate_slots(read: ReadMessage, proposed: MessageProposals) -> list[SlotVerdict]:
    key = str(read.heard.message.id)
    judged = gate_slots(_build_gated_message(read), proposed.proposals.slots, message_key=key, origin=proposed.origin)
    for one in judged:
        if one.reason:
            count_proposal("slot", one.reason)
    return judged


def _count_accepted(kind: Kind, outcomes: Sequence[tuple[Outcome, T | None]]) -> list[T]:
    for outcome, _ in outcomes:
        count_proposal(kind, outcome)
    return [one for _, one in outcomes if one is not None]
