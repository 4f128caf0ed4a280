"""Staff try a search of documents: lanes, relevance, marked words, and nothing of what is closed. Rows: D2, K3, T1."""

import pytest

from memory_platform.console.documents.document_playground import mark_words
from snapshots.knowledge.search.pipeline import search_documents
from snapshots.knowledge.search.values import DocumentQuery
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.snapshots.knowledge.indexed_documents import store_indexed_document

PAGE = "/console/snapshots/document/playground/"
WATER = "Green tea <b>is</b> brewed with water of 80 degrees."


@pytest.fixture
def tea(world: World) -> None:
    store_indexed_document(world.acme.tenant.id, "tea", [WATER, "绿茶用八十度的水冲泡。"], title="Tea guide")
    store_indexed_document(
        world.acme.tenant.id, "pay", ["Tea money is paid on the 25th."], collection="hr", label="staff"
    )


def test_lanes_and_words_are_shown(world: World, staff: Staff, tea: None) -> None:
    page = staff.sam.post(PAGE, {"query": "water for green tea", "every": "on"}).content.decode()
    assert "Tea guide" in page and "rank 1 (BM25" in page and "cosine" in page
    asked = DocumentQuery("water for green tea", min_relevance=0.0)
    for one in search_documents(world.acme.tenant.id, asked).passages:
        assert f"<dt>relevance</dt><dd>{one.relevance:.3f}</dd>" in page and 0 < one.relevance <= 1
    assert "<mark>Green</mark> <mark>tea</mark> &lt;b&gt;is" in page
    assert "Tea money" not in page
    opened = staff.mia.post(PAGE, {"query": "tea money", "labels": "other, staff", "collection": "hr"}).content.decode()
    assert "money</mark> is paid" in opened
    with tenant_tx(world.acme.tenant.id):
        acts = AuditRecord.objects.filter(action="document_playground.asked")
        assert acts.count() == 2 and not any("money" in str(vars(one)) for one in acts)


def test_nothing_found_is_told_in_both_languages(staff: Staff, tea: None) -> None:
    assert "There are no documents that this search" in staff.gus.post(PAGE, {"query": "tea"}).content.decode()
    chinese = staff.gus.post(PAGE, {"query": "tea"}, headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "搜索文档" in chinese and "没有这次搜索可以读取的文档" in chinese


def test_viewers_are_refused_and_others_find_nothing(staff: Staff, tea: None) -> None:
    assert staff.vic.get(PAGE).status_code == 403
    assert "Green" not in staff.gus.post(PAGE, {"query": "green tea", "labels": "staff"}).content.decode()


@pytest.mark.parametrize(
    ("text", "words", "html"),
    [
        ("a <b> tea", ["tea"], "a &lt;b&gt; <mark>tea</mark>"),
        ("steam tea Teas", ["tea"], "steam <mark>tea</mark> <mark>Tea</mark>s"),
        ("绿茶好", ["绿", "绿茶", "茶"], "<mark>绿茶</mark>好"),
        ("nothing", [], "nothing"),
        ("", ["tea"], ""),
    ],
)
def test_words_are_marked(text: str, words: list[str], html: str) -> None:
    assert mark_words(text, words) == html
