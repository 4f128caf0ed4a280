"""A yes to an offer to remember: the user's own earlier words become a note, else the words of the offer with lower
confidence."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.providers.contracts import EmbeddingUnavailable
from profiles.values import Provenance
from snapshots.models import Message, MessageRole, NoteGrade, SnapshotKind
from snapshots.notes.values import NoteDetails
from snapshots.selectors import with_words
from snapshots.understanding.config import NOTING, NotingPolicy
from snapshots.understanding.drafting.draft import NoteDraft, note_drafts, note_id, spoken_of
from snapshots.understanding.grading.orders import without_orders
from snapshots.understanding.grading.reader import clause_reader, grade_messages
from snapshots.understanding.heard.offers import consents, may_be_taken, offered_clause, read_offer, told_beside_yes
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.statements.statements import Heard, message_draft

# How many turns of the user before the offer are looked through.
TURNS = 3


@dataclass(frozen=True, slots=True)
class Consent:
    """A message that agrees to an offer, and the earlier words that are meant; None where there are none."""

    heard: Heard
    offer: str
    earlier: Message | None = None
    clause: Clause | None = None

    @property
    def message_id(self) -> UUID:
        return self.heard.message.id


def read_consents(heard: Iterable[Heard]) -> list[Consent]:
    """Return the messages that agree to an offer to remember, in the open scope. One query for each."""
    found = []
    for one in heard:
        previous = one.previous
        if previous is None or previous.role != MessageRole.ASSISTANT or not one.message.remember:
            continue
        if consents(one.message.content, previous.content):
            found.append(_with_earlier(Consent(one, read_offer(previous.content) or "")))
        elif told := told_beside_yes(one.message.content, previous.content):
            found.append(Consent(one, "", one.message, told))
    return found


def draft_consented(one: Consent, names: Mapping[UUID, frozenset[str]]) -> list[NoteDraft]:
    """Return the notes that a yes to an offer to remember makes. No transaction may be open."""
    if one.earlier is None or one.clause is None:  # the user had said nothing of the kind
        return [_draft_offer(one)] if may_be_taken(one.offer) else []
    earlier, clause = Heard(one.earlier, None), one.clause
    said = spoken_of(earlier, names[one.earlier.subject_id])
    said = replace(said, wanted=((clause.start, clause.end),))
    try:
        (said,) = without_orders([said])
        (grades,) = grade_messages([said])
    except EmbeddingUnavailable:
        return []
    return [draft for draft in note_drafts(earlier, said, grades) if draft.overlaps(clause.start, clause.end)]


def _with_earlier(one: Consent) -> Consent:
    message = one.heard.message
    rows = Message.objects.filter(
        subject_id=message.subject_id,
        conversation_id=message.conversation_id,
        seq__lt=message.seq,
        role=MessageRole.USER,
        remember=True,
    ).order_by("-seq")[:TURNS]
    for row in with_words(list(rows)):
        clause = offered_clause(row.content, one.offer)
        if clause is not None:
            return replace(one, earlier=row, clause=clause)
    return one


def _draft_offer(one: Consent, policy: NotingPolicy = NOTING) -> NoteDraft:
    message = one.heard.message
    known = {"confidence": policy.offered, "provenance": Provenance.ANALYSIS}
    snapshot = message_draft(message, SnapshotKind.NOTE, one.offer, id=note_id(message.id, 0), **known)
    details = NoteDetails(
        grade=NoteGrade.FACT,
        grade_probability=1.0,
        span_start=0,
        span_end=len(message.content),
        reader_version=clause_reader().version,
    )
    return NoteDraft(snapshot, details)
