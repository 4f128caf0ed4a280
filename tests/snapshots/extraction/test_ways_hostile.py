"""No frame of a way of saying is slow on a hostile text. Rows: E1."""

import time
from importlib import import_module

import pytest

TABLES = [
    f"frames_{language}_{room}:{room.upper()}"
    for language in ("en", "zh")
    for room in ("bounds", "said", "self", "usual")
]
UNITS = [
    "now ",
    "not ",
    "a ",
    "the the ",
    "I ",
    "and ",
    "so ",
    "never ",
    "a a,",
    "give me ",
    "out of ",
    "likes: a",
    "1",
    "12 ",
]
UNITS += [
    "Bo, ",
    "no call ",
    "through another ",
    "我",
    "不",
    "一",
    "都",
    "又",
    "我不",
    "我都",
    "好吃",
    "周一",
    "吃",
    "年",
    "还是",
    "每天",
]
MOST_MS = 400
"""Of one frame, on a busy machine; they take 10 at most."""


@pytest.mark.parametrize("table", TABLES)
def test_no_frame_is_slow_on_a_hostile_text(table: str) -> None:
    module, name = table.split(":")
    for frame in getattr(import_module(f"snapshots.extraction.{module}"), name):
        for unit in UNITS:
            began = time.process_time()
            frame.pattern.search((unit * 300)[:300] + " x")
            assert (time.process_time() - began) * 1000 < MOST_MS, frame.pattern.pattern
