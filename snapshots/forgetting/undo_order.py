"""Undoing an order to forget within its day: all is as it was, with an audit record.

Not restored are prompts in receipts, answers kept for repeats, and consolidations: they are made anew.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.db import models, transaction
from django.db.models import Q, QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.audit import record_act
from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.provenance_and_verdict import Provenance
from profiles.services.list_values import list_entries
from profiles.services.preferences import change_list_preference, record_preference
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.details import restore_past
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.tombstones import drop_tombstones, load_tombstones
from profiles.services.value_claims import Claim
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.erasure.derived_rows import delete_snapshots, remake_conversation_snapshots
from snapshots.erasure.memories import find_following_statements, reindex_following_statements, renew_windows
from snapshots.forgetting.hidden_rows import MESSAGE_COLUMNS, PARTS, decompress_rows, unpack_row
from snapshots.forgetting.order_targets import ForgetOrderDecided, ForgetOrderUnknown
from snapshots.forgetting.remove_targets import lock_for_forgetting
from snapshots.models import SOURCES, ForgetOrder, ForgetOrderState, Message, Note, NoteSlot, Snapshot, SnapshotSource
from snapshots.notes.slot_links import KEYS
from snapshots.queue.enqueue import enqueue_messages
from snapshots.queue.metrics import remove_work_of_messages
from snapshots.queue.worker_wake_ups import wake_workers
from tenants.isolation import current_tenant_id
from tenants.services.audit import Actor

PackedRow = Mapping[str, Any]
_FIELDS = {field.name: field.attname for field in Message._meta.concrete_fields}


def find_forget_orders(subject: Subject) -> QuerySet[ForgetOrder]:
    return ForgetOrder.objects.filter(subject_id=subject.id).defer("kept").order_by()


def undo_forget_order(subject: Subject, order_id: UUID, *, by: Actor, reason: str = "") -> ForgetOrder:
    """Restore hidden data, in the open scope. Raises ForgetOrderUnknown, ForgetOrderDecided."""
    found = ForgetOrder.objects.filter(subject_id=subject.id, id=order_id)
    if not found.exists():
        raise ForgetOrderUnknown
    rows = Message.objects.filter(subject_id=subject.id, id__in=found.get().messages).order_by()
    lock_for_forgetting(subject, list(rows.values_list("conversation_id", flat=True).distinct()))
    order = found.select_for_update().get()
    if order.state != ForgetOrderState.WITHHELD or order.kept is None:
        raise ForgetOrderDecided(
            f"Only an order that is `{ForgetOrderState.WITHHELD}` can be undone; this one is `{order.state}`."
        )
    _restore_all(subject, decompress_rows(order.kept))
    order.state, order.decided_at, order.kept = ForgetOrderState.UNDONE, utc_now(), None
    order.save(update_fields=["state", "decided_at", "kept"])
    record_act(by, "memory.withheld_undone", order, reason[:500])
    return order


def _restore_all(subject: Subject, rows: PackedRow) -> None:
    drop_tombstones(subject.id, load_tombstones(subject.id, messages=map(tuple, rows["new_names"])))
    messages = _restore_messages(subject.id, rows["messages"])
    _restore_snapshots(subject.id, rows["snapshots"])
    for packed in sorted(rows["beliefs"], key=lambda one: str(one.get("valid_at"))):
        _restore_belief(subject, packed)
    unread = [messages[UUID(one)] for one in rows["unread"] if UUID(one) in messages]
    remove_work_of_messages([one.id for one in unread])
    enqueue_messages(unread)
    remake_conversation_snapshots(subject.id, messages, besides=())
    reindex_following_statements(find_following_statements(subject.id, messages), ())
    renew_windows(subject.id, frozenset(message.conversation_id for message in messages.values()))
    transaction.on_commit(partial(wake_workers, current_tenant_id()), robust=True)


def _restore_messages(subject_id: UUID, packed_rows: Iterable[PackedRow]) -> dict[UUID, Message]:
    for one in packed_rows:
        columns = {name: _to_python(Message, _FIELDS[name], one[_FIELDS[name]]) for name in MESSAGE_COLUMNS}
        Message.objects.filter(subject_id=subject_id, id=one["id"]).update(**columns)
    ids = [UUID(one["id"]) for one in packed_rows]
    return Message.objects.filter(subject_id=subject_id).select_related("conversation").in_bulk(ids)


def _restore_snapshots(subject_id: UUID, packed_rows: Mapping[str, Sequence[PackedRow]]) -> None:
    """Write snapshots and their parts as they were, in place of those made of the rest of their messages."""
    rows = [unpack_row(Snapshot, dict(one)) for one in packed_rows["Snapshot"]]
    delete_snapshots(subject_id, [row.id for row in rows])
    known = {row.id for row in rows}
    for row in rows:
        row.superseded_by_id = _keep_existing_id(Snapshot, row.superseded_by_id, known)
    Snapshot.objects.bulk_create(rows)
    for part in PARTS:
        made = [unpack_row(part, dict(one)) for one in packed_rows[part.__name__]]
        if part is Note:
            for note in made:
                note.about_tag_id = _keep_existing_id(Tag, note.about_tag_id)
        if part is SnapshotSource:
            made = [link for link in made if _keep_existing_id(Message, link.message_id)]
        part._default_manager.bulk_create(made, ignore_conflicts=True)
    slots = [unpack_row(NoteSlot, dict(one)) for one in packed_rows[NoteSlot.__name__]]
    there = [one for one in slots if any(_keep_existing_id(model, getattr(one, f"{KEYS[model]}_id")) for model in KEYS)]
    NoteSlot.objects.bulk_create(there, ignore_conflicts=True)
    begin_memory_epoch(subject_id, changed=[row.position for row in rows])


def _restore_belief(subject: Subject, packed_row: PackedRow) -> None:
    """Restore a slot's value, unless the slot has it already; newer values stay."""
    if packed_row["table"] == Tag.__name__:
        details = {name: value for name, value in packed_row["details"].items() if value not in ("", None, [])}
        sure = {"provenance": Provenance(packed_row["provenance"]), "confidence": packed_row["confidence"]}
        outcome = upsert_tag(subject, TagDraft(packed_row["label"], details, id=UUID(str(packed_row["id"])), **sure))
        if outcome.created and packed_row.get("past"):
            restore_past(outcome.tag, packed_row["past"])
        about = Note.objects.filter(subject_id=subject.id, id__in=packed_row.get("notes", ()), about_tag__isnull=True)
        about.update(about_tag_id=outcome.tag.id)
        _link_sources(Tag, subject.id, outcome.tag.id, packed_row)
        return
    is_preference = packed_row["table"] == Preference.__name__
    claim = Claim(
        packed_row["value"],
        Provenance(packed_row["provenance"]),
        packed_row["confidence"],
        _to_python(Preference, "valid_at", packed_row["valid_at"]),
        explicit=True,
        details={"statement": packed_row["statement"]} if is_preference else {},
    )
    row = (
        _restore_preference(subject, packed_row, claim) if is_preference else _restore_fact(subject, packed_row, claim)
    )
    if row is not None:
        _link_sources(Preference if is_preference else ProfileFact, subject.id, row.id, packed_row)


def _restore_preference(subject: Subject, packed_row: PackedRow, claim: Claim) -> Preference | None:
    place = {"category": packed_row["category"], "key": packed_row["key"]}
    now = Preference.objects.filter(subject_id=subject.id, **place, retired_at__isnull=True, invalid_at__isnull=True)
    held = now.first()
    if held is not None and held.value == claim.value:
        return held
    if held is not None and isinstance(claim.value, list) and list_entries(held.value) is not None:
        return change_list_preference(subject, (place["category"], place["key"]), claim, add=claim.value).row
    return record_preference(subject, place["category"], place["key"], claim).row


def _restore_fact(subject: Subject, packed_row: PackedRow, claim: Claim) -> ProfileFact | None:
    name = FactName(packed_row["field"], is_attribute=packed_row["is_attribute"])
    own = {"field": name.field, "is_attribute": name.is_attribute, "retired_at": None, "invalid_at": None}
    held = ProfileFact.objects.filter(subject_id=subject.id, **own).first()
    if held is not None and held.value == claim.value:
        return held
    is_list = held is not None and isinstance(claim.value, list) and isinstance(held.value, list)
    return patch_profile(subject, [FactChange(name, claim, "append" if is_list else "overwrite")])[0].row


def _link_sources(model: type[Any], subject_id: UUID, row_id: UUID, packed_row: PackedRow) -> None:
    links, own = SOURCES[model], {"subject_id": subject_id}
    known = set(links._default_manager.filter(memory_id=row_id, **own).values_list("message_id", flat=True))
    sources = map(UUID, packed_row["sources"])
    wanted = [one for one in sources if one not in known and _keep_existing_id(Message, one)]
    links._default_manager.bulk_create(
        [links(memory_id=row_id, message_id=one, **own) for one in wanted], ignore_conflicts=True
    )
    notes = [one for one in map(UUID, packed_row["notes"]) if _keep_existing_id(Snapshot, one)]
    key = f"{KEYS[model]}_id"
    NoteSlot.objects.bulk_create(
        [NoteSlot(snapshot_id=one, **{key: row_id}, **own) for one in notes], ignore_conflicts=True
    )


def _keep_existing_id(model: type[Any], row_id: UUID | None, more: Iterable[UUID] = ()) -> UUID | None:
    if row_id is None or row_id in more or model._default_manager.filter(Q(id=row_id)).exists():
        return row_id
    return None


def _to_python(model: type[models.Model], name: str, value: Any) -> Any:
    field: Any = model._meta.get_field(name)
    return field.to_python(value)
