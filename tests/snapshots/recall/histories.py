"""Random histories of one subject's memory, through the verbs that change it. A seed says all that happens."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.test import override_settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, claim_positions, store_snapshots
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.erasure.conversations import delete_conversation
from snapshots.erasure.memories import forget_memory
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.retention.purge import purge_tenant
from snapshots.lifecycle.write_types import NewSnapshot, SnapshotAddress
from snapshots.models import BLOCK_POSITIONS, Conversation, Message, Snapshot, SnapshotCounter, WorkKind
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.enqueue import end_conversation
from snapshots.recall.loading.block_sealing import seal_memories
from snapshots.recall.loading.load_stored_memory import load_memory_state
from snapshots.sensitive.detector import mask_sensitive
from snapshots.summaries.conversation_snapshots import store_conversation_snapshots
from snapshots.understanding.statements.statements import store_statements
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House
from tests.snapshots.lifecycle.world import anything, create, edit
from tests.snapshots.recall.small_talk import a_question, a_text

BEGUN = datetime(2026, 2, 2, 8, 0, tzinfo=UTC)
ASKED = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
"""When most questions are asked: histories lie before it, and the real clock after it."""
ENDED, LASTING = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 20, tzinfo=UTC)
"""Expiries: over when asked, and over only by the real clock, which the purge goes by."""

HANDLERS = {WorkKind.STATEMENT: store_statements, WorkKind.CONVERSATION: store_conversation_snapshots}
"""The work that makes snapshots; what messages teach about a profile is not searched."""

CONVERSATIONS = ("trip", "kitchen", "音乐", "work")
SPEAKERS = (None, None, None, "Grace", "李雷", "Sam Hill")
MODELS = ("first", "first", "second,first", "first,second", "second", "english,first", "none")


@dataclass
class History:
    """What has happened so far to the subject of ``house``, and the chance that says what comes."""

    house: House
    chance: random.Random
    models: str = "first"
    clock: datetime = BEGUN
    said: list[str] = field(default_factory=list)

    def step(self) -> str:
        """Let one thing happen; return its name."""
        (happens,) = self.chance.choices(list(STEPS), list(STEPS.values()))
        with override_settings(EMBEDDER=self.models):
            happens(self)
        return happens.__name__

    def text(self) -> str:
        """Return something to say; now and then something that was said before."""
        if self.said and self.chance.random() < 0.1:
            return self.chance.choice(self.said)
        self.said.append(a_text(self.chance))
        return self.said[-1]

    def question(self) -> str:
        """Return something to ask; now and then more than the policy's rarest terms."""
        if self.said and self.chance.random() < 0.1:
            return " ".join(self.chance.choices(self.said, k=12))
        return a_question(self.chance)

    def later(self) -> datetime:
        """Let time go by: minutes within a sitting, more than its gap, or days."""
        self.clock += timedelta(minutes=self.chance.choice((9, 9, 660, 1_440)))
        return self.clock - timedelta(days=self.chance.choice((0,) * 9 + (3,)))

    def current(self) -> SnapshotAddress | None:
        """Return a snapshot that is held, in the open scope."""
        rows = Snapshot.objects.filter(subject=self.house.subject, retired_at__isnull=True)
        unexpired = rows.exclude(expires_at__lte=utc_now()).order_by("position").values_list("id", flat=True)
        ids = list(unexpired)
        return SnapshotAddress(self.house.subject.external_id, self.chance.choice(ids)) if ids else None


def speaks(history: History) -> None:
    """Some messages come in; their work is done at once, later, or while no model answers."""
    _accept(history, history.chance.choice(CONVERSATIONS), history.chance.randint(2, 6))
    when = history.chance.random()
    if when < 0.65:
        drain_work(history.house.tenant.id, HANDLERS)
    elif when < 0.75:
        with override_settings(EMBEDDER="none"):
            drain_work(history.house.tenant.id, HANDLERS)


def posts(history: History) -> None:
    """The product writes memories itself."""
    chance = history.chance
    new = NewSnapshot(
        text=chance.choice(("……", *(history.text() for _ in range(9)))),
        kind=chance.choice(("manual", "manual", "consolidated")),
        category=chance.choice(("", "", "music")),
        topics=chance.choice(((), ("boats",), ("音乐", "tea"))),
        said_at=history.later(),
        provenance=chance.choice((None, "observation", "analysis", "confirmed_by_user")),
    )
    create(history.house, new, history.text())


def imports(history: History) -> None:
    """The product brings in what it knew before: more memories than one answer looks at, many of them alike."""
    texts = [history.text() for _ in range(history.chance.choice((1, 4, 30)))]
    remembers(history, history.chance.choices(texts, k=60))


def remembers(history: History, texts: Sequence[str]) -> None:
    """Statements are stored that were all said at once, in no conversation."""
    said_at = history.later()
    drafts = [
        SnapshotToStore(new_id(), history.house.subject.id, "statement", text, said_at, said_at, None) for text in texts
    ]
    _store(history, drafts)


def edits(history: History) -> None:
    """A memory says something else from now on, or is held in another way."""
    with tenant_tx(history.house.tenant.id):
        address = history.current()
    if address is None:
        return
    chance = history.chance
    changes: tuple[dict[str, object], ...] = (
        {"text": history.text()},
        {"confidence": chance.choice((0.2, 0.45, 0.6))},
        {"provenance": "observation"},
        {"expires_at": chance.choice((ENDED, LASTING, None))},
        {"topics": ["tea", "船"], "category": "home"},
        {"said_at": history.clock - timedelta(days=chance.randint(0, 40))},
    )
    edit(history.house, address, **chance.choice(changes))


def expires(history: History) -> None:
    """A memory ends."""
    with tenant_tx(history.house.tenant.id):
        address = history.current()
    if address is not None:
        edit(history.house, address, expires_at=history.chance.choice((ENDED, ENDED, LASTING)))


def retires(history: History) -> None:
    """A memory is taken out of recall."""
    with tenant_tx(history.house.tenant.id):
        if address := history.current():
            retire_snapshot(address, accept=anything)


def loses_one(history: History) -> None:
    """One memory is forgotten, with what was made from it and whatever says the same."""
    with tenant_tx(history.house.tenant.id):
        address = history.current()
    if address is not None:
        forget_memory(history.house.tenant.id, address, active_embedders(), by=COMMAND_LINE)


def loses_a_conversation(history: History) -> None:
    """A conversation is deleted with all that was remembered from it alone."""
    with tenant_tx(history.house.tenant.id):
        locked = list(Conversation.objects.select_for_update(no_key=True).order_by("external_id"))
        if locked:
            delete_conversation(history.chance.choice(locked))


def ends(history: History) -> None:
    """A conversation in which a tool was called ends, which makes a snapshot of it and supersedes the one before."""
    name = history.chance.choice(CONVERSATIONS[:2])
    _accept(history, name, 1, tool=True)
    with tenant_tx(history.house.tenant.id):
        end_conversation(Conversation.objects.get(subject=history.house.subject, external_id=name))
    drain_work(history.house.tenant.id, HANDLERS)


def span_two_conversations(history: History) -> None:
    """Memories are made of messages of two conversations each: they outlive the one that they stand in."""
    subject, kept, aside = history.house.subject, history.chance.choice(CONVERSATIONS), f"aside {history.clock}"
    _accept(history, kept, 1)
    _accept(history, aside, 2, remember=False)
    with tenant_tx(history.house.tenant.id):
        rows = Message.objects.filter(subject=subject)
        other = rows.filter(conversation__external_id=kept).order_by("-seq")[0]
        told = list(rows.filter(conversation__external_id=aside).order_by("seq"))
    drafts = [
        SnapshotToStore(
            new_id(), subject.id, "statement", one.content, one.said_at, one.said_at, None,
            conversation_id=one.conversation_id, seq=one.seq, message_ids=(one.id, other.id),
        )
        for one in told
    ]  # fmt: skip
    _store(history, drafts)


def purges(history: History) -> None:
    """What has expired leaves."""
    purge_tenant(history.house.tenant.id)


def embeds_what_is_missing(history: History) -> None:
    """The back-fill adds some vectors."""
    backfill_vectors(history.house.tenant.id, history.chance.randint(1, 12), mask=mask_sensitive)


def lists_other_models(history: History) -> None:
    """The operator changes the list of embedding models."""
    history.models = history.chance.choice(MODELS)


def counts(history: History) -> None:
    """The roll-up of receipts counts how often a memory was injected, and how that was received."""
    with tenant_tx(history.house.tenant.id):
        if address := history.current():
            judged, positive = history.chance.randint(4, 9), history.chance.choice((0, 2, 4))
            counted = {"injected": judged + history.chance.randint(0, 20), "judged": judged, "positive": positive}
            SnapshotCounter.objects.update_or_create(
                subject=history.house.subject, snapshot_id=address.snapshot_id, defaults=counted
            )
            _touch(address)


def seals(history: History) -> None:
    """A block of positions is full, as if many memories had come and gone, and whole blocks are sealed."""
    subject_id = history.house.subject.id
    with tenant_tx(history.house.tenant.id):
        claim_positions(subject_id, BLOCK_POSITIONS - load_memory_state(subject_id).next_position % BLOCK_POSITIONS)
    seal_memories(history.house.tenant.id)


def _touch(address: SnapshotAddress) -> None:
    snapshot = Snapshot.objects.get(id=address.snapshot_id)
    begin_memory_epoch(snapshot.subject_id, changed=[snapshot.position])


def _store(history: History, drafts: Sequence[SnapshotToStore]) -> None:
    prepared = prepare_snapshots(drafts, active_embedders())
    with tenant_tx(history.house.tenant.id):
        store_snapshots(prepared)


def _accept(history: History, conversation: str, count: int, *, tool: bool = False, remember: bool = True) -> None:
    chance = history.chance
    spoken = [
        IncomingMessage(
            role=chance.choice(("user", "user", "user", "assistant")),
            content=history.text(),
            name=chance.choice(SPEAKERS),
            said_at=history.later(),
            remember=remember,
        )
        for _ in range(count)
    ]
    if tool:
        call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        spoken.append(IncomingMessage(role="assistant", tool_calls=[call], said_at=history.clock))
    with tenant_tx(history.house.tenant.id):
        accept_messages(history.house.subject, conversation, spoken)


Step = Callable[[History], None]
STEPS: dict[Step, int] = {
    speaks: 15,
    posts: 6,
    imports: 2,
    edits: 6,
    expires: 4,
    retires: 3,
    loses_one: 2,
    loses_a_conversation: 3,
    ends: 3,
    span_two_conversations: 3,
    purges: 4,
    embeds_what_is_missing: 3,
    lists_other_models: 2,
    counts: 2,
    seals: 3,
}
"""What may happen, and how often."""
