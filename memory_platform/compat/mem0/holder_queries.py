"""The rows of mem0's entities: subjects, conversations, and memories that are marked with an agent, app or run."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, Min, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform

from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.filters.grammar import ANYTHING
from memory_platform.compat.mem0.memory_scope import (
    ID_OF_TYPE,
    MARKS,
    NO_RUN,
    PREFIX_PATTERN,
    PREFIXES,
    build_subject_id,
    split_subject_id,
)
from memory_platform.kernel.ids import stable_id
from profiles.models import Subject
from profiles.selectors import all_subjects, find_subject
from snapshots.models import Conversation, Snapshot


def find_holder_subjects(kind: str, name: str) -> QuerySet[Subject]:
    """Return the subjects of one entity, or of all of a type (``*``), in the open scope."""
    if name != ANYTHING:
        found = find_subject(build_subject_id(kind, name))
        return all_subjects().filter(id=found.id) if found else Subject.objects.none()
    if kind == "user":
        return all_subjects().exclude(external_id__regex=PREFIX_PATTERN)
    return all_subjects().filter(external_id__startswith=PREFIXES[kind])


def select_marked_ids(kind: str, name: str) -> QuerySet[Any]:
    """Return the ids of held memories of other subjects that are marked with an entity."""
    if kind == "user":
        return Snapshot.objects.none().values_list("id", flat=True)
    mark = MARKS[ID_OF_TYPE[kind]]
    marked = Q(metadata__has_key=mark) if name == ANYTHING else Q(metadata__contains={mark: name})
    rows = Snapshot.objects.filter(marked, retired_at__isnull=True, subject__erasing=False)
    return rows.exclude(subject__external_id__startswith=PREFIXES[kind]).order_by("id").values_list("id", flat=True)


def select_run_conversations(kind: str, name: str) -> QuerySet[Conversation]:
    if kind != "run":
        return Conversation.objects.none()
    rows = Conversation.objects.filter(subject__erasing=False).exclude(external_id=NO_RUN).select_related("subject")
    return rows if name == ANYTHING else rows.filter(external_id=name)


@dataclass(frozen=True, slots=True)
class MemoryHolder:
    """A user, agent, app or run."""

    kind: str
    name: str
    since: datetime
    until: datetime
    id: UUID
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def render(self, owner: str) -> dict[str, Any]:
        return {
            "id": str(self.id),
            "name": self.name,
            "type": self.kind,
            "created_at": self.since,
            "updated_at": self.until,
            "owner": owner,
            "metadata": self.metadata,
        }


def list_holders() -> list[MemoryHolder]:
    """Return all users, agents, apps and runs, each once, in the open scope."""
    found: dict[tuple[str, str], MemoryHolder] = {}
    for holder in (*_list_subjects(), *_list_marked(), *_list_runs()):
        found.setdefault((holder.kind, holder.name), holder)
    return list(found.values())[: MEM0.holders_most]


def _list_subjects() -> Iterator[MemoryHolder]:
    for one in all_subjects().order_by("created_at", "id")[: MEM0.holders_most]:
        yield MemoryHolder(*split_subject_id(one.external_id), one.created_at, one.updated_at, one.id, one.metadata)


def _list_marked() -> Iterator[MemoryHolder]:
    for kind in PREFIXES:
        mark = MARKS[ID_OF_TYPE[kind]]
        rows = Snapshot.objects.filter(metadata__has_key=mark, retired_at__isnull=True, subject__erasing=False)
        named = rows.order_by().values_list(KeyTextTransform(mark, "metadata"))
        for name, since, until in named.annotate(Min("recorded_at"), Max("recorded_at"))[: MEM0.holders_most]:
            yield _make_holder(kind, name, since, until)


def _list_runs() -> Iterator[MemoryHolder]:
    rows = select_run_conversations("run", ANYTHING).select_related(None).order_by().values_list("external_id")
    for name, since, until in rows.annotate(Min("created_at"), Max("last_accepted_at"))[: MEM0.holders_most]:
        yield _make_holder("run", name, since, until)


def _make_holder(kind: str, name: str, since: datetime, until: datetime) -> MemoryHolder:
    return MemoryHolder(kind, name, since, until, stable_id("mem0-holder", kind, name))
