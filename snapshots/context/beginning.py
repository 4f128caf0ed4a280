"""What a conversation began with: it stays while the conversation goes on, so a prefix may follow from it."""

from collections.abc import Sequence

from snapshots.models import Conversation, Message, MessageRole
from snapshots.selectors import with_words
from snapshots.window.values import Window, WindowTurn, turn_of

FIRST_SEQ = 1
FIRST_TURNS = 5
"""The user's first messages that are looked at: the first of them may be a picture or a sign."""


def beginning_of(conversation: Conversation, window: Window) -> tuple[str, ...]:
    """Return the words of the user's first turns: out of the window while it reaches back, else by one query."""
    turns: Sequence[WindowTurn] = window.turns
    if not turns or turns[0].seq != FIRST_SEQ:
        turns = _first_turns(conversation)
    return tuple(turn.content for turn in turns if turn.role == MessageRole.USER)[:FIRST_TURNS]


def _first_turns(conversation: Conversation) -> Sequence[WindowTurn]:
    rows = Message.objects.filter(
        subject_id=conversation.subject_id, conversation_id=conversation.id, role=MessageRole.USER
    ).order_by("seq")[:FIRST_TURNS]
    return tuple(turn_of(message) for message in with_words(list(rows)))
