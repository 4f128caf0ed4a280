"""Choosing which of the earlier turns an order to forget means, by a taught linear model. Pure.

``python -m lab.teaching.forget_order_meaning`` teaches the weights; ``meant.json`` holds them, and names its data.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.pattern_files import load_patterns
from snapshots.forgetting.topic_words import find_topic_words, load_idle_terms, weigh_shared_words
from snapshots.understanding.grading.clause_features import count_words
from snapshots.understanding.heard.forget_orders import SpokenForgetOrder, refers_back
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.text_folding import fold_for_matching

WEIGHTS = Path(__file__).with_name("data") / "meant.json"
_LIKELY = ("near_apart_named", "whole_apart", "near_named", "whole", "sounds_secret")
_DESCRIBED = ("around", "around_best", "whole_apart", "whole")
_NEAR = 4
_NO_SPREAD = 1e-6
_ALL = 0.999
_MOST_SAYING = 3
_PROPER = re.compile(r"(?<=\w )[A-Z][a-z]+")
_SPEAKS_OF = load_patterns(Path(__file__).with_name("data") / "speaks_of.toml")
_POINTS_AT = load_patterns(Path(__file__).with_name("data") / "points_at.toml")
_REACTS = re.compile(
    r"^\W*(?:ok(?:ay)?|thanks?|thx|ta|good|great|right|done|sent|yes|yeah|yep|perfect|fine|got it|cheers|ugh|true|lol|"
    r"ha\w*|nice|no|nah|it is|it does|you're)\b|^\W*(?:好|嗯|行|谢|发了|写好|可以|收到|知道|对|没事|哈|懂|有道理|是)",
    re.IGNORECASE,
)
_THE = re.compile(r"\b(?:the|that|those|my|her|his)\b|那|的", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;。！？；…\n]")
_MATTER = re.compile(r"那(?![句段条个件些])[^,。]{1,6}的事")


@dataclass(frozen=True, slots=True)
class OrderMessage:
    """The message of an order: its ``words``, the text ``before`` and ``after`` them, and the assistant's turn
    ``assistant_turn``.

    The unit vectors (None without an encoder) are of the thing that the order names, of the ``whole`` message, and of
    the ``rest`` beside the order.
    """

    order: SpokenForgetOrder
    words: str
    before: str
    after: str
    assistant_turn: str = ""
    vector: Float32 | None = None
    whole: Float32 | None = None
    rest: Float32 | None = None

    def with_vectors(self, vectors: Mapping[str, Float32]) -> "OrderMessage":
        words, message, rest = list_texts_to_embed(self)
        return replace(self, vector=vectors.get(words), whole=vectors.get(message), rest=vectors.get(rest))


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """An earlier turn of the user, without orders; ``elsewhere``: in another conversation."""

    text: str
    elsewhere: bool = False
    vector: Float32 | None = None


def list_texts_to_embed(message: OrderMessage) -> tuple[str, str, str]:
    """Return the texts to embed: the thing that the order names (else its own words), its message, and the rest of
    that."""
    rest = f"{message.before.strip()} {message.after.strip()}"
    return " ".join(message.order.names) or message.words, f"{message.before}{message.words}{message.after}", rest


@dataclass(frozen=True, slots=True)
class MeaningReader:
    """The taught weights by feature, and the direction in which vectors of secrets lie."""

    weights: Mapping[str, float]
    secret: Float32

    def choose_turns(
        self, message: OrderMessage, turns: Sequence[EarlierTurn], *, acknowledged: bool = False
    ) -> list[int]:
        rows = build_turn_features(message, turns, self.secret)
        scores = [sum(self.weights.get(name, 0.0) * value for name, value in row.items()) for row in rows]
        told, nothing = zip(scores[:-1], rows[:-1], strict=True), scores[-1]
        likely = [score if row["tells"] or row["number"] or row["named"] else -math.inf for score, row in told]
        if message.order.is_described and turns and not rows[0]["named"]:
            likely[0] = -math.inf  # "that loan I told you of, forget it": its own message only describes it
        # One turn alone: a fact wrongly forgotten is worse than one that stays.
        best = int(np.argmax(likely))
        is_meant = likely[best] > (-math.inf if acknowledged else nothing)
        chosen = [best] if is_meant else []
        return chosen + [place for place in _find_turns_with_name(message, rows[:-1]) if chosen and place not in chosen]


def choose_meant_turns(message: OrderMessage, turns: Sequence[EarlierTurn], *, acknowledged: bool = False) -> list[int]:
    """Return the turns that an order means: 0 its own message, 1 and more the ``turns`` before it, newest first.

    For a proper name ("Quimper"), returns all turns with the name, if they are few. Returns none where no turn states
    anything or another meaning is likelier, unless the assistant has ``acknowledged`` the order.
    """
    return load_meant_turn_classifier().choose_turns(message, turns, acknowledged=acknowledged)


def _find_turns_with_name(message: OrderMessage, rows: Sequence[Mapping[str, float]]) -> list[int]:
    proper = {word for name in _PROPER.findall(message.words) for word in find_topic_words(fold_for_matching(name))}
    is_proper = any(proper & find_topic_words(name) for name in message.order.names)
    saying = [place for place, row in enumerate(rows) if place and row["named"] >= _ALL]
    return saying if is_proper and len(saying) <= _MOST_SAYING else []


@dataclass(frozen=True, slots=True)
class _TurnReading:
    words: frozenset[str]
    tells: bool
    numbers: Mapping[str, float]


@lru_cache(maxsize=1_024)  # the last things that somebody told are asked about again with each of their orders
def _read_turn(text: str) -> _TurnReading:
    form, tells = fold_for_matching(text), tells_something(text)
    spoken = {name: _matches(_SPEAKS_OF, name, form) for name in _SPEAKS_OF}
    alone = {"tells": float(tells), "long": math.log1p(count_words(form)), "asks": float(form.endswith("?"))}
    return _TurnReading(frozenset(find_topic_words(form)), tells, alone | spoken)


def build_turn_features(message: OrderMessage, turns: Sequence[EarlierTurn], secret: Float32) -> list[dict[str, float]]:
    """Return the features by name: of the order's own message, of each turn before it, and of "nothing that is
    known"."""
    seen = [_read_turn(text) for text in (f"{message.before}\n{message.after}", *(turn.text for turn in turns))]
    held, alike = [one.words for one in seen], _build_similarity_features(message, turns, secret)
    named = weigh_shared_words({word for name in message.order.names for word in find_topic_words(name)}, held)
    around_named = weigh_shared_words(
        _read_turn(f"{message.before} {message.words} {message.after}").words - load_idle_terms(), held
    )
    ordered, around = dict(_build_order_features(message)), dict(_build_own_message_features(message))
    before = {name: _matches(_SPEAKS_OF, name, fold_for_matching(message.before)) for name in _SPEAKS_OF}
    best, best_around, telling = max(named), max(around_named[1:], default=0.0), sum(one.tells for one in seen)
    rows, told = [], 0
    for place, one in enumerate(seen):
        where = _classify_place(place, turns)
        row = {f"at_{where}": 1.0, "far": math.log1p(place), **one.numbers, **alike[place]}
        row |= {"named": named[place], "named_best": float(0 < named[place] == best)}
        row |= {"named_elsewhere": best - named[place]}
        if place:
            row |= {"around": around_named[place], "around_best": float(0 < around_named[place] == best_around)}
            row |= {f"beside_{name}": one.numbers[name] * before[name] for name in _SPEAKS_OF}
            # If the order's own message tells something, its words describe that, not an earlier turn.
            row |= {f"{name}_beside_told": row.get(name, 0.0) * around["before_tells"] for name in _DESCRIBED}
            row |= {"number_beside_code": one.numbers["number"] * before["code"]}
        row |= {"told_before": float(min(2, told)), "first_told": float(one.tells and not told)}
        row |= {"only_told": float(one.tells and telling == 1)}
        row |= {f"both_{name}": one.numbers[name] * ordered[f"order_{name}"] for name in _SPEAKS_OF}
        row |= {"number_of_code": one.numbers["number"] * ordered["order_code"]}  # "forget that number"
        row |= {f"{where}_{name}": value for name, value in ordered.items()}
        row |= {f"{where}_tells": float(one.tells)}
        row |= around if place == 0 else {}
        rows.append(row)
        told += bool(place and one.tells)
    nothing = {"nothing": 1.0, "nothing_named": best * ordered["names"], "nothing_around": best_around}
    nothing |= {f"nothing_{name}": value for name, value in ordered.items()}
    nothing |= {f"nothing_{name}": max((row.get(name, 0.0) for row in rows), default=0.0) for name in _LIKELY}
    return [*rows, nothing]


def points_to_last_turn(words: str) -> bool:
    """Return whether an order only points to the turn right before it: "what I just said", 刚才的话. 刚才那钱的事 also
    names a topic, in one character that is no name."""
    form = fold_for_matching(words)
    return bool(_matches(_POINTS_AT, "last", form)) and _MATTER.search(form) is None


def _classify_place(place: int, turns: Sequence[EarlierTurn]) -> str:
    if place == 0:
        return "own"
    if turns[place - 1].elsewhere:
        return "other"
    return "last" if place == 1 else "near" if place <= _NEAR else "same"


def _build_similarity_features(
    message: OrderMessage, turns: Sequence[EarlierTurn], secret: Float32
) -> list[dict[str, float]]:
    if message.vector is None or message.whole is None or not turns:
        return [{} for _ in range(len(turns) + 1)]
    unknown = np.zeros_like(message.vector)
    vectors = np.stack([unknown if turn.vector is None else turn.vector for turn in turns])
    named = float(bool(message.order.names))
    numbers = {"sounds_secret": vectors @ secret}
    for name, vector in (("near", message.vector), ("whole", message.whole)):
        cosines = vectors @ vector
        apart = (cosines - cosines.mean()) / (cosines.std() + _NO_SPREAD)
        numbers |= {name: cosines, f"{name}_apart": apart, f"{name}_nearest": cosines == cosines.max()}
        numbers |= {f"{name}_named": named * cosines, f"{name}_apart_named": named * apart}
    own = {} if message.rest is None else {"sounds_secret": float(message.rest @ secret)}
    return [own, *({name: float(row[place]) for name, row in numbers.items()} for place in range(len(turns)))]


def _build_order_features(message: OrderMessage) -> Iterator[tuple[str, float]]:
    words = fold_for_matching(message.words)
    yield from ((f"order_{name}", _matches(_SPEAKS_OF, name, words)) for name in _SPEAKS_OF)
    yield from ((name, _matches(_POINTS_AT, name, words)) for name in _POINTS_AT)
    yield "names", float(bool(message.order.names))
    yield "refers", float(message.order.refers or refers_back(words))
    yield "long_order", math.log1p(count_words(words))
    yield "answers", float(message.assistant_turn.rstrip().endswith(("?", "？")))


def _build_own_message_features(message: OrderMessage) -> Iterator[tuple[str, float]]:
    before, after = fold_for_matching(message.before).strip(), fold_for_matching(message.after).strip()
    sentences = [one for one in _SENTENCE.split(before) if one.strip()]
    last = sentences[-1] if sentences else ""
    is_glued = bool(before) and not _SENTENCE.match(before[-1:])
    yield "before_refers", float(refers_back(before))
    yield from ((f"before_{name}", _matches(_POINTS_AT, name, before)) for name in ("this", "that", "days"))
    yield "before_the", float(_THE.search(before) is not None)
    yield "before_tells", float(tells_something(before))
    yield "after_tells", float(tells_something(after))
    yield "before_reacts", float(_REACTS.search(before) is not None)
    yield "last_reacts", float(_REACTS.search(last) is not None)
    yield "glued", float(is_glued)
    yield "glued_tells", float(is_glued and tells_something(last))
    yield "opens", float(not before)
    yield "reacts_then_opens", float(len(sentences) == 1 and _REACTS.search(before) is not None)
    yield "after_colon", float(after[:1] in {":", ",", "-"})
    yield "after_opens", float(not before and tells_something(after))
    yield "before_words", math.log1p(count_words(before))
    yield "after_words", math.log1p(count_words(after))
    for name in _SPEAKS_OF:
        yield f"before_{name}", _matches(_SPEAKS_OF, name, before)
        yield f"after_{name}", _matches(_SPEAKS_OF, name, after)


def _matches(patterns: Mapping[str, re.Pattern[str]], name: str, form: str) -> float:
    return float(patterns[name].search(form) is not None)


@cache
def load_meant_turn_classifier() -> MeaningReader:
    taught = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return MeaningReader(taught["weights"], np.array(taught["secret"], np.float32))
