"""Chunks are sealed, moved and removed, and the index always says what its chunks say. Rows: K1, K3."""

import threading
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.db.models import Max

from snapshots.knowledge.index.chunk_index_writes import find_part, move_in_index, remove_from_index
from snapshots.knowledge.index.chunk_terms import unpack_chunk_terms
from snapshots.knowledge.index.config import BlockConfig, CellConfig, IndexSizes
from snapshots.knowledge.index.posting_blocks import REST, unpack_blocks
from snapshots.knowledge.index.vector_cells import unpack_cell
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery
from snapshots.models import Chunk, DocumentCollection, IndexedChunk, IndexPart, PostingBlock, VectorCell
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.knowledge.indexed_documents import delete_indexed_document, store_indexed_document

pytestmark = pytest.mark.slow

THINGS = ("lamp", "kettle", "bicycle", "tent", "violin", "ladder", "camera")
SMALL = IndexSizes(BlockConfig(positions=130, chunks=60, strong=16), CellConfig(vectors=25))
HARBOUR = "The harbour master keeps the tide tables in a blue cupboard."


def make_texts(count: int, start: int = 0) -> list[str]:
    return [f"Spare part {i} fits the {THINGS[i % 7]} of series {i % 31}." for i in range(start, start + count)]


def assert_index_is_whole(tenant: UUID) -> None:
    """Assert that blocks, cells and counts say exactly what the rows of the chunks say."""
    with tenant_tx(tenant):
        for part in IndexPart.objects.all():
            rows = list(IndexedChunk.objects.filter(part=part.part))
            assert part.chunk_count == len(rows)
            blocks = list(PostingBlock.objects.filter(part=part.part))
            packed = [bytes(one.packed) for one in blocks]
            postings, block_of = unpack_blocks(b"".join(packed), np.array([len(one) for one in packed], np.int64))
            own = postings["position"] < REST
            sealed_at = np.array([one.segment for one in blocks], np.int64)[block_of]
            columns = (sealed_at[own], postings["position"][own], postings["term"][own])
            held = set(zip(*(one.tolist() for one in columns), strict=True))
            told = {
                (row.segment, row.position, term)
                for row in rows
                if row.segment is not None
                for term in unpack_chunk_terms(bytes(row.terms))["term"].tolist()
            }
            assert held == told and own.sum() == len(told)
            in_cells = [
                (cell.id, number)
                for cell in VectorCell.objects.filter(part=part.part)
                for number in unpack_cell(bytes(cell.packed), len(cell.centroid)).numbers.tolist()
            ]
            assert sorted(in_cells) == sorted((row.cell, row.number) for row in rows if row.cell)
            assert all(row.cell for row in rows if row.segment is not None and row.vector)


@pytest.fixture
def parts_tenant(world: World) -> UUID:
    """A tenant with a full segment, one that can grow, and some fresh chunks."""
    tenant = world.acme.tenant.id
    store_indexed_document(tenant, "parts", make_texts(170), sizes=SMALL)
    store_indexed_document(tenant, "harbour", [HARBOUR, "潮汐表放在蓝色柜子里。"], sizes=SMALL)
    store_indexed_document(tenant, "more", make_texts(30, 5_000), sizes=SMALL)
    return tenant


def find(tenant: UUID, text: str) -> list[str]:
    found = search_documents(tenant, DocumentQuery(text, min_relevance=0.0))
    return [one.text for one in found.passages]


def test_chunks_are_sealed_into_segments_that_grow_and_all_is_found(parts_tenant: UUID) -> None:
    assert_index_is_whole(parts_tenant)
    with tenant_tx(parts_tenant):
        sealed = IndexedChunk.objects.filter(segment__isnull=False)
        ends = dict(sealed.order_by().values_list("segment").annotate(Max("position")))
        assert ends == {0: 119, 1: 59}
        assert IndexedChunk.objects.filter(segment__isnull=True).count() == 22
    assert find(parts_tenant, "Where are the tide tables?")[0].startswith(HARBOUR)
    assert "Spare part 5012 " in find(parts_tenant, "What does spare part 5012 fit?")[0]
    assert "Spare part 77 " in find(parts_tenant, "What does spare part 77 fit?")[0]


def test_a_document_of_a_sealed_segment_is_gone_at_once(parts_tenant: UUID) -> None:
    delete_indexed_document(parts_tenant, "harbour", SMALL)
    assert_index_is_whole(parts_tenant)
    assert not any(
        HARBOUR in text for text in find(parts_tenant, "Where does the harbour master keep the tide tables?")
    )
    delete_indexed_document(parts_tenant, "parts", SMALL)
    delete_indexed_document(parts_tenant, "more", SMALL)
    assert_index_is_whole(parts_tenant)
    with tenant_tx(parts_tenant):
        left = [model.objects.count() for model in (Chunk, IndexedChunk, PostingBlock, VectorCell)]
    assert left == [0, 0, 0, 0]


def test_removing_twice_or_what_was_never_there_changes_nothing(parts_tenant: UUID, world: World) -> None:
    with tenant_tx(parts_tenant):
        ids = list(Chunk.objects.filter(document__external_id="harbour").values_list("id", flat=True))
    with tenant_tx(world.globex.tenant.id):
        assert remove_from_index(ids, SMALL) == 0
    with tenant_tx(parts_tenant):
        assert (remove_from_index(ids, SMALL), remove_from_index(ids, SMALL), remove_from_index([], SMALL)) == (2, 0, 0)
    assert_index_is_whole(parts_tenant)


def test_chunks_move_to_another_collection_with_their_vectors(parts_tenant: UUID) -> None:
    with tenant_tx(parts_tenant):
        staff = DocumentCollection.objects.create(external_id="hr", access_label="staff")
        ids = list(Chunk.objects.filter(document__external_id="harbour").values_list("id", flat=True))
        vectors = dict(IndexedChunk.objects.filter(chunk_id__in=ids).values_list("chunk_id", "vector"))
        move_in_index(ids, staff.id, SMALL)
        move_in_index(ids, staff.id, SMALL)
        assert dict(IndexedChunk.objects.filter(chunk_id__in=ids).values_list("chunk_id", "vector")) == vectors
    assert_index_is_whole(parts_tenant)
    assert not any(HARBOUR in text for text in find(parts_tenant, "Where are the tide tables?"))


def test_writers_at_once_leave_the_index_whole(parts_tenant: UUID) -> None:
    faults: list[BaseException] = []

    def write(name: str) -> None:
        try:
            store_indexed_document(parts_tenant, name, make_texts(40, 9_000), sizes=SMALL)
            delete_indexed_document(parts_tenant, name, SMALL)
            store_indexed_document(parts_tenant, name, make_texts(20, 9_000), sizes=SMALL)
        except BaseException as fault:  # noqa: BLE001 -- told by the main thread
            faults.append(fault)
        finally:
            connection.close()

    def remove_harbour() -> None:
        delete_indexed_document(parts_tenant, "harbour", SMALL)
        connection.close()

    threads = [threading.Thread(target=write, args=(f"w{i}",)) for i in range(3)]
    threads.append(threading.Thread(target=remove_harbour))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert_index_is_whole(parts_tenant)
    with tenant_tx(parts_tenant):
        assert IndexedChunk.objects.filter(part=find_part(None)).count() == 170 + 30 + 60


def test_a_failed_transaction_leaves_the_index_as_it_was(parts_tenant: UUID) -> None:
    with tenant_tx(parts_tenant):
        ids = list(Chunk.objects.filter(document__external_id="parts").values_list("id", flat=True))
    with pytest.raises(ZeroDivisionError), tenant_tx(parts_tenant):
        remove_from_index(ids, SMALL)
        _ = 1 / 0
    assert_index_is_whole(parts_tenant)
    assert "Spare part 77 " in find(parts_tenant, "What does spare part 77 fit?")[0]
