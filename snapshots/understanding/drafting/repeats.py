"""Which drafted notes only say again what is held: they confirm it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.terms import terms
from memory_platform.kernel.text import comparable, content_hash
from profiles.values import Provenance
from snapshots.lifecycle.selectors import current
from snapshots.models import Note, Snapshot, SnapshotKind
from snapshots.notes.values import NoteRepeat
from snapshots.understanding.config import NOTING, NotingPolicy
from snapshots.understanding.drafting.draft import NoteDraft

_NUMBER = re.compile(r"\d+(?:[.:]\d+)?|[零一二三四五六七八九十百千万]+")
_NEGATES = re.compile(r"\b(?:not?|never|n't|no longer|without|any ?more)\b|n't\b|不|没|别|无|戒")


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A current note as drafts are compared with it."""

    id: UUID
    text: str
    about: tuple[str, str]


def held_notes(subject_id: UUID, drafts: Sequence[NoteDraft], policy: NotingPolicy = NOTING) -> list[HeldNote]:
    """Return the subject's newest current notes, and older ones that say just what a draft says, in the open scope."""
    own = Snapshot.objects.filter(current(), subject_id=subject_id, kind=SnapshotKind.NOTE)
    newest = own.order_by("-position").values_list("id", "text")[: policy.held_compared]
    same = own.filter(content_hash__in=[content_hash(draft.snapshot.text) for draft in drafts])
    texts = {**dict(newest), **dict(same.order_by().values_list("id", "text"))}
    abouts = Note.objects.filter(subject_id=subject_id, snapshot_id__in=list(texts)).values_list(
        "snapshot_id", "about_kind", "about_label"
    )
    about_of = {snapshot_id: (kind, comparable(label)) for snapshot_id, kind, label in abouts}
    return [HeldNote(note_id, text, about_of[note_id]) for note_id, text in texts.items() if note_id in about_of]


def repeat_of(draft: NoteDraft, held: Sequence[HeldNote], policy: NotingPolicy = NOTING) -> NoteRepeat | None:
    """Return which held note a draft only says again; None where it says something new.

    Equal are whom it is about, all numbers, and whether it denies; and most of the words.
    """
    about = (draft.details.about_kind, comparable(draft.details.about_label))
    found = next(
        (one for one in held if one.about == about and says_the_same(one.text, draft.snapshot.text, policy)), None
    )
    if found is None or found.id == draft.snapshot.id:
        return None
    (message_id,) = draft.snapshot.message_ids
    return NoteRepeat(found.id, message_id, draft.snapshot.confidence, Provenance(draft.snapshot.provenance))


def says_the_same(one: str, other: str, policy: NotingPolicy = NOTING) -> bool:
    """Return whether two clauses say the same thing."""
    if comparable(one) == comparable(other):
        return True
    if sorted(_NUMBER.findall(one)) != sorted(_NUMBER.findall(other)):
        return False
    if len(_NEGATES.findall(one.lower())) != len(_NEGATES.findall(other.lower())):
        return False
    own, others = set(terms(one)), set(terms(other))
    return bool(own) and len(own & others) / len(own | others) >= policy.overlap
