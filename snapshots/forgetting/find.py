"""What an order to forget means: what it names, else what it points at. In the open scope."""

import re
from collections.abc import Sequence
from itertools import takewhile

from profiles.models import Subject
from snapshots.forgetting.meant import FARTHEST, OrderedTurn, choose_meant
from snapshots.forgetting.named import find_named
from snapshots.forgetting.near_turns import cut_order, tells, turns_before, with_answers, without_orders
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.told import find_told
from snapshots.forgetting.values import Found
from snapshots.models import Message, MessageRole
from snapshots.understanding.heard.forget_orders import ForgetOrder, refers_back
from snapshots.understanding.heard.names import Named, is_owned
from snapshots.understanding.heard.turns import asks_about_memory, asks_something, tells_something
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.statements.statements import is_statement

_STATES = re.compile(
    r"\bthat (?:i|i'm|i've|my|we|our)\b(?! (?:(?:just|ever|even) )?(?:said|mentioned|told|asked|wrote|brought)\b)"
    r"|[忘记掉除删了]我(?!刚|说|讲|跟你|的).{2,}[这那][件个]?(?:事|信息|一点)",
    re.IGNORECASE,
)
_ALL_OF = re.compile(
    r"\b(?:what|everything|anything|all|whatever|things)\b.{0,30} (?:about|regarding|concerning)\b|关于|有关",
    re.IGNORECASE,
)

_IS_ABOUT_WHAT_WAS_SAID = re.compile(
    r"\b(?:keep|store|save|remember|memori[sz]e|note|record|write|retain|log)\b"
    r"|\b(?:that|this|it)\b(?!['\u2019]s| (?:is|was|stays?|remains)\b)"
    r"|记|存|保留|留着|[这那][件个]?事",
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
    own = cut_order(without_orders(message.content, acknowledged=acknowledged), order)
    users = [turn for turn in turns if turn.role == MessageRole.USER][: policy.turns]
    words = matching_form(message.content[order.start : order.end])
    is_stated = _STATES.search(words) is not None
    is_exact = len(order.names) == 1 and (is_stated or _ALL_OF.search(words) or is_owned(order.names[0]))
    if is_exact:
        said = [(message, own), *((turn, turn.content) for turn in users)]
        if found := find_named(subject, Named.of(order.names[0]), said):
            return found
    told: Sequence[Message] = ()
    if order.names and (refers(message, order) or is_exact):
        told = find_told(message, order.names, tells, anywhere=refers(message, order))
        if not told and refers(message, order) and not acknowledged:
            return Found()
    if told and not any(one in turns for one in told):
        return _gather_told(message, order, told)
    if is_stated:
        return Found({message.id: ()})
    return find_pointed(message, order, own, turns, acknowledged=acknowledged)


def _gather_told(message: Message, order: ForgetOrder, told: Sequence[Message]) -> Found:
    """Return messages that an order speaks of, and its own words, which may name the secret; nothing without any."""
    own = {message.id: [(order.start, order.end)]} if told else {}
    return Found({**dict.fromkeys(with_answers(told), ()), **own})


def find_pointed(
    message: Message, order: ForgetOrder, own: str, turns: Sequence[Message], *, acknowledged: bool = False
) -> Found:
    """Return what an order points at: what its own message tells, or what some of the last ``turns`` told.

    A turn that is forgotten already ends the search; so does one that told nothing, where the order only says "forget
    that" and the assistant has not ``acknowledged`` it: it takes back what was asked.
    """
    users = [turn for turn in turns if turn.role == MessageRole.USER]
    only_points = not (acknowledged or order.names or refers(message, order))
    told = takewhile(tells, users) if only_points else takewhile(lambda turn: turn.content, users)
    near = [message, *(turn for turn in told if turn.remember and is_statement(turn))][: FARTHEST + 1]
    asked = turns[0].content if turns and turns[0].role == MessageRole.ASSISTANT else ""
    words = message.content[order.start : order.end]
    said = OrderedTurn(order, words, own[: order.start], own[order.end :], asked)
    meant = [near[place] for place in choose_meant(said, [without_orders(one.content) for one in near[1:]])]
    return Found(dict.fromkeys((*(one.id for one in meant), *with_answers(meant)), ()))


def refers(message: Message, order: ForgetOrder) -> bool:
    """Return whether an order speaks of what was said before it: "what I told you", 刚才说的."""
    return order.refers or refers_back(message.content[order.start : order.end])


def refuses_an_answer(message: Message, order: ForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether weak words only refuse what the assistant has just asked: "Your age?" / "That's private." What
    speaks of keeping, or points back at what was said, is an order whatever was asked."""
    if order.names or order.refers or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    if _IS_ABOUT_WHAT_WAS_SAID.search(matching_form(message.content[order.start : order.end])):
        return False
    asked = turns[0].content
    return (
        asks_something(asked) and not asks_about_memory(asked) and not tells_something(without_orders(message.content))
    )
