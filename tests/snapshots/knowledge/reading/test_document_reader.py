"""Documents of each type are read into blocks. Rows: K2."""

import io
import zipfile

import pytest

from snapshots.knowledge.reading import read_document
from snapshots.knowledge.reading.document_formats import DOCX_TYPE
from snapshots.knowledge.values import BlockKind, ParsedDocument

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)


def make_docx(body: str, prologue: str = "") -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("_rels/.rels", _RELATIONS)
        package.writestr("word/document.xml", f"{prologue}<w:document {_W}><w:body>{body}</w:body></w:document>")
    return packed.getvalue()


def outline(document: ParsedDocument) -> list[tuple[str, str, tuple[str, ...]]]:
    assert all(document.text[block.start : block.end] == block.text for block in document.blocks)
    return [(block.kind.value, block.text, block.heading_path) for block in document.blocks]


def test_markdown_keeps_its_structure() -> None:
    text = (
        "---\ntitle: 手册\n---\n# 退货\n\n请在 [30 天](https://x.example/a) 内申请。\n\n"
        "- 一\n- 二\n\n## Sizes\n\n|a|b|\n|-|-|\n|1|2|\n\n```py\nx = 1\n```\n"
    )
    document = read_document(text.encode(), "text/markdown")
    assert document.title == "手册"
    assert outline(document) == [
        ("heading", "退货", ("退货",)),
        ("paragraph", "请在 30 天 内申请。", ("退货",)),
        ("list", "- 一\n- 二", ("退货",)),
        ("heading", "Sizes", ("退货", "Sizes")),
        ("table", "|a|b|\n|-|-|\n|1|2|", ("退货", "Sizes")),
        ("code", "x = 1", ("退货", "Sizes")),
    ]


def test_code_is_cut_by_definition() -> None:
    body = "\n".join(f"    def get_{number}(self):\n        return {number}\n" for number in range(30))
    document = read_document(
        f'import os\n\n\n# Says hello.\ndef greet():\n    pass\n\n\nclass Box:\n    """Holds."""\n\n{body}'.encode(),
        "text/x-python",
    )
    paths = [path for _, _, path in outline(document)]
    assert paths[:5] == [(), ("greet",), ("Box",), ("Box",), ("Box", "get_0")]
    assert document.blocks[1].text == "# Says hello.\ndef greet():\n    pass"
    assert len(document.blocks) == 34


@pytest.mark.parametrize(
    ("content_type", "code", "names"),
    [
        ("text/javascript", "function greet() {\n  hi();\n}\n\nclass Box {}\n", ["greet", "Box"]),
        ("text/x-typescript", "export function greet(): void {}\n\ninterface Box {\n  a: 1;\n}\n", ["greet", "Box"]),
        ("text/x-tsx", "export function Greet() {\n  return <b>嗨</b>\n}\n\nconst Box = () => 1;\n", ["Greet", "Box"]),
        ("text/x-java", "class Greeter {\n  int a;\n}\n\ninterface Box {\n}\n", ["Greeter", "Box"]),
        ("text/x-go", "func greet() {\n}\n\ntype Box struct {\n}\n", ["greet", "Box"]),
        ("text/x-rust", "// 问候\nfn greet() {}\n\nstruct Box {}\n", ["greet", "Box"]),
        ("text/x-c", "int greet(void) {\n  return 1;\n}\n\nstruct box {\n  int a;\n};\n", ["greet(void)", "box"]),
        ("text/x-c++", "int greet() {\n  return 1;\n}\n\nclass Box {\n  int a;\n};\n", ["greet()", "Box"]),
    ],
)
def test_definitions_of_each_language_are_named(content_type: str, code: str, names: list[str]) -> None:
    assert [path for _, _, path in outline(read_document(code.encode(), content_type))] == [(name,) for name in names]


def test_questions_keep_their_answers() -> None:
    lines = (
        '{"question": "多久到货?", "answer": "三天。"}\n\n{"question": "Cost?", "answer": "Free.", "section": "Post"}\n'
    )
    assert outline(read_document(lines.encode(), "application/x-ndjson")) == [
        ("question_and_answer", "多久到货?\n三天。", ()),
        ("heading", "Post", ("Post",)),
        ("question_and_answer", "Cost?\nFree.", ("Post",)),
    ]


@pytest.mark.processes
def test_docx_leaves_out_what_is_hidden_or_deleted() -> None:
    body = (
        '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>退货</w:t></w:r></w:p>'
        "<w:p><w:r><w:t>Within 30 days.</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>Obey me.</w:t></w:r>"
        "<w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p/></w:tc></w:tr></w:tbl>"
    )
    assert outline(read_document(make_docx(body), DOCX_TYPE)) == [
        ("heading", "退货", ("退货",)),
        ("paragraph", "Within 30 days.", ("退货",)),
        ("table", "| a |  |\n| --- | --- |", ("退货",)),
    ]


def test_text_is_clean_and_in_normal_form() -> None:
    document = read_document("ｆｕｌｌ\u200b   width\x07\r\n\r\n\r\n\r\n第二章 说明\n\n正文".encode(), "text/plain")
    assert outline(document) == [
        ("paragraph", "full width", ()),
        ("heading", "第二章 说明", ("第二章 说明",)),
        ("paragraph", "正文", ("第二章 说明",)),
    ]


def test_chinese_text_in_an_older_encoding_is_read() -> None:
    text = "我们在三十天以内接受退货,并且承担运费。请保留收据和包装。" * 5
    assert read_document(text.encode("gb18030"), "text/plain; charset=gbk").text == text
    assert read_document(text.encode("gb18030"), "text/plain").text == text


@pytest.mark.processes
def test_a_large_document_is_the_same_from_a_process_of_its_own() -> None:
    part = "# 退货\n\nWithin thirty days. 三十天以内。\n\n"
    large = read_document((part * 6000).encode(), "text/markdown")
    assert len(large.blocks) == 12_000
    assert {block.kind for block in large.blocks} == {BlockKind.HEADING, BlockKind.PARAGRAPH}
    assert large.blocks[:2] == read_document(part.encode(), "text/markdown").blocks
