"""How well corrections are told from what looks like one, and both their sides found.

``python -m tests.golden.corrections_read [FILE] [--misses]`` prints figures only, so that a file may be scored before
anyone has read it; ``--misses`` prints the lines that were misread.
"""

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.golden.blind import correction_scores, found_in, sides_right
from tests.golden.labels import HERE, Score

LANGUAGES = (None, "en", "zh")


def loaded(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file of labelled sentences. Raises SystemExit, with a sentence, where it cannot be read."""
    try:
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as fault:
        raise SystemExit(f"{path} is no file of labelled lines of JSON: {fault}") from None


def figures(wanted: list[dict[str, Any]]) -> Iterator[str]:
    """Yield precision and recall of detection, and how often the sides are right, for both languages and for each."""
    for language in LANGUAGES:
        some = [row for row in wanted if language in (None, row["language"])]
        for name, score in correction_scores(some).items():
            yield line(f"{language or 'both'} corrections {name}", score)


def line(name: str, score: Score) -> str:
    """Return one figure as a line."""
    counts = f"({score.hits} hits, {score.extra} extra, {score.missed} missed)"
    return f"{name:28} P {score.precision:.3f} R {score.recall:.3f} {counts}"


def misses(wanted: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield what was misread: a correction missed, a contrast taken for one, or the wrong sides."""
    for row in wanted:
        changes = [entry for entry in found_in(row["text"]) if entry.sort == "change"]
        found = [(change.replaces, change.values) for change in changes]
        sides = f"[{row['wrong']} > {row['right']}]"
        if bool(changes) != row["is_correction"]:
            yield f"{'missed' if row['is_correction'] else 'extra '} {row['text']} {sides} {found}"
        elif changes and not any(sides_right(change, row) for change in changes):
            yield f"sides  {row['text']} {sides} {found}"


def main(arguments: list[str]) -> None:
    """Print the figures of a file, by default of the set that was written first, or what was misread in it."""
    paths = [Path(each) for each in arguments if not each.startswith("--")] or [HERE / "corrections_blind.jsonl"]
    for path in paths:
        wanted = loaded(path)
        sys.stdout.write("\n".join(misses(wanted) if "--misses" in arguments else figures(wanted)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
