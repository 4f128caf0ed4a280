"""A file without a telling content type has that of its ending. Rows: K1."""

import pytest

from snapshots.knowledge.documents.content_type_guess import guess_content_type
from snapshots.knowledge.reading import read_document


@pytest.mark.parametrize(
    ("name", "declared", "expected"),
    [
        ("手册.MD", "", "text/markdown"),
        ("manual.pdf", "application/octet-stream", "application/pdf"),
        ("manual.pdf", "application/octet-stream; charset=binary", "application/pdf"),
        ("page.txt", " text/html; charset=gb18030 ", "text/html; charset=gb18030"),
        ("LICENSE", "", "text/plain"),
        ("View.TSX", "", "text/x-tsx"),
        ("list.h", "application/octet-stream", "text/x-c"),
        ("archive.tar", "", "text/plain"),
    ],
)
def test_the_content_type_of_a_file(name: str, declared: str, expected: str) -> None:
    assert guess_content_type(name, declared) == expected


PLAIN_C = "int add(int a, int b) {\n  return a + b;\n}\n\nint sub(int a, int b) {\n  return a - b;\n}\n"
JAVASCRIPT = "function add(a, b) {\n  return a + b;\n}\nfunction sub(a, b) {\n  return a - b;\n}\n"
TYPESCRIPT = JAVASCRIPT.replace("(a, b)", "(a: number, b: number)")
MARKUP = "function add() {\n  return <b>{1}</b>;\n}\nfunction sub() {\n  return <i>小</i>;\n}\n"


@pytest.mark.parametrize(
    ("endings", "code"),
    [
        (("py", "pyi"), "def add(a):\n    return a\n\n\ndef sub(a):\n    return -a\n"),
        (("js", "mjs", "cjs", "jsx"), JAVASCRIPT),
        (("ts", "mts", "cts", "tsx"), TYPESCRIPT),
        (("jsx", "tsx"), MARKUP),
        (("java",), "class Box {}\nclass Sub {}\n"),
        (("go",), "package a\n\nfunc add() {}\n\nfunc sub() {}\n"),
        (("rs",), "fn add() {}\nfn sub() {}\n"),
        (("c", "h", "cpp", "cc", "cxx", "hpp", "hh", "hxx"), PLAIN_C),
        (("cpp", "cc", "cxx", "hpp", "hh", "hxx"), "template <class T> T add(T a) {}\nnamespace sub {\nint b;\n}\n"),
    ],
)
def test_code_is_cut_by_definition_whatever_its_ending(endings: tuple[str, ...], code: str) -> None:
    for ending in endings:
        document = read_document(code.encode(), guess_content_type(f"file.{ending}"))
        named = [block.heading_path[-1].lower() for block in document.blocks if block.heading_path]
        assert len(named) == 2 and named[-1].startswith("sub"), (ending, named)
