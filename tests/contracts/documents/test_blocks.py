"""Every block of code on a page is run by a test, or a reason says why not. Rows: D15, D16."""

import json
import re

import pytest
import yaml

from tests.contracts.documents.blocks import (
    CODE,
    EXCEPTIONS,
    QUICK_PAGES,
    ROOT,
    RUN_ELSEWHERE,
    SHOWN,
    SLOW_PAGES,
    Block,
    find_runner,
    list_pages,
    read_blocks,
)

BLOCKS = [block for page in list_pages() for block in read_blocks(page)]
MOST_EXCEPTIONS = 16


def test_every_block_says_its_language() -> None:
    assert {f"{block.page}: {block.language}" for block in BLOCKS if block.language not in CODE | SHOWN} == set()


def test_every_block_of_code_is_run_or_has_a_reason() -> None:
    code = [block for block in BLOCKS if block.number]
    assert len(code) > 70
    assert [block.name for block in code if find_runner(block) is None] == []


def test_a_block_that_nobody_runs_is_found() -> None:
    page = (
        "```sh\ncurl x\n```\n\n1. A list\n\n    ```python\n    x = 1\n    ```\n\n"
        "```json\n{}\n```\n```text\nx\n```\n```sql\nSELECT\n```\n"
    )
    blocks = list(read_blocks("docs/new.md", page))
    assert [(block.language, block.number) for block in blocks] == [
        ("sh", 1), ("python", 2), ("json", 0), ("text", 0), ("sql", 3),
    ]  # fmt: skip
    assert [find_runner(block) for block in blocks if block.number] == [None, None, None]
    assert find_runner(Block("docs/api.md", "python", "", 9)) is None


def test_the_tables_name_what_is_there() -> None:
    names = {name for block in BLOCKS if block.number for name in (block.name, block.page)}
    assert {*RUN_ELSEWHERE, *EXCEPTIONS, *QUICK_PAGES, *SLOW_PAGES} - names == set()
    assert not RUN_ELSEWHERE.keys() & EXCEPTIONS.keys()
    assert len(EXCEPTIONS) <= MOST_EXCEPTIONS


@pytest.mark.parametrize("test", sorted(set(RUN_ELSEWHERE.values())))
def test_a_test_that_runs_a_page_names_it(test: str) -> None:
    text = (ROOT / test).read_text(encoding="utf-8")
    pages = {name.partition("#")[0] for name, runner in RUN_ELSEWHERE.items() if runner == test}
    assert {page for page in pages if page.rpartition("/")[2] not in text} == set()


def test_tests_that_a_reason_names_exist() -> None:
    named = {name for reason in EXCEPTIONS.values() for name in re.findall(r"tests/[\w/.]+", reason)}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_a_block_of_yaml_is_yaml() -> None:
    shown = [block for block in BLOCKS if block.language == "yaml"]
    assert shown
    assert all(isinstance(yaml.safe_load(block.text), dict) for block in shown)


@pytest.mark.parametrize("page", sorted({block.page for block in BLOCKS if block.language == "json"}))
def test_a_whole_block_of_json_is_json(page: str) -> None:
    """Several values may follow each other; a block with `...` is shortened for readers."""
    for block in read_blocks(page):
        rest = block.text.strip() if block.language == "json" and "..." not in block.text else ""
        while rest:
            _value, end = json.JSONDecoder().raw_decode(rest)
            rest = rest[end:].strip()
