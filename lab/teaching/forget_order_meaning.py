"""Teach the meaning of an order to forget: ``make evaluation``, then ``python -m lab.teaching.forget_order_meaning``,
env set.

Writes ``snapshots/forgetting/data/meant.json``; ``--across`` prints the figures of the talks, cross-validated by
fifths, and of the orders of lives, which teach nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from lab.measuring.clause_labels import TEACH, load_labelled_messages
from lab.measuring.golden_sets import GOLDEN, load_lives, load_rows
from lab.standalone import run_program
from lab.teaching.training import fit_regression, hash_sets
from memory_platform.providers.registry import embedders
from snapshots.forgetting.meant_turn_classifier import (
    WEIGHTS,
    EarlierTurn,
    MeaningReader,
    OrderMessage,
    build_turn_features,
    list_texts_to_embed,
)
from snapshots.forgetting.nearby_turns import blank_order, blank_orders
from snapshots.understanding.heard.forget_order_classifier import extract_names, order_probability
from snapshots.understanding.heard.forget_orders import SpokenForgetOrder, find_forget_orders, list_possible_orders
from snapshots.understanding.reading.text_folding import fold_for_matching

TALKS = ("meant_en", "meant_zh", "meant_plain")
PAIRS = ("pairs_en", "pairs_zh")
SETS = (*TALKS, *PAIRS)
TEACHING_LIVES = ("en", "zh", "en_2", "en_3", "zh_3", "en_4", "zh_4", "en_5", "zh_5")
MEASURING_LIVES = ("en_6", "zh_6", "en_7", "zh_7")
# How strongly weights are held back (half the sum of their squares): of 1, 2, 4 and 10 the best of lives.
HELD_BACK = 2.0
# What a talk made of plain parts weighs beside one that somebody wrote.
PLAIN_WEIGHS = 0.3
# In how many talks of others a pair of a secret and its order stands.
COPIES = 2
# What an order that means its own message weighs: none of the pairs does, and most orders of lives do.
OWN_WEIGHS = 2.0
# What an order of a life weighs beside a talk that was written for it: where people mean what is as it is in life.
LIFE_WEIGHS = 3.0
SAID_HERE = 0.3
# How many turns of earlier conversations stand before those of an order's own, one of these by lot.
ELSEWHERE = (0, 5, 20, 60)
SECRETS_HELD_BACK = 0.3
# What a talk without vectors weighs beside the same with them.
BLIND = 0.5
# What a talk without what is meant weighs beside the same with it.
LOST = 0.3
FOLDS = 3
_PRIVATE = re.compile(r"told to (?:forget|delete)|told not to keep", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OrderTalk:
    """An order beside the turns before it, newest first, and which are meant: 0 the order's own message, 1 the turn
    before."""

    name: str
    message: OrderMessage
    turns: tuple[EarlierTurn, ...]
    meant: frozenset[int]
    language: str = "en"


def load_talks(name: str) -> Iterator[OrderTalk]:
    """Yield the labelled talks of a set with an order, each with other people's turns before it: in real talk, much
    precedes the secret."""
    for row in load_rows(f"orders/{name}"):
        talk = make_talk(row["id"], row["turns"], row["order"], row["meant"], row["language"])
        if talk is not None:
            yield replace(talk, turns=(*talk.turns, *_draw_earlier_turns(talk, near=4 - len(talk.turns))))
            if talk.meant == {0}:  # what was told right before it is another thing, whatever it is
                yield replace(talk, turns=tuple(_draw_earlier_turns(talk, near=4)))


def load_pairs(name: str) -> Iterator[OrderTalk]:
    """Yield the pairs of a set with an order, each among other people's turns. In a third of them the conversation of
    the order tells the secret."""
    for row in load_rows(f"orders/{name}"):
        turns = [{"role": "user", "content": row["told"]}, {"role": "user", "content": row["order"]}]
        talk = make_talk(row["id"], turns, 1, [0], row["language"])
        if talk is None:
            continue
        for copy in range(COPIES):
            chance = _make_random(f"{row['id']} {copy}")
            others = list(
                _draw_earlier_turns(replace(talk, name=f"{row['id']} {copy}"), near=int(chance.integers(0, 12)))
            )
            here = sum(not one.elsewhere for one in others)
            is_here = chance.random() < SAID_HERE
            place = int(chance.integers(0, here + 1) if is_here else chance.integers(here, len(others) + 1))
            told = replace(talk.turns[0], elsewhere=not is_here)
            yield replace(talk, turns=(*others[:place], told, *others[place:]), meant=frozenset({place + 1}))


def _draw_earlier_turns(talk: OrderTalk, near: int) -> Iterator[EarlierTurn]:
    strange, chance = _load_turns(talk.language), _make_random(talk.name)
    for place in range(max(0, near) + int(chance.choice(ELSEWHERE))):
        said = blank_orders(strange[int(chance.integers(len(strange)))])
        yield EarlierTurn(said, elsewhere=place >= near)


def _make_random(name: str) -> np.random.Generator:
    return np.random.default_rng(crc32(name.encode()))


@cache
def _load_turns(language: str) -> list[str]:
    names = [name for name in TEACH if name.startswith(f"talk_{language}")]
    return [message.message.text for name in names for message in load_labelled_messages(name)]


def load_orders_of_lives(name: str) -> Iterator[OrderTalk]:
    """Yield the orders of a set of lives, each beside all that its person said before it."""
    for person in load_lives(name):
        turns, orders = find_orders_in_life(person)
        withdrawn = {order for _, order in orders}
        for told, order in orders:
            places = [at for at in range(order + 1) if at in {told, order} or at not in withdrawn]
            spoken = [turns[at][1] for at in places]
            here = turns[order][0]
            title = f"life {name} {person['subject_id']} {order}"
            talk = make_talk(title, spoken, places.index(order), [places.index(told)], name[:2])
            if talk is not None:
                users = [at for at in places[:-1] if turns[at][1]["role"] == "user"][::-1]
                elsewhere = [turns[at][0] != here for at in users]
                told_turns = zip(talk.turns, elsewhere, strict=True)
                yield replace(talk, turns=tuple(replace(one, elsewhere=far) for one, far in told_turns))


def find_orders_in_life(person: dict[str, Any]) -> tuple[list[tuple[int, dict[str, str]]], list[tuple[int, int]]]:
    """Return all turns of a life, each with the number of its conversation, and the places where each secret was told
    and where it was withdrawn."""
    turns = [(number, turn) for number, talk in enumerate(person["sessions"]) for turn in talk["turns"]]
    places = [place for place, (_, turn) in enumerate(turns) if turn["role"] == "user"]
    private = (one for one in person["facts"] if _PRIVATE.search(one.get("what", "")))
    secrets = [one for one in private if one.get("ends_turn") is not None]
    return turns, [
        (_find_turn_place(one["turn"], one, turns, places), _find_turn_place(one["ends_turn"], one, turns, places))
        for one in secrets
    ]


def _find_turn_place(number: int, secret: dict[str, Any], turns: Sequence[Any], places: Sequence[int]) -> int:
    counted = [at for at in (secret["turn"], *places[secret["turn"] : secret["turn"] + 1]) if at < len(turns)]
    said = [any(one.lower() in turns[at][1]["content"].lower() for one in secret["values"]) for at in counted]
    return number if said[:1] == [True] or number >= len(places) else places[number]


def make_talk(
    name: str, turns: Sequence[dict[str, str]], order: int, meant: Sequence[int], language: str
) -> OrderTalk | None:
    """Return a talk as it is read; None where no order is heard in it."""
    text = turns[order]["content"]
    heard = find_order(text)
    if heard is None:
        return None
    own = blank_order(blank_orders(text, acknowledged=True), heard)
    users = [place for place in range(order) if turns[place]["role"] == "user"][::-1]
    before = tuple(EarlierTurn(blank_orders(turns[place]["content"])) for place in users)
    asked = turns[order - 1]["content"] if order and turns[order - 1]["role"] == "assistant" else ""
    said = OrderMessage(heard, text[heard.start : heard.end], own[: heard.start], own[heard.end :], asked)
    places = {order: 0, **{place: number for number, place in enumerate(users, 1)}}
    return OrderTalk(name, said, before, frozenset(places[one] for one in meant if one in places), language)


def find_order(text: str) -> SpokenForgetOrder | None:
    if heard := [one for one in find_forget_orders(text, acknowledged=True) if not one.is_everything]:
        return heard[0]
    runs = list(list_possible_orders(fold_for_matching(text)))
    if not runs:
        return None
    start, end, _ = max(runs, key=lambda run: order_probability(run[2]))
    return SpokenForgetOrder(start, end, tuple(extract_names(text[start:end])))


def embed_talks(talks: Sequence[OrderTalk]) -> list[OrderTalk]:
    meanings = [list_texts_to_embed(talk.message) for talk in talks]
    texts = sorted({*chain.from_iterable(meanings), *(turn.text for talk in talks for turn in talk.turns)})
    vectors = dict(zip(texts, embedders("use")[0].embed(texts), strict=True))
    return [
        replace(
            talk,
            message=talk.message.with_vectors(vectors),
            turns=tuple(replace(turn, vector=vectors[turn.text]) for turn in talk.turns),
        )
        for talk in talks
    ]


def drop_vectors(talk: OrderTalk) -> OrderTalk:
    """Return a talk as it is read where no encoder is configured."""
    turns = tuple(replace(turn, vector=None) for turn in talk.turns)
    return replace(talk, message=talk.message.with_vectors({}), turns=turns)


def teach_secrets(talks: Sequence[OrderTalk]) -> list[float]:
    """Return the direction of vectors that separates secrets from other turns."""
    meant = {turn.text for talk in talks for turn in (talk.turns[at - 1] for at in talk.meant if at)}
    seen = {turn.text: turn.vector for talk in talks for turn in talk.turns if turn.vector is not None}
    wanted = [text in meant for text in seen]
    vectors = np.stack(list(seen.values()))
    model = fit_regression(vectors, wanted, strictness=SECRETS_HELD_BACK, max_iter=1_000, class_weight="balanced")
    return [round(float(one), 3) for one in model.coef_[0]]


def teach_meant(talks: Sequence[OrderTalk]) -> MeaningReader:
    """Fit weights that make the meant turn the likeliest place (a conditional logit)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - of the group `evaluation`

    taught = [talk for talk in talks if talk.meant]
    blind = [drop_vectors(talk) for talk in taught[::3]]
    lost = [
        replace(talk, turns=tuple(turn for at, turn in enumerate(talk.turns, 1) if at not in talk.meant))
        for talk in (*taught, *blind)
        if 0 not in talk.meant and talk.message.order.names
    ]
    # A secret that taught the direction would sound more like one than any other.
    heads = [
        np.array(teach_secrets([one for one in talks if compute_fold(one) != at]), np.float32) for at in range(FOLDS)
    ]
    read = [
        *((talk, talk.meant, compute_weight(talk)) for talk in taught),
        *((talk, talk.meant, BLIND * compute_weight(talk)) for talk in blind),
        *((talk, frozenset({len(talk.turns) + 1}), LOST * compute_weight(talk)) for talk in lost),
    ]
    lessons = [(build_turn_features(one.message, one.turns, heads[compute_fold(one)]), meant) for one, meant, _ in read]
    weighing = [weight for _, _, weight in read]
    names = sorted({name for rows, _ in lessons for row in rows for name in row})
    numbers = np.array([[row.get(name, 0.0) for name in names] for rows, _ in lessons for row in rows], np.float32)
    wanted = np.array([(place in meant) / len(meant) for rows, meant in lessons for place in range(len(rows))])
    starts = np.cumsum([0, *(len(rows) for rows, _ in lessons)])
    talk = np.repeat(np.arange(len(lessons)), np.diff(starts))
    weighs = np.array(weighing)[talk]

    def loss(weights: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        scores = numbers @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, starts[:-1])[talk])
        shares = raised / np.add.reduceat(raised, starts[:-1])[talk]
        missed = -(weighs * wanted * np.log(shares + 1e-12)).sum() + HELD_BACK * (weights @ weights) / 2
        return float(missed), numbers.T @ (weighs * (shares - wanted)) + HELD_BACK * weights

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 1_000})
    weights = {name: round(float(weight), 3) for name, weight in zip(names, found.x, strict=True)}
    return MeaningReader(weights, np.array(teach_secrets(talks), np.float32))


def compute_fold(talk: OrderTalk) -> int:
    """Return the fold of a talk: one of all that were made of the same lines, or of the same life."""
    title = talk.name.rsplit(" ", 1)[0] if talk.name.startswith("life") else talk.name
    return crc32(title.encode()) % FOLDS


def compute_weight(talk: OrderTalk) -> float:
    by_set = {"mp-": PLAIN_WEIGHS, "p": 1 / COPIES, "life": LIFE_WEIGHS}
    weight = next((one for start, one in by_set.items() if talk.name.startswith(start)), 1.0)
    return weight * (OWN_WEIGHS if talk.meant == {0} else 1)


def teach() -> None:
    talks = load_lessons()
    reader = teach_meant(talks)
    taught = {"by": hash_sets(GOLDEN / "orders", SETS), "lives": TEACHING_LIVES, "orders": len(talks)}
    secret = [round(float(one), 3) for one in reader.secret]
    kept = {"taught": taught, "weights": reader.weights, "secret": secret}
    WEIGHTS.write_text(json.dumps(kept) + "\n", encoding="utf-8")


def render_figures(name: str, talks: Sequence[OrderTalk], choices: Sequence[frozenset[int]]) -> str:
    right = sum(talk.meant == one for talk, one in zip(talks, choices, strict=True))
    left = sum(bool(talk.meant - one) for talk, one in zip(talks, choices, strict=True))
    more = sum(bool(one - talk.meant) for talk, one in zip(talks, choices, strict=True))
    return f"{name}: of {len(talks)} right {right / len(talks):.3f}, left {left}, hidden too {more}"


def load_lessons() -> list[OrderTalk]:
    return embed_talks(
        [
            *(talk for name in TALKS for talk in load_talks(name)),
            *(talk for name in PAIRS for talk in load_pairs(name)),
            *(talk for name in TEACHING_LIVES for talk in load_orders_of_lives(name)),
        ]
    )


def cross_validate() -> Iterator[str]:
    talks = load_lessons()
    fold = np.array([compute_fold(talk) for talk in talks])
    found: list[frozenset[int]] = [frozenset()] * len(talks)
    for held in range(FOLDS):
        reader = teach_meant([talk for talk, one in zip(talks, fold, strict=True) if one != held])
        for place in np.flatnonzero(fold == held):
            found[place] = frozenset(reader.choose_turns(talks[place].message, talks[place].turns, acknowledged=True))
    for start in ("me-", "mz-", "mp-", "pe-", "pz-", "life "):
        own = [place for place, talk in enumerate(talks) if talk.name.startswith(start)]
        if own:
            yield render_figures(start, [talks[place] for place in own], [found[place] for place in own])
    reader = teach_meant(talks)
    for name in MEASURING_LIVES:
        strange = embed_talks(list(load_orders_of_lives(name)))
        for title, read in (("", strange), (" without vectors", [drop_vectors(one) for one in strange])):
            found = [frozenset(reader.choose_turns(one.message, one.turns, acknowledged=True)) for one in read]
            yield render_figures(f"{name}{title}", read, found)


if __name__ == "__main__":
    run_program(teach, across=cross_validate)
