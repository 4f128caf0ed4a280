"""Worker: at a conversation's end, make a snapshot if a tool was called, and its segments: decisions, numbers and
preferences in the speakers' words, or in a model's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from memory_platform.providers.contracts import ChatModel, ChatUnavailable, InvalidOutput
from snapshots.conversation_queries import add_archived_words
from snapshots.echo.config import ECHO
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_history import supersede_snapshots
from snapshots.embedding.snapshot_store import lock_memory, store_snapshots
from snapshots.models import Conversation, Message, Snapshot, SnapshotKind
from snapshots.queue.draining.leases import complete_items, lock_leased
from snapshots.queue.values import ClaimedWork
from snapshots.sensitive.detector import mask_sensitive
from snapshots.summaries.config import RUNNING
from snapshots.summaries.model_digests import rewrite_with_model
from snapshots.understanding import values
from snapshots.understanding.config import SUMMARY
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.reading.text_folding import estimate_tokens
from snapshots.understanding.statements.shown_memories import NOTHING_SHOWN, ShownBySubject, load_shown_prompts
from snapshots.understanding.statements.statements import build_own_utterance
from snapshots.understanding.statements.topics import CUES, find_topics, score_importance
from snapshots.understanding.values import ExtractiveDraft, Utterance
from tenants.isolation import tenant_tx
from tenants.services.usage.metered_chat import find_metered_chat

_SENTENCE = re.compile(r"(?P<said>[^.!?。！？\n]+)(?P<end>[.!?。！？]+|\n|$)")
_LONGEST_SENTENCE = 600
_HAN = re.compile(r"[\u3400-\u9fff]")
_USER_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    order: int
    score: float
    source: str


# Part of the stable ids of the snapshots of one end of a conversation.
CONVERSATION_VERSION = "conversation-1"


@dataclass(frozen=True, slots=True)
class EndedConversation:
    """One end of a conversation: its id, the messages that may be remembered, and the prompts' content."""

    conversation: Conversation
    generation: int
    messages: tuple[Message, ...]
    prompts: ShownBySubject = NOTHING_SHOWN


def store_conversation_snapshots(tenant_id: UUID, items: Sequence[ClaimedWork]) -> None:
    """Make the snapshots of ended conversations; those of an earlier end of the same conversation are superseded. An
    end that is not the last one, or that a message has reopened, makes nothing: the next end covers it."""
    with tenant_tx(tenant_id):
        ended = [found for item in items if (found := _load_ended(item))]
    writer = ConversationWriter(find_metered_chat(tenant_id, "summarise") if ended else None)
    prepared = prepare_snapshots([draft for end in ended for draft in build_drafts(end, writer)], active_embedders())
    with tenant_tx(tenant_id):
        held = lock_leased(items)
        last = _choose_last_ends(ended, held, {one.draft.subject_id for one in prepared})
        kept = [one for one in prepared if one.draft.conversation_id in last]
        store_snapshots(kept)
        for end in ended:
            if end.conversation.id in last:
                supersede_earlier_snapshots(end, [one.draft for one in kept])
        complete_items(held)


class ConversationWriter:
    """Rewrites extracts in a model's words, if there is a model, and reports when it fell back. A model that does not
    answer is not asked again: others wait behind this batch."""

    def __init__(self, model: ChatModel | None) -> None:
        self._model = model
        self._is_down = False

    def write_text(
        self, drawn: values.ExtractiveDraft, messages: Sequence[values.Utterance]
    ) -> tuple[values.ExtractiveDraft, bool]:
        """Return the snapshot and whether a model should have written it and did not."""
        if self._model is None or sum(len(message.text) for message in messages) > RUNNING.prompt_chars:
            return drawn, False
        if self._is_down:
            return drawn, True
        try:
            told = rewrite_with_model(drawn, messages, self._model)
        except InvalidOutput:
            return drawn, True
        except ChatUnavailable:
            self._is_down = True
            return drawn, True
        return told or drawn, told is None


def build_drafts(end: EndedConversation, writer: ConversationWriter) -> Iterator[SnapshotToStore]:
    """Yield the snapshot of a conversation with a tool call and, of a long one, one per segment."""
    if not any(message.tool_calls for message in end.messages):
        return
    spoken = [build_own_utterance(message, end.prompts) for message in end.messages]
    parts = [(draft_conversation_snapshot(spoken, tool_called=True), spoken)]
    parts += [(draft_segment_snapshot(part), list(part)) for part in split_segments(spoken)]
    for number, (drawn, messages) in enumerate((drawn, messages) for drawn, messages in parts if drawn):
        told, fell_back = writer.write_text(drawn, messages)
        yield _build_draft_text(end, told, number, fell_back=fell_back)


def supersede_earlier_snapshots(end: EndedConversation, drafts: Sequence[SnapshotToStore]) -> None:
    """End the snapshots that earlier ends of the conversation made; their history stays."""
    fresh = [draft for draft in drafts if draft.conversation_id == end.conversation.id]
    earlier = Snapshot.objects.filter(
        subject_id=end.conversation.subject_id,
        conversation_id=end.conversation.id,
        kind__in=(SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT),
        invalid_at__isnull=True,
        retired_at__isnull=True,
    ).exclude(id__in=[draft.id for draft in fresh])
    if fresh:
        supersede_snapshots(end.conversation.subject_id, earlier, by=fresh[0].id, invalid_at=fresh[0].valid_at)


def _choose_last_ends(
    ends: Sequence[EndedConversation], items: Sequence[ClaimedWork], subjects: set[UUID]
) -> set[UUID]:
    """Return the conversations whose end is ours and still the last, in the open scope. The subjects' memories are
    locked first: the writer of a later end waits, or has written and shows in the count."""
    for subject_id in sorted(subjects, key=str):
        lock_memory(subject_id)
    ours = {(item.conversation_id, item.generation) for item in items}
    rows = Conversation.objects.filter(subject_id__in=subjects, id__in=[end.conversation.id for end in ends])
    return {row for row, generation in rows.order_by().values_list("id", "generation") if (row, generation) in ours}


def _load_ended(item: ClaimedWork) -> EndedConversation | None:
    conversation = Conversation.objects.filter(subject_id=item.subject_id, id=item.conversation_id).first()
    if conversation is None or not conversation.remember or conversation.generation != item.generation:
        return None
    messages = Message.objects.filter(
        subject_id=item.subject_id, conversation_id=item.conversation_id, remember=True
    ).order_by("seq")
    said = tuple(add_archived_words(list(messages)))
    shown = load_shown_prompts(said, receipts=ECHO.receipts_of_conversation)
    return EndedConversation(conversation, item.generation, said, shown)


def _build_draft_text(
    end: EndedConversation, drawn: values.ExtractiveDraft, number: int, *, fell_back: bool
) -> SnapshotToStore:
    now = utc_now()
    last = max(message.said_locally for message in end.messages)
    return SnapshotToStore(
        id=stable_id(CONVERSATION_VERSION, end.conversation.id, end.generation, number),
        subject_id=end.conversation.subject_id,
        kind=drawn.kind,
        text=drawn.text,
        said_at=last,
        valid_at=min(last, now),
        expires_at=None,
        by_kind=True,
        conversation_id=end.conversation.id,
        importance=drawn.importance,
        topics=drawn.topics,
        category=drawn.category or "",
        message_ids=tuple(UUID(source) for source in drawn.sources),
        masked=bool(drawn.masked),
        raw_fallback=fell_back,
    )


def draft_conversation_snapshot(messages: Sequence[Utterance], *, tool_called: bool) -> ExtractiveDraft | None:
    """Return the snapshot of a whole conversation; None if no tool was called or nothing is worth keeping."""
    return _build_extract("conversation", messages) if tool_called else None


def split_segments(messages: Sequence[Utterance]) -> list[Sequence[Utterance]]:
    """Return the segments of a conversation of more than ``segment_over_turns`` user turns, else none."""
    starts = [i for i, message in enumerate(messages) if message.role == "user"]
    if len(starts) <= SUMMARY.segment_over_turns:
        return []
    cuts = [*starts[:: SUMMARY.segment_turns], len(messages)]
    cuts[0] = 0
    return [messages[a:b] for a, b in pairwise(cuts)]


def draft_segment_snapshot(messages: Sequence[Utterance]) -> ExtractiveDraft | None:
    return _build_extract("segment", messages)


def _build_extract(kind: str, messages: Sequence[Utterance]) -> ExtractiveDraft | None:
    chosen = _choose_within_budget(_score_sentences(messages))
    if not chosen:
        return None
    text, masked = mask_sensitive(" ".join(sentence.text for sentence in chosen))
    everything = "\n".join(message.text for message in messages if message.role in {"user", "assistant"})
    topics = find_topics(everything, config=SUMMARY)
    return ExtractiveDraft(
        kind="segment" if kind == "segment" else "conversation",
        text=text,
        importance=score_importance(text),
        topics=topics,
        category=topics[0] if topics else None,
        sources=tuple(dict.fromkeys(sentence.source for sentence in chosen)),
        masked=masked,
    )


def _score_sentences(messages: Sequence[Utterance]) -> list[_Sentence]:
    """Score sentences of user and assistant by their cues; tool output and empty courtesies are left out."""
    found: list[_Sentence] = []
    for message in messages:
        if message.role not in {"user", "assistant"}:
            continue
        weight = _USER_WEIGHT if message.role == "user" else 1.0
        for match in _SENTENCE.finditer(message.text):
            text = (match["said"][-_LONGEST_SENTENCE:] + match["end"]).strip()
            if text and says_something(text):
                cues = sum(cue.search(text) is not None for cue in CUES)
                # A user's first sentence says what the conversation is about, cue or not.
                first = 1.0 if message.role == "user" and not found else 0.0
                found.append(_Sentence(text, len(found), weight * cues + first, message.message_key))
    return found


def _choose_within_budget(sentences: list[_Sentence]) -> list[_Sentence]:
    kept: list[_Sentence] = []
    tokens = han = 0
    for sentence in sorted(sentences, key=lambda s: (-s.score, -s.order)):
        cost, characters = estimate_tokens(sentence.text), len(_HAN.findall(sentence.text))
        fits = tokens + cost <= SUMMARY.max_tokens and han + characters <= SUMMARY.max_chars_zh
        if sentence.score > 0 and fits and len(kept) < SUMMARY.max_sentences:
            kept.append(sentence)
            tokens, han = tokens + cost, han + characters
    return sorted(kept, key=lambda s: s.order)
