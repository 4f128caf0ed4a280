"""Classify whether words ask not to keep something, and whether an answer says that nothing is kept.

Two small linear models over words, without vectors, trained by ``python -m lab.teaching.forget_orders`` and
``lab.teaching.acknowledgements``; ``orders.json`` and ``acknowledgements.json`` name the training data. The words that
are left of an order name its thing; an order without any points to earlier words. Pure.
"""

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from zlib import crc32

import numpy as np

from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.heard.forget_targets import build_chinese_things_pattern, is_personal_thing
from snapshots.understanding.reading.text_folding import fold_for_matching

WEIGHTS = Path(__file__).with_name("data") / "orders.json"
_WORDS = Path(__file__).with_name("data") / "order_words.toml"
ORDER, OTHER = "order", "other"
# Users ask in words that no classifier was trained on. The assistant's answer is evidence beside them: "It's gone."
ACKNOWLEDGEMENT_WEIGHTS = Path(__file__).with_name("data") / "acknowledgements.json"
ACKNOWLEDGES = "acknowledges"
_ANSWER_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
# In characters: an answer says at its beginning that it keeps nothing.
LONGEST_ANSWER = 400
# Number of hash buckets, length of the vector, and the number of features from which on the vector grows: one telling
# word must not be lost in a long text.
SLOTS, _LENGTH, _MANY = 8_192, 4.0, 60
# One order may span so many parts of a message: "I told you of my brother. Take that off, please".
LONGEST_RUN = 4
MOST_PARTS = 48
LONGEST_PART = 240
_TOKEN = re.compile(r"[a-z]+(?:['-][a-z]+)*|\d+|[\u3400-\u9fff]|[?!,.;:-]")
_CLASSED = re.compile(r"#[\w]+|[a-z]+(?:['-][a-z]+)*|\d+|[\u3400-\u9fff]|[?!,.;:-]")
_LATIN = re.compile(r"[a-z0-9]+(?:['-][a-z]+)*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
_EACH_NAME = re.compile(r"\b(?:and|or)\b|[,/]|[、]")
_MOST_NAME = 80

# Single characters that say who somebody is.
KIN = frozenset("爸妈爹娘哥弟姐妹儿女夫妻婆公爷奶姨叔舅侄孙娃媳婿狗猫")

_OUTRIGHT, _KEEPING, _DENIED = frozenset({"#forget", "#private"}), frozenset({"#keep", "#said", "#memory"}), "#not"
_MARKS = frozenset("?!,.;")
# A denial reaches over so many words: "nothing about this goes in the notes".
_DENIED_OVER = 6
_APART = np.array([1.0, -1.0], np.float32)

Run = tuple[int, int]


def list_runs(form: str, parts: Sequence[Run]) -> Iterator[Run]:
    read = parts[:MOST_PARTS]
    for place, (start, _) in enumerate(read):
        for _, end in read[place : place + LONGEST_RUN]:
            if end - start > LONGEST_PART:
                break
            if may_be_order(form[start:end]):
                yield start, end


def may_be_order(form: str) -> bool:
    """Return whether words hold evidence of an order. Without it the classifier is not asked."""
    low, known = form.lower(), _load_words()
    if known.ways.search(low):
        return True
    classes = _replace_by_classes(low)
    for at, one in enumerate(classes):
        behind = takewhile(lambda word: word not in _MARKS, classes[at + 1 : at + 1 + _DENIED_OVER])
        if one == _DENIED and not _KEEPING.isdisjoint(behind):
            return True
        # "Don't forget" asks for the opposite.
        if one in _OUTRIGHT and classes[max(0, at - 1)] != _DENIED:
            return True
    return False


def order_probability(text: str) -> float:
    """Return the probability that ``text``, with the question mark behind it, asks not to keep something."""
    slots, weight = _hash_parts(text)
    reader = load_order_classifier()
    score = float(reader.weights[:, slots].sum(axis=1) @ _APART) * weight + float(reader.intercepts @ _APART)
    return 1 / (1 + math.exp(-score))


def order_threshold() -> float:
    return load_order_classifier().least[ORDER]


@cache
def load_order_classifier() -> LinearClassifier:
    return LinearClassifier.read(WEIGHTS)


def order_features(text: str) -> Float32:
    """Return the features of a text, shape (8192,): its words, their classes, and the classes alone."""
    slots, weight = _hash_parts(text)
    found = np.zeros(SLOTS, np.float32)
    found[slots] = weight
    return found


def _hash_parts(text: str) -> tuple[list[int], float]:
    slots = list({crc32(part.encode()) % SLOTS for part in _extract_features(text)})
    return slots, _LENGTH / math.sqrt(min(len(slots), _MANY))


def _extract_features(text: str) -> Iterator[str]:
    form = re.sub(r"\d+", "0", fold_for_matching(text).lower())
    yield from _list_ngrams(["^", *_TOKEN.findall(form), "$"], 3, "")
    classed = ["^", *_replace_by_classes(form), "$"]
    yield from _list_ngrams(classed, 4, "c:")
    yield from _list_ngrams([one for one in classed if one[0] in "#^$?"], 4, "k:")


def _list_ngrams(words: Sequence[str], longest: int, mark: str) -> Iterator[str]:
    for length in range(1, longest + 1):
        yield from (mark + "_".join(words[at : at + length]) for at in range(len(words) - length + 1))


def _replace_by_classes(form: str) -> list[str]:
    known = _load_words()
    marked = known.chinese.sub(lambda match: f" #{known.chinese_names[(match.lastindex or 1) - 1]} ", form)
    return [f"#{known.english[word]}" if word in known.english else word for word in _CLASSED.findall(marked)]


def extract_names(text: str) -> list[str]:
    """Return the things that an order names, which are its remaining words; none where it only points."""
    form = fold_for_matching(text).lower()
    known = _load_words()
    found: list[str] = []
    # A word for a thing stays whole: 电话 has an idle character in it.
    parts = build_chinese_things_pattern().split(form)
    parts[::2] = [known.idle_chinese.sub(" ", known.chinese.sub(" ", part)) for part in parts[::2]]
    for piece in _EACH_NAME.split("".join(parts)):
        words = [word for word in _LATIN.findall(piece) if word not in known.idle_english]
        chinese = [run for run in _HAN_RUN.findall(piece) if len(run) > 1 or run in KIN or is_personal_thing(run)]
        if words or chinese:
            found.append(" ".join([*words, *chinese])[:_MOST_NAME])
    return found


def load_idle_words() -> frozenset[str]:
    return _load_words().idle_english


@dataclass(frozen=True, slots=True)
class _OrderWords:
    """The word table: ``english`` by word, ``chinese`` with the class as the group that matched."""

    english: Mapping[str, str]
    chinese: re.Pattern[str]
    chinese_names: Sequence[str]
    idle_english: frozenset[str]
    idle_chinese: re.Pattern[str]
    ways: re.Pattern[str]


@cache
def _load_words() -> _OrderWords:
    held = tomllib.loads(_WORDS.read_text(encoding="utf-8"))
    english = {word: name for name, words in held["en"].items() for word in words.split()}
    return _OrderWords(
        english,
        re.compile("|".join(f"({words})" for words in held["zh"].values())),
        list(held["zh"]),
        frozenset({*held["idle"]["en"].split(), *english}),
        re.compile(held["idle"]["zh"]),
        re.compile("|".join((rf"\b(?:{'|'.join(held['ways']['en'])})", *held["ways"]["zh"]))),
    )


def estimate_acknowledgement_probability(answer: str) -> float:
    """Return the probability that an assistant's message, or its first sentence, says that nothing is kept."""
    said = answer[:LONGEST_ANSWER]
    first = _ANSWER_SENTENCE.split(said.strip(), maxsplit=1)[0]
    return max(
        load_acknowledgement_classifier().class_shares(order_features(text))[ACKNOWLEDGES] for text in {said, first}
    )


def acknowledges_forgetting(answer: str) -> bool:
    return estimate_acknowledgement_probability(answer) >= load_acknowledgement_classifier().least[ACKNOWLEDGES]


@cache
def load_acknowledgement_classifier() -> LinearClassifier:
    return LinearClassifier.read(ACKNOWLEDGEMENT_WEIGHTS)
