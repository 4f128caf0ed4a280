"""Load the window of a conversation: from Redis if it has the current version, else from Postgres.

No message depends on the cache: it is written after the commit, and rebuilt if lost.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from uuid import UUID

from memory_platform.observability.logs import Event, log
from memory_platform.providers.redis.client import RedisAway, redis_client
from snapshots.conversation_queries import add_archived_words
from snapshots.models import Conversation, Message
from snapshots.window.config import WINDOW_CONFIG
from snapshots.window.redis_store import erase_turns, load_cached_turns, make_window_key, store_turns
from snapshots.window.values import Window, WindowMessage, build_window_message, choose_newest_turns
from tenants.isolation import current_tenant_id

ReadScope = Callable[[], AbstractContextManager[None]]


def load_window(conversation: Conversation) -> Window:
    """Return the recent turns of ``conversation``, as just read from Postgres inside the same open ``tenant_tx``."""
    return load_window_in_scope(current_tenant_id(), conversation, nullcontext)


def load_window_in_scope(tenant_id: UUID, conversation: Conversation, scope: ReadScope) -> Window:
    """Return the recent turns of a conversation just read from Postgres; on a Redis miss, read them in ``scope``."""
    degraded = False
    try:
        held = load_cached_turns(redis_client(), make_window_key(tenant_id, conversation.id), conversation.version)
        if held is not None:
            return build_window(conversation, held)
    except RedisAway:
        degraded = True
    with scope():
        turns = collect_window_turns(conversation, ())
    cache_window(tenant_id, conversation.id, conversation.version, turns)
    log(Event.WINDOW_REBUILT, conversation=conversation.id, messages=len(turns), degraded=degraded)
    return build_window(conversation, turns, degraded=degraded)


def build_window(conversation: Conversation, turns: tuple[WindowMessage, ...], *, degraded: bool = False) -> Window:
    return Window(turns, sum(turn.tokens for turn in turns), conversation.summary or None, degraded)


def collect_window_turns(conversation: Conversation, newest: Sequence[Message]) -> tuple[WindowMessage, ...]:
    """Return the window's turns when ``newest`` are the last messages stored; one query for the rest."""
    turns = [build_window_message(message) for message in newest[-WINDOW_CONFIG.messages :]]
    missing = WINDOW_CONFIG.messages - len(turns)
    if missing:
        before = newest[0].seq if newest else conversation.next_seq
        turns = [*_load_turns_before(conversation, before, missing), *turns]
    return choose_newest_turns(turns)


def cache_window(tenant_id: UUID, conversation_id: UUID, version: int, turns: Sequence[WindowMessage]) -> None:
    """Store a window, best effort, at most 0.3 s. Needs no open scope."""
    try:
        store_turns(redis_client(), make_window_key(tenant_id, conversation_id), version, turns)
    except RedisAway:
        return


def erase_windows(tenant_id: UUID, conversation_ids: Iterable[UUID]) -> bool:
    """Erase the windows of deleted conversations, after the commit; return False while Redis is away.

    If Redis is away, they expire by themselves; no reader can reach them. Needs no open scope.
    """
    try:
        erase_turns(redis_client(), [make_window_key(tenant_id, one) for one in conversation_ids])
    except RedisAway:
        return False
    return True


def _load_turns_before(conversation: Conversation, seq: int, limit: int) -> list[WindowMessage]:
    if seq <= 1:
        return []
    older = Message.objects.filter(
        subject_id=conversation.subject_id, conversation_id=conversation.id, seq__lt=seq
    ).order_by("-seq")[:limit]
    return [build_window_message(message) for message in reversed(add_archived_words(list(older)))]
