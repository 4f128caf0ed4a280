"""The fast lane: corrections in new messages are applied in the transaction that accepts the messages."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction

from memory_platform.kernel.clock import utc_now
from memory_platform.observability.metrics import FAST_LANE_SECONDS
from profiles.models import Subject
from profiles.provenance_and_verdict import Verdict
from profiles.selectors import load_own_names
from snapshots.models import Conversation, FastLaneChange, Message, MessageRole
from snapshots.understanding.believing.apply_candidates import apply_message_candidates, list_urgent_candidates
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.lesson import CandidateResult, extract_message_candidates
from snapshots.understanding.config import EXTRACTION
from snapshots.understanding.correcting.value_correction_detection import may_correct
from snapshots.understanding.statements.shown_memories import load_shown_prompts
from snapshots.understanding.values import ExtractionContext

APPLIED = frozenset({Verdict.STORED, Verdict.SUPERSEDED, Verdict.MERGED})


def apply_corrections(
    subject: Subject, conversation: Conversation, messages: Sequence[Message]
) -> list[CandidateResult]:
    """Apply the corrections, ends and replacements in new messages, in their order; return the result of each
    candidate.

    Costs no query when no message holds a word of change. At the first message that exceeds the limits of one request,
    the rest is left to the worker, which keeps the order.
    """
    spoken = _select_messages_to_correct(
        [message for message in messages if message.remember and message.role == MessageRole.USER]
    )
    if not spoken or not conversation.remember:
        return []
    names = load_own_names([subject])[subject.id] if any(message.name for message in spoken) else frozenset[str]()
    shown = load_shown_prompts(spoken)
    results: list[CandidateResult] = []
    believed = BeliefCache()
    for message in spoken:
        lesson = extract_message_candidates(
            subject, message, ExtractionContext(names), shown_prompts=shown, belief_cache=believed
        )
        if len(results) + len(list_urgent_candidates(lesson)) > EXTRACTION.fast_lane_changes:
            break
        if learned := apply_message_candidates(lesson, changes_only=True):
            results += learned
            believed.invalidate(subject.id)
    return results


def apply_unposted_correction(subject: Subject, message: Message) -> list[CandidateResult]:
    """Do the same for words outside of any conversation. ``message.id`` makes a repeated call harmless."""
    if not _select_messages_to_correct([message]):
        return []
    shown = load_shown_prompts([message])
    lesson = extract_message_candidates(
        subject, message, ExtractionContext(), shown_prompts=shown, belief_cache=BeliefCache(), is_posted=False
    )
    if len(list_urgent_candidates(lesson)) > EXTRACTION.fast_lane_changes:
        return []
    return apply_message_candidates(lesson, changes_only=True)


def record_change_times(subject_id: UUID, changed: Sequence[UUID | None], *, accepted_at: datetime) -> None:
    """Record how long it took to change these memories, in a row of this transaction and in the metric."""
    if not changed:
        return
    took_ms = max(0.0, (utc_now() - accepted_at).total_seconds() * 1000)
    rows = [FastLaneChange(subject_id=subject_id, memory_ref=one, took_ms=took_ms) for one in changed]
    FastLaneChange.objects.bulk_create(rows)
    transaction.on_commit(partial(_observe_durations, accepted_at, len(changed)), robust=True)


def _observe_durations(accepted_at: datetime, changes: int) -> None:
    for _ in range(changes):
        FAST_LANE_SECONDS.observe(max(0.0, (utc_now() - accepted_at).total_seconds()))


def _select_messages_to_correct(messages: Sequence[Message]) -> list[Message]:
    found: list[Message] = []
    left = EXTRACTION.fast_lane_batch_chars
    for message in messages:
        if len(message.content) > EXTRACTION.fast_lane_chars or not may_correct(message.content):
            continue
        left -= len(message.content)
        if left < 0:
            break
        found.append(message)
    return found
