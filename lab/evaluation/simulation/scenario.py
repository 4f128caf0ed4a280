"""A synthetic life of ninety days: turns with planted facts, and later questions whose evidence is known.

Every turn has the size that the promise names, and the turn that answers a question is certain. A seed makes the same
life again. Data sets measure real talk (``manage.py simulate_cost --data``).
"""

import random
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_platform.providers.contracts import TokenCounter

# Turns of a day that tell a fact, and that ask for an earlier one; the others only talk.
PLANTED, ASKED = 3, 3


@dataclass(frozen=True, slots=True)
class ScenarioWords:
    """One language. ``facts``: a statement about ``{who}`` and its question in other words; ``space`` stands between
    sentences. The people of facts come up in small talk, too."""

    language: str
    space: str
    names: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    facts: tuple[tuple[str, str], ...]
    talk: tuple[str, ...]
    advice: tuple[str, ...]
    system_prompt: str


def read_words(language: str) -> ScenarioWords:
    held = tomllib.loads(Path(__file__).with_name(f"words_{language}.toml").read_text(encoding="utf-8"))
    lists = {name: tuple(held[name]) for name in ("names", "talk", "advice")}
    values = {name: tuple(choices) for name, choices in held["values"].items()}
    facts = tuple((statement, question) for statement, question in held["facts"])
    return ScenarioWords(
        held["language"], held["space"], values=values, facts=facts, system_prompt=held["system_prompt"], **lists
    )


ENGLISH = read_words("en")
CHINESE = read_words("zh")


@dataclass(frozen=True, slots=True)
class SimulatedTurn:
    """A user's turn and its answer; ``evidence`` is the earlier user turn that a question needs."""

    id: str
    text: str
    answer: str
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class SimulatedDay:
    """One day, which is one conversation. ``number`` counts from 1."""

    number: int
    turns: tuple[SimulatedTurn, ...]


@dataclass(frozen=True, slots=True)
class LifePlan:
    """How long the life is, how much is said a day, and in how many tokens each turn with its answer."""

    days: int = 90
    turns: int = 10
    tokens: int = 500
    seed: int = 7


@dataclass(frozen=True, slots=True)
class _Fact:
    """A fact that a turn tells: its question, and the turn's words, which have to be found."""

    turn: str
    question: str


class SimulatedLife:
    """One subject's days in one language."""

    def __init__(self, words: ScenarioWords, plan: LifePlan, counter: TokenCounter) -> None:
        self._words = words
        self._plan = plan
        self._counter = counter
        self._random = random.Random(f"{words.language} {plan.seed}")  # noqa: S311  # a made-up life, not a secret
        self._pairs = [(family, who) for family in words.facts for who in words.names]
        self._random.shuffle(self._pairs)
        self._told: list[_Fact] = []

    def generate_days(self) -> Iterator[SimulatedDay]:
        for number in range(1, self._plan.days + 1):
            known = list(self._told)
            asking = ASKED if known else 0
            kinds = ["tell"] * PLANTED + ["ask"] * asking
            kinds = (kinds + ["talk"] * self._plan.turns)[: self._plan.turns]
            self._random.shuffle(kinds)
            turns = [self._turn(kind, f"{number:03d}-{place:02d}", known) for place, kind in enumerate(kinds)]
            yield SimulatedDay(number, tuple(turns))

    def _turn(self, kind: str, name: str, facts: Sequence[_Fact]) -> SimulatedTurn:
        evidence = None
        if kind == "ask":
            fact = self._random.choice(facts)
            said, evidence = fact.question, fact.turn
        elif kind == "tell" and self._pairs:
            said = self._make_fact_text()
        else:
            said = self._words.space.join(self._make_sentences(self._words.talk, self._random.randint(2, 4)))
        return SimulatedTurn(name, said, self._make_answer(said), evidence)

    def _make_fact_text(self) -> str:
        (statement, question), who = self._pairs.pop()
        values = {name: self._random.choice(choices) for name, choices in self._words.values.items()}
        fact = statement.format(who=who, **values)
        sentences = [fact, *self._make_sentences(self._words.talk, self._random.randint(1, 2))]
        self._random.shuffle(sentences)
        said = self._words.space.join(sentences)
        self._told.append(_Fact(said, question.format(who=who)))
        return said

    def _make_answer(self, text: str) -> str:
        """Return an answer that brings the turn to its size in tokens."""
        room = self._plan.tokens - self._counter.count(text)
        kept: list[str] = []
        while self._counter.count(self._words.space.join(kept)) < room:
            kept += self._make_sentences(self._words.advice, 1)
        return self._words.space.join(kept)

    def _make_sentences(self, patterns: Sequence[str], count: int) -> list[str]:
        chosen = self._random.sample(patterns, count)
        return [
            pattern.format(
                who=self._random.choice(self._words.names),
                **{name: self._random.choice(choices) for name, choices in self._words.values.items()},
            )
            for pattern in chosen
        ]
