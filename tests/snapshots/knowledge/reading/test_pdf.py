"""PDFs: headings by type, paragraphs by distance, pages, and what has no text to read. Rows: K1, K2."""

from collections.abc import Sequence

import pytest

from snapshots.knowledge.chunking import cut_chunks
from snapshots.knowledge.config import DEFAULT_LIMITS
from snapshots.knowledge.errors import UnreadableDocumentError
from snapshots.knowledge.reading import read_document
from tests.snapshots.knowledge.reading.test_document_reader import outline

PDF = "application/pdf"
# Size, distance from below, text.
Line = tuple[float, float, str]
# A lock that no empty password opens.
LOCK = f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'1f' * 32}> /U <{'2e' * 32}> >> /ID [<0a> <0a>]"

pytestmark = pytest.mark.processes


def make_pdf(*pages: Sequence[Line], lock: str = "") -> bytes:
    """Return a PDF with the lines of each page."""
    numbers = range(4, 4 + 2 * len(pages), 2)
    kids = " ".join(f"{number} 0 R" for number in numbers)
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in zip(numbers, pages, strict=True):
        drawn = "".join(f"BT /F1 {size} Tf 50 {base} Td ({text}) Tj ET\n" for size, base, text in lines)
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream",
        ]
    numbered = "".join(f"{number} 0 obj\n{body}\nendobj\n" for number, body in enumerate(objects, start=1))
    return f"%PDF-1.4\n{numbered}trailer << /Root 1 0 R /Size {len(objects) + 1} {lock} >>\n%%EOF\n".encode()


def refuse(content: bytes, code: str, words: str) -> None:
    with pytest.raises(UnreadableDocumentError, match=words) as caught:
        read_document(content, PDF)
    assert caught.value.code == code


def test_a_pdf_has_headings_by_type_and_paragraphs_by_distance() -> None:
    words = "Goods may come back within thirty days of the sale and"
    lines = [
        (18, 800, "Returns"),
        (11, 770, words),
        (11, 756, "we pay."),
        (11, 728, "A new paragraph of the page says that the shop"),
        (11, 714, "It goes on with more words until here, and then on"),
    ]
    document = read_document(make_pdf(lines), PDF)
    assert outline(document) == [
        ("heading", "Returns", ("Returns",)),
        ("paragraph", f"{words} we pay.", ("Returns",)),
        (
            "paragraph",
            "A new paragraph of the page says that the shop It goes on with more words until here, and then on",
            ("Returns",),
        ),
    ]
    assert {block.page for block in document.blocks} == {1}


def test_each_chunk_of_500_pages_knows_its_page_and_running_titles_are_left_out() -> None:
    texts = [f"The kettle of room {chr(97 + n % 26) * (n // 26 + 1)} is hot." for n in range(500)]
    pages = [
        [(9, 820, f"Tea handbook, page {n}"), (18, 790, f"Room {n}"), (11, 760, text), (9, 20, "All rights reserved")]
        for n, text in enumerate(texts, 1)
    ]
    document = read_document(make_pdf(*pages), PDF)
    assert "handbook" not in document.text and "rights" not in document.text
    assert [(one.page, one.heading_path, one.text) for one in cut_chunks(document, "Teas")] == [
        (n, (f"Room {n}",), text) for n, text in enumerate(texts, 1)
    ]


def test_a_pdf_with_too_many_pages_is_refused() -> None:
    refuse(make_pdf(*[[]] * (DEFAULT_LIMITS.most_pages + 1)), "document_too_large", r"2,001 pages.*Split it")


def test_scanned_pages_without_text_are_said_so() -> None:
    refuse(make_pdf([], []), "document_without_text", r"The 2 pages .*\(OCR\)")


def test_an_encrypted_pdf_is_refused() -> None:
    refuse(make_pdf([(11, 700, "Secret.")], lock=LOCK), "document_encrypted", "Remove its password")


@pytest.mark.parametrize("cut", [0.2, 0.5, 0.95])
def test_a_pdf_that_is_cut_off_is_refused(cut: float) -> None:
    whole = make_pdf(*[[(11, 700, f"Page {n}.")] for n in range(20)])
    refuse(whole[: int(len(whole) * cut)], "document_damaged", "cut off")
