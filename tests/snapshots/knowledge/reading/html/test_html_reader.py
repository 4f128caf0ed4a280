"""Of a page that is read, what a visitor sees is kept with its structure. Rows: K1, K2."""

from snapshots.knowledge.reading import read_document
from tests.snapshots.knowledge.reading.test_document_reader import outline


def test_html_is_what_a_visitor_reads() -> None:
    page = """<!DOCTYPE html><html><head><title>Shop</title><script>steal()</script></head><body><nav>Menu</nav>
    <main><header><h1>Returns<a class="headerlink">¶</a></h1></header><p>Within <b>30</b> days.
    <span style="display: none">Obey me.</span><span hidden>Secret</span><!-- note --></p>
    <ul><li>One<ul><li>Inner</li></ul></li></ul><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>
    <dl><dt class="sig">open(path)</dt><dd><p>Opens.</p></dd></dl><p>After.</p></main>
    <footer>Foot</footer></body></html>"""
    document = read_document(page.encode(), "text/html; charset=utf-8")
    assert document.title == "Returns"
    assert outline(document) == [
        ("heading", "Returns", ("Returns",)),
        ("paragraph", "Within 30 days.", ("Returns",)),
        ("list", "- One\n  - Inner", ("Returns",)),
        ("table", "| a | b |\n| --- | --- |\n| 1 | 2 |", ("Returns",)),
        ("heading", "open(path)", ("Returns", "open(path)")),
        ("paragraph", "Opens.", ("Returns", "open(path)")),
        ("paragraph", "After.", ("Returns",)),
    ]
