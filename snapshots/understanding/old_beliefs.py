"""What is believed and no note says: a note from the words that it was read from, and a person who looks at it.

Such beliefs were read before clauses were graded, and the reader does not find their words lasting. None is taken back:
each stays as it is, gets a note where its message is there, and waits for review. What a product wrote itself was read
from nothing, and needs no note.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.tokens import TokenEstimator
from profiles.models import Candidate, Preference, Subject, Tag
from profiles.services.locking import lock_subject
from profiles.values import Verdict
from snapshots.models import Message, NoteSlot, Snapshot
from snapshots.notes.section import notes_policy_in_force
from snapshots.notes.slots import HELD, KEYS, OF_KIND, targets_of
from snapshots.notes.store import store_notes
from snapshots.notes.values import PreparedNote
from snapshots.understanding.believing.asked_beliefs import NO_LASTING_WORDS, question_id
from snapshots.understanding.believing.message_lessons import own_names
from snapshots.understanding.believing.pending import proposal_of
from snapshots.understanding.changes.following import Read
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.assemble import NotePart
from snapshots.understanding.drafting.draft import NoteDraft, draft_part
from snapshots.understanding.drafting.wanted import wanted_notes
from snapshots.understanding.pipeline import index_notes, read_messages
from snapshots.understanding.statements.statements import hear_messages
from snapshots.understanding.values import Evidence, PreferenceCandidate, ProfileFact, TagCandidate
from tenants.isolation import tenant_tx

ORIGIN = "make_notes"
TOKENS = TokenEstimator()
_NOTHING = Evidence("", "", -1)


@dataclass(frozen=True, slots=True)
class OldBelief:
    """A current belief that no note says, and the record of what it was read from."""

    belief: Any
    record: Candidate

    @property
    def review_id(self) -> UUID:
        return question_id(self.belief.id)


@dataclass(frozen=True, slots=True)
class Kept:
    """How many notes old beliefs got, and how many of them wait for review now (in a dry run: would)."""

    notes: int = 0
    reviews: int = 0


def keep_old_beliefs(
    tenant_id: UUID, subject_id: UUID, foreseen: Sequence[NoteDraft] = (), *, dry_run: bool = False
) -> Kept:
    """Give each belief of a subject that no note says a note from its words, and put it up for review.

    Opens scopes of its own. Safe to repeat: what has its note, or was put up once, is left out, and so is what one of
    the notes ``foreseen`` will say.
    """
    with tenant_tx(tenant_id):
        old = [one for one in _beliefs_without_note(subject_id) if not _is_foreseen(one.record, foreseen)]
        heard = hear_messages([subject_id], [one.record.message_ref for one in old if one.record.message_ref])
        names, policy = own_names(Subject.objects.filter(id=subject_id)), notes_policy_in_force()
        known = set(Candidate.objects.filter(id__in=[one.review_id for one in old]).values_list("id", flat=True))
    read = {one.heard.message.id: one for one in (read_messages(heard, names) if heard and names else ())}
    drafts = {
        one.belief.id: draft_words(read[ref], one.record)
        for one in old
        if (ref := one.record.message_ref) in read and read[ref].grades
    }
    wanted = {draft.snapshot.id: draft for draft in wanted_notes(list(drafts.values()), policy)}
    # What a person decided is no question any more, whatever value it has since.
    reviews = [one for one in old if one.review_id not in known and one.record.reviewed_at is None]
    if dry_run or not old:
        return Kept(len(wanted), len(reviews))
    prepared = [note for notes in index_notes(list(wanted.values())).values() for note in notes]
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return Kept()
        lock_subject(subject)
        stored = _store_new_notes(subject_id, prepared)
        _link_beliefs(old, {belief: draft.snapshot.id for belief, draft in drafts.items()})
        Candidate.objects.bulk_create([_review_of(one) for one in reviews], ignore_conflicts=True)
    return Kept(stored, len(reviews))


def _store_new_notes(subject_id: UUID, prepared: Sequence[PreparedNote]) -> int:
    """Store notes whose messages are there and which are not held yet, in the open scope; return how many."""
    messages = {message for one in prepared for message in one.prepared.draft.message_ids}
    there = set(Message.objects.filter(subject_id=subject_id, id__in=messages).values_list("id", flat=True))
    held = _select_held(one.prepared.draft.id for one in prepared)
    new = [
        one
        for one in prepared
        if one.prepared.draft.id not in held and there.issuperset(one.prepared.draft.message_ids)
    ]
    return len(store_notes(new))


def _link_beliefs(old: Sequence[OldBelief], note_of: Mapping[UUID, UUID]) -> None:
    """Link beliefs to the notes of their words that are held, in the open scope."""
    held = _select_held(note_of.values())
    links = [
        NoteSlot(subject_id=belief.subject_id, snapshot_id=note_of[belief.id], **{KEYS[type(belief)]: belief})
        for belief in (one.belief for one in old)
        if note_of.get(belief.id) in held
    ]
    NoteSlot.objects.bulk_create(links, ignore_conflicts=True)


def _select_held(notes: Iterable[UUID]) -> Collection[UUID]:
    return set(Snapshot.objects.filter(id__in=list(notes)).values_list("id", flat=True))


def draft_words(read: Read, record: Candidate) -> NoteDraft:
    """Return the words that a belief was read from as a note that somebody should look at: its clauses, else the whole
    message where that is short enough, else its first clause."""
    spoken, start, end = read.spoken, record.quote_start, record.quote_end
    clauses = spoken.clauses
    if start is not None and end is not None:
        quoted = [one for one in clauses if one.start < end and start < one.end]
    else:
        quoted = list(clauses if TOKENS.count(spoken.text) <= NOTING.tokens else clauses[:1])
    first, last = (quoted or clauses)[0], (quoted or clauses)[-1]
    place = min(clauses.index(first), len(read.grades) - 1)
    part = NotePart(first.start, last.end, first.sentence, read.grades[place], "", first.language)
    draft = draft_part(read.heard, spoken, part, NOTING)
    return replace(draft, details=replace(draft.details, review_by=utc_now()))


def _beliefs_without_note(subject_id: UUID) -> Iterator[OldBelief]:
    """Yield the current beliefs that were read from a message and that no note fills, in the open scope."""
    records = Candidate.objects.filter(subject_id=subject_id, verdict__in=HELD).order_by("-created_at", "-id")
    of_target: dict[tuple[str, str], Candidate] = {}
    for record in records:
        of_target.setdefault((record.kind, record.target), record)
    for kind, model in OF_KIND.items():
        linked = NoteSlot.objects.filter(subject_id=subject_id, **{f"{KEYS[model]}__isnull": False})
        rows = model._default_manager.filter(subject_id=subject_id).exclude(id__in=linked.values(f"{KEYS[model]}_id"))
        current = rows if model is Tag else rows.filter(retired_at__isnull=True, invalid_at__isnull=True)
        for belief in current.order_by("id"):
            for one in targets_of(belief):
                if (kind, one) in of_target:
                    yield OldBelief(belief, of_target[kind, one])
                    break


def _is_foreseen(record: Candidate, foreseen: Sequence[NoteDraft]) -> bool:
    start, end = record.quote_start or 0, record.quote_end or 0
    return any(
        record.message_ref in one.snapshot.message_ids
        and start < (one.details.span_end or 0)
        and (one.details.span_start or 0) < end
        for one in foreseen
    )


def _review_of(one: OldBelief) -> Candidate:
    belief, record = one.belief, one.record
    said_at = getattr(belief, "valid_at", None) or belief.created_at
    return Candidate(
        id=one.review_id,
        subject_id=belief.subject_id,
        kind=record.kind,
        target=record.target,
        value=getattr(belief, "value", None),
        confidence=belief.confidence,
        provenance=belief.provenance,
        verdict=Verdict.PENDING,
        reason=NO_LASTING_WORDS,
        message_ref=record.message_ref,
        origin=ORIGIN,
        sort=record.sort,
        quote_start=record.quote_start,
        quote_end=record.quote_end,
        proposal=proposal_of(_proposed(belief, record), said_at),
    )


def _proposed(belief: Any, record: Candidate) -> PreferenceCandidate | ProfileFact | TagCandidate:
    """Return an old belief as what would be learned, were it read today."""
    how: dict[str, Any] = {"confidence": belief.confidence, "provenance": belief.provenance, "origin": ORIGIN}
    if isinstance(belief, Tag):
        kind: Any = belief.kind
        how |= {name: getattr(belief, name) or None for name in ("address", "phone", "relation")}
        return TagCandidate(belief.label, kind, _NOTHING, aliases=tuple(belief.aliases), **how)
    if isinstance(belief, Preference):
        sort: Any = record.sort or "explicit"
        path = belief.category, belief.key
        return PreferenceCandidate(*path, belief.value, belief.statement, "set", sort, _NOTHING, **how)
    return ProfileFact(belief.field, belief.value, _NOTHING, **how)
