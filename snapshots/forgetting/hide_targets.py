"""Hide the targets of an order in its transaction: remove them from every table and window, and keep a packed copy.

The data is removed rather than marked, so that no read, export, receipt or earlier moment can show it. Only
:mod:`snapshots.forgetting.undo_order` restores the copy. Locks follow the order of all forgetting.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from profiles.audit import record_act
from profiles.models import Preference, Subject, Tag
from profiles.services.tombstones import find_forgotten_messages, record_tombstones
from snapshots.erasure.memories import make_message_name
from snapshots.fast_lane_result import FastLaneResult
from snapshots.forgetting.config import FORGETTING
from snapshots.forgetting.hidden_rows import MESSAGE_COLUMNS, compress_rows, pack_beliefs, pack_row, pack_snapshots
from snapshots.forgetting.order_targets import FORGOTTEN, ForgetTargets, SlotRow
from snapshots.forgetting.remove_targets import RemovalScope, lock_removal_scope, remove_scope
from snapshots.models import SOURCES, ForgetOrder, Message, Snapshot, Work, WorkState
from tenants.models import ActorKind
from tenants.services.audit import Actor

# The user has no key: the platform acts on their word.
BY_USER = Actor(ActorKind.JOB, "forget-order")


def hide_targets(subject: Subject, order: Message, number: int, targets: ForgetTargets) -> list[FastLaneResult]:
    """Hide the targets of the ``number``-th order of a message, in the open scope; return the hidden memories."""
    order_id = stable_id("forget-order", order.id, number)
    if ForgetOrder.objects.filter(id=order_id, subject_id=subject.id).exists():
        return []
    scope = lock_removal_scope(subject, order_id, targets)
    before = list(_load_slots_behind(subject.id, scope))
    snapshots = scope.target.snapshots | scope.snapshots
    texts = list(Snapshot.objects.filter(subject_id=subject.id, id__in=scope.snapshots).values_list("text", flat=True))
    names = [make_message_name(message) for message in scope.target.messages.values()]
    kept: dict[str, Any] = {
        "messages": [{"id": one.id, **pack_row(one, MESSAGE_COLUMNS)} for one in scope.messages.values()],
        "snapshots": pack_snapshots(subject.id, snapshots),
        "beliefs": pack_beliefs(before),
        "names": names,
        "new_names": [name for name in names if name not in find_forgotten_messages(subject.id, names)],
        "texts": texts,
        "unread": _find_unread_messages(subject.id, scope.messages),
    }
    rows = Snapshot.objects.filter(subject_id=subject.id, id__in=snapshots).order_by("position")
    hidden = [FastLaneResult(FORGOTTEN, str(kind), row_id) for row_id, kind in rows.values_list("id", "kind")]
    counts = remove_scope(subject, scope)
    record_tombstones(subject.id, messages=names)
    hidden += _describe_lost_slots(before)
    now = utc_now()
    row = ForgetOrder.objects.create(
        id=order_id,
        subject=subject,
        message_ref=order.id,
        items=[
            # no value: the row outlives what it hid
            {"kind": one.kind, "memory_id": str(one.memory_id), "category": one.category, "key": one.key}
            for one in hidden
        ],
        messages=list(scope.messages),
        erased={table: rows for table, rows in counts.items() if rows},
        kept=compress_rows(kept),
        created_at=now,
        erase_at=now + FORGETTING.withheld,
    )
    record_act(BY_USER, "memory.withheld", row)
    return [replace(one, forget_order_id=order_id) for one in hidden] or [
        FastLaneResult(FORGOTTEN, forget_order_id=order_id)
    ]


def _load_slots_behind(subject_id: UUID, scope: RemovalScope) -> Iterable[SlotRow]:
    named = {row.id for row in scope.beliefs}
    yield from scope.beliefs
    for model, links in SOURCES.items():
        if model is Snapshot:
            continue
        own = links._default_manager.filter(
            subject_id=subject_id, message_id__in=list(scope.target.messages)
        ).order_by()
        rows = model._default_manager.filter(subject_id=subject_id, id__in=own.values("memory_id")).exclude(
            id__in=named
        )
        yield from rows if model is Tag else rows.filter(retired_at__isnull=True, invalid_at__isnull=True)


def _find_unread_messages(subject_id: UUID, messages: Collection[UUID]) -> list[UUID]:
    work = Work.objects.filter(subject_id=subject_id, message_id__in=list(messages)).exclude(state=WorkState.DONE)
    return sorted({one for one in work.values_list("message_id", flat=True) if one})


def _describe_lost_slots(before: Iterable[SlotRow]) -> list[FastLaneResult]:
    lost = []
    for row in before:
        now = type(row)._default_manager.filter(id=row.id, subject_id=row.subject_id).first()
        if now is not None and (isinstance(row, Tag) or row.value == getattr(now, "value", None)):
            continue
        match row:
            case Preference():
                lost.append(FastLaneResult(FORGOTTEN, "preference", row.id, row.category, row.key))
            case Tag():
                lost.append(FastLaneResult(FORGOTTEN, "tag", row.id))
            case _:
                lost.append(FastLaneResult(FORGOTTEN, "profile", row.id, None, row.field))
    return lost
