"""Measure how next turns and replies are read: precision and recall of each sense, and of the memories found used.

``python -m lab.measuring.next_turns [FILE] [--misses] [--used]`` prints figures only, so that a file may be scored
before anyone has read it: those of the reader, as the product reads (``EMBEDDER`` lists ``use``), and of rules alone.
It warns if the file taught the reader; ``python -m lab.teaching.next_turns`` then gives the figures for other writers.
``--misses`` prints the turns that were misread, ``--used`` the memories.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

from lab.measuring.corrections import LANGUAGES
from lab.measuring.golden_sets import GOLDEN, Score, load_file, render_score, score_classes
from lab.standalone import list_named_files, run_program
from snapshots.feedback.reading.sense_classifier import classify_turns, load_sense_classifier
from snapshots.feedback.reading.sense_rules import classify_turn_by_rules
from snapshots.feedback.reading.utilisation import find_used_memories
from snapshots.feedback.values import AnsweredTurn, TurnSense


def score_senses(read: Iterable[TurnSense], rows: Iterable[dict[str, Any]]) -> dict[str, Score]:
    told = ({str(sense)} - {str(TurnSense.UNCLEAR)} for sense in read)
    return score_classes(zip(told, ({row["signal"]} for row in rows), strict=True))


def score_used_memories(rows: Iterable[dict[str, Any]]) -> Score:
    pairs = [({f"used {n}" for n in _find_used(row)}, {f"used {n}" for n in row["utilised"]}) for row in rows]
    return score_classes(pairs).get("used", Score(0, 0, 0))


def render_figures(rows: list[dict[str, Any]]) -> Iterator[str]:
    turns = [_turn(row) for row in rows]
    for reader, read in (
        ("reader", classify_turns(turns)),
        ("rules", [classify_turn_by_rules(turn) for turn in turns]),
    ):
        for language in LANGUAGES:
            here = [language in (None, row["language"]) for row in rows]
            found = score_senses(compress(read, here), list(compress(rows, here)))
            yield from (render_score(f"{language or 'both'} {reader} {name}", score) for name, score in found.items())
    for language in LANGUAGES:
        some = [row for row in rows if language in (None, row["language"])]
        yield render_score(f"{language or 'both'} used", score_used_memories(some))


def render_misread(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    for row, found in zip(rows, classify_turns([_turn(row) for row in rows]), strict=True):
        if str(found) != row["signal"]:
            yield f"{row['signal']} read as {found} | {row['query']} | {row['reply']} | {row['next']}"


def list_misjudged_memories(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the memories that were found used and were not, or were and were not found."""
    for row in rows:
        found = _find_used(row)
        for number, memory in enumerate(row["memories"]):
            if (number in found) != (number in row["utilised"]):
                yield f"{'extra' if number in found else 'missed'} {memory} | {row['query']} | {row['reply']}"


def _turn(row: dict[str, Any]) -> AnsweredTurn:
    return AnsweredTurn(row["query"], row["reply"], row["next"])


def _find_used(row: dict[str, Any]) -> dict[int, Any]:
    return dict(find_used_memories(row["query"], row["reply"], [("snapshots", text) for text in row["memories"]]))


def read_files(render: Callable[[list[dict[str, Any]]], Iterator[str]]) -> Iterator[str]:
    """Yield the lines of each file, after a warning where the file taught the reader."""
    for path in map(Path, list_named_files(f"{GOLDEN}/feedback.jsonl")):
        wanted = load_file(path)
        if hashlib.sha256(path.read_bytes()).hexdigest() in load_sense_classifier().taught["by"].values():
            yield f"{path.name} taught the reader: these are no figures of other people's turns"
        yield from render(wanted)


if __name__ == "__main__":
    run_program(
        lambda: read_files(render_figures),
        misses=lambda: read_files(render_misread),
        used=lambda: read_files(list_misjudged_memories),
    )
