"""Store each message that says something as a statement, within seconds: the first step of a worker."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.indexed_text import SpokenTurn
from snapshots.embedding.snapshot_drafts import SnapshotToStore, mask_name, prepare_snapshots
from snapshots.embedding.snapshot_store import store_snapshots
from snapshots.models import Message, MessageRole, SnapshotKind
from snapshots.queue.draining.leases import complete_items, lock_leased
from snapshots.queue.values import ClaimedWork
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding import values
from snapshots.understanding.config import SUMMARY
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN, ShownBySubject, load_shown_prompts
from snapshots.understanding.statements.topics import find_topics, score_importance
from snapshots.understanding.values import Utterance
from tenants.isolation import tenant_tx

# Part of the stable ids of statements: work delivered twice meets the same row.
STATEMENT_VERSION = "statement-1"


# The member of a message's metadata that is about the memories made of it.
CARRIED = "memory"


@dataclass(frozen=True, slots=True)
class CarriedDetails:
    """Details that every memory made of a message gets from it. ``expires_at`` None: it follows the retention of its
    kind."""

    metadata: Mapping[str, Any] = field(default_factory=dict)
    expires_at: datetime | None = None


NOTHING_CARRIED = CarriedDetails()


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message to be remembered, the one before it in its conversation, and the content of earlier prompts.
    ``answered_ask``: the key and id of our own ask that the message answers; "" for none."""

    message: Message
    previous: Message | None
    prompts: ShownBySubject = NOTHING_SHOWN
    answered_ask: str = ""


def store_statements(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Turn claimed messages into statements: read, index with no transaction open, write the work that is still
    ours."""
    with tenant_tx(tenant_id):
        heard = load_messages_of_work(items)
    drafts = [draft for one in heard if (draft := build_statement(one))]
    prepared = prepare_snapshots(drafts, active_embedders())
    with tenant_tx(tenant_id):
        held = lock_leased(items)
        ours = {item.message_id for item in held}
        store_snapshots([one for one in prepared if not ours.isdisjoint(one.draft.message_ids)])
        complete_items(held)


def load_claimed_messages(items: Sequence[ClaimedWork]) -> dict[UUID, Message]:
    """Return the messages of claimed work by id, in the order of the work, without those that must not be
    remembered."""
    ids = [item.message_id for item in items if item.message_id]
    rows = Message.objects.filter(subject_id__in={item.subject_id for item in items}, id__in=ids, remember=True)
    found = rows.select_related("conversation").in_bulk()
    return {message_id: found[message_id] for message_id in ids if message_id in found}


def load_messages_of_work(items: Sequence[ClaimedWork]) -> list[HeardMessage]:
    return load_heard_messages(
        {item.subject_id for item in items}, [item.message_id for item in items if item.message_id]
    )


def load_heard_messages(subjects: Collection[UUID], message_ids: Sequence[UUID]) -> list[HeardMessage]:
    """Return these messages of these subjects, each with the one before it, in the open scope."""
    messages = list(
        Message.objects.filter(subject_id__in=subjects, id__in=message_ids).order_by("conversation_id", "seq")
    )
    messages = list(add_archived_words(messages))
    before = load_messages_at({(message.conversation_id, message.seq - 1) for message in messages}, subjects)
    said = [one for one in (*messages, *before.values()) if one.role == MessageRole.USER]
    shown = load_shown_prompts(said)
    return [
        HeardMessage(message, before.get((message.conversation_id, message.seq - 1)), shown) for message in messages
    ]


def load_messages_at(places: Iterable[tuple[UUID, int]], subjects: Iterable[UUID]) -> dict[tuple[UUID, int], Message]:
    """Return ``{(conversation, seq): message}`` for the places that hold one."""
    places = set(places)
    rows = Message.objects.filter(
        subject_id__in=subjects,
        conversation_id__in={conversation for conversation, _ in places},
        seq__in={seq for _, seq in places},
    )
    return {(row.conversation_id, row.seq): row for row in rows if (row.conversation_id, row.seq) in places}


def is_statement(message: Message, prompts: ShownBySubject = NOTHING_SHOWN) -> bool:
    return message.remember and message.role == MessageRole.USER and says_something(prompts.find_own_words(message))


def build_statement(heard: HeardMessage) -> SnapshotToStore | None:
    """Return the statement of a message, masked and indexed after the turn before it; None for courtesies and
    echoes."""
    message, previous = heard.message, heard.previous
    drawn = extract_statement(build_own_utterance(message, heard.prompts)) if message.remember else None
    if drawn is None:
        return None
    name = mask_name(message.name, mask_sensitive)
    return draft_from_message(
        message,
        SnapshotKind.STATEMENT,
        drawn.text,
        id=stable_id(STATEMENT_VERSION, message.id),
        name=name,
        previous=_mask_turn(previous, heard.prompts) if previous else None,
        previous_is_memory=previous is not None and is_statement(previous, heard.prompts),
        importance=drawn.importance,
        topics=drawn.topics,
        category=drawn.category or "",
        masked=bool(drawn.masked) or name != message.name,
    )


def draft_from_message(message: Message, kind: SnapshotKind, text: str, **details: Any) -> SnapshotToStore:
    """Return the draft of a snapshot that one message makes; ``details`` are its id and further fields."""
    carried = read_carried(message.metadata)
    return SnapshotToStore(
        subject_id=message.subject_id,
        kind=kind,
        text=text,
        said_at=message.said_locally,
        valid_at=min(message.said_at, utc_now()),  # a clock that runs ahead must not hide what is known now
        expires_at=carried.expires_at,
        by_kind=carried.expires_at is None,
        conversation_id=message.conversation_id,
        seq=message.seq,
        message_ids=(message.id,),
        metadata=carried.metadata,
        **details,
    )


def read_carried(metadata: Mapping[str, Any]) -> CarriedDetails:
    """Return the details that a message's metadata gives to the memories made of it."""
    told = metadata.get(CARRIED)
    if not isinstance(told, Mapping):
        return NOTHING_CARRIED
    own = told.get("metadata")
    return CarriedDetails(own if isinstance(own, Mapping) else {}, _parse_moment(told.get("expires_at")))


def _parse_moment(value: object) -> datetime | None:
    """Return an aware time from ISO text; None for anything else."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo else None


def extract_statement(utterance: Utterance) -> values.ExtractiveDraft | None:
    """Return the statement of one user message, whoever its named speaker, masked; None for courtesies and commands."""
    if utterance.role != "user" or not says_something(utterance.text):
        return None
    text, masked = mask_sensitive(utterance.text)
    topics = find_topics(text, config=SUMMARY)
    return values.ExtractiveDraft(
        kind="statement",
        text=text,
        importance=score_importance(text),
        topics=topics,
        category=topics[0] if topics else None,
        sources=(utterance.message_key,),
        masked=masked,
    )


def build_own_utterance(message: Message, prompts: ShownBySubject) -> Utterance:
    return replace(build_utterance(message), text=prompts.find_own_words(message))


def build_utterance(message: Message) -> Utterance:
    return Utterance(
        message_key=str(message.id),
        role=message.role,
        name=mask_name(message.name, mask_sensitive),
        text=message.content,
        said_at=message.said_at,
        seq=message.seq,
    )


def _mask_turn(message: Message, prompts: ShownBySubject) -> SpokenTurn | None:
    said = prompts.find_own_words(message) if message.role == MessageRole.USER else message.content
    name = mask_name(message.name, mask_sensitive)
    return SpokenTurn(mask_sensitive(said)[0], name, message.said_locally) if said else None
