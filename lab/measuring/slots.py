"""Count the right, wrong and missed values of each slot on labelled sentences.

`python -m lab.measuring.slots [FILE ...]` prints the figures of the utterances that the rules were developed on, or of
the files named; `--wrong` prints the wrong values, `--missed` the missed ones.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lab.measuring.blind_utterances import READ, FoundEntry, compare_line, list_entries, read_lines
from lab.measuring.golden_sets import Score
from lab.measuring.single_message_reading import build_graded_context
from lab.standalone import list_named_files, run_program
from snapshots.understanding.slots.slot_reading import read_slots


def name_slot(entry: FoundEntry) -> str:
    return "tag" if entry.kind == "tag" else entry.place[-1]


def name_wanted_slot(label: dict[str, Any]) -> str:
    """Return the slot that a label asks for, its first name where several are right."""
    name = label.get("key") or label.get("field") or "tag"
    return name[0] if isinstance(name, list) else name


def render_report(rows: list[dict[str, Any]], *, wrong_too: bool, missed_too: bool = False) -> Iterator[str]:
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    for row in rows:
        found = list_entries(read_slots(row["text"], build_graded_context(row["text"]), message_key="m"))
        hits, errors, lost = compare_line(row, "said", found)
        right.update(map(name_slot, hits))
        wrong.update(map(name_slot, errors))
        missed.update(map(name_wanted_slot, lost))
        if (errors and wrong_too) or (lost and missed_too):
            yield f"{row['id']} {row['text']}\n   wrong {errors}\n   lost {lost if missed_too else ''}"
    for slot in sorted({*right, *wrong, *missed}):
        yield f"{slot:24} right {right[slot]:4} wrong {wrong[slot]:4} missed {missed[slot]:4}"
    whole = Score(right.total(), wrong.total(), missed.total())
    counts = f"right {whole.hits} wrong {whole.extra} missed {whole.missed}"
    yield f"all: {counts} P {whole.precision:.3f} R {whole.recall:.3f}"


def render_by_language() -> Iterator[str]:
    lines = [row for name in list_named_files(*READ) for row in read_lines(name)]
    for language in ("en", "zh"):
        some = [row for row in lines if row["language"] == language]
        yield language
        yield from render_report(some, wrong_too="--wrong" in sys.argv, missed_too="--missed" in sys.argv)


if __name__ == "__main__":
    run_program(render_by_language)
