"""Indexing is measured on pages of which no chunk is like another. Rows: K1, K2."""

from pathlib import Path

import pytest

from lab.benchmarks.document_indexing import measure_indexing, read_markdown
from snapshots.knowledge.chunking import cut_chunks
from snapshots.knowledge.reading import read_document
from tests.conftest import World

PAGES = {"a.md": "# Tea\n\nGreen tea.\n\n## 绿茶\n\n用八十度的水。\n", "b.md": "# Coffee\n\nWater of 93 degrees.\n"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_pages_that_are_used_again_make_other_chunks(folder: Path) -> None:
    content = read_markdown(folder, 1_000)
    assert 990 < len(content) <= 1_000
    assert content.startswith(PAGES["a.md"].encode()) and b"# Coffee (3)" in content
    chunks = cut_chunks(read_document(content, "text/markdown"), "Pages")
    assert len({one.content_hash for one in chunks}) == len(chunks) > 20


def test_the_measurement_tells_chunks_and_times(world: World, folder: Path) -> None:
    measured = measure_indexing(world.acme.tenant.id, "en", read_markdown(folder, 1_000))
    assert measured.chunks > 20
    assert measured.own_s > 0 and measured.seconds > 0
    assert measured.render().startswith(f"en: 0.0 MB, {measured.chunks} chunks in ")
