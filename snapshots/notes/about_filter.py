"""The subject matter of notes: from a writer's words to columns, from a reader's words to a condition."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q

from memory_platform.kernel.text import to_comparable
from profiles.models import Subject, Tag
from snapshots.models import AboutKind, Note
from snapshots.notes.values import AboutUnknown, NoteAbout


@dataclass(frozen=True, slots=True)
class AboutFilter:
    """Notes about a kind, or about one contact or thing: by its tag, or by the words of the notes."""

    kind: str | None = None
    tag_ids: frozenset[UUID] = field(default_factory=frozenset)
    labels: frozenset[str] = field(default_factory=frozenset)

    def build_condition(self) -> Q:
        if self.kind is not None:
            return Q(about_kind=self.kind)
        return Q(about_tag_id__in=self.tag_ids) | Q(about_label__in=self.labels)

    def matches(self, note: Note) -> bool:
        if self.kind is not None:
            return note.about_kind == self.kind
        return note.about_tag_id in self.tag_ids or note.about_label in self.labels


def parse_about_filter(subject: Subject, about: str, *, earlier: frozenset[str] = frozenset()) -> AboutFilter:
    """Parse ``about``: ``self``, ``contact``, ``thing``, a tag's id, or a label in any spelling. ``earlier`` are labels
    that notes had before. In the open scope; two queries at most."""
    if about in AboutKind.values:
        return AboutFilter(kind=about)
    with suppress(ValueError):
        return AboutFilter(tag_ids=frozenset({UUID(about)}))
    wanted = to_comparable(about)
    tags = Tag.objects.filter(subject_id=subject.id).order_by().values_list("id", "label", "aliases")
    used = Note.objects.filter(subject_id=subject.id).exclude(about_label="").order_by()
    labels = {*used.values_list("about_label", flat=True).distinct(), *earlier}
    return AboutFilter(
        tag_ids=frozenset(row for row, label, more in tags if wanted in map(to_comparable, (label, *more))),
        labels=frozenset(label for label in labels if to_comparable(label) == wanted),
    )


def build_about_columns(subject: Subject, about: NoteAbout | None) -> dict[str, Any]:
    """Return the columns of a note that is about ``about``; None is the subject. Raises AboutUnknown. In the open
    scope. The caller locks the subject (``lock_subject``), so that the tag stays."""
    wanted = about or NoteAbout()
    if wanted.tag_id is not None and not Tag.objects.filter(subject_id=subject.id, id=wanted.tag_id).exists():
        raise AboutUnknown
    return {
        "about_kind": wanted.kind,
        "about_label": wanted.label,
        "relation": wanted.relation,
        "about_tag_id": wanted.tag_id,
    }
