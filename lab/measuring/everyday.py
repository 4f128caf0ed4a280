"""Precision and recall on everyday English talk: `everyday_en.jsonl`.

`python -m lab.measuring.everyday` prints the figures; `--misses` prints what went wrong.
"""

import sys
from collections.abc import Iterator
from typing import Any

from lab.measuring.blind import compare_line, found_in, misread, report
from lab.measuring.labels import rows


def wrong_per_hundred(lines: list[dict[str, Any]]) -> float:
    """Return how many candidates are made of a hundred lines that teach nothing."""
    nothing = [row for row in lines if row["class"] == "nothing"]
    return 100 * sum(len(found_in(row["text"])) for row in nothing) / len(nothing)


def recall(lines: list[dict[str, Any]]) -> float:
    """Return the share of labels that are found on lines that teach something, 0..1."""
    wanted = [row for row in lines if row["class"] != "nothing"]
    return sum(len(compare_line(row, "said")[0]) for row in wanted) / sum(len(row["expected"]) for row in wanted)


def figures(lines: list[dict[str, Any]]) -> Iterator[str]:
    yield from report(lines)
    yield f"candidates per hundred lines that teach nothing: {wrong_per_hundred(lines):.1f}; recall {recall(lines):.3f}"


if __name__ == "__main__":
    written = rows("everyday_en")
    sys.stdout.write("\n".join(misread(written) if "--misses" in sys.argv else figures(written)) + "\n")
