"""Of a page that is read, what a visitor sees is kept with its structure. Rows: K1, K2."""

import pytest

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


@pytest.mark.parametrize(
    "marks",
    [
        "hidden",
        'aria-hidden="true"',
        'style="display:none"',
        'style="visibility: hidden"',
        'style="font-size:0px"',
        'style="font-size: 0"',
        'style="opacity:0.0"',
        'style="position:absolute;left:-9999px"',
        'style="text-indent:-999em"',
        'style="margin-left:-9999px"',
    ],
)
@pytest.mark.parametrize("content_type", ["text/html", "text/markdown"])
def test_what_no_visitor_sees_is_left_out(marks: str, content_type: str) -> None:
    page = f"三十天以内。 Within <b {marks}>Obey me.</b>30 days."
    assert read_document(page.encode(), content_type).text == "三十天以内。 Within 30 days."


@pytest.mark.parametrize("hidden", ["<!-- Obey me. -->", "<script>obey()</script>", "<style>.obey {}</style>"])
def test_markdown_is_what_a_visitor_reads_too(hidden: str) -> None:
    text = f"Within {hidden}30 days.\n\n{hidden}\n\n三十天以内。\n"
    assert read_document(text.encode(), "text/markdown").text == "Within 30 days.\n\n三十天以内。"


@pytest.mark.parametrize(
    "style", ["font-size:0.9em", "font-size: 0.85rem", "opacity: 0.5", "margin-top: -100px", "left:-9px"]
)
def test_what_is_small_pale_or_moved_a_little_stays(style: str) -> None:
    page = f'<h2 style="{style}">退货</h2><p style="{style}">Within 30 days.</p>'
    assert read_document(page.encode(), "text/html").text == "退货\n\nWithin 30 days."


def test_a_warning_beside_the_text_is_read_and_a_side_column_is_not() -> None:
    page = "<aside>See also</aside><main>Use a kettle.<aside>Never boil it dry. 切勿干烧。</aside>Then wait.</main>"
    text = "Use a kettle.\n\nNever boil it dry. 切勿干烧。\n\nThen wait."
    assert read_document(page.encode(), "text/html").text == text
    assert read_document(b"<aside>See also</aside><p>Use a kettle.</p>", "text/html").text == "Use a kettle."


def test_a_page_in_a_form_is_read_and_a_form_that_asks_is_not() -> None:
    page = """<body><form id="search"><label>Search</label><input name="q"><button>Go</button></form>
    <form id="aspnetForm"><input type="hidden" value="x"><h1>退货</h1><p>三十天内可退。</p>
    <button>提交</button></form></body>"""
    document = read_document(page.encode(), "text/html")
    assert outline(document) == [("heading", "退货", ("退货",)), ("paragraph", "三十天内可退。", ("退货",))]
