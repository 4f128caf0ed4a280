"""Documents follow a change of the embedding model, and a dropped space lets go of them. Rows: K1, S5, L2."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.test import override_settings

from memory_platform.providers.registry import forget_providers
from snapshots.embedding.upkeep.space_completeness import delete_empty_space
from snapshots.knowledge.index.chunk_reembedding import count_chunks_to_move, drop_chunk_vectors, reembed_chunks
from snapshots.knowledge.index.config import BlockConfig, CellConfig, IndexSizes
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery
from snapshots.models import EmbeddingSpace, IndexedChunk, VectorCell
from snapshots.scheduled_job_registry import CARE
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.snapshots.knowledge.index.test_segment_sealing import assert_index_is_whole, make_texts
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

OLD, NEW = "hashing:64", "hashing:32"
FORWARD = f"{NEW},{OLD}"
SMALL = IndexSizes(BlockConfig(chunks=10, strong=4), CellConfig(vectors=5))
HARBOUR, ZH = "The harbour master keeps the tide tables in a blue cupboard.", "潮汐表放在蓝色柜子里。"


@pytest.fixture
def tenant(world: World) -> Iterator[UUID]:
    """A tenant with a sealed segment and fresh chunks in the old space."""
    with override_settings(EMBEDDER=OLD):
        store_indexed_document(world.acme.tenant.id, "parts", make_texts(10), sizes=SMALL)
        store_indexed_document(world.acme.tenant.id, "harbour", [HARBOUR, "x", ZH], collection="sea", sizes=SMALL)
    yield world.acme.tenant.id
    forget_providers()


def is_found_by_meaning(tenant: UUID, text: str) -> bool:
    found = search_documents(tenant, DocumentQuery(text, min_relevance=0.0, explain=True)).passages[0]
    assert text in found.text and found.explanation is not None
    return found.explanation.dense_rank is not None


def count_in(tenant: UUID, name: str) -> int:
    with tenant_tx(tenant):
        return IndexedChunk.objects.filter(space__name=name).count()


def test_every_chunk_is_found_by_meaning_at_each_step_of_a_change_of_model(tenant: UUID) -> None:
    with override_settings(EMBEDDER=FORWARD):
        assert count_chunks_to_move(tenant) == CARE["backfill-vectors"].preview(tenant).counts["chunks"] == 13
        done = 0
        while step := reembed_chunks(tenant, 3, sizes=SMALL):
            done += step
            assert is_found_by_meaning(tenant, HARBOUR) and is_found_by_meaning(tenant, ZH)
            assert is_found_by_meaning(tenant, make_texts(10)[7])
            assert_index_is_whole(tenant)
        assert (done, count_chunks_to_move(tenant), count_in(tenant, "hashing-32")) == (13, 0, 13)
    with override_settings(EMBEDDER=NEW):
        old = EmbeddingSpace.objects.get(name="hashing-64")
        assert drop_chunk_vectors(tenant, old, by=COMMAND_LINE) == 0
        assert delete_empty_space(old)
        assert is_found_by_meaning(tenant, HARBOUR)


def test_a_dropped_space_leaves_the_words_and_the_next_run_brings_vectors(tenant: UUID) -> None:
    with override_settings(EMBEDDER=NEW):
        old = EmbeddingSpace.objects.get(name="hashing-64")
        assert drop_chunk_vectors(tenant, old, by=COMMAND_LINE) == 13
        assert delete_empty_space(old)
        assert_index_is_whole(tenant)
        assert not is_found_by_meaning(tenant, HARBOUR)
        with tenant_tx(tenant):
            assert not VectorCell.objects.exists()
            assert AuditRecord.objects.filter(action="embedding_space.dropped", reason="hashing-64").count() == 1
        assert reembed_chunks(tenant, 1_000, sizes=SMALL) == 13
        assert is_found_by_meaning(tenant, HARBOUR) and is_found_by_meaning(tenant, ZH)
        assert_index_is_whole(tenant)
        assert reembed_chunks(tenant, 1_000) == 0


def test_without_models_nothing_is_embedded_and_other_tenants_are_left_alone(tenant: UUID, world: World) -> None:
    with override_settings(EMBEDDER="none"):
        assert (reembed_chunks(tenant, 10), count_chunks_to_move(tenant)) == (0, 0)
    with override_settings(EMBEDDER=NEW):
        assert reembed_chunks(world.globex.tenant.id, 10) == 0
    assert count_in(tenant, "hashing-64") == 13
