"""Find drafted notes that only repeat a known note: they confirm it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from memory_platform.kernel.text import comparable
from profiles.values import Provenance
from snapshots.lifecycle.selectors import current
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.values import NoteRepeat
from snapshots.understanding.config import NOTING, NotingPolicy
from snapshots.understanding.drafting.draft import NoteDraft
from snapshots.understanding.drafting.sayings import says_the_same

_WORD = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A note for comparison with drafts. ``words`` allow a cheap first look before terms are computed."""

    id: UUID
    text: str
    about: tuple[str, str]
    words: frozenset[str]

    @classmethod
    def of(cls, note_id: UUID, text: str, kind: str, label: str) -> "HeldNote":
        return cls(note_id, text, (kind, comparable(label)), frozenset(_WORD.findall(text.lower())))


def held_notes(subject_id: UUID, policy: NotingPolicy = NOTING) -> list[HeldNote]:
    own = Snapshot.objects.filter(current(), subject_id=subject_id, kind=SnapshotKind.NOTE)
    texts = dict(own.order_by("-position").values_list("id", "text")[: policy.held_compared])
    abouts = Note.objects.filter(subject_id=subject_id, snapshot_id__in=list(texts))
    rows = abouts.values_list("snapshot_id", "about_kind", "about_label")
    return [HeldNote.of(note_id, texts[note_id], kind, label) for note_id, kind, label in rows]


def as_held(draft: NoteDraft) -> HeldNote:
    details = draft.details
    return HeldNote.of(draft.snapshot.id, draft.snapshot.text, details.about_kind, details.about_label)


def repeat_of(draft: NoteDraft, held: Iterable[HeldNote], policy: NotingPolicy = NOTING) -> NoteRepeat | None:
    """Return the known note that a draft repeats, about the same person; None for news, or for that note itself."""
    own = as_held(draft)
    for one in held:
        if one.id == own.id:
            return None
        if one.about == own.about and _may_repeat(one, own, policy) and says_the_same(one.text, own.text, policy):
            return NoteRepeat(
                one.id, draft.snapshot.message_ids[-1], draft.snapshot.confidence, Provenance(draft.snapshot.provenance)
            )
    return None


def find_repeated(text: str, held: Iterable[tuple[UUID, str]], policy: NotingPolicy = NOTING) -> UUID | None:
    """Return the note, newest first, that posted words repeat; None for news."""
    own = HeldNote.of(UUID(int=0), text, "", "")
    for note_id, said in islice(held, policy.held_compared):
        one = HeldNote.of(note_id, said, "", "")
        if _may_repeat(one, own, policy) and says_the_same(said, text, policy):
            return note_id
    return None


def _may_repeat(one: HeldNote, other: HeldNote, policy: NotingPolicy) -> bool:
    return len(one.words & other.words) >= policy.overlap / 2 * len(one.words | other.words)
