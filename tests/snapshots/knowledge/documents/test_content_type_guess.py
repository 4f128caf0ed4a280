"""A file without a telling content type has that of its ending. Rows: K1."""

import pytest

from snapshots.knowledge.documents.content_type_guess import guess_content_type


@pytest.mark.parametrize(
    ("name", "declared", "expected"),
    [
        ("手册.MD", "", "text/markdown"),
        ("manual.pdf", "application/octet-stream", "application/pdf"),
        ("manual.pdf", "application/octet-stream; charset=binary", "application/pdf"),
        ("page.txt", " text/html; charset=gb18030 ", "text/html; charset=gb18030"),
        ("LICENSE", "", "text/plain"),
        ("archive.tar", "", "text/plain"),
    ],
)
def test_the_content_type_of_a_file(name: str, declared: str, expected: str) -> None:
    assert guess_content_type(name, declared) == expected
