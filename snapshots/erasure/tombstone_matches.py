"""Remains of forgotten things, found by their tombstones when the words themselves are gone."""

from collections.abc import Iterator
from uuid import UUID

from profiles.models import Forgotten
from profiles.services.tombstones import Marks, find_tombstoned_messages, find_tombstoned_texts
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Message, Snapshot

CHUNK = 500


def find_marked_subject(marks: Marks) -> UUID | None:
    """Return whose tombstones these are, in the open scope; None once the subject is gone with them."""
    rows = Forgotten.objects.filter(digest__in=list(marks)).order_by()
    return rows.values_list("subject_id", flat=True).first() if marks else None


def find_marked_snapshots(subject_id: UUID, marks: Marks) -> list[UUID]:
    """Return the subject's memories whose words match one of the tombstones, by id."""
    own = Snapshot.objects.filter(subject_id=subject_id).order_by("id")
    rows = list(own.values_list("id", "text")) if marks else []
    texts = find_tombstoned_texts(subject_id, [text for _, text in rows], marks)
    return [row_id for row_id, text in rows if text in texts]


def find_marked_messages(subject_id: UUID, marks: Marks) -> Iterator[Message]:
    """Yield the messages that match one of the tombstones by name or by words, also such as have lost their words."""
    own = Message.objects.filter(subject_id=subject_id).select_related("conversation")
    ids = list(own.order_by("id").values_list("id", flat=True)) if marks else []
    for start in range(0, len(ids), CHUNK):
        rows = add_archived_words(list(own.filter(id__in=ids[start : start + CHUNK]).order_by("id")))
        named = {row.id: (row.conversation.external_id, row.external_id) for row in rows}
        names = find_tombstoned_messages(subject_id, named.values(), marks)
        texts = find_tombstoned_texts(subject_id, [row.content for row in rows], marks)
        yield from (row for row in rows if row.content in texts or named[row.id] in names)
