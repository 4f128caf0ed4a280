"""Talks and questions, drawn from word lists by a seed: equal seeds say equal words on every machine."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from lab.benchmarks.worlds import sentence_words as words

# Messages of one talk.
TURNS = 20

# Talks take turns: two English ones, then a Chinese one.
LANGUAGES = ("en", "en", "zh")

FIRST_TALK = datetime(2025, 3, 1, 8, 0, tzinfo=UTC)
BETWEEN_TALKS = timedelta(hours=7)
BETWEEN_TIMES = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class TalkTurn:
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class WorldTalk:
    """One conversation of the pool, by its number."""

    number: int
    turns: tuple[TalkTurn, ...]

    @property
    def conversation_id(self) -> str:
        """The same talk has the same id in every subject that it is put into."""
        return f"talk-{self.number:05d}"


def talks(seed: int, count: int) -> list[WorldTalk]:
    """Return ``count`` talks whose sentences all differ; a longer pool begins with the shorter one."""
    random, said = Random(f"talks {seed}"), set[str]()  # noqa: S311 - a reproducible draw, no secret
    return [WorldTalk(number, tuple(_turns(random, number, said))) for number in range(count)]


def questions(seed: int) -> Iterator[str]:
    """Yield questions without end, in the languages of the talks; hardly one comes twice."""
    random = Random(f"questions {seed}")  # noqa: S311 - a reproducible draw, no secret
    while True:
        for language in LANGUAGES:
            yield _question_en(random) if language == "en" else _question_zh(random)


def _turns(random: Random, number: int, said: set[str]) -> Iterator[TalkTurn]:
    speak = _sentence_en if LANGUAGES[number % len(LANGUAGES)] == "en" else _sentence_zh
    began = FIRST_TALK + number * BETWEEN_TALKS
    for turn in range(TURNS):
        text = speak(random)
        while text in said:
            text = speak(random)
        said.add(text)
        yield TalkTurn(text, began + turn * BETWEEN_TIMES)


def _sentence_en(random: Random) -> str:
    who, deed, look, thing, place, when = map(
        random.choice,
        (
            words.EN_PEOPLE,
            words.EN_DEEDS,
            words.EN_LOOKS,
            words.EN_THINGS,
            words.EN_PLACES,
            words.EN_TIMES,
        ),
    )
    return f"{who} {deed} the {look} {thing} at {place} {when}."


def _sentence_zh(random: Random) -> str:
    who, deed, look, thing, place, when = map(
        random.choice,
        (
            words.ZH_PEOPLE,
            words.ZH_DEEDS,
            words.ZH_LOOKS,
            words.ZH_THINGS,
            words.ZH_PLACES,
            words.ZH_TIMES,
        ),
    )
    return f"{who}在{place}{deed}了那个{look}的{thing},{when}。"


def _question_en(random: Random) -> str:
    who, other, thing, place = map(
        random.choice,
        (words.EN_PEOPLE, words.EN_PEOPLE, words.EN_THINGS, words.EN_PLACES),
    )
    return f"What did {who} or {other} do with the {random.choice(words.EN_LOOKS)} {thing} at {place}?"


def _question_zh(random: Random) -> str:
    who, other, thing, place = map(
        random.choice,
        (words.ZH_PEOPLE, words.ZH_PEOPLE, words.ZH_THINGS, words.ZH_PLACES),
    )
    return f"{who}或者{other}在{place}对那个{random.choice(words.ZH_LOOKS)}的{thing}做了什么?"
