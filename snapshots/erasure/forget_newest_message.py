"""Take back a conversation's newest message: its words, and the memories that it alone taught.

Unlike forgetting a memory, this leaves other messages with the same words, and lets the person say them again.
"""

from uuid import UUID

from django.db.models import Exists, OuterRef

from profiles.selectors import build_subject_key
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.embedding_spaces import Embedders
from snapshots.erasure.derived_rows import CONVERSATION_KINDS
from snapshots.erasure.forgotten_word_copies import ForgottenWords
from snapshots.erasure.memories import ErasureTarget, find_following_statements, forget_target
from snapshots.erasure.notes_of_forgotten_messages import find_notes_only_in
from snapshots.errors import ConversationUnknown
from snapshots.models import Message, Snapshot, SnapshotSource
from tenants.services.audit import Actor


def forget_newest_message(
    tenant_id: UUID, subject_id: str, conversation_id: str, embedders: Embedders, *, by: Actor
) -> Message | None:
    """Take back the newest message that has words or calls, by the product's own ids; return it as it was, or None.
    Opens its own scopes, as :func:`forget_target` does. Raises Conflict."""
    newest: list[Message] = []

    def look() -> ErasureTarget:
        newest[:] = [_load_newest_message(subject_id, conversation_id)]
        return _build_target(newest[0])

    try:
        forget_target(tenant_id, look, embedders, by=by)
    except ConversationUnknown:
        return None
    return newest[0]


def _load_newest_message(subject_id: str, conversation_id: str) -> Message:
    """Return the newest message that is not blank. Raises ConversationUnknown."""
    rows = Message.objects.filter(
        subject_id=build_subject_key(subject_id), subject__erasing=False, conversation__external_id=conversation_id
    )
    told = rows.exclude(content="", tool_calls__isnull=True, metadata={}, archived=False)
    newest = told.select_related("conversation", "subject").order_by("-seq").first()
    if newest is None:
        raise ConversationUnknown
    return add_archived_words([newest])[0]


def _build_target(message: Message) -> ErasureTarget:
    messages = {message.id: message}
    gone = _find_sole_snapshots(message) | find_notes_only_in(message.subject_id, [message.id])
    return ErasureTarget(
        message.id,
        message.subject,
        ForgottenWords(message.subject_id, frozenset()),
        frozenset(gone),
        messages,
        find_following_statements(message.subject_id, messages, frozenset(gone)),
        quoting_conversations=frozenset({message.conversation_id}),
    )


def _find_sole_snapshots(message: Message) -> set[UUID]:
    """Return the snapshots that no other message with words supports; those of whole conversations are made anew."""
    sources = SnapshotSource.objects.filter(subject_id=message.subject_id, memory=OuterRef("id")).order_by()
    others = sources.exclude(message_id=message.id).exclude(message__content="", message__archived=False)
    rows = Snapshot.objects.filter(Exists(sources.filter(message_id=message.id)), subject_id=message.subject_id)
    sole = rows.exclude(Exists(others)).exclude(kind__in=CONVERSATION_KINDS).order_by()
    return set(sole.values_list("id", flat=True))
