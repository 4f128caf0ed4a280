"""Beliefs that no note says: each gets a note from the words it was read from, and waits for review unless they last.

They were read before clauses were graded. None is taken back. The note is made from the message, or where that is
deleted from the sentence that the belief keeps. A belief that a product wrote needs no note, except for a lasting
sentence that it gave.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import to_comparable
from memory_platform.providers.token_estimator import TokenEstimator
from profiles.models import Candidate, Preference, Subject, Tag
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import load_own_names
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.models import SOURCES, Message, MessageRole, NoteSlot, Snapshot
from snapshots.notes.policy_section import load_notes_policy
from snapshots.notes.slot_links import HELD, KEYS, OF_KIND, build_target_filter, names_value
from snapshots.notes.store_and_confirm import store_notes
from snapshots.notes.values import PreparedNote
from snapshots.understanding.believing.belief_reviews import NO_LASTING_WORDS, compute_review_id
from snapshots.understanding.believing.lesson import dump_candidate
from snapshots.understanding.changes.notes_ended_by_messages import ReadMessage
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.clause_joining import NotePart
from snapshots.understanding.drafting.note_drafts import NoteDraft, apply_notes_policy, draft_note
from snapshots.understanding.note_making import grade_and_draft_messages
from snapshots.understanding.statements.statements import HeardMessage, load_heard_messages
from snapshots.understanding.values import Evidence, FactCandidate, PreferenceCandidate, TagCandidate
from tenants.isolation import tenant_tx

ORIGIN = "make_notes"
TOKENS = TokenEstimator()
_NOTHING = Evidence("", "", -1)


@dataclass(frozen=True, slots=True)
class NotelessBelief:
    """A current belief that no note says, and the record it was read from; without a record one that stands for it."""

    belief: Any
    record: Candidate

    @property
    def review_id(self) -> UUID:
        return compute_review_id(self.belief.id)

    @property
    def was_read(self) -> bool:
        return self.record.message_ref is not None

    @property
    def kept_sentence(self) -> str:
        return getattr(self.belief, "statement", "")

    @property
    def sentence_key(self) -> UUID:
        return stable_id("statement of a belief", self.belief.subject_id, to_comparable(self.kept_sentence))


@dataclass(frozen=True, slots=True)
class NotelessCounts:
    """How many notes were made, and how many beliefs wait for review. A dry run counts without writing."""

    notes: int = 0
    reviews: int = 0


def add_notes_for_noteless_beliefs(
    tenant_id: UUID, subject_id: UUID, foreseen: Sequence[NoteDraft] = (), *, dry_run: bool = False
) -> NotelessCounts:
    """Give each belief of a subject that no note says a note, and put it up for review. Opens scopes of its own. Safe
    to repeat: beliefs with a note or an earlier review are left out, and those that a note in ``foreseen`` will say."""
    with tenant_tx(tenant_id):
        old = [one for one in _list_noteless_beliefs(subject_id) if not _will_be_noted(one.record, foreseen)]
        heard = load_heard_messages([subject_id], [one.record.message_ref for one in old if one.record.message_ref])
        speakers, policy = load_own_names(Subject.objects.filter(id=subject_id)), load_notes_policy()
        known = set(Candidate.objects.filter(id__in=[one.review_id for one in old]).values_list("id", flat=True))
    drafts = _draft_belief_notes(old, heard, speakers) if speakers else {}
    wanted = {draft.snapshot.id: draft for draft in apply_notes_policy(list(drafts.values()), policy)}
    lasting = {belief for belief, draft in drafts.items() if draft.details.review_by is None}
    # What a person decided is no question any more, whatever value it has since.
    asked = [one for one in old if one.review_id not in known and one.record.reviewed_at is None]
    reviews = [one for one in asked if one.was_read and one.belief.id not in lasting]
    if dry_run or not old:
        return NotelessCounts(len(wanted), len(reviews))
    ready = prepare_snapshots([draft.snapshot for draft in wanted.values()], active_embedders())
    prepared = [PreparedNote(one, wanted[one.draft.id].details) for one in ready]
    with tenant_tx(tenant_id):
        subject = Subject.objects.filter(id=subject_id, erasing=False).first()
        if subject is None:
            return NotelessCounts()
        lock_subject(subject)
        stored = _store_new_notes(subject_id, prepared)
        _link_beliefs(old, {belief: draft.snapshot.id for belief, draft in drafts.items()})
        Candidate.objects.bulk_create([_build_review(one) for one in reviews], ignore_conflicts=True)
    return NotelessCounts(stored, len(reviews))


def _draft_belief_notes(
    old: Sequence[NotelessBelief], messages: Sequence[HeardMessage], speakers: Mapping[UUID, frozenset[str]]
) -> dict[UUID, NoteDraft]:
    there = {one.message.id for one in messages}
    kept = {
        one.sentence_key: _build_sentence_message(one)
        for one in old
        if one.kept_sentence and one.record.message_ref not in there
    }
    said = [*messages, *kept.values()]
    read = {
        one.heard.message.id: one for one in (grade_and_draft_messages(said, speakers) if said else ()) if one.grades
    }
    found = dict[UUID, NoteDraft]()
    for one in old:
        if one.record.message_ref in read:
            found[one.belief.id] = draft_quoted_words(read[one.record.message_ref], one.record)
        elif one.record.message_ref not in there and one.sentence_key in read:
            draft = draft_kept_sentence(read[one.sentence_key], one.belief.value)
            if one.was_read or draft.details.review_by is None:
                found[one.belief.id] = draft
    return found


def _build_sentence_message(one: NotelessBelief) -> HeardMessage:
    belief = one.belief
    message = Message(
        id=one.sentence_key,
        tenant_id=belief.tenant_id,
        subject_id=belief.subject_id,
        role=MessageRole.USER,
        content=one.kept_sentence,
        said_at=belief.valid_at,
    )
    return HeardMessage(message, None)


def _store_new_notes(subject_id: UUID, notes: Sequence[PreparedNote]) -> int:
    messages = {message for one in notes for message in one.snapshot.draft.message_ids}
    there = set(Message.objects.filter(subject_id=subject_id, id__in=messages).values_list("id", flat=True))
    held = _find_stored_ids(one.snapshot.draft.id for one in notes)
    new = [
        one for one in notes if one.snapshot.draft.id not in held and there.issuperset(one.snapshot.draft.message_ids)
    ]
    return len(store_notes(new))


def _link_beliefs(old: Sequence[NotelessBelief], note_of: Mapping[UUID, UUID]) -> None:
    held = _find_stored_ids(note_of.values())
    links = [
        NoteSlot(subject_id=belief.subject_id, snapshot_id=note_of[belief.id], **{KEYS[type(belief)]: belief})
        for belief in (one.belief for one in old)
        if note_of.get(belief.id) in held
    ]
    NoteSlot.objects.bulk_create(links, ignore_conflicts=True)


def _find_stored_ids(notes: Iterable[UUID]) -> Collection[UUID]:
    return set(Snapshot.objects.filter(id__in=list(notes)).values_list("id", flat=True))


def draft_quoted_words(read: ReadMessage, record: Candidate | None = None) -> NoteDraft:
    """Return the words that a belief was read from as a note due for review: the clauses that its record quotes, else
    the whole message if it is short, else its first clause."""
    spoken = read.spoken
    clauses = spoken.clauses
    if record is not None and record.quote_start is not None and record.quote_end is not None:
        quoted = [one for one in clauses if one.start < record.quote_end and record.quote_start < one.end]
    else:
        quoted = list(clauses if TOKENS.count(spoken.text) <= NOTING.tokens else clauses[:1])
    first, last = (quoted or clauses)[0], (quoted or clauses)[-1]
    place = min(clauses.index(first), len(read.grades) - 1)
    part = NotePart(first.start, last.end, first.sentence, read.grades[place], "", first.language)
    draft = draft_note(read.heard, spoken, part, NOTING)
    return replace(draft, details=replace(draft.details, review_by=utc_now()))


def draft_kept_sentence(read: ReadMessage, value: Any) -> NoteDraft:
    """Return the sentence that a belief keeps as a note without a message: the lasting part, preferably with the value;
    else all of it, due for review."""
    naming = [draft for draft in read.drafts if names_value(draft.snapshot.text, value)]
    draft = next(iter(naming or read.drafts), None) or draft_quoted_words(read)
    details = replace(draft.details, span_start=None, span_end=None, statement_id=None)
    return NoteDraft(replace(draft.snapshot, message_ids=()), details)


def _list_noteless_beliefs(subject_id: UUID) -> Iterator[NotelessBelief]:
    """Yield current beliefs that were read from a message or keep a sentence, and that no note fills, in the open
    scope. Records are purged before messages, and messages before beliefs."""
    records = Candidate.objects.filter(subject_id=subject_id, verdict__in=HELD).order_by("-created_at", "-id")
    of_target: dict[tuple[str, str], Candidate] = {}
    for record in records:
        of_target.setdefault((record.kind, record.target), record)
    for kind, model in OF_KIND.items():
        linked = NoteSlot.objects.filter(subject_id=subject_id, **{f"{KEYS[model]}__isnull": False})
        rows = model._default_manager.filter(subject_id=subject_id).exclude(id__in=linked.values(f"{KEYS[model]}_id"))
        current = rows if model is Tag else rows.filter(retired_at__isnull=True, invalid_at__isnull=True)
        sources = SOURCES[model]._default_manager.filter(subject_id=subject_id).order_by("message__said_at")
        messages = dict(sources.values_list("memory_id", "message_id"))
        for belief in current.order_by("id"):
            places = [(kind, one) for one in build_target_filter(belief)]
            known = next((of_target[one] for one in places if one in of_target), None)
            ref = messages.get(belief.id)
            if known is not None:
                yield NotelessBelief(belief, known)
            elif ref or getattr(belief, "statement", ""):
                lost = Candidate(subject_id=subject_id, kind=kind, target=places[0][1], message_ref=ref, sort="")
                yield NotelessBelief(belief, lost)


def _will_be_noted(record: Candidate, foreseen: Sequence[NoteDraft]) -> bool:
    own = (one for one in foreseen if record.message_ref in one.snapshot.message_ids)
    return any(one.overlaps(record.quote_start or 0, record.quote_end or 0) for one in own)


def _build_review(one: NotelessBelief) -> Candidate:
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
        proposal=dump_candidate(_build_candidate(belief, record), said_at),
    )


def _build_candidate(belief: Any, record: Candidate) -> PreferenceCandidate | FactCandidate | TagCandidate:
    how: dict[str, Any] = {"confidence": belief.confidence, "provenance": belief.provenance, "origin": ORIGIN}
    if isinstance(belief, Tag):
        kind: Any = belief.kind
        how |= {name: getattr(belief, name) or None for name in ("address", "phone", "relation")}
        return TagCandidate(belief.label, kind, _NOTHING, aliases=tuple(belief.aliases), **how)
    if isinstance(belief, Preference):
        sort: Any = record.sort or "explicit"
        path = belief.category, belief.key
        return PreferenceCandidate(*path, belief.value, belief.statement, "set", sort, _NOTHING, **how)
    return FactCandidate(belief.field, belief.value, _NOTHING, **how)
