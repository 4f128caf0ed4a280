"""Review of pending candidates by a person, for API and console.

Approval applies the candidate at the time it was said. An observation becomes an analysis: somebody looked at the
words, but the user confirmed nothing. A stronger provenance stays; a value that staff changed is corrected by staff. A
candidate may also ask about a current belief.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.config import BELIEFS
from profiles.models import Candidate as CandidateRecord
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.subject_lock import lock_subject
from profiles.services.tags.details import ensure_details_of_tags
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.lifecycle.staff_actions.memory_actions import ActContext
from snapshots.models import Message
from snapshots.understanding.believing.apply_candidates import REASONS
from snapshots.understanding.believing.belief_reviews import (
    confirm_belief,
    find_reviewed_belief,
    list_notes_to_review,
    restore_belief,
    retire_belief,
)
from snapshots.understanding.believing.candidate_doubts import list_rival_beliefs
from snapshots.understanding.believing.lesson import CandidateResult, Lesson, load_candidate
from snapshots.understanding.believing.store_candidate import store_candidate
from snapshots.understanding.believing.undo_approval import (
    describe_changes,
    list_review_times,
    load_memory_state,
    restore_review_times,
    undo_changes,
)
from snapshots.understanding.values import Extraction
from tenants.models import ActorKind
from tenants.services.audit import Actor, record_audit

# A person rejected it.
DECLINED = "declined"
_WEAK = frozenset({Provenance.OBSERVATION, Provenance.ANALYSIS, Provenance.IMPORTED})
# In the proposal of a decided candidate: the reason, target and value with which it had waited for review.
_WAITED_FOR, _WAS = "waited_for", "was"
# Of a rejected one: the id of the staff action that retired the belief in question.
_RETIRED_BY = "retired_by"
# Of an approved one: what it wrote, and when the notes of the confirmed belief were to be looked at again.
_WROTE, _REVIEW_TIMES = "wrote", "review_times"
_DECISION_FIELDS = ("verdict", "reason", "target", "value", "proposal", "reviewed_at", "reviewed_by", "review_reason")
# How many characters of a reason the audit record holds.
_AUDITED = 400


class AlreadyReviewed(Conflict):
    """Somebody decided otherwise, or the candidate never waited for review. HTTP 409."""

    code = "already_reviewed"


def list_candidates(
    subject: Subject, *, verdict: str | None = None, kind: str | None = None
) -> QuerySet[CandidateRecord]:
    rows = CandidateRecord.objects.filter(subject_id=subject.id)
    rows = rows.filter(verdict=verdict) if verdict else rows
    return rows.filter(kind=kind) if kind else rows


def list_waiting_candidates() -> QuerySet[CandidateRecord]:
    """Return the candidates that wait for review in the tenant of the open scope, the oldest first, without erased
    ones."""
    rows = CandidateRecord.objects.filter(verdict=Verdict.PENDING, proposal__isnull=False, subject__erasing=False)
    return rows.select_related("subject").order_by("created_at", "id")


def list_contradicted_beliefs(subject: Subject, row: CandidateRecord) -> list[Any]:
    """Return the current beliefs in the place of a pending candidate or against it; [] when it was erased."""
    if row.proposal is None:
        return []
    found, _said_at = load_candidate(row.proposal)
    return list_rival_beliefs(subject, found)


def load_source_messages(rows: Iterable[CandidateRecord]) -> dict[UUID, Message]:
    ids = {row.message_ref for row in rows if row.message_ref}
    found = Message.objects.filter(id__in=ids).select_related("conversation").order_by() if ids else ()
    return {message.id: message for message in add_archived_words(list(found))}


def approve_candidate(
    subject: Subject, candidate_id: UUID, *, by: Actor, reason: str = "", edits: Mapping[str, Any] | None = None
) -> CandidateRecord:
    """Apply a pending candidate in the open scope and return its record with the verdict.

    ``edits`` are fields of the candidate that the person changed. Repeating an approval changes nothing. Raises
    NotFound, also when its words were erased, and AlreadyReviewed when it was rejected or never waited.
    """
    row = _lock_candidate(subject, candidate_id)
    if row.verdict != Verdict.PENDING:
        return _check_decision(row, approved=True)
    if row.proposal is None:
        raise NotFound("The words of this proposal were erased.")
    asked = find_reviewed_belief(subject, row)
    found, said_at = load_candidate({**row.proposal, **(edits or {})})
    known_by = _find_reviewed_provenance(Provenance(found.provenance), by, edits or {})
    if known_by != found.provenance:
        found = replace(found, provenance=known_by.value, confidence=BELIEFS.ceiling(known_by))
    ensure_details_of_tags(subject)
    before = load_memory_state(subject, row.message_ref)
    times = list_review_times(list_notes_to_review(asked)) if asked is not None else {}
    result = store_candidate(_build_lesson(subject, row, said_at), found)
    if asked is not None:
        confirm_belief(asked, ActContext(by, reason))
    wrote = describe_changes(before, load_memory_state(subject, row.message_ref))
    kept = {_WROTE: wrote, _REVIEW_TIMES: times, _WAS: {"target": row.target, "value": row.value}}
    if edits and "value" in edits:
        row.value = edits["value"]
    return _save_decision(row, result, by=by, reason=reason, kept=kept)


def reject_candidate(subject: Subject, candidate_id: UUID, *, by: Actor, reason: str = "") -> CandidateRecord:
    """Reject a pending candidate in the open scope and return its record. A belief that it asks about is retired.
    Repeating a rejection changes nothing. Raises NotFound, and AlreadyReviewed when it was approved or never waited."""
    row = _lock_candidate(subject, candidate_id)
    if row.verdict != Verdict.PENDING:
        return _check_decision(row, approved=False)
    asked = find_reviewed_belief(subject, row)
    act = retire_belief(asked, ActContext(by, reason)) if asked is not None else None
    return _save_decision(row, None, by=by, reason=reason, kept={_RETIRED_BY: str(act)} if act else {})


def reopen_candidate(subject: Subject, candidate_id: UUID, *, by: Actor, reason: str = "") -> CandidateRecord:
    """Take a decision back, in the open scope: the candidate waits again. The writes of an approval are undone; a
    belief that a rejection retired is restored. Raises NotFound, also when its words were erased, AlreadyReviewed when
    nobody decided it, and UndoImpossible when the memory has changed since the approval."""
    row = _lock_candidate(subject, candidate_id)
    if row.reviewed_at is None:
        raise AlreadyReviewed(f"Only a proposal that somebody decided can be reopened; this one is `{row.verdict}`.")
    if row.proposal is None:
        raise NotFound("The words of this proposal were erased, or were not kept when it was approved.")
    proposal = dict(row.proposal)
    retired_by, wrote = proposal.pop(_RETIRED_BY, None), proposal.pop(_WROTE, None)
    if retired_by:
        restore_belief(subject, UUID(retired_by), ActContext(by, reason))
    times = proposal.pop(_REVIEW_TIMES, {})
    if times:
        lock_memory(subject.id)
        restore_review_times(subject, times)
    if wrote is not None:
        undo_changes(subject, wrote)
    was = proposal.pop(_WAS, {})
    row.target, row.value = was.get("target", row.target), was.get("value", row.value)
    row.verdict, row.reason, row.proposal = Verdict.PENDING, proposal.pop(_WAITED_FOR, ""), proposal
    row.reviewed_at, row.reviewed_by, row.review_reason = None, "", ""
    row.save(update_fields=_DECISION_FIELDS)
    _record_decision(row, "candidate.reopened", by, reason)
    return row


def may_be_reopened(row: CandidateRecord) -> bool:
    """Return whether the decision on a candidate can be taken back: its words are kept."""
    return row.reviewed_at is not None and row.proposal is not None


def _find_reviewed_provenance(known_by: Provenance, by: Actor, edits: Mapping[str, Any]) -> Provenance:
    if "value" in edits and by.kind in {ActorKind.STAFF, ActorKind.OPERATOR}:
        return Provenance.CORRECTED_BY_STAFF
    return Provenance.ANALYSIS if known_by in _WEAK else known_by


def _lock_candidate(subject: Subject, candidate_id: UUID) -> CandidateRecord:
    lock_subject(subject)
    row = CandidateRecord.objects.filter(subject_id=subject.id, id=candidate_id).first()
    if row is None:
        raise NotFound("No proposal with this id.")
    return row


def _build_lesson(subject: Subject, row: CandidateRecord, said_at: datetime) -> Lesson:
    """Return an empty lesson of the record's message. A deleted message is no source, but keeps its time."""
    message = load_source_messages([row]).get(row.message_ref) if row.message_ref else None
    if message is not None:
        return Lesson(subject, message.conversation, message, Extraction())
    gone = Message(id=row.message_ref or row.id, said_at=said_at)
    return Lesson(subject, None, gone, Extraction(), is_posted=False)


def _check_decision(row: CandidateRecord, *, approved: bool) -> CandidateRecord:
    was_approved = row.reason != DECLINED
    if row.reviewed_at is None or was_approved is not approved:
        raise AlreadyReviewed(f"Only a proposal that is `pending` can be decided; this one is `{row.verdict}`.")
    return row


def _save_decision(
    row: CandidateRecord, result: CandidateResult | None, *, by: Actor, reason: str, kept: Mapping[str, Any]
) -> CandidateRecord:
    """Save a decision. ``kept`` is the data for taking it back, beside the proposal itself."""
    row.verdict = result.verdict if result else Verdict.REJECTED
    row.proposal = None if row.proposal is None else {**row.proposal, _WAITED_FOR: row.reason, **kept}
    row.reason = (result.reason or REASONS.get(result.verdict, "")) if result else DECLINED
    row.target = (result.target if result else "") or row.target
    row.reviewed_at, row.reviewed_by, row.review_reason = utc_now(), f"{by.kind}:{by.id}"[:200], reason
    row.save(update_fields=_DECISION_FIELDS)
    _record_decision(row, "candidate.approved" if result else "candidate.rejected", by, reason)
    return row


def _record_decision(row: CandidateRecord, action: str, by: Actor, reason: str) -> None:
    record_audit(
        by,
        action,
        object_kind="candidate",
        object_id=str(row.id),
        subject_ref=row.subject_id,
        reason=reason[:_AUDITED],
    )
