"""Find drafted notes that only repeat a known note: they confirm it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from memory_platform.kernel.text import to_comparable
from profiles.provenance_and_verdict import Provenance
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.values import NoteRepeat
from snapshots.understanding.config import NOTING, NotingConfig
from snapshots.understanding.drafting.near_duplicates import says_the_same
from snapshots.understanding.drafting.note_drafts import NoteDraft

_WORD = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class KnownNote:
    """A note for comparison with drafts. ``words`` allow a cheap first look before terms are computed."""

    id: UUID
    text: str
    about: tuple[str, str]
    words: frozenset[str]

    @classmethod
    def build(cls, note_id: UUID, text: str, kind: str, label: str) -> "KnownNote":
        return cls(note_id, text, (kind, to_comparable(label)), frozenset(_WORD.findall(text.lower())))


def load_known_notes(subject_id: UUID) -> list[KnownNote]:
    own = Snapshot.objects.filter(build_current_snapshot_condition(), subject_id=subject_id, kind=SnapshotKind.NOTE)
    texts = dict(own.order_by("-position").values_list("id", "text")[: NOTING.held_compared])
    abouts = Note.objects.filter(subject_id=subject_id, snapshot_id__in=list(texts))
    rows = abouts.values_list("snapshot_id", "about_kind", "about_label")
    return [KnownNote.build(note_id, texts[note_id], kind, label) for note_id, kind, label in rows]


def make_known_note(draft: NoteDraft) -> KnownNote:
    details = draft.details
    return KnownNote.build(draft.snapshot.id, draft.snapshot.text, details.about_kind, details.about_label)


def find_repeat(draft: NoteDraft, known_notes: Iterable[KnownNote]) -> NoteRepeat | None:
    """Return the known note that a draft repeats, about the same person; None for news, or for that note itself."""
    own = make_known_note(draft)
    for one in known_notes:
        if one.id == own.id:
            return None
        if (
            one.about == own.about
            and _share_enough_words(one, own, NOTING)
            and says_the_same(one.text, own.text, NOTING)
        ):
            return NoteRepeat(
                one.id, draft.snapshot.message_ids[-1], draft.snapshot.confidence, Provenance(draft.snapshot.provenance)
            )
    return None


def find_repeated_text(
    text: str, known_notes: Iterable[tuple[UUID, str]], config: NotingConfig = NOTING
) -> UUID | None:
    """Return the note, newest first, that posted words repeat; None for news."""
    own = KnownNote.build(UUID(int=0), text, "", "")
    for note_id, said in islice(known_notes, config.held_compared):
        one = KnownNote.build(note_id, said, "", "")
        if _share_enough_words(one, own, config) and says_the_same(said, text, config):
            return note_id
    return None


def _share_enough_words(one: KnownNote, other: KnownNote, config: NotingConfig) -> bool:
    return len(one.words & other.words) >= config.overlap / 2 * len(one.words | other.words)
