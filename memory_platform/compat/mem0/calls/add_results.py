"""The results of one ``add``: the memories that it made, confirmed and ended, and why there are none.

An event is named by its first message. Nothing about it is stored beside the messages: the answer is read from the
memories made of them.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.visible_memories import ONLY_ASKS, render_result, select_memories
from memory_platform.kernel.errors import NotFound
from profiles.services.tombstones import find_forgotten_texts
from snapshots.models import (
    Message,
    MessageRole,
    Note,
    SnapshotKind,
    SnapshotSource,
    Work,
    WorkState,
)
from tenants.isolation import tenant_tx

PREFIX = "mem0-"
PENDING, SUCCEEDED, FAILED = "PENDING", "SUCCEEDED", "FAILED"
_OPEN = (WorkState.READY, WorkState.LEASED)
_MESSAGES = {
    PENDING: "The messages are stored and are being learned from. Ask /v1/event/{event_id}/ what came of them.",
    SUCCEEDED: "The messages are stored and learned from.",
    FAILED: "The messages are stored, but learning from them failed. An operator can let it run again.",
}


@dataclass(frozen=True, slots=True)
class LearningBatch:
    """The stored messages of one ``add``, in their order; none if the tenant's policy let none be stored."""

    messages: Sequence[Message]

    @property
    def event_id(self) -> UUID | None:
        return self.messages[0].id if self.messages else None

    @property
    def ids(self) -> list[UUID]:
        return [message.id for message in self.messages]


def build_message_id(token: UUID, place: int) -> str:
    """Return the id of a message: those of one ``add`` share the ``token``."""
    return f"{PREFIX}{token}.{place:03d}"


def read_index_in_add(message: Message) -> int:
    """Return the place of a message among those of its ``add``, from 0."""
    return int(message.external_id.rpartition(".")[2])


def load_batch(event_id: UUID) -> LearningBatch:
    """Return the batch of an event, in the open scope. Raises NotFound."""
    first = Message.objects.filter(id=event_id, external_id__startswith=PREFIX, subject__erasing=False).first()
    if first is None:
        raise NotFound("No event with this id.")
    token = first.external_id.rpartition(".")[0]
    rows = Message.objects.filter(subject_id=first.subject_id, conversation_id=first.conversation_id)
    return LearningBatch(list(rows.filter(external_id__startswith=f"{token}.").order_by("seq")))


def wait_until_learned(tenant_id: UUID, batch: LearningBatch) -> None:
    """Wait until no work of the messages is left, at most for the configured time. No transaction may be open."""
    ends = time.monotonic() + MEM0.wait_s
    while batch.messages and time.monotonic() < ends:
        with tenant_tx(tenant_id):
            if not Work.objects.filter(message_id__in=batch.ids, state__in=_OPEN).exists():
                return
        time.sleep(MEM0.wait_s / MEM0.looks)


def describe_batch(batch: LearningBatch) -> dict[str, Any]:
    """Return the state of a batch, in the open scope: its status, results, and the messages without any."""
    work = list(Work.objects.filter(message_id__in=batch.ids).values_list("message_id", "state", "error_code"))
    waiting = {message_id for message_id, state, _ in work if state in _OPEN}
    dead = {message_id: code for message_id, state, code in work if state == WorkState.DEAD}
    results, taught = _list_results(batch)
    missing = _explain_missing(batch, taught, waiting, dead)
    status = PENDING if waiting else FAILED if dead and not results else SUCCEEDED
    return {
        "event_id": None if batch.event_id is None else str(batch.event_id),
        "status": status,
        "message": _MESSAGES[status],
        "results": results,
        **({"not_learned": missing} if missing else {}),
    }


def _list_results(batch: LearningBatch) -> tuple[list[dict[str, Any]], set[UUID]]:
    """Return the results, and the messages that taught something."""
    if not batch.messages:
        return [], set()
    links = SnapshotSource.objects.filter(message_id__in=batch.ids).values_list("memory_id", "message_id")
    by_memory: dict[UUID, UUID] = dict(links)
    kinds = (SnapshotKind.NOTE, SnapshotKind.STATEMENT)
    made = (
        select_memories().filter(id__in=list(by_memory), kind__in=kinds, retired_at__isnull=True).order_by("position")
    )
    before = _find_known_before(batch, list(by_memory))
    results = [render_result(row.id, row.text, "NONE" if row.id in before else "ADD") for row in made]
    ended = _list_ended(batch)
    results += [render_result(note.snapshot_id, note.snapshot.text, "DELETE") for note in ended]
    taught = {by_memory[row.id] for row in made} | {note.changed_by for note in ended if note.changed_by}
    return results, taught


def _find_known_before(batch: LearningBatch, memories: Sequence[UUID]) -> set[UUID]:
    """Return the memories that an earlier message says, too."""
    earlier = SnapshotSource.objects.filter(
        memory_id__in=memories, message__accepted_at__lt=batch.messages[0].accepted_at
    )
    return set(earlier.values_list("memory_id", flat=True))


def _list_ended(batch: LearningBatch) -> list[Note]:
    rows = Note.objects.filter(changed_by__in=batch.ids, snapshot__invalid_at__isnull=False)
    return list(rows.select_related("snapshot").order_by("snapshot__position"))


def _explain_missing(
    batch: LearningBatch, taught: set[UUID], waiting: set[UUID], dead: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    left = [(read_index_in_add(message), message) for message in batch.messages if message.id not in taught]
    forgotten = (
        find_forgotten_texts(batch.messages[0].subject_id, [message.content for _, message in left]) if left else set()
    )
    told = []
    for place, message in left:
        reason = _find_reason(message, message.id in waiting, message.id in dead, message.content in forgotten)
        error = {"error_code": dead[message.id]} if message.id in dead else {}
        told.append({"message": place, "role": message.role, "reason": reason, **error})
    return told


def _find_reason(message: Message, is_waiting: bool, is_dead: bool, is_forgotten: bool) -> str:
    if is_waiting:
        return "pending"
    if is_dead:
        return "failed"
    if is_forgotten or not (message.content or message.tool_calls):
        return "forgotten"
    if not message.remember:
        return "not_remembered"
    if message.role != MessageRole.USER:
        return f"said_by_{message.role}"
    return "only_asks" if re.search(ONLY_ASKS, message.content) else "says_nothing"
