"""From what a model proposes of messages to what is written of them, on one page: notes, slots, fields, endings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.values import Provenance
from snapshots.models import AboutKind
from snapshots.understanding.changes.following import MessageEndings, Read
from snapshots.understanding.changes.foresee import Ending
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.assemble import NotePart
from snapshots.understanding.drafting.draft import NoteDraft, draft_part
from snapshots.understanding.fields.asked import Asked
from snapshots.understanding.fields.fill import Filled
from snapshots.understanding.proposing.ask import Proposed, ProposedByMessage
from snapshots.understanding.proposing.config import JUDGING
from snapshots.understanding.proposing.counting import count_proposal
from snapshots.understanding.proposing.endings import judge_endings
from snapshots.understanding.proposing.fields import judge_fields
from snapshots.understanding.proposing.notes import judge_notes
from snapshots.understanding.proposing.passages import Said
from snapshots.understanding.proposing.slots import JudgedSlot, judge_slots
from snapshots.understanding.reading.people import Person

_VERSION_CHARS = 32


@dataclass(frozen=True, slots=True)
class Judged:
    """What stands of a model's proposals, by message: notes beside those that the reader drafted, slots and fields, and
    the held notes that are to be asked about. Of slots also what is refused: records keep why."""

    notes: Mapping[UUID, Sequence[NoteDraft]] = field(default_factory=dict)
    slots: Mapping[UUID, Sequence[JudgedSlot]] = field(default_factory=dict)
    fields: Mapping[UUID, Sequence[Filled]] = field(default_factory=dict)
    endings: Sequence[MessageEndings] = ()


NOTHING = Judged()


def judge_proposals(proposed: ProposedByMessage, read: Sequence[Read], asked: Asked = ()) -> Judged:
    """Return what stands of what a model proposed of messages, each proposal counted. No transaction may be open.

    Without the encoder's files there is nothing: no grade speaks for or against a proposal.
    """
    found = [(one, proposed[one.heard.message.id]) for one in read if one.heard.message.id in proposed]
    try:
        notes = {one.heard.message.id: _notes_of(one, told) for one, told in found}
        slots = {one.heard.message.id: _slots_of(one, told) for one, told in found}
        fields = {one.heard.message.id: _fields_of(one, told, asked) for one, told in found}
        endings = [MessageEndings(one.heard.message, tuple(_endings_of(one, told))) for one, told in found]
    except EmbeddingUnavailable as missing:
        log(Event.EXTRACTION_DEGRADED, messages=len(found), error=type(missing).__name__)
        return NOTHING
    return Judged(notes, slots, fields, [one for one in endings if one.endings])


def with_proposed_notes(read: Sequence[Read], judged: Judged) -> list[Read]:
    """Return the messages with the notes that stand of a model's proposals, in the order of their words."""
    return [replace(one, drafts=_in_order([*one.drafts, *judged.notes.get(one.heard.message.id, ())])) for one in read]


def _said_of(read: Read) -> Said:
    """Return a message for the gate. A bare answer is read together with its question: a model sees only half of it."""
    spoken = replace(read.spoken, clauses=()) if read.spoken.answer else read.spoken
    return Said(read.heard.message.content, spoken, read.grades)


def _notes_of(read: Read, proposed: Proposed) -> list[NoteDraft]:
    held = [(one.details.span_start or 0, one.details.span_end or 0) for one in read.drafts]
    made = []
    for judged in judge_notes(_said_of(read), proposed.proposals.notes, held):
        count_proposal("note", judged.outcome)
        if judged.lost_vital:
            count_proposal("note", "vital_unsupported")
        if judged.part is not None:
            made.append(_draft_of(read, judged.part, judged.person, proposed.origin))
    return made


def _draft_of(read: Read, part: NotePart, person: Person | None, origin: str) -> NoteDraft:
    """Return a part that a model proposed as a draft: known by analysis at most, never as said outright."""
    if person is not None:
        part = replace(part, grade=replace(part.grade, other=max(part.grade.other, NOTING.other_from)))
    draft = draft_part(read.heard, read.spoken, part, NOTING)
    details = replace(draft.details, reader_version=origin[:_VERSION_CHARS])
    if person is not None and not details.about_label:
        kind = AboutKind.THING if person.is_thing else AboutKind.CONTACT
        details = replace(details, about_kind=kind, about_label=person.label[:100], relation=person.relation[:100])
    if draft.snapshot.provenance == Provenance.CONFIRMED_BY_USER:
        said = replace(draft.snapshot, provenance=Provenance.ANALYSIS, confidence=JUDGING.confidence)
        return NoteDraft(said, details)
    return NoteDraft(replace(draft.snapshot, confidence=min(draft.snapshot.confidence, JUDGING.hedged)), details)


def _slots_of(read: Read, proposed: Proposed) -> list[JudgedSlot]:
    key = str(read.heard.message.id)
    judged = judge_slots(_said_of(read), proposed.proposals.slots, message_key=key, origin=proposed.origin)
    for one in judged:
        if one.reason:
            count_proposal("slot", one.reason)
    return judged


def _fields_of(read: Read, proposed: Proposed, asked: Asked) -> list[Filled]:
    made = []
    for outcome, filled in judge_fields(_said_of(read), proposed.proposals.fields, asked):
        count_proposal("field", outcome)
        if filled:
            made.append(filled)
    return made


def _endings_of(read: Read, proposed: Proposed) -> list[Ending]:
    made = []
    for outcome, ending in judge_endings(_said_of(read), proposed.proposals.ended, proposed.held):
        count_proposal("ending", outcome)
        if ending:
            made.append(ending)
    return made


def _in_order(drafts: Sequence[NoteDraft]) -> list[NoteDraft]:
    return sorted(drafts, key=lambda one: one.details.span_start or 0)
