"""Graded clauses as the clause reader sees them: a label for each clause that the product cuts.

The labels are in ``grades/``; its README explains them and tells teaching sets from measuring sets.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from lab.measuring.golden_sets import GOLDEN, load_rows
from lab.measuring.single_message_reading import split_message
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import Clause

GRADES = GOLDEN / "grades"
TEACH = (
    "utterances",
    "utterances_2",
    "utterances_3",
    "utterances_4",
    "everyday_en_a",
    "everyday_zh_a",
    "talk_en_1",
    "talk_en_2",
    "talk_zh_1",
    "talk_zh_2",
    "talk_zh_3",
    "talk_en_3",
    "talk_en_4",
    "talk_zh_4",
    "talk_en_5",
    "talk_zh_5",
    "contrasts_en",
    "contrasts_zh",
    "plain_en",
    "plain_zh",
)
MEASURE = ("utterances_5", "utterances_unseen", "everyday_en_b", "everyday_zh_b")
# Questions and commands that were labelled for something else: they teach that such lines teach nothing.
QUESTIONS = ("intents_2", "intents_3", "intents_4", "intents_5", "intents_6")
# How sets begin that hold their words themselves.
WITH_WORDS = ("talk", "contrasts", "plain")
SELF, NOT_VITAL = "self", "none"


@dataclass(frozen=True, slots=True)
class Label:
    """The label of one clause, given by hand."""

    grade: str
    about: str = SELF
    change: bool = False
    vital: str = NOT_VITAL


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message with a label per clause; None for a clause that no label covers."""

    name: str
    message: SpokenMessage
    labels: tuple[Label | None, ...]


@cache
def load_labelled_messages(name: str) -> tuple[LabelledMessage, ...]:
    if name in QUESTIONS:
        return tuple(_make_labelled_question(name, row) for row in load_rows(name))
    texts = {} if name.startswith(WITH_WORDS) else _load_texts(name)
    rows = load_rows(f"grades/{name}")
    return tuple(_label_message(name, row, texts.get(row["id"], row.get("text", ""))) for row in rows)


def _load_texts(name: str) -> dict[str, str]:
    source = re.sub(r"_[ab]$", "", name) if name.startswith("everyday") else name
    return {row["id"]: row["text"] for row in load_rows(source)}


def _label_message(name: str, row: dict[str, Any], text: str) -> LabelledMessage:
    spans, spoken = list(_list_spans(text, row["clauses"])), split_message(text, row.get("previous"))
    return LabelledMessage(name, spoken, tuple(_find_covering_label(clause, spans) for clause in spoken.clauses))


def _make_labelled_question(name: str, row: dict[str, Any]) -> LabelledMessage:
    spoken = split_message(row["text"])
    grade = "chat" if row["intent"] == "small_talk" else "question_or_command"
    return LabelledMessage(name, spoken, (Label(grade),) * len(spoken.clauses))


def _list_spans(text: str, parts: list[dict[str, Any]]) -> Iterator[tuple[int, int, Label]]:
    at = 0
    for part in parts:
        start = text.index(part["text"], at)
        at = start + len(part["text"])
        label = Label(part["grade"], part.get("about", SELF), bool(part.get("change")), part.get("vital") or NOT_VITAL)
        yield start, at, label


def _find_covering_label(clause: Clause, spans: list[tuple[int, int, Label]]) -> Label | None:
    shared = [(min(end, clause.end) - max(start, clause.start), label) for start, end, label in spans]
    most, label = max(shared, key=lambda one: one[0], default=(0, None))
    return label if most > 0 else None
