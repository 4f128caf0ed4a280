"""Count the right, wrong and missed values of each slot on labelled sentences.

`python -m lab.measuring.slots [FILE ...]` prints the figures of the utterances that the rules were developed on, or of
the files named; `--wrong` prints the wrong values, `--missed` the missed ones.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from lab.measuring.blind_utterances import READ, FoundEntry, compare_line, list_entries, read_lines
from lab.measuring.graded_contexts import graded_context
from snapshots.understanding.slots.slot_reading import read_slots


def name_slot(entry: FoundEntry) -> str:
    return "tag" if entry.kind == "tag" else entry.place[-1]


def name_wanted_slot(label: dict[str, Any]) -> str:
    """Return the slot that a label asks for, its first name where several are right."""
    name = label.get("key") or label.get("field") or "tag"
    return name[0] if isinstance(name, list) else name


def render_report(rows: list[dict[str, Any]], *, wrong_too: bool, missed_too: bool = False) -> Iterator[str]:
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for row in rows:
        found = list_entries(read_slots(row["text"], graded_context(row["text"]), message_key="m"))
        hits, errors, lost = compare_line(row, "said", found)
        right.update(map(name_slot, hits))
        wrong.update(map(name_slot, errors))
        missed.update(map(name_wanted_slot, lost))
        if (errors and wrong_too) or (lost and missed_too):
            yield f"{row['id']} {row['text']}\n   wrong {errors}\n   lost {lost if missed_too else ''}"
    for slot in sorted({*right, *wrong, *missed}):
        yield f"{slot:24} right {right[slot]:4} wrong {wrong[slot]:4} missed {missed[slot]:4}"
    hits_all, errors_all, lost_all = right.total(), wrong.total(), missed.total()
    precision = hits_all / (hits_all + errors_all or 1)
    recall = hits_all / (hits_all + lost_all or 1)
    yield f"all: right {hits_all} wrong {errors_all} missed {lost_all} P {precision:.3f} R {recall:.3f}"


if __name__ == "__main__":
    files = [name for name in sys.argv[1:] if not name.startswith("--")] or list(READ)
    lines = [row for name in files for row in read_lines(name)]
    wanted = {"wrong_too": "--wrong" in sys.argv, "missed_too": "--missed" in sys.argv}
    for language in ("en", "zh"):
        some = [row for row in lines if row["language"] == language]
        sys.stdout.write("\n".join([language, *render_report(some, **wanted)]) + "\n")
