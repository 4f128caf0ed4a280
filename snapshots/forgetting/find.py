"""What an order to forget means: what it names, else what the last teaching message taught. In the open scope."""

import re
from collections.abc import Sequence

from profiles.models import Subject
from snapshots.forgetting.named import find_named
from snapshots.forgetting.near_turns import cut_order, tells, turns_before, with_answers, without_orders
from snapshots.forgetting.pointed import find_pointed, last_with_number, refers, refuses_an_answer, speaks_of
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.told import find_told
from snapshots.forgetting.values import Found
from snapshots.models import Message, MessageRole
from snapshots.understanding.heard.forget_orders import ForgetOrder
from snapshots.understanding.heard.names import Named, is_owned
from snapshots.understanding.reading.forms import matching_form

_STATES = re.compile(
    r"\bthat (?:i|i'm|i've|my|we|our)\b(?! (?:(?:just|ever|even) )?(?:said|mentioned|told|asked|wrote|brought)\b)"
    r"|[忘记掉除删了]我(?!刚|说|讲|跟你|的).{2,}[这那][件个]?(?:事|信息|一点)",
    re.IGNORECASE,
)
_ALL_OF = re.compile(
    r"\b(?:what|everything|anything|all|whatever|things)\b.{0,30} (?:about|regarding|concerning)\b|关于|有关",
    re.IGNORECASE,
)


def find_meant(
    subject: Subject,
    message: Message,
    order: ForgetOrder,
    *,
    acknowledged: bool = False,
    policy: ForgettingPolicy = FORGETTING,
) -> Found:
    """Return what an order in ``message`` means; nothing where it means nothing that is remembered.

    What it names by words, else what it points at: the words beside it, or what the last turns told. What was said
    before in words that nobody finds ("what I said about my ex") is the last thing told only where the assistant has
    ``acknowledged`` the order.
    """
    turns = turns_before(message, policy)
    if order.is_everything or refuses_an_answer(message, order, turns):
        return Found()
    own = cut_order(without_orders(message.content), order)  # an acknowledged order is not read without its answer
    users = [turn for turn in turns if turn.role == MessageRole.USER][: policy.turns]
    words = matching_form(message.content[order.start : order.end])
    is_stated = _STATES.search(words) is not None
    is_exact = len(order.names) == 1 and (is_stated or _ALL_OF.search(words) or is_owned(order.names[0]))
    if is_exact:
        said = [(message, own), *((turn, turn.content) for turn in users)]
        if found := find_named(subject, Named.of(order.names[0]), said):
            return found
    if number := last_with_number(message, order, own[: order.start], users):
        return Found(dict.fromkeys((number.id, *with_answers([number])), ()))
    if order.names and (order.refers or is_exact or not speaks_of(own[: order.start], order.names)):
        told = find_told(message, order.names, tells, anywhere=refers(message, order))
        if told or (refers(message, order) and not acknowledged):
            return _found_told(message, order, told)
    if is_stated:
        return Found({message.id: ()})
    return find_pointed(message, order, own, users)


def _found_told(message: Message, order: ForgetOrder, told: Sequence[Message]) -> Found:
    """Return messages that an order speaks of, and its own words, which may name the secret; nothing without any."""
    own = {message.id: [(order.start, order.end)]} if told else {}
    return Found({**dict.fromkeys(with_answers(told), ()), **own})
