"""A file is sent with its ending, and the platform says what it is. Rows: D11, K1."""

from pathlib import Path

from tests.clients.python.conftest import Asker


def test_code_is_not_taken_for_what_the_system_s_table_says(platform: Asker, tmp_path: Path) -> None:
    """By that table .ts is a translation, .rs of a service, and .tsx unknown."""
    documents = platform.memory.documents
    for ending, kind in ((".ts", "text/x-typescript"), (".tsx", "text/x-tsx"), (".rs", "text/x-rust")):
        file = tmp_path / f"代码{ending}"
        file.write_text("const a = 1;\n")
        written = platform(documents.put_file(f"code{ending}", file, title="Code"))
        assert (written.content_type, written.title) == (kind, "Code")
