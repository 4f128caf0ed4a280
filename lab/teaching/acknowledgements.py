"""Teach which answers of an assistant acknowledge an order to forget: ``make evaluation``, then ``python -m
lab.teaching.acknowledgements``, env set.

Writes ``snapshots/understanding/heard/acknowledgements.json`` and prints how the answers of two sets of lives are read,
which teach nothing. The talks of ``orders/meant_*.jsonl`` and the other lives teach: the answer after each order
acknowledges it, no other answer does.
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from lab.measuring.golden_sets import GOLDEN
from lab.teaching.forget_order_meaning import MEASURING_LIVES, SETS, TEACHING_LIVES, find_orders_in_life
from memory_platform.kernel.linear_model import LinearClassifier
from snapshots.understanding.heard.forget_order_classifier import ACKNOWLEDGEMENT_WEIGHTS as WEIGHTS
from snapshots.understanding.heard.forget_order_classifier import (
    ACKNOWLEDGES,
    OTHER,
    acknowledgement_probability,
    order_features,
)

# Inverse strength of the regularisation (scikit-learn's C).
STRICTNESS = 3.0
# Of 412 answers in lives that taught nothing, 20 of them acknowledgements, 17 are heard from here on and 2 others; of
# the words of the order itself little is asked then.
LEAST = 0.5
# Plain answers that acknowledge, and answers that something else was deleted or cancelled: an alarm, an entry.
PLAIN = (("answers_to_orders", True), ("answers_to_tasks", False))


def answers_of_talks() -> Iterator[tuple[str, bool]]:
    """Yield the assistant's answers in the labelled talks, and whether each acknowledges an order."""
    for name in SETS:
        for line in (GOLDEN / "orders" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            for place, turn in enumerate(row["turns"]):
                if turn["role"] == "assistant":
                    yield turn["content"], place == row["order"] + 1 and bool(row["meant"])


def answers_of_lives(names: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the assistant's answers in lives, and whether each follows an order."""
    for name in names:
        for person in json.loads((GOLDEN / "lives" / f"{name}.json").read_text(encoding="utf-8"))["subjects"]:
            turns, orders = find_orders_in_life(person)
            for place, (_, turn) in enumerate(turns):
                if turn["role"] == "assistant":
                    yield turn["content"], place - 1 in {order for _, order in orders}


def load_labelled_answers() -> Iterator[tuple[str, bool]]:
    for name, acknowledges in PLAIN:
        for line in (GOLDEN / "orders" / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            yield line, acknowledges


def teach() -> None:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - of the group `evaluation`

    answers = [*answers_of_talks(), *answers_of_lives(TEACHING_LIVES), *load_labelled_answers()]
    numbers = np.stack([order_features(text) for text, _ in answers])
    model = LogisticRegression(C=STRICTNESS, max_iter=600).fit(numbers, [said for _, said in answers])
    weights, bias = np.asarray(model.coef_[0], np.float32) / 2, float(model.intercept_[0]) / 2
    by = {name: hashlib.sha256((GOLDEN / "orders" / f"{name}.jsonl").read_bytes()).hexdigest()[:16] for name in SETS}
    taught = {"by": by, "lives": TEACHING_LIVES, "answers": len(answers)}
    both, biases = np.stack([weights, -weights]).astype(np.float32), np.array([bias, -bias], np.float32)
    LinearClassifier((ACKNOWLEDGES, OTHER), both, biases, {ACKNOWLEDGES: LEAST}, "words", taught).write(WEIGHTS)


def measure() -> Iterator[str]:
    answers = list(answers_of_lives(MEASURING_LIVES))
    shares = np.array([acknowledgement_probability(text) for text, _ in answers])
    said = np.array([one for _, one in answers])
    for least in (0.3, 0.5, 0.7, 0.9):
        right, wrong = (shares[said] >= least).sum(), (shares[~said] >= least).sum()
        yield f"from {least}: {right} of {said.sum()} acknowledgements, {wrong} of {(~said).sum()} others"


if __name__ == "__main__":
    teach()
    for line in measure():
        sys.stdout.write(f"{line}\n")
