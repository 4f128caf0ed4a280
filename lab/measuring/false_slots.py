"""How many slots and notes are made of talk that teaches nothing, or little: figures only, no line is printed.

`python -m lab.measuring.false_slots [CHATS ...]` counts the slots and the notes of half B of everyday talk whose
clauses teach nothing lasting, and of the second half of the people in files of chats (the form of `recall_eval.py`,
such as `locomo-dev.json`), where every slot counts as wrong: among friends hardly anything is said outright.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.measuring.blind_utterances import read_entries
from lab.measuring.clause_labels import load_labelled_messages
from lab.measuring.single_message_reading import make_notes
from lab.standalone import list_named_files, run_program
from snapshots.understanding.grading.clause_classifier import LASTING

EVERYDAY = ("everyday_en_b", "everyday_zh_b")


def load_idle_lines(name: str) -> list[str]:
    """Return the lines of a graded set of which no clause teaches anything lasting, of anybody."""
    messages = load_labelled_messages(name)
    return [one.message.text for one in messages if all(label and label.grade not in LASTING for label in one.labels)]


def load_chat_lines(path: Path) -> list[str]:
    people = json.loads(path.read_text(encoding="utf-8"))["subjects"]
    talks = [talk for one in people[len(people) // 2 :] for talk in one["conversations"]]
    return [message["content"] for talk in talks for message in talk["messages"]]


def count_slots(lines: Sequence[str]) -> int:
    """Return how many slots lines give, each read alone.

    A change of something unnamed ("not that, this") has no place: where nothing is held it changes nothing.
    """
    return sum(bool(one.place) for line in lines for one in read_entries(line))


def render_figures() -> Iterator[str]:
    sets = {name: load_idle_lines(name) for name in EVERYDAY}
    sets |= {Path(name).name: load_chat_lines(Path(name)) for name in list_named_files()}
    for name, lines in sets.items():
        slots, noted = 100 * count_slots(lines) / len(lines), 100 * sum(map(bool, make_notes(lines))) / len(lines)
        yield f"{name:20} {len(lines):5} lines: {slots:.2f} slots and {noted:.1f} lines with a note in a hundred"


if __name__ == "__main__":
    run_program(render_figures)
