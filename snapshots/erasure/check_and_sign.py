"""Search for erased data after the commit of a deletion, and sign the result as a certificate."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from memory_platform.kernel.errors import NotFound
from memory_platform.providers.redis.client import RedisAway, redis_client
from profiles.models import Erasure, ErasureScope, ErasureState, Forgotten, Preference, ProfileFact, Tag
from profiles.services.erasure_certificates import build_certificate, close_erasure, erasure_by_id, list_tombstones
from profiles.services.tombstones import Marks, find_tombstoned_messages, find_tombstoned_texts
from snapshots.conversation_queries import add_archived_words
from snapshots.erasure.config import ERASURE_CONFIG, ErasureConfig
from snapshots.erasure.subject_tables import drop_zeros
from snapshots.models import Conversation, Message, Snapshot
from snapshots.window.cached_window import erase_windows
from snapshots.window.redis_store import USE, drop_cached_turns, make_window_key
from tenants.isolation import current_tenant_id, tenant_tx


def drop_cached_windows(tenant_id: UUID, conversations: list[UUID]) -> bool:
    """Drop windows, which the next reader builds again; return False while Redis is away."""
    try:
        drop_cached_turns(redis_client(), [make_window_key(tenant_id, one) for one in conversations])
    except RedisAway:
        return False
    return True


def count_windows_left(tenant_id: UUID, conversations: Iterable[UUID]) -> dict[str, Any]:
    """Return how many windows were looked for in Redis, and how many still hold words; ``away`` if it cannot tell."""
    keys = [make_window_key(tenant_id, one) for one in conversations]
    try:
        left = sum(bool(redis_client().call(USE, lambda client, key=key: client.hget(key, "turns"))) for key in keys)  # type: ignore[misc]
    except RedisAway:
        return {"away": True}
    return {"away": False, "windows": len(keys), "left": left}


CHUNK = 500


def find_marked_subject(marks: Marks) -> UUID | None:
    """Return whose tombstones these are, in the open scope; None once the subject is gone with them."""
    rows = Forgotten.objects.filter(digest__in=list(marks)).order_by()
    return rows.values_list("subject_id", flat=True).first() if marks else None


def find_marked_snapshots(subject_id: UUID, marks: Marks) -> list[UUID]:
    """Return the subject's memories whose words match one of the tombstones, by id."""
    own = Snapshot.objects.filter(subject_id=subject_id).order_by("id")
    rows = list(own.values_list("id", "text")) if marks else []
    texts = find_tombstoned_texts(subject_id, [text for _, text in rows], marks)
    return [row_id for row_id, text in rows if text in texts]


def find_marked_messages(subject_id: UUID, marks: Marks) -> Iterator[Message]:
    """Yield the messages that match one of the tombstones by name or by words, also such as have lost their words."""
    own = Message.objects.filter(subject_id=subject_id).select_related("conversation")
    ids = list(own.order_by("id").values_list("id", flat=True)) if marks else []
    for start in range(0, len(ids), CHUNK):
        rows = add_archived_words(list(own.filter(id__in=ids[start : start + CHUNK]).order_by("id")))
        named = {row.id: (row.conversation.external_id, row.external_id) for row in rows}
        names = find_tombstoned_messages(subject_id, named.values(), marks)
        texts = find_tombstoned_texts(subject_id, [row.content for row in rows], marks)
        yield from (row for row in rows if row.content in texts or named[row.id] in names)


# Searches for what was erased, in an open scope of its own; returns what it found, by table.
SearchErased = Callable[[], Mapping[str, Any]]

MEMORY_TABLES: tuple[type[Any], ...] = (Snapshot, Preference, ProfileFact, Tag)
# Here words stand among others, and a tombstone recognises only a whole text.
ONLY_BY_WORDS = ("receipt.rendered", "idempotent_reply")

REDIS_AWAY = {"away": True}


def sign_after_commit(erasure: Erasure, look: SearchErased) -> None:
    """Have the erasure of the open transaction checked and signed once it has committed. If the process dies before
    that, :func:`sign_unsigned_erasures` does it."""
    transaction.on_commit(partial(_search_and_sign, current_tenant_id(), erasure.id, look), robust=True)


def has_unsigned_erasure(config: ErasureConfig = ERASURE_CONFIG) -> bool:
    return _find_unsigned_erasure(config) is not None


def sign_unsigned_erasures(tenant_id: UUID, config: ErasureConfig = ERASURE_CONFIG) -> int:
    """Check and sign erasures whose process died; return how many. Runs outside any ``tenant_tx``.

    The process committed the whole deletion, but perhaps did not erase windows in Redis, so this function does. It
    searches for erased data by ids and tombstones; ``unchecked`` names the data that only its words could find.
    """
    signed = 0
    while True:
        with tenant_tx(tenant_id):
            erasure = _find_unsigned_erasure(config)
            if erasure is None:
                return signed
            close_erasure(erasure, {**_search_unsigned_erasure(tenant_id, erasure), "late": True})
        signed += 1


def _search_and_sign(tenant_id: UUID, erasure_id: UUID, look: SearchErased) -> None:
    with tenant_tx(tenant_id):
        close_erasure(erasure_by_id(erasure_id), look())


def _find_unsigned_erasure(config: ErasureConfig) -> Erasure | None:
    """Return the oldest unsigned erasure. Those of subjects are left to their jobs."""
    waiting = Erasure.objects.exclude(state=ErasureState.DONE).exclude(scope=ErasureScope.SUBJECT)
    return waiting.filter(requested_at__lte=Now() - config.left_behind).order_by("requested_at").first()


def _search_unsigned_erasure(tenant_id: UUID, erasure: Erasure) -> dict[str, Any]:
    if erasure.target is None:
        raise NotFound("This erasure is done already.")
    if erasure.scope == ErasureScope.CONVERSATION:
        return _erase_windows_and_find_leftovers(tenant_id, erasure.target)
    return _find_leftovers_and_drop_cache(tenant_id, erasure.target, list_tombstones(build_certificate(erasure)))


def _erase_windows_and_find_leftovers(tenant_id: UUID, conversation: UUID) -> dict[str, Any]:
    left = {
        "conversation": Conversation.objects.filter(id=conversation).count(),
        "message": Message.objects.filter(conversation_id=conversation).count(),
    }
    redis = count_windows_left(tenant_id, [conversation]) if erase_windows(tenant_id, [conversation]) else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis}


def _find_leftovers_and_drop_cache(tenant_id: UUID, memory: UUID, marks: Marks) -> dict[str, Any]:
    left = {rows._meta.db_table: rows._default_manager.filter(id=memory).count() for rows in MEMORY_TABLES}
    conversations: list[UUID] = []
    subject_id = find_marked_subject(marks)
    if subject_id is not None:
        messages = list(find_marked_messages(subject_id, marks))
        left["snapshot"] += len([one for one in find_marked_snapshots(subject_id, marks) if one != memory])
        left["message"] = sum(bool(message.content) for message in messages)
        conversations = sorted({message.conversation_id for message in messages})
    is_dropped = drop_cached_windows(tenant_id, conversations)
    redis = count_windows_left(tenant_id, conversations) if is_dropped else REDIS_AWAY
    return {"rows_left": drop_zeros(left), "redis": redis, "unchecked": list(ONLY_BY_WORDS)}
