"""The scratch tenant of a data set. The product accepts, processes and stores its messages as usual.

The tenant's slug depends on the file and the indexing code. A repeated run finds everything stored; a changed file or
changed indexing gets a new tenant.
"""

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import memory_platform.kernel
import snapshots
from lab.evaluation.datasets.questions import EvaluationSet
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.conversation_datasets import BATCH
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import load_reindexing_drafts, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, reindex_snapshot
from snapshots.embedding.upkeep.index_entry_walk import BEFORE_ALL
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.jobs import HANDLERS
from snapshots.models import Message, Snapshot, SnapshotWords
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.metrics import count_work
from snapshots.queue.values import WorkCounts
from snapshots.sensitive.detector import mask_sensitive
from tenants.errors import TenantUnknown
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import create_tenant

KEY_CHARS = 12
POLL_SECONDS = 0.2
# The code and the data that decide what is stored of a conversation, and how it is indexed.
INDEXING_ROOMS = (
    *(
        Path(snapshots.__path__[0]) / room
        for room in ("embedding", "forgetting", "intake", "notes", "sensitive", "understanding")
    ),
    Path(memory_platform.kernel.__path__[0]),
)


class WorkGivenUp(MemoryPlatformError):
    """Some of the data set's work is dead, so its memories are missing from every figure."""

    code = "work_given_up"


@dataclass(frozen=True, slots=True)
class Scratch:
    """A scratch tenant; ``filled`` says whether it holds the whole data set already."""

    tenant_id: UUID
    slug: str
    filled: bool


def compute_indexing_version() -> str:
    """Return the SHA-256 of the code that indexes, of its data (patterns, weights) and of the embedders' names: equal
    versions store equal memories."""
    digest = hashlib.sha256(" ".join(embedder.name for embedder in active_embedders()).encode())
    files = (path for room in INDEXING_ROOMS for path in room.rglob("*") if path.is_file())
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def ensure_tenant(slug: str, name: str) -> UUID:
    try:
        return tenant_by_slug(slug).id
    except TenantUnknown:
        return create_tenant(slug=slug, name=name, by=COMMAND_LINE).id


def ensure_scratch(evaluation_set: EvaluationSet, *, prefix: str) -> Scratch:
    """Return the scratch tenant of a data set, made when it is missing. Its slug is ``<prefix>-<12 hex digits>``."""
    key = hashlib.sha256(f"{evaluation_set.sha256}{compute_indexing_version()}".encode()).hexdigest()[:KEY_CHARS]
    slug = f"{prefix}-{key}"
    tenant_id = ensure_tenant(slug, f"Evaluation of {evaluation_set.dataset.name}"[:200])
    with tenant_tx(tenant_id):
        filled = Message.objects.count() == evaluation_set.dataset.messages and not _open_items(count_work())
    return Scratch(tenant_id, slug, filled)


def finish_work(tenant_id: UUID, *, show: Callable[[WorkCounts], object] = lambda _: None) -> None:
    """Do the tenant's work here, beside any workers, until no work is left. ``show`` gets the counts in between.

    Raises WorkGivenUp when an item is dead.
    """
    while True:
        drain_work(tenant_id, HANDLERS)
        with tenant_tx(tenant_id):
            counts = count_work()
        show(counts)
        if counts.dead:
            raise WorkGivenUp(f"{counts.dead:,} of {counts.accepted_total:,} work items are dead")
        if not _open_items(counts):
            return
        time.sleep(POLL_SECONDS)  # a worker holds the rest, or it waits for its next attempt


def index_again(tenant_id: UUID) -> int:
    """Index again the snapshots that other code indexed, and add missing vectors; return the number touched.

    Workers of the stack share the work. One that started before the code changed would leave memories that this code
    never made, in a tenant that is named for this code.
    """
    touched, after = 0, BEFORE_ALL
    while True:
        with tenant_tx(tenant_id):
            snapshots = list(Snapshot.objects.filter(id__gt=after).order_by("id")[:BATCH])
            drafts = load_reindexing_drafts(snapshots, mask_sensitive)
            held = SnapshotWords.objects.filter(snapshot__in=snapshots).values_list("snapshot_id", "words", "saying")
            indexed = {snapshot_id: (bytes(packed), saying) for snapshot_id, packed, saying in held}
        if not snapshots:
            break
        anew = prepare_snapshots(drafts, active_embedders())
        stale = [item for item in anew if indexed[item.draft.id] != (item.words, item.saying)]
        positions = {snapshot.id: snapshot.position for snapshot in snapshots}
        with tenant_tx(tenant_id):
            for item in stale:
                begin_memory_epoch(item.draft.subject_id, changed=[positions[item.draft.id]])
                reindex_snapshot(item)
        touched, after = touched + len(stale), snapshots[-1].id
    return touched + backfill_vectors(tenant_id, sys.maxsize, mask=mask_sensitive)


def remove_expiry(tenant_id: UUID) -> None:
    """Take the expiry from the tenant's memories: the same question finds the same memories next month."""
    with tenant_tx(tenant_id):
        passing = Snapshot.objects.filter(expires_at__isnull=False)
        subjects = sorted(set(passing.order_by().values_list("subject_id", flat=True)), key=str)
        for subject_id in subjects:
            own = passing.filter(subject_id=subject_id)
            begin_memory_epoch(subject_id, changed=own.values_list("position", flat=True))
            own.update(expires_at=None)


def _open_items(counts: WorkCounts) -> int:
    return counts.ready + counts.leased
