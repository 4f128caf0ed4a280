"""Teach the reader of instructions: ``make evaluation``, then ``python -m lab.teaching.instructions``, env set.

Writes ``snapshots/understanding/reading/data/instructions.npz`` and prints the figures of lines that teach nothing;
``--measure`` only prints. ``--across`` prints the clauses refused in the talk that teaches and their figures,
cross-validated by set. ``instructions/README.md`` describes the lines.
"""

import hashlib
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.measuring.golden_sets import GOLDEN, load_lives, load_rows
from lab.measuring.single_message_reading import split_message
from lab.standalone import run_program
from lab.teaching.training import Flags, Strings, fit_regression, select_places
from memory_platform.kernel.linear_model import Float32
from snapshots.understanding.config import NOTING
from snapshots.understanding.grading.clause_classifier import grade_messages
from snapshots.understanding.grading.sentence_vectors import embed_sentences
from snapshots.understanding.reading.clauses import Clause, split_clauses, split_reply_clauses
from snapshots.understanding.reading.planted_instruction_classifier import (
    LONGEST_PIECE,
    MOST_PARTS,
    WEIGHTS,
    InstructionClassifier,
    InstructionWeights,
    load_instruction_classifier,
)
from snapshots.understanding.reading.planted_instruction_features import extract_features

INSTRUCTIONS = GOLDEN / "instructions"
TEACH, MEASURE = ("teach_en", "teach_zh"), ("measure_en", "measure_zh")
# Lines made of each frame.
EACH_FRAME = 8
WRITTEN_SETS = (
    *("utterances", "utterances_2", "utterances_3", "utterances_4"),
    *("feedback", "feedback_2", "feedback_3", "feedback_4", "feedback_5"),
    *("intents_2", "intents_3", "intents_4", "intents_5", "intents_6"),
    *("corrections_2", "corrections_3", "corrections_4", "corrections_dev", "corrections_dev_2", "echoes"),
    *("changes_teach", "changes_teach_2", "changes_teach_3"),
    *("slots_teach_en", "slots_teach_zh", "slots_teach_2_en", "slots_teach_2_zh"),
)
GRADED_SETS = tuple(
    f"grades/{name}_{language}{number}"
    for language in ("en", "zh")
    for name, number in (
        *(("talk", f"_{one}") for one in range(1, 6)),
        ("plain", ""),
        ("contrasts", ""),
        ("replies", "_a"),
    )
)
EVERYDAY = ("everyday_en", "everyday_zh")
TEACHING_LIVES = ("en", "en_2", "en_3", "en_4", "zh", "zh_2", "zh_3", "zh_4")
UNREAD_SETS = (
    *("utterances_5", "utterances_unseen", "corrections_5", "corrections_unseen", "feedback_unseen", "intents_unseen"),
    *("phases_unseen", "slots_unseen_en", "slots_unseen_zh", "slots_unseen_2_en", "slots_unseen_2_zh"),
    *("changes_measure", "grades/replies_en_b", "grades/replies_zh_b"),
)
UNREAD_LIVES = ("en_5", "en_6", "zh_5", "zh_6")
# Inverse strength of the regularisation (scikit-learn's C): of .03 to 3 as good as any.
STRICTNESS = 1.0
TALK_WEIGHS, FRAMES_WEIGH = 0.3, 0.3
# How long the numbers of parts and of a vector are beside each other: of 4 to 10 and .7 to 8.
PARTS_LOUD, VECTOR_LOUD = 6.0, 1.0
# In how many taught lines a part stands that is weighed.
LEAST_OFTEN = 2
# From .55 on 2 and 6 of 100 instructions more are found, and a third more clauses of talk are refused.
LEAST_ALONE, LEAST_EMBEDDED = 0.65, 0.65


@dataclass(frozen=True, slots=True)
class Lines:
    """Texts: whether each is an instruction, its weight, its set, and whether it is a sentence of several clauses. Only
    the reader without vectors reads and learns such sentences."""

    texts: list[str]
    orders: Flags
    weights: npt.NDArray[np.float64]
    names: Strings
    sentences: Flags

    def select(self, mask: Flags) -> "Lines":
        texts = select_places(self.texts, mask)
        return Lines(texts, self.orders[mask], self.weights[mask], self.names[mask], self.sentences[mask])


def load_lines(name: str) -> list[tuple[str, bool]]:
    held = (INSTRUCTIONS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [(line[2:], line.startswith("+")) for line in held]


def make_frame_lines() -> dict[str, bool]:
    held = tomllib.loads((INSTRUCTIONS / "frames.toml").read_text(encoding="utf-8"))
    found: dict[str, bool] = {}
    for language in ("en", "zh"):
        for kind in ("orders", "others"):
            for frame in held[language][kind]:
                lines = _fill_frame(frame, held[language]["lists"])
                found.update(dict.fromkeys(lines, kind == "orders"))
    return found


def _fill_frame(frame: str, lists: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a frame filled some times, by lot and every time alike."""
    lot = random.Random(frame)  # noqa: S311
    return [re.sub(r"\{(\w+)\}", lambda part: lot.choice(lists[part[1]]), frame) for _ in range(EACH_FRAME)]


Said = dict[str, tuple[str, bool]]


def load_talk(names: Sequence[str], lives: Sequence[str], half: str) -> Said:
    """Return the clauses and sentences of talk, each once, with the set that it stands in and whether it is a sentence
    of several clauses; of everyday talk one half, "a" or "b"."""
    found: Said = {}
    for name in (*names, *EVERYDAY):
        for row in load_rows(name):
            # Odd numbers are half "b".
            if name not in EVERYDAY or "ab"[int(re.sub(r"\D", "", row["id"])) % 2] == half:
                found.update((said, (name, whole)) for said, whole in _find_said_texts(row, is_reply="replies" in name))
    for name in lives:
        said_in_lives = _find_said_texts(load_lives(name))
        found.update((said, (f"lives/{name}", whole)) for said, whole in said_in_lives)
    return found


def _find_said_texts(node: Any, *, is_reply: bool = False) -> Iterator[tuple[str, bool]]:
    if isinstance(node, list):
        for one in node:
            yield from _find_said_texts(one, is_reply=is_reply)
    if not isinstance(node, dict):
        return
    by_assistant = is_reply or node.get("role") == "assistant"
    for key, value in node.items():
        if key == "previous" and isinstance(value, str):
            yield from _split_parts(value, split_clauses(value) if is_reply else split_reply_clauses(value))
        elif key in {"text", "next", "user", "content", "said"} and isinstance(value, str):
            yield from _split_parts(value, split_reply_clauses(value) if by_assistant else split_clauses(value))
        elif key != "clauses":
            yield from _find_said_texts(value, is_reply=is_reply)


def _split_parts(text: str, clauses: Sequence[Clause]) -> Iterator[tuple[str, bool]]:
    for _, group in groupby(clauses, key=lambda one: one.sentence):
        said = list(group)
        yield from ((one.text, False) for one in said)
        if len(said) > 1:
            yield text[said[0].start : said[-1].end][:LONGEST_PIECE], True


def build_lesson() -> Lines:
    written = [(name, *line, False) for name in TEACH for line in load_lines(name)]
    made = [("frames", text, order, False) for text, order in make_frame_lines().items()]
    taught = {row[1] for row in (*written, *made)}
    others = load_talk((*WRITTEN_SETS, *GRADED_SETS), TEACHING_LIVES, "a").items()
    rows = [*written, *made, *((name, text, False, whole) for text, (name, whole) in others if text not in taught)]
    weighs = {"frames": FRAMES_WEIGH, **dict.fromkeys(TEACH, 1.0)}
    names, texts, orders, sentences = zip(*rows, strict=True)
    weights = np.array([weighs.get(name, TALK_WEIGHS) for name in names])
    return Lines(list(texts), np.array(orders, bool), weights, np.array(names), np.array(sentences, bool))


def train_classifier(lines: Lines, vectors: Float32) -> InstructionClassifier:
    """Return a reader taught by lines, with their vectors (n, 512)."""
    parts = [extract_features(text) for text in lines.texts]
    is_own = np.isin(lines.names, (*TEACH, "frames"))
    often = Counter(part for own, is_taught in zip(parts, is_own, strict=True) if is_taught for part in own)
    places = {
        part: place for place, part in enumerate(sorted(one for one, count in often.items() if count >= LEAST_OFTEN))
    }
    known = [[places[part] for part in own if part in places] for own in parts]
    alone = _fit_regression(lines, known, len(places), vectors[:, :0], LEAST_ALONE)
    clauses = ~lines.sentences
    known = select_places(known, clauses)
    embedded = _fit_regression(lines.select(clauses), known, len(places), vectors[clauses], LEAST_EMBEDDED)
    return InstructionClassifier(places, alone, embedded, {})


def _fit_regression(
    lines: Lines, known: Sequence[Sequence[int]], width: int, vectors: Float32, least: float
) -> InstructionWeights:
    from scipy import sparse  # noqa: PLC0415 - of the group `evaluation`

    sizes = np.array([len(one) for one in known])
    loud = PARTS_LOUD / np.sqrt(np.clip(sizes, 1, MOST_PARTS))
    places = np.concatenate([np.array(one, np.int64) for one in known])
    counted = sparse.csr_matrix(
        (np.repeat(loud, sizes), places, np.concatenate([[0], np.cumsum(sizes)])), shape=(len(known), width)
    )
    numbers = sparse.hstack([counted, sparse.csr_matrix(vectors * VECTOR_LOUD)]).tocsr()
    model = fit_regression(
        numbers, lines.orders, lines.weights, strictness=STRICTNESS, max_iter=3_000, tol=1e-5, solver="liblinear"
    )
    weights = np.asarray(model.coef_[0], np.float32)
    return InstructionWeights(
        weights[:width] * PARTS_LOUD, weights[width:] * VECTOR_LOUD, float(model.intercept_[0]), least
    )


def embed_lines(texts: Sequence[str]) -> Float32:
    held = [embed_sentences(texts[start : start + 256]) for start in range(0, len(texts), 256)]
    return np.stack([held[place // 256][text] for place, text in enumerate(texts)])


def teach() -> Iterator[str]:
    lines = build_lesson()
    reader = train_classifier(lines, embed_lines(lines.texts))
    files = [*(INSTRUCTIONS / f"{name}.txt" for name in TEACH), INSTRUCTIONS / "frames.toml"]
    by = {file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:16] for file in files}
    counted = {"lines": int((lines.weights == 1).sum()), "orders": int(lines.orders.sum()), "all": len(lines.texts)}
    InstructionClassifier(reader.places, reader.alone, reader.embedded, {"by": by, **counted}).save(WEIGHTS)
    load_instruction_classifier.cache_clear()
    yield from measure()


def measure() -> Iterator[str]:
    for name in MEASURE:
        texts, orders = zip(*load_lines(name), strict=True)
        yield from _render_figures(name, list(texts), np.array(orders))
    held = load_talk(UNREAD_SETS, UNREAD_LIVES, "b")
    sorts = {
        "clauses of users": (False, False),
        "sentences of users": (False, True),
        "clauses of replies": (True, False),
    }
    for title, sort in sorts.items():
        said = [text for text, (name, whole) in held.items() if ("replies" in name, whole) == sort]
        yield from _render_figures(title, said, np.zeros(len(said), bool))


def _render_figures(name: str, texts: Sequence[str], orders: Flags) -> Iterator[str]:
    reader = load_instruction_classifier()
    for kind, weights, vectors in (
        ("words", reader.alone, [None] * len(texts)),
        ("vector", reader.embedded, embed_lines(texts)),
    ):
        shares = np.array([reader.probability(*pair) for pair in zip(texts, vectors, strict=True)])
        told = shares >= weights.least
        right, wrong = int((told & orders).sum()), told & ~orders
        found = f"precision {orders[told].mean():.3f} recall {told[orders].mean():.3f}, " if right else ""
        refused = f"{wrong.sum()} of {(~orders).sum()} others refused ({_count_lasting(texts, wrong)} would be held)"
        yield f"{name}, {kind}, from {weights.least}: {found}{refused}"


def _count_lasting(texts: Sequence[str], mask: Flags) -> int:
    spoken = [split_message(text) for text in select_places(texts, mask)]
    return sum(any(one.lasting >= NOTING.held_from for one in grades) for grades in grade_messages(spoken))


def cross_validate() -> Iterator[str]:
    """Yield how much of the teaching talk is refused, each set read by a reader that the others taught."""
    lines = build_lesson()
    vectors = embed_lines(lines.texts)
    sets = [name for name in np.unique(lines.names) if name not in (*TEACH, "frames")]
    refused = []
    for first in range(5):
        held = np.isin(lines.names, sets[first::5])
        reader = train_classifier(lines.select(~held), vectors[~held])
        for place in np.flatnonzero(held & ~lines.sentences).tolist():
            shares = [reader.probability(lines.texts[place], vector) for vector in (None, vectors[place])]
            if shares[0] >= LEAST_ALONE or shares[1] >= LEAST_EMBEDDED:
                refused.append((shares, lines.names[place], lines.texts[place]))
    clauses = int((~np.isin(lines.names, (*TEACH, "frames")) & ~lines.sentences).sum())
    for which, (kind, least) in enumerate((("words", LEAST_ALONE), ("vector", LEAST_EMBEDDED))):
        yield f"{kind}: {sum(shares[which] >= least for shares, _, _ in refused)} of {clauses} clauses"
    yield from (f"{shares[0]:.2f} {shares[1]:.2f} {name}: {text}" for shares, name, text in refused)


if __name__ == "__main__":
    run_program(teach, across=cross_validate, measure=measure)
