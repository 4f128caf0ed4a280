"""Features of clauses for the classifier: vectors of the clause and of its surroundings, its form, cues.

Vectors come from the bundled sentence encoder, 512 numbers a text. ``docs/memory/understanding.md`` gives the worth of
each part; hashed single words added nothing.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.pattern_files import load_patterns
from snapshots.understanding.grading.clause_cues import compute_cue_features
from snapshots.understanding.grading.sentence_vectors import Vectors
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.text_folding import fold_for_matching

_RE = load_patterns(Path(__file__).with_name("clause_features.toml"))

DIMENSIONS = 512
# How much each part weighs beside the vectors of the clauses around; chosen by cross-validation over writers.
OWN, QUESTION, FORM = 3.0, 2.0, 1.5
# Words (two Chinese characters count as one): a longer message answers no question by itself.
SHORT_ANSWER = 14
QUESTION_CHARS = 200
_SENTENCE = re.compile(r"(?<=[.!?。!?;;])\s*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[A-Za-z0-9']+")
_OPENS_WITH_ME = re.compile(r"(?:i|i'm|i've|my|we|our|we're)\b|我|咱", re.IGNORECASE)
_HOLDS_ME = re.compile(r"\b(?:i|i'm|my|we|our|me|us)\b|我|咱", re.IGNORECASE)
_NUMERAL = re.compile(r"\d|[一二三四五六七八九十]")


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A user's message cut into clauses, and the question that the assistant had asked just before; "" for none.

    ``remember_spans`` are the characters that the user asked to have remembered, or that answer a known question.
    ``answer``: ``text`` is the statement of a bare yes or no, and ``answer`` its words: question and answer. ``orders``
    are clauses that were left out because they instruct the model.
    """

    text: str
    clauses: tuple[Clause, ...]
    question: str = ""
    remember_spans: tuple[tuple[int, int], ...] = ()
    answer: str = ""
    orders: tuple[Clause, ...] = ()

    def is_asked_to_remember(self, start: int, end: int) -> bool:
        return any(start < last and first < end for first, last in self.remember_spans)

    def sentence_has_order(self, sentence: int) -> bool:
        return any(one.sentence == sentence for one in self.orders)

    def span_has_order(self, start: int, end: int) -> bool:
        return any(start < one.end and one.start < end for one in self.orders)

    @property
    def follows_question(self) -> bool:
        return "?" in self.question or "？" in self.question

    @property
    def is_short_answer(self) -> bool:
        """Whether it is short enough to be a bare answer to the turn before it."""
        return bool(self.question) and count_words(self.text) <= SHORT_ANSWER


def find_question(turn: str) -> str:
    """Return the last question of an assistant's turn, or its last sentence where it asks nothing; "" where it only
    acknowledges: nothing after "Noted." is an answer."""
    sentences = [one for one in _SENTENCE.split(turn.strip()) if one.strip()]
    if all(_RE["acknowledges"].fullmatch(one.strip()) for one in sentences):
        return ""
    questions = [one for one in sentences if "?" in one or "？" in one]
    return (questions or sentences or [""])[-1][-QUESTION_CHARS:]


def list_texts_to_embed(messages: Iterable[SpokenMessage]) -> list[str]:
    wanted: dict[str, None] = {}
    for one in messages:
        wanted.update(dict.fromkeys(clause.text for clause in one.clauses))
        if one.is_short_answer and one.clauses:
            wanted[one.question] = None
    return list(wanted)


def compute_clause_features(message: SpokenMessage, vectors: Vectors) -> Float32:
    """Return the features of each clause, shape (clauses, n). Raises KeyError for a text without a vector."""
    own = np.stack([vectors[clause.text] for clause in message.clauses])
    nothing = np.zeros((1, DIMENSIONS), np.float32)
    before, after = np.concatenate([nothing, own[:-1]]), np.concatenate([own[1:], nothing])
    question = np.zeros_like(own)
    if message.is_short_answer:
        question[0] = vectors[message.question]
    forms = [fold_for_matching(clause.text).lower() for clause in message.clauses]
    whole = fold_for_matching(message.text).lower()
    form = np.stack([_compute_form_features(message, place, forms[place]) for place in range(len(forms))])
    cues = np.stack([compute_cue_features(form, whole) for form in forms])
    whole_message = np.broadcast_to(own.mean(axis=0), own.shape)
    return np.concatenate([OWN * own, before, after, QUESTION * question, FORM * form, cues, whole_message], axis=1)


def count_words(text: str) -> float:
    """Return the words of a text; two Chinese characters count as one."""
    return len(_HAN.findall(text)) / 2 + len(_WORD.findall(text))


def _compute_form_features(message: SpokenMessage, place: int, form: str) -> Float32:
    clause, count = message.clauses[place], len(message.clauses)
    size, whole = count_words(clause.text), count_words(message.text)
    numbers: Sequence[float] = (
        clause.in_question,
        clause.in_question and place == count - 1,
        clause.language == "zh",
        min(size, 30) / 30,
        size <= 3,  # noqa: PLR2004 - lengths are features, not limits
        size <= 6,  # noqa: PLR2004
        bool(_OPENS_WITH_ME.match(form)),
        bool(_HOLDS_ME.search(form)),
        bool(_NUMERAL.search(form)),
        min(count, 8) / 8,
        min(place, 6) / 6,
        message.follows_question,
        message.follows_question and whole <= SHORT_ANSWER,
        message.follows_question and whole <= 6,  # noqa: PLR2004
    )
    return np.array(numbers, np.float32)
