"""Teach how near evidence supports a sentence: ``manage.py fetch_documents FOLDER``, then ``python -m
lab.teaching.documents.support_weights FOLDER``, env set.

Prints the weights of ``EvidenceSupport``, and what they give on the sentences that teach, each tenth of the pairs
judged by what the others taught.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lab.evaluation.documents.grounding_comparison import Numbers, SentenceTask, compare_sentences, list_tasks
from lab.evaluation.documents.page_anchors import read_sentences
from lab.standalone import run_program
from lab.teaching.training import Flags, fit_regression, render_shares
from snapshots.knowledge.grounding.evidence import read_signs

# Inverse strength of the regularisation (scikit-learn's C).
STRICTNESS = 10.0
FOLDS = 10
# The weight of a true sentence whose passage was kept from it: half, so that it does not decide where support begins.
CUT_OFF_WEIGHT = 0.5


def teach(folder: Path) -> Iterator[str]:
    tasks = list_tasks(folder, [one for one in read_sentences() if not one.held_out])
    signs = [read_signs(one)[0] for one in compare_sentences(tasks)]
    numbers = np.array([[one.words, one.meaning, one.rival, one.is_contradicted] for one in signs])
    labels = np.array([one.is_right for one in tasks])
    model = _fit(tasks, numbers, labels, np.ones(len(tasks), bool))
    names = ("words", "meaning", "rival", "contradicted")
    yield ", ".join(f"{name} {weight:.2f}" for name, weight in zip(names, model.coef_[0], strict=True))
    yield f"base {model.intercept_[0]:.2f}"
    whole = np.array([not one.is_cut_off for one in tasks])
    shares = judge_across(tasks, numbers, labels)
    yield render_shares(shares[whole] >= 0.5, labels[whole])
    yield f"{(shares[~whole] >= 0.5).sum()} of {(~whole).sum()} whose passage is not there are called supported"


def judge_across(tasks: Sequence[SentenceTask], numbers: Numbers, labels: Flags) -> Numbers:
    """Return how probably each is supported, by the pairs of other tenths."""
    pairs = [one.sentence.id.rsplit("-", 1)[0] for one in tasks]
    order = {pair: place % FOLDS for place, pair in enumerate(dict.fromkeys(pairs))}
    fold = np.array([order[pair] for pair in pairs])
    shares = np.zeros(len(tasks))
    for one in range(FOLDS):
        model = _fit(tasks, numbers, labels, fold != one)
        shares[fold == one] = model.predict_proba(numbers[fold == one])[:, 1]
    return shares


def _fit(tasks: Sequence[SentenceTask], numbers: Numbers, labels: Flags, among: Flags) -> Any:
    weights = np.array([CUT_OFF_WEIGHT if one.is_cut_off else 1.0 for one in tasks])
    return fit_regression(numbers[among], labels[among], weights[among], strictness=STRICTNESS, max_iter=600)


if __name__ == "__main__":
    run_program(lambda: teach(Path(sys.argv[1])))
