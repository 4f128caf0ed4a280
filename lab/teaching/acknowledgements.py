"""Teach which answers of an assistant acknowledge an order to forget: ``make evaluation``, then ``python -m
lab.teaching.acknowledgements``, env set.

Writes ``snapshots/understanding/heard/data/acknowledgements.json`` and prints the readings of the answers of two sets
of lives that teach nothing. The talks of ``meant_en`` and ``meant_zh`` and the other lives teach: the answer after each
order acknowledges it, no other answer does.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from lab.measuring.golden_sets import GOLDEN, load_lives, load_rows
from lab.standalone import run_program
from lab.teaching.forget_order_meaning import MEASURING_LIVES, TEACHING_LIVES, find_orders_in_life
from lab.teaching.training import fit_regression, hash_sets, read_weights
from memory_platform.kernel.linear_model import LinearClassifier
from snapshots.understanding.heard.forget_order_classifier import ACKNOWLEDGEMENT_WEIGHTS as WEIGHTS
from snapshots.understanding.heard.forget_order_classifier import (
    ACKNOWLEDGES,
    OTHER,
    estimate_acknowledgement_probability,
    order_features,
)

ORDERS = GOLDEN / "orders"
TALKS = ("meant_en", "meant_zh")
# Inverse strength of the regularisation (scikit-learn's C).
STRICTNESS = 3.0
# Of 412 answers in lives that taught nothing, 20 of them acknowledgements, 17 are heard from here on and 2 others; of
# the words of the order itself little is asked then.
LEAST = 0.5
# Plain answers that acknowledge, and answers that something else was deleted or cancelled: an alarm, an entry.
PLAIN = (("answers_to_orders", True), ("answers_to_tasks", False))


def load_talks() -> Iterator[tuple[str, bool]]:
    """Yield the assistant's answers in the labelled talks, and whether each acknowledges an order."""
    for row in (row for name in TALKS for row in load_rows(f"orders/{name}")):
        for place, turn in enumerate(row["turns"]):
            if turn["role"] == "assistant":
                yield turn["content"], place == row["order"] + 1 and bool(row["meant"])


def load_answers_in_lives(names: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Yield the assistant's answers in lives, and whether each follows an order."""
    for person in (person for name in names for person in load_lives(name)):
        turns, orders = find_orders_in_life(person)
        for place, (_, turn) in enumerate(turns):
            if turn["role"] == "assistant":
                yield turn["content"], place - 1 in {order for _, order in orders}


def load_labelled_answers() -> Iterator[tuple[str, bool]]:
    for name, acknowledges in PLAIN:
        for line in (ORDERS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            yield line, acknowledges


def teach() -> Iterator[str]:
    answers = [*load_talks(), *load_answers_in_lives(TEACHING_LIVES), *load_labelled_answers()]
    numbers = np.stack([order_features(text) for text, _ in answers])
    model = fit_regression(numbers, [said for _, said in answers], strictness=STRICTNESS, max_iter=600)
    _, weights, biases = read_weights(model)
    taught = {"by": hash_sets(ORDERS, TALKS), "lives": TEACHING_LIVES, "answers": len(answers)}
    classes, least = (ACKNOWLEDGES, OTHER), {ACKNOWLEDGES: LEAST}
    LinearClassifier(classes, weights[::-1], biases[::-1], least, "words", taught).write(WEIGHTS)
    yield from measure()


def measure() -> Iterator[str]:
    answers = list(load_answers_in_lives(MEASURING_LIVES))
    shares = np.array([estimate_acknowledgement_probability(text) for text, _ in answers])
    said = np.array([one for _, one in answers])
    for least in (0.3, 0.5, 0.7, 0.9):
        right, wrong = (shares[said] >= least).sum(), (shares[~said] >= least).sum()
        yield f"from {least}: {right} of {said.sum()} acknowledgements, {wrong} of {(~said).sum()} others"


if __name__ == "__main__":
    run_program(teach)
