"""Candidates that ask a person whether a belief still stands, because no lasting words say it.

Approval confirms the belief and the notes made for it. Rejection retires them, and taking the rejection back restores
them.
"""

from collections.abc import Iterable
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.ids import stable_id
from profiles.models import Candidate as CandidateRecord
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.lifecycle.memory_reviews import record_validation
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.belief_origins import retire_with_act
from snapshots.lifecycle.staff_actions.memory_actions import ActContext, is_in_use, retire_memory
from snapshots.lifecycle.staff_actions.undo_act import UndoImpossible, find_last_act, undo_act
from snapshots.models import Note, NoteSlot, Snapshot
from snapshots.notes.slot_links import KEYS, list_believed_links
from snapshots.notes.store_and_confirm import change_note
from snapshots.understanding.believing.candidate_doubts import list_rival_beliefs
from snapshots.understanding.believing.lesson import load_candidate

# The reason of a review: the words behind a belief do not seem to last, or they are gone.
NO_LASTING_WORDS = "no_lasting_words"

ReviewedBelief = Preference | ProfileFact | Tag


def compute_review_id(belief_id: UUID) -> UUID:
    """Return the id of the candidate that asks about a belief. A belief is asked about once."""
    return stable_id("old belief", belief_id)


def find_reviewed_belief(subject: Subject, row: CandidateRecord) -> ReviewedBelief | None:
    """Return the belief that a candidate asks about, while it is the current one; None for other candidates."""
    if row.reason != NO_LASTING_WORDS or row.proposal is None:
        return None
    found, _said_at = load_candidate(row.proposal)
    return next((one for one in list_rival_beliefs(subject, found) if compute_review_id(one.id) == row.id), None)


def confirm_belief(belief: ReviewedBelief, doing: ActContext) -> None:
    """Mark a belief and the notes made for it as reviewed, in the open scope."""
    notes = list(list_notes_to_review(belief))
    if notes:
        begin_memory_epoch(belief.subject_id, changed=[note.snapshot.position for note in notes])
    for note in notes:
        change_note(note.snapshot, note, {"last_validated_at": utc_now()}, {"review_by": None})
    if isinstance(belief, Tag):
        return
    belief.refresh_from_db()
    if is_in_use(belief):  # else another value was put in its place, and counts as validated
        record_validation(belief, doing.by, doing.reason)


def retire_belief(belief: ReviewedBelief, doing: ActContext) -> UUID | None:
    """Retire a belief and its notes that no other belief needs, in the open scope. Return the staff action to undo."""
    notes = [note.snapshot for note in list_notes_to_review(belief)]
    retire_memory(belief, doing)
    act = find_last_act(belief)
    links = NoteSlot.objects.filter(list_believed_links(), snapshot_id__in=[note.id for note in notes]).order_by()
    needed = set(links.values_list("snapshot_id", flat=True))
    lock_memory(belief.subject_id)
    retire_with_act(act, [note for note in notes if note.id not in needed], doing)
    return act.id if act else None


def restore_belief(subject: Subject, act_id: UUID, doing: ActContext) -> None:
    """Restore a retired belief and its notes, in the open scope. Does nothing when that was done already, or when
    another value has taken the place."""
    try:
        undo_act(subject, act_id, doing)
    except (NotFound, UndoImpossible):
        return


def list_notes_to_review(belief: ReviewedBelief) -> Iterable[Note]:
    """Return the notes made for a belief that a person is to look at."""
    own = {"subject_id": belief.subject_id}
    links = NoteSlot.objects.filter(**{KEYS[type(belief)]: belief}, **own).order_by()
    held = Snapshot.objects.filter(
        build_current_snapshot_condition(), id__in=links.values("snapshot_id"), **own
    ).order_by()
    rows = Note.objects.filter(snapshot_id__in=held.values("id"), review_by__isnull=False, **own)
    return rows.select_related("snapshot", "snapshot__subject").order_by("snapshot__position")
