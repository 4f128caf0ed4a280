"""Count which right and wrong keys of slots stand for values of the labelled utterances, as a model may propose them.

``python -m lab.measuring.proposed_keys``, env set: no model is asked. ``manage.py check_models`` asks one.
"""

from collections.abc import Iterator
from typing import Any

from lab.measuring.blind_utterances import READ
from lab.measuring.golden_sets import load_rows
from lab.measuring.single_message_reading import split_message
from lab.standalone import run_program
from snapshots.understanding.fields.field_matching import match_notes
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.proposing.answer_schema import ASKED_SLOTS, SLOT_KEYS, ProposedSlot
from snapshots.understanding.proposing.model_quotes import GatedMessage
from snapshots.understanding.proposing.slot_gate import gate_slot


def list_labelled_slots(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the key and the value of each label of an utterance that a model may propose."""
    for one in row["expected"]:
        key, value = one.get("field") or one.get("key"), one.get("value")
        key, value = (each[0] if isinstance(each, list) else each for each in (key, value))
        if key in SLOT_KEYS and isinstance(value, str):
            yield key, value


def measure() -> Iterator[str]:
    fits: list[tuple[bool, float]] = []
    for row in (row for name in READ for row in load_rows(name)):
        spoken = split_message(row["text"])
        for key, value in list_labelled_slots(row):
            said = GatedMessage(row["text"], spoken, grade_messages([spoken])[0])
            for proposed in SLOT_KEYS:
                judged = gate_slot(said, ProposedSlot(message=1, key=proposed, value=value), "", "")
                if judged.reason is None:
                    fits.append((proposed == key, match_notes([judged.clause], ASKED_SLOTS)[0].scores[proposed]))
    for least in (0.0, 0.1, 0.3, 0.5):
        right, wrong = ([fit >= least for is_right, fit in fits if is_right is wanted] for wanted in (True, False))
        shares = [f"{sum(stands) / max(1, len(stands)):.3f}" for stands in (right, wrong)]
        yield f"fit from {least}: of {len(right)} right keys {shares[0]}, of {len(wrong)} wrong {shares[1]}"


if __name__ == "__main__":
    run_program(measure)
