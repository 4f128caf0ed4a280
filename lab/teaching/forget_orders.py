"""Teach the reader of orders to forget: ``make evaluation``, then ``python -m lab.teaching.forget_orders``, env set.

Writes ``snapshots/understanding/heard/data/orders.json``; ``--measure`` prints the figures of lines that teach nothing.
``orders/teach_*.txt`` and ``orders/measure_*.txt`` hold a message a line, the order itself in brackets.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.measuring.golden_sets import GOLDEN, load_rows
from lab.standalone import run_program
from lab.teaching.training import Flags, fit_regression, hash_sets, read_weights, render_shares
from memory_platform.kernel.linear_model import Float32, LinearClassifier
from snapshots.understanding.heard.forget_order_classifier import (
    ORDER,
    OTHER,
    WEIGHTS,
    order_features,
    order_probability,
)
from snapshots.understanding.heard.forget_orders import find_forget_orders, list_possible_orders
from snapshots.understanding.reading.text_folding import fold_for_matching

ORDERS = GOLDEN / "orders"
TEACH = ("teach_en", "teach_zh", "teach_talks_en", "teach_talks_zh")
# Sets that say which messages hold an order, not where.
WHOLE = ("measure_en_3", "measure_zh_3", "measure_talks_en", "measure_talks_zh")
# Sets of talk in which words of forgetting, keeping and telling order the memory nothing, and 33 orders.
TALK_LIKE_ORDERS = ("measure_talk_en", "measure_talk_zh")
MEASURE = ("measure_en", "measure_zh", "measure_en_2", "measure_zh_2", *WHOLE, *TALK_LIKE_ORDERS)
# What people say otherwise. Lines that stand among those that teach are left out, and so are NOT_PLAIN.
TALK = (
    *("utterances", "utterances_2", "utterances_3", "utterances_4", "everyday_en", "everyday_zh"),
    *("feedback", "feedback_2", "feedback_3", "feedback_4", "feedback_5", "intents_2", "intents_3", "intents_4"),
    *("corrections_2", "corrections_3", "corrections_4", "echoes"),
    *("grades/talk_en_1", "grades/talk_en_2", "grades/talk_zh_1", "grades/talk_zh_2"),
)
# Orders to forget what has changed: neither here nor there.
NOT_PLAIN = ("柳河街", "Tammy doing the mail", "可以清掉", "forget I mentioned the cave", "omg delete that")
# What puts something right is no order, but some of it is said as one: these lines are left out.
CORRECTED = ("corrections_2", "corrections_3", "corrections_4", "echoes")
FORGETS = re.compile(r"forg|delet|eras|scratch|remov|drop|忘|删|别记|去掉|抹", re.IGNORECASE)
# Inverse strength of the regularisation (scikit-learn's C): of 1, 3 and 10.
STRICTNESS = 3.0
TALK_WEIGHS = 1.0
# What is hidden wrongly is lost after a day: of 248 messages that only look like orders (measure_talk_*) 1 is heard, of
# 6,638 others 3; from .5 on 16 were. It costs a third of strangers' indirect orders. With .85 one of ten own lives kept
# a secret that .8 forgets.
LEAST = 0.8
# A run is an order's when both share so much of what either covers.
SAME = 0.8

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class OrderLesson:
    runs: list[str]
    orders: Flags
    weights: npt.NDArray[np.float64]

    def numbers(self) -> Float32:
        """Return the features of the runs, shape (n, 8192)."""
        return np.stack([order_features(one) for one in self.runs])


def load_lines(name: str) -> list[tuple[str, Spans]]:
    return [_parse_brackets(line) for line in (ORDERS / f"{name}.txt").read_text(encoding="utf-8").splitlines()]


def _parse_brackets(line: str) -> tuple[str, Spans]:
    text, spans, start = "", [], 0
    for mark in line:
        if mark == "[":
            start = len(text)
        elif mark == "]":
            spans.append((start, len(text)))
        else:
            text += mark
    return text, tuple(spans)


def load_talk() -> Iterator[str]:
    orders = [text for name in TEACH for text, spans in load_lines(name) if spans]
    for name in TALK:
        for row in load_rows(name):
            texts = [row.get(key) for key in ("text", "next", "user", "content")]
            texts += [turn["content"] for turn in row.get("turns") or () if turn.get("role") == "user"]
            for text in (one for one in texts if isinstance(one, str)):
                is_order = any(text in one or one in text for one in orders)
                is_plain = not any(one in text for one in NOT_PLAIN)
                if is_plain and not is_order and not (name in CORRECTED and FORGETS.search(text)):
                    yield text


def build_lesson(messages: Sequence[tuple[str, Spans]], weight: float) -> OrderLesson:
    """Return the runs of messages that are an order, and those that have no part in one."""
    runs, orders = [], []
    for text, spans in messages:
        for start, end, words in list_possible_orders(fold_for_matching(text)):
            shares = [_share(start, end, *span) for span in spans]
            if not any(shares) or max(shares) >= SAME:
                runs.append(words)
                orders.append(any(shares))
    return OrderLesson(runs, np.array(orders, bool), np.full(len(runs), weight))


def _share(start: int, end: int, first: int, last: int) -> float:
    both = max(0, min(end, last) - max(start, first))
    return both / (max(end, last) - min(start, first))


def teach() -> Iterator[str]:
    own = build_lesson([line for name in TEACH for line in load_lines(name)], 1.0)
    other = build_lesson([(text, ()) for text in load_talk()], TALK_WEIGHS)
    given = ((own.numbers(), other.numbers()), (own.orders, other.orders), (own.weights, other.weights))
    model = fit_regression(*map(np.concatenate, given), strictness=STRICTNESS, max_iter=600, tol=1e-3)
    _, weights, biases = read_weights(model)
    counts = {"runs": len(own.runs), "orders": int(own.orders.sum()), "others": len(other.runs)}
    taught = {"by": hash_sets(ORDERS, TEACH, "txt"), **counts}
    LinearClassifier((ORDER, OTHER), weights[::-1], biases[::-1], {ORDER: LEAST}, "words", taught).write(WEIGHTS)
    yield from measure()


def measure() -> Iterator[str]:
    for name in MEASURE:
        if name not in WHOLE:
            lesson = build_lesson(load_lines(name), 1.0)
            told = np.array([order_probability(run) for run in lesson.runs]) >= LEAST
            yield f"{name}: runs: {render_shares(told, lesson.orders)}"
        lines = load_lines(name)
        heard = np.array([bool(find_forget_orders(text)) for text, _ in lines])
        yield f"{name}: messages: {render_shares(heard, np.array([bool(spans) for _, spans in lines]))}"


if __name__ == "__main__":
    run_program(teach, measure=measure)
