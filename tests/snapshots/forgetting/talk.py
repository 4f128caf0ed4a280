"""Talks in which something is told, answered and ordered to be forgotten; nothing carries the order out by itself."""

from collections.abc import Sequence

from profiles.models import Subject
from snapshots.fast_lane_result import FastLaneResult
from snapshots.forgetting.hide_targets import hide_targets
from snapshots.forgetting.order_meaning import find_forget_targets
from snapshots.forgetting.order_targets import ForgetTargets
from snapshots.models import Conversation, Message, MessageRole
from snapshots.understanding.heard.forget_orders import find_forget_orders
from tests.snapshots.queue.world import post, start_conversation

SECRET = "I work as a nurse at Brightwater Clinic."
CAT = "My cat is called Miso."
ORDER = "Forget what I just said."


def tell(talk: Conversation, text: str) -> Message:
    return post(talk, [text])[0]


def answer(talk: Conversation, text: str) -> Message:
    return post(talk, [text], MessageRole.ASSISTANT)[0]


def start_talk(subject: Subject, *texts: str, name: str = "talk") -> tuple[Conversation, list[Message]]:
    """Return a conversation in which the user tells ``texts``, and its messages."""
    talk = start_conversation(subject, name)
    return talk, [tell(talk, text) for text in texts]


def find_targets(subject: Subject, message: Message, *, acknowledged: bool = False) -> ForgetTargets:
    """Return the targets of the first order of a message."""
    order = find_forget_orders(message.content)[0]
    return find_forget_targets(subject, message, order, acknowledged=acknowledged)


def hide_messages(subject: Subject, order: Message, told: Sequence[Message]) -> list[FastLaneResult]:
    """Hide whole messages by an order."""
    return hide_targets(subject, order, 0, ForgetTargets({one.id: () for one in told}))
