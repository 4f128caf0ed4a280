"""A secret among memories, forgotten through the real verb, and where it stands still."""

from dataclasses import replace
from uuid import UUID

from profiles.models import Erasure
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, load_reindexing_drafts
from snapshots.erasure.memories import forget_memory
from snapshots.jobs import drain_work_job
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import (
    Snapshot,
    SnapshotKind,
)
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House
from tests.memory_platform.api.wall import rows_of

SECRET = "My sister Kestrel4711 lives in Utrecht"

SECRET_ZH = "我妹妹红隼四七一一住在乌得勒支"

CANARIES = ("kestrel4711", "红隼四七一一")


def work(house: House) -> None:
    drain_work_job(tenant_id=str(house.tenant.id))


def snapshot_saying(house: House, text: str) -> UUID:
    with tenant_tx(house.tenant.id):
        return (
            Snapshot.objects.exclude(kind__in=(SnapshotKind.NOTE, SnapshotKind.REPLY))
            .get(subject=house.subject, text=text)
            .id
        )


def forget(house: House, text: str) -> Erasure:
    address = SnapshotAddress(house.subject.external_id, snapshot_saying(house, text))
    erasure_id = forget_memory(house.tenant.id, address, active_embedders(), by=COMMAND_LINE)
    with tenant_tx(house.tenant.id):
        return Erasure.objects.get(id=erasure_id)


def hits(house: House) -> dict[str, int]:
    found: dict[str, int] = {}
    for table, rows in rows_of(house.tenant.id).items():
        words = [*CANARIES, *(word.encode().hex() for word in CANARIES)]
        found[table] = sum(any(word in row.casefold() for word in words) for row in rows)
    return {table: rows for table, rows in found.items() if rows}


def alone_draft(snapshot: Snapshot) -> SnapshotToStore:
    """Return a statement as it is indexed when nothing was said before it."""
    return replace(load_reindexing_drafts([snapshot], mask_sensitive)[0], previous=None, previous_is_memory=True)


def texts(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        rows = Snapshot.objects.filter(subject=house.subject).exclude(kind=SnapshotKind.NOTE).order_by("position")
        return list(rows.values_list("text", flat=True))
