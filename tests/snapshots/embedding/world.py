"""Drafts of Ada's memory, and a pgvector that can be taken away for a moment."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from uuid import UUID

from django.db import connections

from memory_platform.kernel.ids import stable_id
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import PreparedSnapshot, SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_store import store_snapshots
from snapshots.models import Snapshot, SnapshotVector, SnapshotWords, SubjectMemory
from tenants.isolation import tenant_tx
from tenants.isolation.protect import app_role
from tests.conftest import House

SAID_AT = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)


def draft(subject_id: UUID, text: str) -> SnapshotToStore:
    """Return a manual memory whose id follows from its text."""
    return SnapshotToStore(stable_id(subject_id, text), subject_id, "manual", text, SAID_AT, SAID_AT, None)


def prepare_texts(house: House, *texts: str, embed: bool = True) -> list[PreparedSnapshot]:
    """Return memories of the house's subject; without vectors when the embedding service is away (``embed``)."""
    drafts = [draft(house.subject.id, text) for text in texts]
    return prepare_snapshots(drafts, active_embedders() if embed else ())


def store(house: House, *texts: str, embed: bool = True) -> list[UUID]:
    """Store memories of the house's subject; return their ids."""
    ready = prepare_texts(house, *texts, embed=embed)
    with tenant_tx(house.tenant.id):
        return store_snapshots(ready)


def counts(house: House) -> tuple[int, int, int]:
    """Return how many snapshots, word rows and vector rows the house has."""
    with tenant_tx(house.tenant.id):
        return Snapshot.objects.count(), SnapshotWords.objects.count(), SnapshotVector.objects.count()


def version(house: House) -> int:
    """Return the version of the subject's memory."""
    with tenant_tx(house.tenant.id):
        return SubjectMemory.objects.get(subject=house.subject).version


@contextmanager
def refused_vectors() -> Iterator[None]:
    """Have Postgres refuse new vectors inside the block, whoever writes them."""
    with connections["owner"].cursor() as owner:
        owner.execute(f"REVOKE INSERT ON snapshot_vector FROM {app_role()}")
        try:
            yield
        finally:
            owner.execute(f"GRANT INSERT ON snapshot_vector TO {app_role()}")
