"""Which of the notes that were read a tenant wants, and as what."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from snapshots.notes.section import NotesPolicy
from snapshots.understanding.config import NOTING
from snapshots.understanding.drafting.draft import NoteDraft


def wanted_notes(drafts: Iterable[NoteDraft], policy: NotesPolicy) -> Iterator[NoteDraft]:
    """Yield drafts without the vital marks that the tenant does not want; not those held for such a mark alone."""
    for draft in drafts:
        vital_class = draft.details.vital_class
        if not vital_class or vital_class in policy.vital_classes:
            yield draft
        elif draft.details.grade_probability >= NOTING.held_from:
            yield replace(draft, details=replace(draft.details, vital_class=""))
