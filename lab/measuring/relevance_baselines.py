"""How well single scores rank notes by a question: ``python -m lab.measuring.relevance_baselines``, env set.

The floors that the taught relevance beats, on ``relevance/*_measure.jsonl``; ``--teach`` prints the other half.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from lab.measuring.golden_sets import load_rows
from lab.standalone import run_program
from memory_platform.kernel.keyword_terms import split_terms
from memory_platform.providers.registry import embedders
from snapshots.context.turn.model_tier import compute_term_overlap

NoteScores = npt.NDArray[np.float64]
FIRST = 8
# The share of questions that need something whose best note may fall below the threshold.
LOST = 0.05


def score_shared_terms(notes: Sequence[str], query: str) -> NoteScores:
    asked = frozenset(split_terms(query))
    return np.array([compute_term_overlap(asked, frozenset(split_terms(note))) for note in notes])


def make_cosine_scorer(name: str) -> Callable[[Sequence[str], str], NoteScores]:
    model = embedders(name)[0]
    return lambda notes, query: np.asarray(model.embed(list(notes)) @ model.embed([query])[0], np.float64)


RANKINGS: dict[str, Callable[[], Callable[[Sequence[str], str], NoteScores]]] = {
    "shared words": lambda: score_shared_terms,
    "cosine, wordllama": lambda: make_cosine_scorer("wordllama"),
    "cosine, sentence encoder": lambda: make_cosine_scorer("use"),
}


def compute_average_precision(helps: npt.NDArray[np.bool_], scores: NoteScores) -> float:
    """Return the mean of the precision at each helping note, best first."""
    held = helps[np.argsort(-scores, kind="stable")]
    return float((np.cumsum(held) / np.arange(1, len(held) + 1))[held].mean())


def render_figures(language: str, half: str, rank: Callable[[Sequence[str], str], NoteScores]) -> str:
    precise, found, best, best_of_none = [], [], [], []
    for person in load_rows(f"relevance/{language}_{half}"):
        notes = [note["text"] for note in person["notes"]]
        for question in person["questions"]:
            scores = rank(notes, question["query"])
            helps = np.array([note["id"] in question["helps"] for note in person["notes"]])
            if not helps.any():
                best_of_none.append(scores.max())
                continue
            best.append(scores.max())
            precise.append(compute_average_precision(helps, scores))
            found.append(helps[np.argsort(-scores, kind="stable")[:FIRST]].sum() / helps.sum())
    abstains = np.mean(np.array(best_of_none) < np.quantile(best, LOST))
    return f"precision {np.mean(precise):.3f}, first {FIRST} {np.mean(found):.3f}, nothing {abstains:.3f}"


def render_lines(half: str) -> Iterator[str]:
    for name, make in RANKINGS.items():
        rank = make()
        for language in ("en", "zh"):
            yield f"{name}, {language}: {render_figures(language, half, rank)}"


if __name__ == "__main__":
    run_program(lambda: render_lines("measure"), teach=lambda: render_lines("teach"))
