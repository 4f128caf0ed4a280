"""What forgetting one memory would take along, counted before it is done."""

from dataclasses import dataclass

from django.db.models import Model

from profiles.models import Preference, ProfileFact, Tag
from snapshots.erasure.learned.beliefs import load_erased_belief
from snapshots.erasure.memories import find_target
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import SOURCES, ReceiptMemory, Snapshot


@dataclass(frozen=True, slots=True)
class ErasureExtent:
    """Rows that forgetting concerns. ``values``: of the memory itself, past ones and repetitions included; ``messages``
    said it, and lose their words with a snapshot, but not with a belief; ``answers`` lose it from their stored
    prompts."""

    values: int
    messages: int
    answers: int


def measure_extent(memory: Preference | ProfileFact | Tag | Snapshot) -> ErasureExtent:
    """Return what forgetting would concern, in the open scope. Raises SnapshotUnknown for a memory that is gone."""
    own = {"subject_id": memory.subject_id}
    if isinstance(memory, Snapshot):
        target = find_target(SnapshotAddress(memory.subject.external_id, memory.id))
        ids, messages = target.snapshots, len(target.messages)
    else:
        model: type[Model] = type(memory)
        ids = frozenset(row.id for row in load_erased_belief(memory).rows)
        links = SOURCES[model]._default_manager.filter(memory_id__in=ids, **own)
        messages = links.values("message_id").distinct().count()
    answers = ReceiptMemory.objects.filter(memory_ref__in=ids, **own).values("receipt_id").distinct().count()
    return ErasureExtent(len(ids), messages, answers)
