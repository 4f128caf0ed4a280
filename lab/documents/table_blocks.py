"""The places in documents where tables are printed: between ``<!-- figures:NAME -->`` and ``<!-- /figures -->``."""

import re
from collections.abc import Iterator
from pathlib import Path

from lab.documents.tables import TABLES
from memory_platform.kernel.errors import NotFound

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(<!-- figures:([\w-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)


class TableUnknown(NotFound):
    """A document asks for a table that no function makes."""

    code = "table_unknown"


def documents() -> Iterator[Path]:
    """Yield the documents that may show tables."""
    yield ROOT / "README.md"
    yield from sorted((ROOT / "docs").glob("*.md"))
    yield from sorted((ROOT / "lab").rglob("*.md"))


def replace_tables(text: str) -> str:
    """Return a document's text with its tables made anew. Raises TableUnknown."""
    return BLOCK.sub(_render_block, text)


def _render_block(found: re.Match[str]) -> str:
    begin, name, end = found.groups()
    if name not in TABLES:
        raise TableUnknown(f"There is no table {name!r}; known: {', '.join(TABLES)}.")
    table = "\n".join(TABLES[name]())
    return f"{begin}\n{table}\n\n{end}"
