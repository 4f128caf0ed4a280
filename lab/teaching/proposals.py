"""Measure the proposals of a chat model beside the clause reader, and how many the gate refuses.

``python -m lab.teaching.proposals URL [--messages N]``, where URL is the part before /chat/completions; ``python -m
tests.small_model`` serves one.

Reads N messages of each of the four talks, each with a reader that the other writers taught (``make evaluation``), one
question a message. ``--slots`` asks no model: it counts right and wrong keys of the utterances.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from lab.measuring.clause_labels import QUESTIONS, TEACH, LabelledMessage, labelled_messages
from lab.measuring.golden_sets import load_rows
from lab.measuring.spoken_messages import split_message
from lab.teaching.clauses import build_lesson, train_classifier
from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.kernel.ids import new_id
from memory_platform.providers.chat import Chat, Connection
from memory_platform.providers.contracts import ChatUnavailable, JsonForm, Usage
from snapshots.understanding.drafting.note_parts import assemble_parts
from snapshots.understanding.fields.field_matching import match_notes
from snapshots.understanding.grading.clause_classifier import LASTING, ClauseClassifier, grade_messages
from snapshots.understanding.proposing.answer_schema import (
    ASKED_SLOTS,
    SLOT_KEYS,
    Proposals,
    ProposedSlot,
    build_schema,
)
from snapshots.understanding.proposing.model_questions import ModelQuestion, ShownMessage, build_prompt
from snapshots.understanding.proposing.note_gate import gate_notes
from snapshots.understanding.proposing.quoted_passages import GatedMessage
from snapshots.understanding.proposing.slot_gate import gate_slot, gate_slots

TALKS = ("talk_en_1", "talk_en_2", "talk_zh_1", "talk_zh_2")
UTTERANCES = ("utterances", "utterances_2", "utterances_3", "utterances_4")
SECONDS = 90.0
UNSURE = (0.5, 0.6)


@dataclass(slots=True)
class ProposalTally:
    """The counts of one set, or of all."""

    messages: int = 0
    valid: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    notes: Counter[str] = field(default_factory=Counter)
    slots: Counter[str] = field(default_factory=Counter)
    vital_claimed: int = 0
    vital_lost: int = 0
    added: int = 0
    added_right: int = 0
    held: int = 0
    held_right: int = 0
    lasting: int = 0
    # Clauses that the reader holds though unsure, by whether the model proposed nothing, and whether they last.
    unsure: Counter[tuple[bool, bool]] = field(default_factory=Counter)

    def add(self, other: "ProposalTally") -> None:
        for name in self.__slots__:
            mine, theirs = getattr(self, name), getattr(other, name)
            setattr(self, name, mine + theirs)


def read_set(name: str, model: Chat, wanted: int) -> ProposalTally:
    tally, reader = (
        ProposalTally(),
        train_classifier(build_lesson([one for one in (*TEACH, *QUESTIONS) if one != name])),
    )
    messages = [one for one in labelled_messages(name) if one.spoken.clauses]
    for message in messages[:: max(1, len(messages) // wanted)][:wanted]:
        tally.add(read_message(message, model, reader))
    return tally


def read_message(message: LabelledMessage, model: Chat, reader: ClauseClassifier) -> ProposalTally:
    spoken = message.spoken
    tally = ProposalTally(messages=1)
    question = ModelQuestion((ShownMessage(UUID(int=new_id().int), spoken.text),))
    started = time.perf_counter()
    try:
        answered = model.ask_structured_as(build_prompt(question), build_schema(1), JsonForm.SCHEMA)
    except ChatUnavailable as failed:
        tally.seconds, tally.usage = time.perf_counter() - started, failed.usage
        return tally
    tally.seconds, tally.usage, tally.valid = time.perf_counter() - started, answered.usage, 1
    proposals = Proposals.from_answer(answered.value)
    grades = grade_messages([spoken], reader)[0]
    said = GatedMessage(spoken.text, spoken, grades)
    held = [(part.start, part.end) for part in assemble_parts(spoken, grades)]
    judged = gate_notes(said, proposals.notes, held)
    tally.notes.update(one.outcome for one in judged)
    tally.vital_claimed = sum(one.vital != "none" for one in proposals.notes)
    tally.vital_lost = sum(one.lost_vital for one in judged)
    added = [(one.part.start, one.part.end) for one in judged if one.part]
    tally.added, tally.added_right = len(added), sum(is_span_lasting(message, *span) for span in added)
    tally.held, tally.held_right = len(held), sum(is_span_lasting(message, *span) for span in held)
    tally.lasting = sum(label is not None and label.grade in LASTING for label in message.labels)
    slots = gate_slots(said, proposals.slots, message_key="", origin="")
    tally.slots.update(one.reason or "accepted" for one in slots)
    for clause, grade in zip(spoken.clauses, grades, strict=True):
        if UNSURE[0] <= grade.lasting < UNSURE[1]:
            tally.unsure[not proposals.notes, is_span_lasting(message, clause.start, clause.end)] += 1
    return tally


def is_span_lasting(message: LabelledMessage, start: int, end: int) -> bool:
    pairs = zip(message.spoken.clauses, message.labels, strict=True)
    over = (label for clause, label in pairs if clause.start < end and start < clause.end)
    return any(label is not None and label.grade in LASTING for label in over)


def describe_tally(name: str, tally: ProposalTally) -> Iterator[str]:
    messages = max(1, tally.messages)
    yield (
        f"{name}: {tally.messages} messages, valid JSON by schema {tally.valid}; a message takes "
        f"{1_000 * tally.seconds / messages:.0f} ms, {tally.usage.input_tokens / messages:.0f} tokens read, "
        f"{tally.usage.output_tokens / messages:.0f} written"
    )
    for kind, counts in (("notes", tally.notes), ("slots", tally.slots)):
        refused = ", ".join(f"{reason} {count}" for reason, count in counts.most_common())
        yield f"{name}: {kind} proposed {counts.total()}: {refused}"
    yield (
        f"{name}: the reader holds {tally.held}, {tally.held_right} rightly, of {tally.lasting} clauses that last; the "
        f"model adds {tally.added}, {tally.added_right} rightly; called vital {tally.vital_claimed}"
    )
    unsure = sorted(tally.unsure.items())
    shares = [f"{'nothing' if silent else 'something'} proposed, lasts {yes}: {n}" for (silent, yes), n in unsure]
    yield f"{name}: held from {UNSURE[0]} to {UNSURE[1]}: {'; '.join(shares)}"


def measure_keys() -> Iterator[str]:
    """Yield how many right and wrong keys stand of values of the labelled utterances."""
    found = [one for name in UTTERANCES for row in load_rows(name) for one in _labelled_slots(row)]
    fits: list[tuple[bool, float]] = []
    for text, spoken, key, value in found:
        said = GatedMessage(text, spoken, grade_messages([spoken])[0])
        for proposed in SLOT_KEYS:
            judged = gate_slot(said, ProposedSlot(message=1, key=proposed, value=value), "", "")
            if judged.reason is None:
                fits.append((proposed == key, match_notes([judged.clause], ASKED_SLOTS)[0].scores[proposed]))
    for least in (0.0, 0.1, 0.3, 0.5):
        right, wrong = ([fit >= least for is_right, fit in fits if is_right is wanted] for wanted in (True, False))
        yield f"fit from {least}: of {len(right)} right keys {_share(right)}, of {len(wrong)} wrong {_share(wrong)}"


def _labelled_slots(row: dict[str, Any]) -> Iterator[tuple[str, Any, str, str]]:
    for one in row["expected"]:
        key, value = one.get("field") or one.get("key"), one.get("value")
        key, value = (each[0] if isinstance(each, list) else each for each in (key, value))
        if key in SLOT_KEYS and isinstance(value, str):
            yield row["text"], split_message(row["text"]), key, value


def _share(stands: Sequence[bool]) -> str:
    return f"{sum(stands) / max(1, len(stands)):.3f}"


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url", nargs="?")
    parser.add_argument("--messages", type=int, default=40)
    parser.add_argument("--slots", action="store_true")
    wanted = parser.parse_args()
    if wanted.slots:
        sys.stdout.writelines(f"{line}\n" for line in measure_keys())
        return
    endpoint = ChatEndpoint(kind="openai", model="measured", base_url=wanted.url)
    model, whole = Chat(Connection(endpoint), seconds=SECONDS), ProposalTally()
    for name in TALKS:
        tally = read_set(name, model, wanted.messages)
        whole.add(tally)
        sys.stdout.writelines(f"{line}\n" for line in describe_tally(name, tally))
        sys.stdout.flush()
    sys.stdout.writelines(f"{line}\n" for line in describe_tally("all", whole))


if __name__ == "__main__":
    _main()
