"""``delete`` and ``delete_all``: mem0's deletions are erasures here, each with its certificate."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q
from rest_framework.request import Request
from rest_framework.response import Response

from memory_platform.compat.mem0.config import MEM0
from memory_platform.compat.mem0.filters.grammar import HOLDER_IDS, FilterTest, FilterTree, list_tests
from memory_platform.compat.mem0.filters.row_conditions import load_named_subjects
from memory_platform.compat.mem0.holder_queries import find_holder_subjects, select_marked_ids, select_run_conversations
from memory_platform.compat.mem0.requested_filters import read_requested_filters
from memory_platform.compat.mem0.views import Mem0View
from memory_platform.compat.mem0.visible_memories import MemoryUnknown, list_memories, load_memory, select_memories
from memory_platform.kernel.errors import FieldFault, InvalidInput
from profiles.models import Erasure
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory
from snapshots.erasure.subjects import erase_subject
from snapshots.errors import ConversationUnknown, SnapshotUnknown
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Conversation
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor

UNNAMED = "Name at least one of user_id, agent_id, app_id and run_id ('*' for any), or memory_ids."


@dataclass(slots=True)
class DeletionTally:
    """The result of a deletion: ``memories`` erased of those that its filter named; ``left``: whether there are
    more."""

    memories: int = 0
    erasure_ids: list[str] = field(default_factory=list)
    left: bool = False

    def render(self, message: str) -> dict[str, Any]:
        more = " More are left: call again." if self.left else ""
        return {
            "message": message + more,
            "deleted": self.memories,
            "erasure_ids": self.erasure_ids,
            **({"left": True} if self.left else {}),
        }


class DeleteAllView(Mem0View):
    def delete(self, request: Request) -> Response:
        """Delete the memories that the query names. Without a name it is refused: nobody deletes everything by an
        oversight."""
        filters = read_requested_filters(dict(request.query_params.items()))
        if not any(test.field in (*HOLDER_IDS, "memory_ids") for test in list_tests(filters)):
            raise InvalidInput(faults=[FieldFault("user_id", "required", UNNAMED)])
        holder = find_whole_holder(filters)
        if holder is None:
            tally = forget_matching(self.tenant_id, filters, by=self.actor)
        else:
            tally = delete_holder(self.tenant_id, *holder, by=self.actor)
        return Response(tally.render("Memories deleted successfully!"))


def delete_memory(tenant_id: UUID, memory_id: UUID, *, by: Actor, is_gone_fine: bool = False) -> dict[str, Any]:
    """Forget one memory and all that was made of its messages. Raises MemoryUnknown unless ``is_gone_fine``,
    Conflict."""
    try:
        with tenant_tx(tenant_id):
            row = load_memory(memory_id)
        address = SnapshotAddress(row.subject.external_id, row.id)
        erasure_id = forget_memory(tenant_id, address, active_embedders(), by=by)
    except SnapshotUnknown:
        if is_gone_fine:
            return {"message": "Memory deleted successfully!", "erasure_id": None}
        raise MemoryUnknown from None
    with tenant_tx(tenant_id):
        erased = Erasure.objects.get(id=erasure_id).erased
    told = {"message": "Memory deleted successfully!", "erasure_id": str(erasure_id)}
    return {**told, "cascade_count": max(0, int(erased.get("snapshot", 1)) - 1)}


def find_whole_holder(filters: FilterTree) -> tuple[str, str] | None:
    """Return the type and name of the one entity whose whole memory a filter names; None for a part of a memory."""
    if not isinstance(filters, FilterTest) or filters.operator != "eq" or filters.field not in HOLDER_IDS:
        return None
    return filters.field.removesuffix("_id"), str(filters.value)


def forget_matching(tenant_id: UUID, filters: FilterTree, *, by: Actor) -> DeletionTally:
    """Forget the memories that a filter names, one by one, at most so many as one call may."""
    with tenant_tx(tenant_id):
        rows = list_memories(filters, load_named_subjects(filters))
        ids = list(rows.values_list("id", flat=True)[: MEM0.deleted_most + 1])
    return forget_each(tenant_id, ids, by=by)


def forget_each(tenant_id: UUID, ids: Sequence[UUID], *, by: Actor) -> DeletionTally:
    tally = DeletionTally(left=len(ids) > MEM0.deleted_most)
    for memory_id in ids[: MEM0.deleted_most]:
        told = delete_memory(tenant_id, memory_id, by=by, is_gone_fine=True)
        tally.memories += 1
        tally.erasure_ids += [told["erasure_id"]] if told["erasure_id"] else []
    return tally


def delete_holder(tenant_id: UUID, kind: str, name: str, *, by: Actor) -> DeletionTally:
    """Erase all memory of one holder, or of all of a type (``*``): its subjects, its conversations, and the marked
    memories of other subjects. An unknown one has nothing to erase."""
    most = MEM0.deleted_most
    with tenant_tx(tenant_id):
        subjects = list(find_holder_subjects(kind, name)[:most])
        runs = list(select_run_conversations(kind, name)[:most])
        marked = list(select_marked_ids(kind, name)[: most + 1])
        seen = select_memories().filter(build_current_snapshot_condition())
        named = Q(subject_id__in=[one.id for one in subjects]) | Q(conversation_id__in=[one.id for one in runs])
        count = seen.filter(named | Q(id__in=marked[:most])).count()
    tally = DeletionTally(memories=count)
    for subject in subjects:
        erasure, _ = erase_subject(tenant_id, subject.external_id, by=by)
        tally.erasure_ids.append(str(erasure.id))
    for run in runs:
        tally.erasure_ids += _erase_run(tenant_id, run, by)
    rest = forget_each(tenant_id, marked, by=by)
    tally.erasure_ids += rest.erasure_ids
    tally.left = rest.left or len(subjects) == most or len(runs) == most
    return tally


def _erase_run(tenant_id: UUID, run: Conversation, by: Actor) -> list[str]:
    with tenant_tx(tenant_id):
        try:
            held = lock_conversation(run.subject.external_id, run.external_id)
        except ConversationUnknown:  # gone with its subject
            return []
        return [str(delete_conversation(held, by=by).id)]
