"""The meaning of an order to forget: the thing it names, else the turns it points at. In the open scope."""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from memory_platform.kernel.linear_model import Float32
from profiles.models import Subject
from snapshots.forgetting.meant import OrderedTurn, ToldTurn, choose_meant, points_back_here
from snapshots.forgetting.named import find_named
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.turns import cut_order, tells, told_before, turns_before, with_answers, without_orders
from snapshots.forgetting.values import Found
from snapshots.models import Message, MessageRole
from snapshots.understanding.heard.forget_orders import ForgetOrder, refers_back
from snapshots.understanding.heard.names import Named, is_owned
from snapshots.understanding.heard.order_reader import names_of
from snapshots.understanding.heard.turns import asks_about_memory, asks_something, tells_something
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.statements.statements import is_statement

NO_VECTORS: Mapping[str, Float32] = {}
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
    vectors: Mapping[str, Float32] = NO_VECTORS,
    policy: ForgettingPolicy = FORGETTING,
) -> Found:
    """Return the targets of an order in ``message``; none where it means nothing that is remembered.

    First the thing it names ("forget my address"), else what it points at: the words beside it, or earlier turns.
    """
    turns = turns_before(message, policy)
    if order.is_everything or refuses_an_answer(message, order, turns):
        return Found()
    users = [turn for turn in turns if turn.role == MessageRole.USER][: policy.turns]
    words = matching_form(message.content[order.start : order.end])
    is_stated = _STATES.search(words) is not None
    is_exact = len(order.names) == 1 and (is_stated or _ALL_OF.search(words) or is_owned(order.names[0]))
    if is_exact:
        own = cut_order(without_orders(message.content, acknowledged=acknowledged), order)
        near = [(message, own), *((turn, turn.content) for turn in users)]
        if found := find_named(subject, Named.of(order.names[0]), near):
            return found
    if is_stated:
        return Found({message.id: ()})
    asked = turns[0].content if turns and turns[0].role == MessageRole.ASSISTANT else ""
    said = order_beside(message.content, order, asked, acknowledged=acknowledged)
    points_back = order.refers or refers_back(said.words)  # "what I told you", 刚才说的
    points_only = not (acknowledged or order.names or points_back or names_of(f"{said.before}{said.after}"))
    told = may_mean(message, order, turns, points_only=points_only)
    before = [_as_told(one, message, vectors) for one in told]
    places = choose_meant(said.with_vectors(vectors), before, acknowledged=acknowledged)
    return _gather([[message, *told][place] for place in places], message, order)


def order_beside(text: str, order: ForgetOrder, asked: str = "", *, acknowledged: bool) -> OrderedTurn:
    """Return an order with what its message says beside it, and what the assistant had ``asked``."""
    own = cut_order(without_orders(text, acknowledged=acknowledged), order)
    return OrderedTurn(order, text[order.start : order.end], own[: order.start], own[order.end :], asked)


def _as_told(turn: Message, order: Message, vectors: Mapping[str, Float32]) -> ToldTurn:
    said = without_orders(turn.content)
    return ToldTurn(said, elsewhere=turn.conversation_id != order.conversation_id, vector=vectors.get(said))


def _gather(meant: Sequence[Message], message: Message, order: ForgetOrder) -> Found:
    """Return messages with the answers that repeat them, and where the order's own message stays, its words that may
    name the secret."""
    found = dict.fromkeys(with_answers(meant), ())
    if not meant or message in meant or not order.names:
        return Found(found)
    return Found({**found, message.id: [(order.start, order.end)]})


def may_mean(message: Message, order: ForgetOrder, turns: Sequence[Message], *, points_only: bool) -> Sequence[Message]:
    """Return the earlier turns that an order may mean, newest first.

    An order that only says "forget that" takes back the turn before it: a turn without a statement ends the search. So
    does a turn that is forgotten already, where the order says "just now".
    """
    users = [turn for turn in turns if turn.role == MessageRole.USER]
    if points_only:
        return list(takewhile(tells, users))
    if points_back_here(message.content[order.start : order.end]) and not order.names:
        return [turn for turn in takewhile(lambda one: one.content, users) if turn.remember and is_statement(turn)]
    return told_before(message)


def refuses_an_answer(message: Message, order: ForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether weak words only refuse to answer the assistant's question: "Your age?" / "That's private."

    Words about keeping, or that point back at what was said, are an order whatever was asked.
    """
    if order.names or order.refers or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    if _IS_ABOUT_WHAT_WAS_SAID.search(matching_form(message.content[order.start : order.end])):
        return False
    asked = turns[0].content
    return (
        asks_something(asked) and not asks_about_memory(asked) and not tells_something(without_orders(message.content))
    )
