"""Keep forgotten texts from coming back, where every snapshot is written."""

from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID

from profiles.services.tombstones import MessageName, find_forgotten_messages, find_forgotten_texts, has_tombstones
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, SnapshotToStore
from snapshots.models import Message


def drop_forgotten(subject_id: UUID, prepared: Sequence[PreparedSnapshot]) -> list[PreparedSnapshot]:
    """Return the snapshots that are not forgotten and have a source that is not. The memory is locked.

    One query for a subject without tombstones, which is almost every one.
    """
    if not has_tombstones(subject_id):
        return list(prepared)
    texts = find_forgotten_texts(subject_id, [one.draft.text for one in prepared])
    named = _load_message_names(subject_id, [one.draft for one in prepared])
    gone = find_forgotten_messages(subject_id, {name for names in named.values() for name in names})
    return [
        one
        for one in prepared
        if one.draft.text not in texts and not (named[one.draft.id] and named[one.draft.id] <= gone)
    ]


def _load_message_names(subject_id: UUID, drafts: Sequence[SnapshotToStore]) -> dict[UUID, set[MessageName]]:
    """Return the messages behind each draft, by the product's own ids."""
    wanted = {message for draft in drafts for message in draft.message_ids}
    rows = Message.objects.filter(subject_id=subject_id, id__in=wanted).order_by() if wanted else Message.objects.none()
    names = {
        row_id: (conversation, message)
        for row_id, conversation, message in rows.values_list("id", "conversation__external_id", "external_id")
    }
    found: dict[UUID, set[MessageName]] = defaultdict(set)
    for draft in drafts:
        found[draft.id] |= {names[message] for message in draft.message_ids if message in names}
    return found
