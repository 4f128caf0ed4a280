"""Ask whether a doubtful note still holds, and apply the answer."""

import re
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.clock import utc_now
from profiles.completeness import Need
from profiles.elicitation.answers import ValueUnclear
from profiles.models import Subject
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.services.subject_lock import lock_subject
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.config import NOTE_ASKS
from snapshots.notes.end_and_doubt import end_note, load_current_notes
from snapshots.notes.slots_of_ended_notes import end_slots_of_notes
from snapshots.notes.store_and_confirm import build_confirmed_columns, change_note

# An ask whose key has this prefix asks whether the note with the id behind it still holds.
NOTE_ASK_PREFIX = "note:"
QUESTION_EN, QUESTION_ZH = "Is it still so: “{text}”?", "“{text}”,现在还是这样吗?"
_YES = re.compile(
    r"\W*(?:yes|yep|yeah|still|sure|true|correct|right|of course)\b|\W*(?:是|对|没错|还是|嗯|当然|没变)", re.I
)
_NO = re.compile(r"\W*(?:no|nope|not|false|wrong)\b|\W*(?:不|没有|早就|否)", re.I)
CONFIRMED = {"provenance": Provenance.CONFIRMED_BY_USER.value, "confidence": 1.0}


def list_outdated_questions(subject: Subject) -> list[Need]:
    """Return questions about the subject's notes that may be outdated or whose ``review_by`` has passed, the newest
    first, in the open scope."""
    is_due = Q(review_by__lte=utc_now(), review_by__gt=F("snapshot__last_validated_at"))
    doubted = Note.objects.filter(Q(possibly_outdated=True) | is_due, subject_id=subject.id).order_by()
    own = Snapshot.objects.filter(
        build_current_snapshot_condition(),
        subject_id=subject.id,
        kind=SnapshotKind.NOTE,
        id__in=doubted.values("snapshot_id"),
    )
    return [_build_need(row.id, row.text) for row in own.order_by("-position")[: NOTE_ASKS.asked_among]]


def settle_outdated_note(subject: Subject, key: str, value: Any) -> Verdict | None:
    """Confirm the note that an ask was for, or end it and the slots that it filled, in the open scope; None if it
    ended already. Raises ValueUnclear for an answer that is neither yes nor no."""
    still = _parse_still_holds(value)
    lock_subject(subject)
    lock_memory(subject.id)
    note_id = UUID(key.removeprefix(NOTE_ASK_PREFIX))
    row, note = load_current_notes(subject.id, [note_id]).get(note_id, (None, None))
    if row is None or note is None:
        return None
    now = utc_now()
    if still:
        change_note(row, note, {**CONFIRMED, "last_validated_at": now}, build_confirmed_columns(note))
        begin_memory_epoch(subject.id, changed=[row.position])
        return Verdict.UNCHANGED
    begin_memory_epoch(subject.id, changed=end_note(row, note, at=now, by=None))
    end_slots_of_notes(subject, {note_id: None}, at=now, message=None)
    return Verdict.SUPERSEDED


def _build_need(note_id: UUID, text: str) -> Need:
    words = text if len(text) <= NOTE_ASKS.asked_chars else f"{text[: NOTE_ASKS.asked_chars]}…"
    questions = (one.format(text=words) for one in (QUESTION_EN, QUESTION_ZH))
    # No profile answers it: only the user can say whether the note still holds.
    return Need(f"{NOTE_ASK_PREFIX}{note_id.hex}", "medium", lambda _profile: False, *questions)


def _parse_still_holds(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and bool(_YES.match(value)) != bool(_NO.match(value)):
        return bool(_YES.match(value))
    raise ValueUnclear("The value must be true or false, or a text that begins with yes or no.")
