"""A world of documents has the index that the product makes, and goes on as it does. Rows: K2."""

import pytest
from django.test import override_settings

from lab.benchmarks.worlds.document_world import fill_documents, make_real_chunks
from snapshots.knowledge.index.config import BlockConfig, IndexSizes
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery
from snapshots.models import Chunk, IndexedChunk
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.knowledge.index.test_segment_sealing import assert_index_is_whole, make_texts
from tests.snapshots.knowledge.indexed_documents import delete_indexed_document, store_indexed_document

pytestmark = pytest.mark.slow


@override_settings(EMBEDDER="hashing:32")
def test_mixed_chunks_are_indexed_as_real_ones_and_more_can_follow(world: World) -> None:
    tenant, counted = world.acme.tenant.id, list[int]()
    words = " ".join(make_texts(400)).split()
    fill_documents(tenant, make_real_chunks(words, 40), 150, advance=counted.append)
    assert_index_is_whole(tenant)
    store_indexed_document(tenant, "more", make_texts(12, 9_000), sizes=IndexSizes(BlockConfig(chunks=10)))
    assert_index_is_whole(tenant)
    with tenant_tx(tenant):
        assert (sum(counted), Chunk.objects.count()) == (150, 162)
        assert IndexedChunk.objects.filter(segment=0).count() == 160
    assert search_documents(tenant, DocumentQuery(" ".join(words[:8]), min_relevance=0.0)).passages
    delete_indexed_document(tenant, "more")
    assert_index_is_whole(tenant)
