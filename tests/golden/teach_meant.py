"""Teach what an order to forget means: ``make evaluation``, then ``python -m tests.golden.teach_meant``, env set.

Writes ``snapshots/forgetting/meant.json``; ``--across`` prints how each fifth of the talks is read by what the others
taught, and how the orders of lives are read, which teach nothing.
"""

# ruff: noqa: E402 -- what is imported below the set-up defines models

import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import django
import numpy as np
import numpy.typing as npt

django.setup()

from snapshots.forgetting.meant import FARTHEST, WEIGHTS, OrderedTurn, chosen_among, may_hold, numbers_of
from snapshots.forgetting.near_turns import cut_order, without_orders
from snapshots.understanding.heard.forget_orders import ForgetOrder, read_forget_orders, runs_to_read
from snapshots.understanding.heard.order_reader import names_of, order_share
from snapshots.understanding.reading.forms import matching_form
from tests.golden.clause_labels import TEACH, labelled_messages
from tests.golden.labels import HERE

SETS = ("meant_en", "meant_zh", "meant_plain")
TEACHING_LIVES = ("en", "zh", "en_2", "en_3", "zh_3", "en_4", "zh_4")
MEASURING_LIVES = ("en_5", "zh_5")
HELD_BACK = 2.0
"""How strongly weights are held back (half the sum of their squares): of 1, 2, 4 and 10 the best of lives."""
PLAIN_WEIGHS = 0.3
"""What a talk made of plain parts weighs beside one that somebody wrote."""
FOLDS = 5
_PRIVATE = re.compile(r"told to (?:forget|delete)|told not to keep", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Talk:
    """An order beside the turns before it, newest first, and which are meant: 0 the order's own message, 1 the turn
    before."""

    name: str
    said: OrderedTurn
    turns: tuple[str, ...]
    meant: frozenset[int]


def talks_of(name: str) -> Iterator[Talk]:
    """Yield the labelled talks of a set in which an order is heard, each with what others said before it: in real talk
    much was told before the secret."""
    for place, line in enumerate((HERE / "orders" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        talk = talk_of(row["id"], row["turns"], row["order"], row["meant"])
        if talk is not None:
            strange = _turns_said(row["language"])
            start = place * 31 % len(strange)
            yield replace(talk, turns=(*talk.turns, *strange[start : start + FARTHEST - len(talk.turns)]))
            if talk.meant == {0}:  # what was told right before it is another thing, whatever it is
                yield replace(talk, turns=tuple(strange[start : start + FARTHEST]))


@cache
def _turns_said(language: str) -> list[str]:
    names = [name for name in TEACH if name.startswith(f"talk_{language}")]
    return [message.spoken.text for name in names for message in labelled_messages(name)]


def orders_of_lives(name: str) -> Iterator[Talk]:
    """Yield the orders of a set of lives that stand in the conversation of their secret."""
    for person in json.loads((HERE / "lives" / f"{name}.json").read_text(encoding="utf-8"))["subjects"]:
        turns, orders = orders_in(person)
        for told, order in orders:
            if turns[told][0] == turns[order][0]:
                first = next(at for at, (number, _) in enumerate(turns) if number == turns[order][0])
                near = [turn for _, turn in turns[first : order + 2]]
                talk = talk_of(f"life {name} {person['subject_id']}", near, order - first, [told - first])
                if talk is not None:
                    yield talk


def orders_in(person: dict[str, Any]) -> tuple[list[tuple[int, dict[str, str]]], list[tuple[int, int]]]:
    """Return all turns of a life, each with the number of its conversation, and the places where each secret was told
    and where it was withdrawn."""
    turns = [(number, turn) for number, talk in enumerate(person["sessions"]) for turn in talk["turns"]]
    places = [place for place, (_, turn) in enumerate(turns) if turn["role"] == "user"]
    private = (one for one in person["facts"] if _PRIVATE.search(one.get("what", "")))
    secrets = [one for one in private if one.get("ends_turn") is not None]
    return turns, [
        (_place(one["turn"], one, turns, places), _place(one["ends_turn"], one, turns, places)) for one in secrets
    ]


def _place(number: int, secret: dict[str, Any], turns: Sequence[Any], places: Sequence[int]) -> int:
    """Return a turn among all turns: some files count the user's own alone."""
    counted = [at for at in (secret["turn"], *places[secret["turn"] : secret["turn"] + 1]) if at < len(turns)]
    said = [any(one.lower() in turns[at][1]["content"].lower() for one in secret["values"]) for at in counted]
    return number if said[:1] == [True] or number >= len(places) else places[number]


def talk_of(name: str, turns: Sequence[dict[str, str]], order: int, meant: Sequence[int]) -> Talk | None:
    """Return a talk as it is read; None where no order is heard in it."""
    text = turns[order]["content"]
    heard = heard_in(text)
    if heard is None:
        return None
    own = cut_order(without_orders(text, acknowledged=True), heard)
    users = [place for place in range(order) if turns[place]["role"] == "user"][::-1][:FARTHEST]
    before = tuple(without_orders(turns[place]["content"]) for place in users)
    asked = turns[order - 1]["content"] if order and turns[order - 1]["role"] == "assistant" else ""
    said = OrderedTurn(heard, text[heard.start : heard.end], own[: heard.start], own[heard.end :], asked)
    places = {order: 0, **{place: number for number, place in enumerate(users, 1)}}
    return Talk(name, said, before, frozenset(places[one] for one in meant if one in places))


def heard_in(text: str) -> ForgetOrder | None:
    """Return the order of a message: the one that is heard, else the likeliest words."""
    if heard := [one for one in read_forget_orders(text, acknowledged=True) if not one.is_everything]:
        return heard[0]
    runs = list(runs_to_read(matching_form(text)))
    if not runs:
        return None
    start, end, _ = max(runs, key=lambda run: order_share(run[2]))
    return ForgetOrder(start, end, tuple(names_of(text[start:end])))


def teach_meant(talks: Sequence[Talk]) -> dict[str, float]:
    """Return the weights by which what is meant is the likeliest among all places (a conditional logit)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - of the group `evaluation`

    lessons = [(numbers_of(talk.said, talk.turns), talk.meant) for talk in talks if talk.meant]
    plain = np.array([talk.name.startswith("mp-") for talk in talks if talk.meant])
    names = sorted({name for rows, _ in lessons for row in rows for name in row})
    numbers = np.array([[row.get(name, 0.0) for name in names] for rows, _ in lessons for row in rows])
    wanted = np.array([(place in meant) / len(meant) for rows, meant in lessons for place in range(len(rows))])
    starts = np.cumsum([0, *(len(rows) for rows, _ in lessons)])
    talk = np.repeat(np.arange(len(lessons)), np.diff(starts))
    weighs = np.where(plain, PLAIN_WEIGHS, 1.0)[talk]

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        scores = numbers @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts[:-1])[talk])
        shares = raised / np.add.reduceat(raised, starts[:-1])[talk]
        missed = -(weighs * wanted * np.log(shares + 1e-12)).sum() + HELD_BACK * (weights @ weights) / 2
        return float(missed), numbers.T @ (weighs * (shares - wanted)) + HELD_BACK * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 1_000})
    return {name: round(float(weight), 3) for name, weight in zip(names, found.x, strict=True)}


def write_meant(weights: dict[str, float], talks: Sequence[Talk]) -> None:
    sources = {name: hashlib.sha256((HERE / "orders" / f"{name}.jsonl").read_bytes()).hexdigest()[:16] for name in SETS}
    kept = {"taught": {"by": sources, "lives": TEACHING_LIVES, "orders": len(talks)}, "weights": weights}
    WEIGHTS.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def chosen(weights: dict[str, float], talk: Talk) -> frozenset[int]:
    """Return what an order is taken to mean by these weights."""
    rows = numbers_of(talk.said, talk.turns)
    scores = [sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in rows]
    return frozenset(chosen_among([one if may_hold(row) else -np.inf for one, row in zip(scores, rows, strict=True)]))


def figures(name: str, talks: Sequence[Talk], found: Sequence[frozenset[int]]) -> Iterator[str]:
    """Yield how many orders are read right, how many leave what is meant, and how many hide more."""
    right = sum(talk.meant == one for talk, one in zip(talks, found, strict=True))
    left = sum(bool(talk.meant - one) for talk, one in zip(talks, found, strict=True))
    more = sum(bool(one - talk.meant) for talk, one in zip(talks, found, strict=True))
    yield f"{name}: of {len(talks)} right {right / len(talks):.3f}, left {left}, hidden too {more}"


def lessons() -> list[Talk]:
    """Return all that teaches: the talks, and the orders of the lives that were read."""
    return [
        *(talk for name in SETS for talk in talks_of(name)),
        *(talk for name in TEACHING_LIVES for talk in orders_of_lives(name)),
    ]


def across() -> Iterator[str]:
    """Yield the figures of what teaches, a fifth read by what the others taught, and of lives by what all taught."""
    talks = lessons()
    fold = np.random.default_rng(1).integers(0, FOLDS, len(talks))
    found: list[frozenset[int]] = [frozenset()] * len(talks)
    for held in range(FOLDS):
        weights = teach_meant([talk for talk, one in zip(talks, fold, strict=True) if one != held])
        for place in np.flatnonzero(fold == held):
            found[place] = chosen(weights, talks[place])
    for title, start in (
        ("English talks", "me-"),
        ("Chinese talks", "mz-"),
        ("plain talks", "mp-"),
        ("lives", "life "),
    ):
        own = [place for place, talk in enumerate(talks) if talk.name.startswith(start)]
        yield from figures(title, [talks[place] for place in own], [found[place] for place in own])
    weights = teach_meant(talks)
    for name in MEASURING_LIVES:
        strange = list(orders_of_lives(name))
        yield from figures(f"lives {name}", strange, [chosen(weights, one) for one in strange])


if __name__ == "__main__":
    if "--across" in sys.argv:
        for line in across():
            sys.stdout.write(f"{line}\n")
    else:
        taught = lessons()
        write_meant(teach_meant(taught), taught)
