"""The messages of a call, and ids for them that a repeated call makes again.

A client sends its whole history with each call, so new turns must be told from those sent before. An id is made of all
that was said up to its message: the same words elsewhere are another message, the same call again is the same one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.conf import settings

from memory_platform.compat.openai.forms.spoken_items import ASSISTANT, USER, SpokenItem, join_text
from memory_platform.kernel.keyed_hashes import derived_key, keyed_digest

ID_BYTES = 16


@dataclass(frozen=True, slots=True)
class CallTurn:
    """The items of a call, of which the turn from ``begins`` on is not over: the user's last message and all items
    after it. ``begins`` None: the user says nothing in it."""

    items: Sequence[SpokenItem] = ()
    begins: int | None = None
    question: str = ""

    @property
    def current(self) -> Sequence[SpokenItem]:
        return self.items[self.begins or 0 :]

    @property
    def last_user_item(self) -> SpokenItem | None:
        """The user's last message."""
        return None if self.begins is None else self.items[self.begins]

    @property
    def tells_history(self) -> bool:
        """Whether the client sends the turns before this one."""
        return any(item.role == ASSISTANT for item in self.items[: self.begins or 0])

    @property
    def is_continued(self) -> bool:
        """Whether the model has spoken in this turn already: it called a tool."""
        return len(self.current) > 1


@dataclass(frozen=True, slots=True)
class NumberedTurn:
    """The turn's messages as the REST API takes them, with ids, and the id of the reply."""

    messages: Sequence[dict[str, Any]]
    reply_id: str


@dataclass(slots=True)
class _Chain:
    """A hash of everything said so far."""

    key: bytes
    link: str = ""

    def build_next_id(self, item: SpokenItem) -> str:
        """Return the id of the next message, and go on behind it. A reply of the model is named by the turns before it:
        its words are not known when it is asked."""
        before = self.link
        self.link = _hash(self.key, before, item.sent)
        return f"out-{before}" if item.role == ASSISTANT else f"in-{self.link}"


def make_turn(items: Sequence[SpokenItem]) -> CallTurn:
    begins = next((place for place in reversed(range(len(items))) if items[place].role == USER), None)
    question = "" if begins is None else join_text(items[begins].values.get("content"))
    return CallTurn(tuple(items), begins, question.replace("\x00", "").strip())


def derive_conversation(turn: CallTurn) -> str | None:
    """Return an id for the conversation that begins as this call does; None for a call without a user's message.

    The instructions do not count: many hold the date. Two conversations of one subject that begin with the same message
    are one.
    """
    first = next((item for item in turn.items if item.role == USER), None)
    return None if first is None else f"auto-{_hash(_make_key(), '', first.sent)}"


def number_turn(turn: CallTurn, start: str, most: int) -> NumberedTurn:
    """Return the current turn with ids. ``start`` stands for all turns before the call's first item."""
    chain = _Chain(_make_key(), start)
    ids = [chain.build_next_id(item) for item in turn.items]
    named = [
        {"message_id": message_id, "role": item.role, **item.values}
        for message_id, item in zip(ids[turn.begins or 0 :], turn.current, strict=True)
    ]
    return NumberedTurn([*named[:1], *named[1:][-most:]], f"out-{chain.link}")


def _make_key() -> bytes:
    return derived_key(settings.KEY_PEPPER, "openai-proxy-ids")


def _hash(key: bytes, before: str, sent: Any) -> str:
    text = orjson.dumps(sent, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS).decode()
    return keyed_digest(key, before, text)[:ID_BYTES].hex()
