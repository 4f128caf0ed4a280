"""Questions to documents: who finds what, in which order, and what is left after a deletion. Rows: K3, T1."""

from uuid import UUID

import pytest
from django.db import IntegrityError
from django.test import override_settings

from snapshots.knowledge.search.document_filter import DOCUMENT_FIELDS
from snapshots.knowledge.search.document_question import prepare_document_questions
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.searched_parts import find_searched_parts
from snapshots.knowledge.search.values import DocumentAbstainReason, DocumentQuery, DocumentScope
from snapshots.models import Chunk, Document, IndexedChunk, PostingBlock, VectorCell
from snapshots.recall.filtering.filter_grammar import FilterNode, parse_filter
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.snapshots.knowledge.indexed_documents import delete_indexed_document, store_indexed_document

REFUNDS = [
    "Refunds are paid back to the original card within five working days.",
    "Gift cards cannot be refunded, but they never expire.",
]
BAGGAGE = ["Each passenger may check in two suitcases of at most 23 kilograms.", "托运行李每件不得超过23公斤。"]
ZH = ["退款将在五个工作日内退回原支付卡。", "礼品卡不可退款,但永不过期。"]


@pytest.fixture
def acme(world: World) -> UUID:
    tenant = world.acme.tenant.id
    store_indexed_document(tenant, "refunds", REFUNDS, title="Refund policy", metadata={"lang": "en"})
    store_indexed_document(tenant, "baggage", BAGGAGE, title="Baggage")
    store_indexed_document(tenant, "退款", ZH, title="退款政策", content_type="text/plain")
    return tenant


def ask(tenant: UUID, text: str, **more: object) -> list[str]:
    """Return the documents that answer, best first; ``more`` may name collections and labels."""
    scope = DocumentScope(**{name: more.pop(name) for name in ("collections", "access_labels") if name in more})  # type: ignore[arg-type]
    found = search_documents(tenant, DocumentQuery(text, scope=scope, **({"min_relevance": 0.0} | more)))  # type: ignore[arg-type]
    return [one.citation.document_id for one in found.passages]


def filter_of(raw: object) -> FilterNode:
    return parse_filter(raw, fields=DOCUMENT_FIELDS)


def test_a_question_finds_its_document_in_either_language(acme: UUID) -> None:
    assert ask(acme, "How long does a refund take?")[0] == "refunds"
    assert ask(acme, "How heavy may my luggage be?")[0] == "baggage"
    assert ask(acme, "多久能收到退款?")[0] == "退款"


def test_a_model_without_chunks_of_the_tenant_does_not_embed_its_questions(world: World) -> None:
    tenant, question = world.globex.tenant.id, "How long does a refund take?"
    with override_settings(EMBEDDER="hashing:64"):
        store_indexed_document(tenant, "refunds", REFUNDS)
    with override_settings(EMBEDDER="hashing:32,hashing:64"):
        spaces = find_searched_parts(tenant, DocumentScope()).spaces
        (own,), _ = prepare_document_questions([question], spaces=spaces)
        (any_space,), _ = prepare_document_questions([question])
    assert (len(spaces), set(own.vectors), own.terms) == (1, set(spaces), any_space.terms)
    assert len(any_space.vectors) == 2


def test_adjacent_chunks_are_one_passage_that_cites_its_span(acme: UUID) -> None:
    found = search_documents(acme, DocumentQuery("refund of a gift card", min_relevance=0.0)).passages[0]
    assert found.text == "\n\n".join(REFUNDS)
    assert (found.citation.title, found.citation.start, found.citation.end) == ("Refund policy", 0, 122)
    assert len(found.chunk_ids) == 2


def test_a_deleted_document_leaves_no_row_and_no_hit(acme: UUID) -> None:
    delete_indexed_document(acme, "refunds")
    assert "refunds" not in ask(acme, "How long does a refund to my card take?")
    with tenant_tx(acme):
        assert Chunk.objects.count() == IndexedChunk.objects.count() == 4


@pytest.mark.parametrize("model", [Document, Chunk])
def test_a_chunk_that_the_index_still_holds_stays(acme: UUID, model: type[Document | Chunk]) -> None:
    with pytest.raises(IntegrityError), tenant_tx(acme):
        model.objects.all().delete()
    assert ask(acme, "How long does a refund take?")[0] == "refunds"


def test_another_tenant_finds_nothing_of_it(acme: UUID, world: World) -> None:
    found = search_documents(world.globex.tenant.id, DocumentQuery("refund", min_relevance=0.0))
    assert (found.passages, found.abstained) == ([], DocumentAbstainReason.NO_DOCUMENTS)


def test_a_collection_with_a_label_is_searched_only_by_its_name(acme: UUID) -> None:
    store_indexed_document(acme, "salaries", ["Salaries are paid on the 25th."], collection="hr", label="staff")
    assert "salaries" not in ask(acme, "When are salaries paid?")
    assert "salaries" not in ask(acme, "When are salaries paid?", collections=("hr",))
    assert "salaries" not in ask(acme, "When are salaries paid?", access_labels=("Staff", ""))
    assert ask(acme, "When are salaries paid?", access_labels=("staff",))[0] == "salaries"
    assert ask(acme, "When are salaries paid?", access_labels=("staff",), collections=("hr",)) == ["salaries"]


def test_filters_narrow_what_is_searched(acme: UUID) -> None:
    question = "refund of a card for two suitcases"
    among = {"document_id": {"in": ["baggage", "nobody's"]}}
    assert ask(acme, question, filter=filter_of(among)) == ["baggage"]
    english = filter_of({"metadata.lang": {"eq": "en"}})
    assert set(ask(acme, question, filter=english)) == {"refunds"}
    assert set(ask(acme, "退款", filter=filter_of({"content_type": {"eq": "text/plain"}}))) == {"退款"}


def test_a_question_that_no_document_answers_is_told_so(acme: UUID) -> None:
    found = search_documents(acme, DocumentQuery("Who won the chess championship in 1972?"))
    assert (list(found.passages), found.abstained) == ([], DocumentAbstainReason.NOTHING_RELEVANT)


@pytest.mark.parametrize("text", ["", " \n", "的了是", "\x00", "%_'\"; DROP TABLE document --", "a" * 70_000])
def test_odd_questions_are_answered(acme: UUID, text: str) -> None:
    search_documents(acme, DocumentQuery(text, filter=filter_of({"document_id": {"in": ["x'", "\\"]}})))
    search_documents(acme, DocumentQuery(text))


def test_the_best_passages_stand_at_both_ends_on_request(acme: UUID) -> None:
    first, second, third = ask(acme, "refund of a suitcase")
    assert ask(acme, "refund of a suitcase", order="edges_first") == [first, third, second]


def test_nothing_is_held_in_cells_or_blocks_while_it_is_little(acme: UUID) -> None:
    with tenant_tx(acme):
        assert not PostingBlock.objects.exists() and not VectorCell.objects.exists()
