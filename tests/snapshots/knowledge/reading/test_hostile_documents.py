"""A document that cannot be read is refused with a stable code and what to do. Rows: K1, K2."""

import pytest

from snapshots.knowledge.errors import UnreadableDocumentError
from snapshots.knowledge.reading import read_document
from snapshots.knowledge.reading.document_formats import DOCX_TYPE
from tests.snapshots.knowledge.reading.test_document_reader import make_docx
from tests.snapshots.knowledge.reading.test_pdf import make_pdf

_ENTITIES = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
IN_THIS_PROCESS = [
    ("empty", b" \n", "text/plain", "document_empty"),
    ("large", b"a " * 17_000_000, "text/plain", "document_too_large"),
    ("unknown", b"x", "image/png", "document_type_unknown"),
    ("picture", b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "text/plain", "document_binary"),
    ("bytes", bytes(range(1, 32)) * 99, "text/plain", "document_binary"),
    ("bytes in Latin", bytes(range(256)) * 99, "text/plain; charset=latin-1", "document_binary"),
    ("PDF as text", make_pdf([]), "text/plain", "document_type_mismatch"),
    ("text as PDF", b"hello", "application/pdf", "document_type_mismatch"),
    ("page as text", b"<!doctype html><p>x", "text/plain", "document_type_mismatch"),
    ("old Word", b"\xd0\xcf\x11\xe0" + b"\0" * 99, DOCX_TYPE, "document_encrypted"),
    ("no such encoding", b"ab", "text/plain; charset=hex", "document_encoding"),
    ("line", b'{"question": "a", "answer": "b"}\n{"question": 1}', "application/x-ndjson", "document_malformed_line"),
    ("no letter", b"--- !!!", "text/markdown", "document_without_text"),
]
IN_A_PROCESS = [
    ("bare PDF", b"%PDF-1.7\n%%EOF", "application/pdf", "document_damaged"),
    ("cut off DOCX", make_docx("<w:p/>")[:200] + b"word/", DOCX_TYPE, "document_damaged"),
    ("bomb", make_docx(" " * 70_000_000), DOCX_TYPE, "document_too_large"),
    ("deep DOCX", make_docx("<w:sdt>" * 2_000 + "</w:sdt>" * 2_000), DOCX_TYPE, "document_damaged"),
]


@pytest.mark.parametrize(
    ("content", "content_type", "code"),
    [case[1:] for case in IN_THIS_PROCESS],
    ids=[case[0] for case in IN_THIS_PROCESS],
)
def test_what_is_no_document_is_refused(content: bytes, content_type: str, code: str) -> None:
    refuse(content, content_type, code)


@pytest.mark.processes
@pytest.mark.parametrize(
    ("content", "content_type", "code"), [case[1:] for case in IN_A_PROCESS], ids=[case[0] for case in IN_A_PROCESS]
)
def test_what_breaks_a_parser_is_refused(content: bytes, content_type: str, code: str) -> None:
    refuse(content, content_type, code)


def refuse(content: bytes, content_type: str, code: str) -> None:
    with pytest.raises(UnreadableDocumentError) as caught:
        read_document(content, content_type)
    assert caught.value.code == code
    assert caught.value.detail.endswith(".")
    assert caught.value.detail.count(". ") >= 1


@pytest.mark.processes
def test_no_file_is_read_for_an_entity() -> None:
    content = make_docx("<w:p><w:r><w:t>hello &e;</w:t></w:r></w:p>", _ENTITIES)
    assert read_document(content, DOCX_TYPE).text == "hello"


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.processes
def test_a_page_that_nests_without_end_is_given_up() -> None:
    refuse(b"<div>" * 300_000 + b"x", "text/html", "document_too_complex")
