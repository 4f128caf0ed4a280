"""Documents show the tables that the kept runs make. Rows: D4, D16, X10."""

import re
from pathlib import Path

import pytest

from lab.documents.run_tables import BLOCK, ROOT, RUNS, TABLES, TableUnknown, list_documents, replace_tables

TEXTS = {path: path.read_text(encoding="utf-8") for path in list_documents()}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_tables_are_those_of_the_runs(path: Path) -> None:
    assert replace_tables(TEXTS[path]) == TEXTS[path], "run manage.py print_figures"


def test_every_table_is_shown_somewhere() -> None:
    assert {name for text in TEXTS.values() for _, name, _ in BLOCK.findall(text)} == set(TABLES)


def test_every_run_that_a_document_names_is_kept() -> None:
    named = {name for text in TEXTS.values() for name in re.findall(r"`([0-9a-f]{12})`", text)}
    assert named
    assert {name for name in named if not (RUNS / f"{name}.json").exists()} == set()


def test_a_changed_table_is_printed_anew() -> None:
    stale = "a\n<!-- figures:recall -->\n| old |\n<!-- /figures -->\nb\n"
    printed = replace_tables(stale)
    assert printed.startswith("a\n<!-- figures:recall -->\n")
    assert printed.endswith("<!-- /figures -->\nb\n")
    assert "old" not in printed
    assert replace_tables(printed) == printed


def test_an_unknown_table_is_refused() -> None:
    with pytest.raises(TableUnknown):
        replace_tables("<!-- figures:nothing -->\n<!-- /figures -->")
