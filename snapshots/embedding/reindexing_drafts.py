"""Stored snapshots as drafts again, with the turn before them, to index them a second time."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from snapshots.embedding.indexed_text import SpokenTurn
from snapshots.embedding.snapshot_drafts import SnapshotToStore
from snapshots.models import Message, Snapshot

# A conversation, and a number in it.
ConversationPlace = tuple[UUID, int]

# Returns a text without card and identity numbers and secrets, and how many there were.
MaskText = Callable[[str], tuple[str, int]]


@dataclass(frozen=True, slots=True)
class PreviousTurn:
    """The turn before, and whether it is a snapshot of its own."""

    turn: SpokenTurn | None = None
    is_memory: bool = True


def load_reindexing_drafts(snapshots: Sequence[Snapshot], mask: MaskText) -> list[SnapshotToStore]:
    """Return the drafts of these snapshots as they are now, without their sources. In the open scope."""
    before = load_previous_turns(snapshots, mask)
    return [_make_draft(snapshot, before.get(snapshot.id, PreviousTurn())) for snapshot in snapshots]


def load_previous_turns(snapshots: Sequence[Snapshot], mask: MaskText) -> Mapping[UUID, PreviousTurn]:
    """Return the message before each statement, masked; nothing for one that opened its conversation.

    Each query reads one table, for the reason in :mod:`snapshots.embedding.upkeep.indexed_memories`.
    """
    places = {
        snapshot: (snapshot.conversation_id, snapshot.seq - 1)
        for snapshot in snapshots
        if snapshot.conversation_id is not None and snapshot.seq is not None
    }
    if not places:
        return {}
    wanted = set(places.values())
    messages, kinds = _load_messages_at(wanted), _load_kinds_at(wanted)
    return {
        snapshot.id: PreviousTurn(
            SpokenTurn(
                mask(messages[place].content)[0], mask_name(messages[place].name, mask), messages[place].said_locally
            ),
            snapshot.kind in kinds[place],
        )
        for snapshot, place in places.items()
        if place in messages
    }


def mask_name(name: str | None, mask: MaskText) -> str | None:
    """Return a speaker's name with secrets masked: a product may send a card number as a name."""
    return mask(name)[0][: Message._meta.get_field("name").max_length] if name else name


def _load_messages_at(places: Set[ConversationPlace]) -> Mapping[ConversationPlace, Message]:
    near = (
        Message.objects.filter(_build_places_condition(places)).order_by().values_list("id", "conversation_id", "seq")
    )
    ids = [found for found, *place in near if tuple(place) in places]
    messages = Message.objects.filter(id__in=ids).exclude(content="").order_by()
    return {(message.conversation_id, message.seq): message for message in messages}


def _load_kinds_at(places: Set[ConversationPlace]) -> Mapping[tuple[UUID | None, int | None], Set[str]]:
    """Return the kinds of the snapshots at these places."""
    kinds: dict[tuple[UUID | None, int | None], set[str]] = defaultdict(set)
    rows = (
        Snapshot.objects.filter(_build_places_condition(places))
        .order_by()
        .values_list("conversation_id", "seq", "kind")
    )
    for conversation_id, seq, kind in rows:
        kinds[conversation_id, seq].add(kind)
    return kinds


def _build_places_condition(places: Set[ConversationPlace]) -> Q:
    """Return the condition for ``places``, and for some others of their conversations."""
    return Q(conversation_id__in={place[0] for place in places}, seq__in={place[1] for place in places})


def _make_draft(snapshot: Snapshot, before: PreviousTurn) -> SnapshotToStore:
    return SnapshotToStore(
        id=snapshot.id,
        subject_id=snapshot.subject_id,
        kind=snapshot.kind,
        text=snapshot.text,
        said_at=snapshot.said_locally,
        valid_at=snapshot.valid_at,
        expires_at=snapshot.expires_at,
        name=snapshot.name,
        conversation_id=snapshot.conversation_id,
        seq=snapshot.seq,
        previous=before.turn,
        previous_is_memory=before.is_memory,
        category=snapshot.category,
        topics=tuple(snapshot.topics),
        aliases=tuple(snapshot.aliases),
        importance=snapshot.importance,
        confidence=snapshot.confidence,
        provenance=snapshot.provenance,
        metadata=snapshot.metadata,
        masked=snapshot.masked,
        raw_fallback=snapshot.raw_fallback,
    )
