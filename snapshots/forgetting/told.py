"""What a person told that an order names loosely ("that thing with my sister"): looked for by the words they share.

A word counts the more, the fewer messages hold it. Of the messages that share most, the newest is meant.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from uuid import UUID

from memory_platform.kernel.terms import terms
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.lifecycle.selectors import current
from snapshots.models import Message, MessageRole, Snapshot, SnapshotKind, SnapshotSource
from snapshots.selectors import with_words
from snapshots.understanding.heard.order_reader import KIN, idle_words

_TELLING = re.compile(r"\d|[\u3400-\u9fff]{2}|.{5}")
_LEAST_SHORTENED = 3
_KIN_WEIGHS, _UNSAID_WEIGHS, _HAN = 0.5, 0.5, re.compile(r"[\u3400-\u9fff]")


def find_told(
    order: Message, names: Iterable[str], tells: Callable[[Message], bool], *, anywhere: bool
) -> list[Message]:
    """Return the user's messages before ``order`` that its names speak of: of this conversation, else of any."""
    found: dict[UUID, Message] = {}
    before = _turns_before(order)
    for name in names:
        best = _best(name, before, tells)
        if best is None and anywhere:
            best = _best(name, _taught_elsewhere(order, name), tells, whole=True)
        if best is not None:
            found[best.id] = best
    return list(found.values())


def words_of(text: str) -> set[str]:
    """Return the terms of a text that tell what it speaks of: no single Chinese character but those of kin."""
    return {term for term in terms(text) if not _HAN.fullmatch(term) or term in KIN}


def shares_secret(text: str, hidden: str, besides: str) -> bool:
    """Return whether a text repeats a long word, or two, that were ``hidden`` and do not stand ``besides``.

    Words that name nothing ("something") are no secret.
    """
    shared = (words_of(hidden) - words_of(besides) - KIN - _idle_terms()) & words_of(text)
    return len(shared) > 1 or any(_TELLING.search(word) for word in shared)


@cache
def _idle_terms() -> frozenset[str]:
    return frozenset(terms(" ".join(idle_words())))


def _turns_before(order: Message, policy: ForgettingPolicy = FORGETTING) -> Sequence[Message]:
    rows = Message.objects.filter(
        subject_id=order.subject_id, conversation_id=order.conversation_id, seq__lt=order.seq, role=MessageRole.USER
    ).order_by("-seq")
    return with_words(list(rows[: policy.turns_searched]))


def _taught_elsewhere(order: Message, name: str, policy: ForgettingPolicy = FORGETTING) -> Sequence[Message]:
    """Return the messages of other conversations that share a word with ``name``: the newest, of which no note may be
    made yet, and those behind notes. Newest first."""
    wanted = words_of(name)
    own = Snapshot.objects.filter(current(), subject_id=order.subject_id, kind=SnapshotKind.NOTE)
    texts = own.order_by("-position").values_list("id", "text")[: policy.notes_compared]
    notes = [note_id for note_id, text in texts if wanted & words_of(text)]
    links = SnapshotSource.objects.filter(subject_id=order.subject_id, memory_id__in=notes).order_by()
    told = Message.objects.filter(
        subject_id=order.subject_id, role=MessageRole.USER, accepted_at__lte=order.accepted_at
    )
    rows = told.exclude(conversation_id=order.conversation_id).order_by("-said_at", "-seq")
    noted = rows.filter(id__in=links.values("message_id"))[: policy.turns_searched]
    newest = rows.order_by("-accepted_at", "-seq")[: policy.turns_searched]
    found = {row.id: row for row in with_words([*noted, *newest]) if wanted & words_of(row.content)}
    return list(found.values())


def _best(
    name: str, messages: Sequence[Message], tells: Callable[[Message], bool], *, whole: bool = False
) -> Message | None:
    """Return the message that shares most with ``name``, the first of several; ``whole``: only one that shares half."""
    held = {message.id: words_of(message.content) for message in messages}
    weights = _weights(words_of(name), held)
    scores = [(sum(weights[word] for word in weights if is_said(word, held[one.id])), one) for one in messages]
    least = sum(weights.values()) / 2 if whole else 0.0
    likely = [(score, one) for score, one in scores if score > 0 and score >= least]
    telling = [(score, one) for score, one in likely if tells(one)]
    # What only asks or orders may hold a secret as well: "write a note, the alarm is 4471".
    return max(telling or likely, key=lambda pair: pair[0])[1] if likely else None


def is_said(word: str, held: set[str]) -> bool:
    """Return whether a word stands among others, also shortened: "gav" for "gavin"."""
    if word in held:
        return True
    return len(word) >= _LEAST_SHORTENED and word.isascii() and any(one.startswith(word) for one in held)


def _weights(wanted: Iterable[str], held: Mapping[UUID, set[str]]) -> dict[str, float]:
    among = Counter(word for words in held.values() for word in words)
    return {word: math.log(1 + (1 + len(held)) / (1 + among[word])) * _share(word, among) for word in wanted}


def _share(word: str, among: Mapping[str, int]) -> float:
    """Return what a word counts: kin is said often, and two characters that nobody said may be no word at all."""
    if word in KIN:
        return _KIN_WEIGHS
    return _UNSAID_WEIGHS if not among[word] and _HAN.search(word) else 1.0
