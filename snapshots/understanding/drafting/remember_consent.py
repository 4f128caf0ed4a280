"""A yes to an offer to remember: the user's own earlier words become a note, else the words of the offer with lower
confidence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.provenance_and_verdict import Provenance
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message, MessageRole, NoteGrade, SnapshotKind
from snapshots.notes.values import NoteDetails
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.note_drafts import (
    NoteDraft,
    build_spoken_message,
    compute_note_id,
    draft_message_notes,
)
from snapshots.understanding.grading.clause_classifier import grade_messages, load_clause_classifier
from snapshots.understanding.grading.planted_instruction_filter import drop_instructions
from snapshots.understanding.heard.remember_offers import (
    find_clause_after_yes,
    find_offered_clause,
    is_consent,
    may_remember_offer,
    parse_offer,
)
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.statements.statements import HeardMessage, draft_from_message

# How many turns of the user before the offer are looked through.
TURNS = 3


@dataclass(frozen=True, slots=True)
class RememberConsent:
    """A message that agrees to an offer, and the earlier words that are meant; None if no words are meant."""

    heard: HeardMessage
    offer: str
    earlier: Message | None = None
    clause: Clause | None = None

    @property
    def message_id(self) -> UUID:
        return self.heard.message.id


def find_consents(messages: Iterable[HeardMessage]) -> list[RememberConsent]:
    """Return the messages that agree to an offer to remember, in the open scope. One query for each."""
    found = []
    for one in messages:
        previous = one.previous
        if previous is None or previous.role != MessageRole.ASSISTANT or not one.message.remember:
            continue
        if is_consent(one.message.content, previous.content):
            found.append(_find_earlier_words(RememberConsent(one, parse_offer(previous.content) or "")))
        elif told := find_clause_after_yes(one.message.content, previous.content):
            found.append(RememberConsent(one, "", one.message, told))
    return found


def draft_consented_notes(one: RememberConsent, names: Mapping[UUID, frozenset[str]]) -> list[NoteDraft]:
    """Return the notes that a yes to an offer to remember makes. No transaction may be open."""
    if one.earlier is None or one.clause is None:  # the user had said nothing of the kind
        return [_draft_offer_note(one)] if may_remember_offer(one.offer) else []
    earlier, clause = HeardMessage(one.earlier, None), one.clause
    said = build_spoken_message(earlier, names[one.earlier.subject_id])
    said = replace(said, remember_spans=((clause.start, clause.end),))
    try:
        (said,) = drop_instructions([said])
        (grades,) = grade_messages([said])
    except EmbeddingUnavailable:
        return []
    return [draft for draft in draft_message_notes(earlier, said, grades) if draft.overlaps(clause.start, clause.end)]


def _find_earlier_words(one: RememberConsent) -> RememberConsent:
    message = one.heard.message
    rows = Message.objects.filter(
        subject_id=message.subject_id,
        conversation_id=message.conversation_id,
        seq__lt=message.seq,
        role=MessageRole.USER,
        remember=True,
    ).order_by("-seq")[:TURNS]
    for row in add_archived_words(list(rows)):
        clause = find_offered_clause(row.content, one.offer)
        if clause is not None:
            return replace(one, earlier=row, clause=clause)
    return one


def _draft_offer_note(one: RememberConsent) -> NoteDraft:
    message = one.heard.message
    known = {"confidence": NOTING.offered, "provenance": Provenance.ANALYSIS}
    snapshot = draft_from_message(message, SnapshotKind.NOTE, one.offer, id=compute_note_id(message.id, 0), **known)
    details = NoteDetails(
        grade=NoteGrade.FACT,
        grade_probability=1.0,
        span_start=0,
        span_end=len(message.content),
        reader_version=load_clause_classifier().version,
    )
    return NoteDraft(snapshot, details)
