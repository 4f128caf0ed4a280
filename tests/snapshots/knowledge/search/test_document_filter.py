"""A filter of documents means what the same filter means for memories. Rows: K3."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from snapshots.knowledge.search.chunk_candidates import load_candidates, load_filtered_candidates
from snapshots.knowledge.search.config import LaneConfig
from snapshots.knowledge.search.document_filter import DOCUMENT_FIELDS, build_document_condition
from snapshots.knowledge.search.searched_parts import find_searched_parts
from snapshots.knowledge.search.values import DocumentScope
from snapshots.models import Document, IndexedChunk
from snapshots.recall.filtering.filter_grammar import FilterNode, parse_filter
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.knowledge.indexed_documents import store_indexed_document
from tests.snapshots.recall.filtering.plain_filter import matches

METADATA = {
    "tea": {"lang": "zh", "year": 2026, "tags": ["绿茶", "a"], "shown": True, "none": None},
    "coffee": {"lang": "EN", "year": "2026", "tags": "Coffee of 2025", "shown": 1, "price": -0.5},
    "bare": {},
}
OPERANDS = [
    *({name: value} for name in ("eq", "ne", "contains") for value in (2026, 1, True, "2026", "绿茶", "en", "%", "")),
    *({name: value} for name in ("gt", "gte", "lt", "lte") for value in (2026, 1, True, "2026", "zh", -0.5)),
    {"in": ["zh", 2026]},
    {"in": [True, "绿茶"]},
    {"exists": True},
    {"exists": False},
    {"ne": "zh", "exists": True},
]
MADE = "2000-01-01T00:00:00Z"
ON_COLUMNS = [
    {"document_id": {"in": ["tea", "bare", "x'"]}},
    {"document_id": {"ne": "tea"}},
    {"title": {"contains": "GUIDE"}},
    {"title": {"eq": "bare"}},
    {"collection": {"exists": False}},
    {"collection": {"ne": "handbook"}},
    {"collection": {"contains": "HAND"}},
    {"content_type": {"eq": "text/markdown"}, "source_url": {"exists": False}},
    {"source_url": {"contains": "://"}},
    {"created_at": {"gt": MADE}, "updated_at": {"gte": MADE}},
    {"created_at": {"lt": MADE}},
    {"created_at": {"gt": "2000-01-01T00:00:00+23:59"}},
    {"not": {"or": [{"title": {"contains": "绿茶"}}, {"metadata.lang": {"eq": "EN"}}]}},
    {"or": [{"document_id": {"eq": "tea"}}, {"and": [{"metadata.year": {"exists": True}}, {"title": {"ne": "a"}}]}]},
]


@pytest.fixture
def acme(world: World) -> UUID:
    tenant = world.acme.tenant.id
    store_indexed_document(tenant, "tea", ["绿茶用八十度的水。"], title="绿茶 guide", metadata=METADATA["tea"])
    store_indexed_document(tenant, "coffee", ["Coffee."], metadata=METADATA["coffee"], collection="handbook")
    store_indexed_document(tenant, "bare", ["Nothing."], content_type="text/plain")
    with tenant_tx(tenant):
        Document.objects.filter(external_id="coffee").update(source_url="https://coffee.example")
    return tenant


def lookup(document: Document) -> Callable[[str], object]:
    columns = {
        "document_id": document.external_id,
        "title": document.shown_title,
        "collection": document.collection.external_id if document.collection else None,
        "content_type": document.content_type,
        "source_url": document.source_url or None,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
    }
    assert columns.keys() == DOCUMENT_FIELDS.keys()
    held = columns | {f"metadata.{key}": value for key, value in document.metadata.items()}
    return held.get


def test_each_operator_matches_the_documents_that_the_grammar_says(acme: UUID) -> None:
    on_metadata = [
        {f"metadata.{key}": operand}
        for key in ("lang", "year", "tags", "shown", "none", "price", "o'%s")
        for operand in OPERANDS
    ]
    parts = find_searched_parts(acme, DocumentScope())
    with tenant_tx(acme):
        documents = list(Document.objects.select_related("collection"))
        chunks = dict(IndexedChunk.objects.values_list("chunk__document__external_id", "chunk_id"))
        for raw in [*on_metadata, *ON_COLUMNS]:
            node = parse_filter(raw, fields=DOCUMENT_FIELDS)
            expected = {chunks[one.external_id] for one in documents if matches(node, lookup(one))}
            found = load_filtered_candidates(parts, node)
            assert found is not None and {one.chunk_id for one in found} == expected, raw


def test_a_condition_reads_the_metadata_once_however_many_values_it_names() -> None:
    values: list[Any] = []
    node = parse_filter({"metadata.lang": {"in": [f"l{number}" for number in range(100)]}}, fields=DOCUMENT_FIELDS)
    assert build_document_condition(node, values).count("d.metadata") == 1
    assert [type(one) for one in values] == [str, list]


def test_a_filter_that_leaves_many_chunks_narrows_what_the_lanes_bring(acme: UUID) -> None:
    node: FilterNode = parse_filter({"metadata.lang": {"eq": "zh"}}, fields=DOCUMENT_FIELDS)
    parts = find_searched_parts(acme, DocumentScope())
    with tenant_tx(acme):
        assert load_filtered_candidates(parts, node, LaneConfig(filtered=0)) is None
        numbers = list(IndexedChunk.objects.values_list("part", "number"))
        (found,) = load_candidates([], numbers, node)
        tea = IndexedChunk.objects.get(chunk__document__external_id="tea")
    assert (len(numbers), found.chunk_id) == (3, tea.chunk_id)
