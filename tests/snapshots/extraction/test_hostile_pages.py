"""A page of one thing repeated costs no more than a page of text. Rows: S1, E1. Matrix: 49, 51."""

import time
from datetime import UTC, datetime

import pytest

from snapshots.extraction.extractive import statement_draft
from snapshots.extraction.pipeline import extract
from snapshots.extraction.values import ExtractionContext, Utterance


@pytest.mark.parametrize("unit", ["一", "二十三", "1-", "no, ", "4111 ", "我喜欢"])
def test_a_hostile_page_is_read_within_a_second(unit: str) -> None:
    text = unit * (65_000 // len(unit.encode()))
    said = Utterance("m1", "user", None, text, datetime.now(UTC), 1)
    began = time.process_time()
    statement_draft(said)
    extract(said, context=ExtractionContext())
    assert time.process_time() - began < 1
