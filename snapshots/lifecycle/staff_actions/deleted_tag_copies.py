"""A deleted tag, as its act keeps it: columns, past, and the rows that pointed to it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from profiles.models import Subject, Tag
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.details import dump_past, restore_past
from snapshots.models import SOURCES, Message, Note, NoteSlot, Snapshot

TAG_DETAILS = ("address", "poi_id", "lat", "lon", "phone", "relation")
KEPT_TAG_COLUMNS = ("label", "kind", *TAG_DETAILS, "aliases", "use_count", "confidence", "provenance")


def dump_tag(tag: Tag) -> dict[str, Any]:
    """Return the image that :func:`recreate_tag` needs, as JSON; call it before the tag is deleted."""
    own = {"subject_id": tag.subject_id}
    rows = {
        "behind": SOURCES[Tag]._default_manager.filter(memory_id=tag.id, **own).values_list("message_id", flat=True),
        "about": Note.objects.filter(about_tag_id=tag.id, **own).values_list("id", flat=True),
        "read_from": NoteSlot.objects.filter(tag_id=tag.id, **own).values_list("snapshot_id", flat=True),
    }
    return {
        "gone": {name: getattr(tag, name) for name in KEPT_TAG_COLUMNS},
        "past": dump_past(tag),
        "created_at": tag.created_at.isoformat(),
        **{name: [str(one) for one in found.order_by()] for name, found in rows.items()},
    }


def build_deleted_tag(subject: Subject, tag_id: UUID, tag_copy: Mapping[str, Any]) -> Tag:
    """Return a deleted tag as it was; the row is not in the table."""
    known = {"created_at": datetime.fromisoformat(tag_copy["created_at"])} if "created_at" in tag_copy else {}
    return Tag(id=tag_id, subject=subject, **known, **tag_copy["gone"])


def recreate_tag(subject: Subject, tag_id: UUID, tag_copy: Mapping[str, Any], *, held_by: UUID | None = None) -> Tag:
    """Store a deleted tag again with its past, in the open scope. Notes about it that name ``held_by`` by now (None:
    nobody) are about it again, and messages that are gone are no longer its sources."""
    back = build_deleted_tag(subject, tag_id, tag_copy)
    back_since = back.created_at
    back.save(force_insert=True)
    # The column is set to now on insert. Images of earlier releases lack it, and the notes.
    if back_since is not None:
        Tag.objects.filter(id=tag_id, subject_id=subject.id).update(created_at=back_since)
    restore_past(back, tag_copy.get("past", ()))
    own = {"subject_id": subject.id}
    Note.objects.filter(id__in=tag_copy.get("about", ()), about_tag_id=held_by, **own).update(about_tag_id=tag_id)
    left = Message.objects.filter(id__in=tag_copy["behind"], **own).order_by().values_list("id", flat=True)
    links = SOURCES[Tag]
    links._default_manager.bulk_create(links(memory_id=tag_id, message_id=one, **own) for one in left)
    notes = Snapshot.objects.filter(id__in=tag_copy.get("read_from", ()), **own).order_by().values_list("id", flat=True)
    NoteSlot.objects.bulk_create(NoteSlot(snapshot_id=one, tag_id=tag_id, **own) for one in notes)
    refresh_search_text(subject)
    return back
