"""The meaning of an order to forget: the thing it names, else the turns it points at. In the open scope."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.pattern_files import load_patterns
from profiles.models import Subject
from snapshots.forgetting.config import FORGETTING, ForgettingConfig
from snapshots.forgetting.meant_turn_classifier import (
    EarlierTurn,
    OrderMessage,
    choose_meant_turns,
    points_to_last_turn,
)
from snapshots.forgetting.named_memories import find_named_memories
from snapshots.forgetting.nearby_turns import (
    blank_order,
    blank_orders,
    list_messages_with_answers,
    load_remembered_turns,
    load_turns_before,
    tells_anything_new,
)
from snapshots.forgetting.values import ForgetTargets
from snapshots.models import Message, MessageRole
from snapshots.understanding.heard.forget_order_classifier import extract_names
from snapshots.understanding.heard.forget_orders import SpokenForgetOrder, refers_back
from snapshots.understanding.heard.forget_targets import ForgetTarget, is_personal_thing
from snapshots.understanding.heard.turn_kinds import ends_with_question, mentions_remembering, tells_something
from snapshots.understanding.reading.text_forms import matching_form
from snapshots.understanding.statements.statements import is_statement

_RE = load_patterns(Path(__file__).with_name("order_meaning.toml"))

NO_VECTORS: Mapping[str, Float32] = {}


def find_forget_targets(
    subject: Subject,
    message: Message,
    order: SpokenForgetOrder,
    *,
    acknowledged: bool = False,
    vectors: Mapping[str, Float32] = NO_VECTORS,
    config: ForgettingConfig = FORGETTING,
) -> ForgetTargets:
    """Return the targets of an order in ``message``; none where it refers to no memory. Looks for the thing that it
    names ("forget my address"), else the words beside it or earlier turns."""
    turns = load_turns_before(message, config)
    if order.is_everything or only_refuses_to_answer(message, order, turns):
        return ForgetTargets()
    users = [turn for turn in turns if turn.role == MessageRole.USER][: config.turns]
    words = matching_form(message.content[order.start : order.end])
    is_stated = _RE["states_the_secret"].search(words) is not None
    is_exact = len(order.names) == 1 and (
        is_stated or _RE["means_all_of_it"].search(words) or is_personal_thing(order.names[0])
    )
    if is_exact:
        own = blank_order(blank_orders(message.content, acknowledged=acknowledged), order)
        near = [(message, own), *((turn, turn.content) for turn in users)]
        if found := find_named_memories(subject, ForgetTarget.build(order.names[0]), near):
            return found
    if is_stated:
        return ForgetTargets({message.id: ()})
    asked = turns[0].content if turns and turns[0].role == MessageRole.ASSISTANT else ""
    said = split_order_message(message.content, order, asked, acknowledged=acknowledged)
    points_back = order.refers or refers_back(said.words)  # "what I told you", 刚才说的
    points_only = not (acknowledged or order.names or points_back or extract_names(f"{said.before}{said.after}"))
    told = list_possible_turns(message, order, turns, points_only=points_only)
    before = [_build_earlier_turn(one, message, vectors) for one in told]
    places = choose_meant_turns(said.with_vectors(vectors), before, acknowledged=acknowledged)
    return _build_targets([[message, *told][place] for place in places], message, order)


def split_order_message(text: str, order: SpokenForgetOrder, asked: str = "", *, acknowledged: bool) -> OrderMessage:
    own = blank_order(blank_orders(text, acknowledged=acknowledged), order)
    return OrderMessage(order, text[order.start : order.end], own[: order.start], own[order.end :], asked)


def _build_earlier_turn(turn: Message, order: Message, vectors: Mapping[str, Float32]) -> EarlierTurn:
    said = blank_orders(turn.content)
    return EarlierTurn(said, elsewhere=turn.conversation_id != order.conversation_id, vector=vectors.get(said))


def _build_targets(meant: Sequence[Message], message: Message, order: SpokenForgetOrder) -> ForgetTargets:
    """Return messages with the answers that repeat them, and where the order's own message stays, its words that may
    name the secret."""
    found = dict.fromkeys(list_messages_with_answers(meant), ())
    if not meant or message in meant or not order.names:
        return ForgetTargets(found)
    return ForgetTargets({**found, message.id: [(order.start, order.end)]})


def list_possible_turns(
    message: Message, order: SpokenForgetOrder, turns: Sequence[Message], *, points_only: bool
) -> Sequence[Message]:
    """Return the earlier turns that an order may mean, newest first.

    An order that only says "forget that" takes back the turn before it: a turn without a statement ends the search. So
    does a turn that is forgotten already, where the order says "just now".
    """
    users = [turn for turn in turns if turn.role == MessageRole.USER]
    if points_only:
        return list(takewhile(tells_anything_new, users))
    if points_to_last_turn(message.content[order.start : order.end]) and not order.names:
        return [turn for turn in takewhile(lambda one: one.content, users) if turn.remember and is_statement(turn)]
    return load_remembered_turns(message)


def only_refuses_to_answer(message: Message, order: SpokenForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether a weak order only refuses to answer the assistant's question: "Your age?" / "That's private."
    Words about keeping, or that refer back, are an order after any question."""
    if order.names or order.refers or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    if _RE["is_about_what_was_said"].search(matching_form(message.content[order.start : order.end])):
        return False
    asked = turns[0].content
    return (
        ends_with_question(asked)
        and not mentions_remembering(asked)
        and not tells_something(blank_orders(message.content))
    )
