"""Lives on disk: a person's sessions and the questions asked later, in the form of ``tests/golden/lives``."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from memory_platform.kernel.errors import FieldFault, InvalidInput

BETWEEN_TURNS = timedelta(seconds=40)
NOISE_AFTER = timedelta(hours=5)
BETWEEN_TALKS = timedelta(hours=2)
ID_CHARS = 12
# What the name of a set of lives ends with whose sessions have talks of others between them.
NOISY = ", with noise"


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """Asked at ``at``; of each group in ``needed`` one string has to be brought."""

    id: str
    at: str
    query: str
    needed: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class LifeSession:
    """One conversation, its messages as the API takes them."""

    id: str
    messages: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class Life:
    """One person. ``subject_id`` depends on the life's contents, so that a life is stored once."""

    subject_id: str
    sessions: tuple[LifeSession, ...]
    questions: tuple[LifeQuestion, ...]

    @property
    def turns(self) -> list[str]:
        return [message["content"] for session in self.sessions for message in session.messages]


@dataclass(frozen=True, slots=True)
class LifeSet:
    """One file of lives in one language."""

    name: str
    language: str
    sha256: str
    lives: tuple[Life, ...]


def read_lives(path: Path, noise: Path | None = None) -> LifeSet:
    """Return the lives in ``path``, with the talks of ``noise`` between sessions. Raises OSError, InvalidInput."""
    raw = path.read_bytes()
    content = _parse(raw)
    try:
        talks = [_list_talks(one) for one in _parse(noise.read_bytes())["subjects"]] if noise else [[]]
        lives = [_make_life(one, talks[number % len(talks)]) for number, one in enumerate(content["subjects"])]
        digest = hashlib.sha256(raw).hexdigest()
        name = str(content.get("name") or path.stem) + (NOISY if noise else "")
        return LifeSet(name, str(content["language"]), digest, tuple(lives))
    except (KeyError, TypeError, ValueError) as fault:
        message = f"Is not in the form of tests/golden/lives: {type(fault).__name__}."
        raise InvalidInput(faults=[FieldFault("the file", "malformed_life", message)]) from None


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InvalidInput(faults=[FieldFault(place, "malformed_json", f"Is not JSON: {error.msg}")]) from None
    if not isinstance(value, dict):
        raise InvalidInput(faults=[FieldFault("the file", "not_an_object", 'Must be one object with "subjects".')])
    return value


def _make_life(subject: Mapping[str, Any], talks: list[list[Mapping[str, str]]]) -> Life:
    sessions = tuple(_insert_talks(subject["sessions"], talks))
    said = orjson.dumps([[session.id, session.messages] for session in sessions])
    asked = [
        LifeQuestion(one["id"], one["at"], one["query"], tuple(tuple(group) for group in one["needed"]))
        for one in subject["questions"]
    ]
    return Life(f"curve-{hashlib.sha256(said).hexdigest()[:ID_CHARS]}", sessions, tuple(asked))


def _insert_talks(sessions: list[Mapping[str, Any]], talks: list[list[Mapping[str, str]]]) -> Iterator[LifeSession]:
    for number, told in enumerate(sessions):
        began = datetime.fromisoformat(told["started_at"])
        yield _make_session(told["conversation_id"], began, told["turns"])
        share = talks[number * len(talks) // len(sessions) : (number + 1) * len(talks) // len(sessions)]
        for place, talk in enumerate(share):
            yield _make_session(f"noise-{number}-{place}", began + NOISE_AFTER + place * BETWEEN_TALKS, talk)


def _make_session(name: str, began: datetime, turns: list[Mapping[str, str]]) -> LifeSession:
    messages = tuple(
        {
            "message_id": f"{name}-{place}",
            "role": turn["role"],
            "content": turn["content"],
            "said_at": (began + place * BETWEEN_TURNS).isoformat(),
        }
        for place, turn in enumerate(turns)
    )
    return LifeSession(name, messages)


def _list_talks(subject: Mapping[str, Any]) -> list[list[Mapping[str, str]]]:
    """Return the conversations of a data set's subject; who speaks first in it is the user throughout."""
    said = [conversation["messages"] for conversation in subject["conversations"]]
    first = next(_get_speaker(message) for talk in said for message in talk)
    return [
        [
            {"role": "user" if _get_speaker(message) == first else "assistant", "content": message["content"]}
            for message in talk
        ]
        for talk in said
    ]


def _get_speaker(message: Mapping[str, Any]) -> str:
    return str(message.get("name") or message["role"])
