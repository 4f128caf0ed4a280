"""What a person told before an order to forget, and the words that tell it apart."""

import math
import re
from collections import Counter
from collections.abc import Sequence, Set
from functools import cache
from typing import Any

from memory_platform.kernel.terms import terms
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.models import Message, MessageRole
from snapshots.selectors import with_words
from snapshots.understanding.heard.order_reader import KIN, idle_words
from snapshots.understanding.statements.statements import is_statement

_NEWEST = ("-accepted_at", "-seq")
_TELLING = re.compile(r"\d{2}|[\u3400-\u9fff]{2}|.{5}")
_DIGITS = frozenset("0123456789")
_LEAST_SHORTENED = 3
_KIN_WEIGHS = 0.5
_HAN = re.compile(r"[\u3400-\u9fff]")


def told_before(order: Message, policy: ForgettingPolicy = FORGETTING) -> list[Message]:
    """Return what the user told before a message and is still remembered: the newest of its conversation, then of
    others; newest first."""
    own = Message.objects.filter(subject_id=order.subject_id, role=MessageRole.USER, remember=True)
    here = own.filter(conversation_id=order.conversation_id, seq__lt=order.seq).order_by("-seq")
    there = own.filter(accepted_at__lte=order.accepted_at).exclude(conversation_id=order.conversation_id)
    rows = [*here[: policy.turns_searched], *there.order_by(*_NEWEST)[: policy.told_elsewhere]]
    return [row for row in with_words(rows) if row.content and is_statement(row)]


def newest_told(policy: ForgettingPolicy = FORGETTING, **whose: Any) -> list[Message]:
    """Return the newest of what a user told, of any conversation: what an order that comes now may mean."""
    rows = Message.objects.filter(**whose, role=MessageRole.USER, remember=True).order_by(*_NEWEST)
    return [row for row in with_words(list(rows[: policy.turns_searched + policy.told_elsewhere])) if row.content]


def words_of(text: str) -> set[str]:
    """Return the terms of a text that tell what it speaks of: no single Chinese character but those of kin."""
    return {term for term in terms(text) if not _HAN.fullmatch(term) or term in KIN}


def shares_held(wanted: Set[str], held: Sequence[frozenset[str]]) -> list[float]:
    """Return what share of some words each text holds; a word of several texts counts less."""
    among = Counter(word for words in held for word in words)
    weights = {
        word: math.log(1 + len(held) / (1 + among[word])) * (_KIN_WEIGHS if word in KIN else 1) for word in wanted
    }
    whole = sum(weights.values()) or 1.0
    return [sum(weights[word] for word in wanted if is_said(word, own)) / whole for own in held]


def shares_secret(text: str, hidden: str, besides: str) -> bool:
    """Return whether a text repeats a long word, or two, that were ``hidden`` and do not stand ``besides``.

    Words that name nothing ("something", the numbers of a list) are no secret.
    """
    shared = (words_of(hidden) - words_of(besides) - KIN - idle_terms() - _DIGITS) & words_of(text)
    return len(shared) > 1 or any(_TELLING.search(word) for word in shared)


@cache
def idle_terms() -> frozenset[str]:
    return frozenset(terms(" ".join(idle_words())))


def is_said(word: str, held: Set[str]) -> bool:
    """Return whether a word stands among others, also shortened: "gav" for "gavin"."""
    if word in held:
        return True
    return len(word) >= _LEAST_SHORTENED and word.isascii() and any(one.startswith(word) for one in held)
