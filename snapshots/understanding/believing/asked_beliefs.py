"""Candidates that ask a person whether a belief still stands, because no lasting words say it.

Approval confirms the belief and the notes made for it. Rejection retires them, and taking the rejection back restores
them. A tag is deleted instead: approval after that makes it anew.
"""

from collections.abc import Iterable
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.kernel.ids import stable_id
from profiles.models import Candidate as CandidateRecord
from profiles.models import Preference, ProfileFact, Subject, Tag
from snapshots.embedding.store import lock_memory, touch_memory
from snapshots.lifecycle.review import keep_memory
from snapshots.lifecycle.selectors import current
from snapshots.lifecycle.staff_actions.actions import Doing, is_held, retire_memory
from snapshots.lifecycle.staff_actions.origins import retire_beside
from snapshots.lifecycle.staff_actions.undo import UndoImpossible, last_act, undo_act
from snapshots.models import Note, NoteSlot, Snapshot
from snapshots.notes.slots import KEYS, believed_links
from snapshots.notes.store import change_note
from snapshots.understanding.believing.doubt import believed_against
from snapshots.understanding.believing.lessons import candidate_of

# The reason of a review: the words behind a belief do not seem to last, or they are gone.
NO_LASTING_WORDS = "no_lasting_words"

Asked = Preference | ProfileFact | Tag


def question_id(belief_id: UUID) -> UUID:
    """Return the id of the candidate that asks about a belief. A belief is asked about once."""
    return stable_id("old belief", belief_id)


def belief_asked_about(subject: Subject, row: CandidateRecord) -> Asked | None:
    """Return the belief that a candidate asks about, while it is the current one; None for other candidates."""
    if row.reason != NO_LASTING_WORDS or row.proposal is None:
        return None
    found, _said_at = candidate_of(row.proposal)
    return next((one for one in believed_against(subject, found) if question_id(one.id) == row.id), None)


def keep_belief(belief: Asked, doing: Doing) -> None:
    """Mark a belief and the notes made for it as reviewed, in the open scope."""
    notes = list(_notes_made_for(belief))
    if notes:
        touch_memory(belief.subject_id, changed=[note.snapshot.position for note in notes])
    for note in notes:
        change_note(note.snapshot, note, {"last_validated_at": utc_now()}, {"review_by": None})
    if isinstance(belief, Tag):
        return
    belief.refresh_from_db()
    if is_held(belief):  # else another value was put in its place, and counts as validated
        keep_memory(belief, doing.by, doing.reason)


def retire_belief(belief: Asked, doing: Doing) -> UUID | None:
    """Retire a belief and its notes that no other belief needs, in the open scope. Return the staff action that undoes
    it; None for a tag."""
    notes = [note.snapshot for note in _notes_made_for(belief)]
    retire_memory(belief, doing)
    act = None if isinstance(belief, Tag) else last_act(belief)
    links = NoteSlot.objects.filter(believed_links(), snapshot_id__in=[note.id for note in notes]).order_by()
    needed = set(links.values_list("snapshot_id", flat=True))
    lock_memory(belief.subject_id)
    retire_beside(act, [note for note in notes if note.id not in needed], doing)
    return act.id if act else None


def bring_belief_back(subject: Subject, act_id: UUID, doing: Doing) -> None:
    """Restore a retired belief and its notes, in the open scope. Does nothing when that was done already, or when
    another value has taken the place."""
    try:
        undo_act(subject, act_id, doing)
    except (NotFound, UndoImpossible):
        return


def _notes_made_for(belief: Asked) -> Iterable[Note]:
    own = {"subject_id": belief.subject_id}
    links = NoteSlot.objects.filter(**{KEYS[type(belief)]: belief}, **own).order_by()
    held = Snapshot.objects.filter(current(), id__in=links.values("snapshot_id"), **own).order_by()
    rows = Note.objects.filter(snapshot_id__in=held.values("id"), review_by__isnull=False, **own)
    return rows.select_related("snapshot", "snapshot__subject").order_by("snapshot__position")
