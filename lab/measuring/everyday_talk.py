"""Precision and recall on everyday English talk: `everyday_en.jsonl`.

`python -m lab.measuring.everyday_talk` prints the figures; `--misses` prints the errors.
"""

from collections.abc import Iterator
from typing import Any

from lab.measuring.blind_utterances import compare_line, read_entries, render_misread, render_report
from lab.measuring.golden_sets import load_rows
from lab.measuring.single_message_reading import embed_ahead
from lab.standalone import run_program


def count_wrong_per_hundred(lines: list[dict[str, Any]]) -> float:
    """Return how many candidates are made of a hundred lines that teach nothing."""
    embed_ahead(lines)
    nothing = [row for row in lines if row["class"] == "nothing"]
    return 100 * sum(len(read_entries(row["text"])) for row in nothing) / len(nothing)


def compute_recall(lines: list[dict[str, Any]]) -> float:
    """Return the share of labels that are found on lines that teach something, 0..1."""
    embed_ahead(lines)
    wanted = [row for row in lines if row["class"] != "nothing"]
    return sum(len(compare_line(row, "said")[0]) for row in wanted) / sum(len(row["expected"]) for row in wanted)


def render_figures(lines: list[dict[str, Any]]) -> Iterator[str]:
    yield from render_report(lines)
    wrong, recall = count_wrong_per_hundred(lines), compute_recall(lines)
    yield f"candidates per hundred lines that teach nothing: {wrong:.1f}; recall {recall:.3f}"


if __name__ == "__main__":
    written = load_rows("everyday_en")
    run_program(lambda: render_figures(written), misses=lambda: render_misread(written))
