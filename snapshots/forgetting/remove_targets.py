"""Remove the targets of an order to forget, under the locks of all writers: whole slots, messages with all that they
taught, parts of messages."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.text import content_hash
from memory_platform.providers.token_estimator import TokenEstimator
from profiles.models import Subject
from profiles.services.subject_lock import lock_subject
from snapshots.conversation_queries import add_archived_words
from snapshots.embedding.snapshot_drafts import load_reindexing_drafts, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, make_words_row, store_snapshots
from snapshots.erasure.derived_rows import (
    delete_snapshots,
    dissolve_consolidations,
    end_leases,
    remake_conversation_snapshots,
)
from snapshots.erasure.forgotten_word_copies import (
    ForgottenWords,
    blank_messages,
    drop_earlier_texts,
    drop_replies,
    strip_receipts,
)
from snapshots.erasure.learned.forget_whole_belief import load_erased_belief, remove_belief
from snapshots.erasure.memories import (
    NO_MODELS,
    ErasureTarget,
    build_target,
    erase_target,
    find_following_statements,
    reindex_following_statements,
    renew_windows,
)
from snapshots.erasure.notes_of_forgotten_messages import blank_note_contexts, find_notes_said_in
from snapshots.forgetting.order_targets import ForgetTargets, SlotRow, Span, blank_spans, find_note_remainder
from snapshots.models import (
    AGENTS_ITEM,
    Conversation,
    Message,
    Note,
    NoteSlot,
    Snapshot,
    SnapshotKind,
    SnapshotSource,
    SnapshotWords,
)
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.clause_cues import find_vital_cues
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.statements.statements import build_statement, load_heard_messages

COUNTER = TokenEstimator()
# The snapshots of a message's own words.
STATEMENT_KINDS = (SnapshotKind.STATEMENT, SnapshotKind.REPLY)


@dataclass(frozen=True, slots=True)
class RemovalScope:
    """Everything that an order removes: whole messages with all they taught, parts of others (``cuts``) with the
    snapshots that say them, and slots as a whole.

    ``remainders`` are the remainders of cut messages, ``shortened_notes`` those of notes.
    """

    target: ErasureTarget
    cuts: Mapping[UUID, Message]
    remainders: Mapping[UUID, str]
    snapshots: frozenset[UUID]
    shortened_notes: Mapping[UUID, str]
    beliefs: Sequence[SlotRow]

    @property
    def messages(self) -> dict[UUID, Message]:
        return {**self.target.messages, **self.cuts}


def lock_removal_scope(subject: Subject, order_id: UUID, targets: ForgetTargets) -> RemovalScope:
    held: frozenset[UUID] = frozenset()
    scope = _build_removal_scope(subject, order_id, targets)
    while not (wanted := frozenset(one.conversation_id for one in scope.messages.values())) <= held:
        lock_for_forgetting(subject, wanted)
        held |= wanted
        scope = _build_removal_scope(subject, order_id, targets)
    if not held:
        lock_for_forgetting(subject, ())
    return scope


def _build_removal_scope(subject: Subject, order_id: UUID, targets: ForgetTargets) -> RemovalScope:
    rows = Message.objects.filter(subject_id=subject.id, id__in=list(targets.messages)).select_related("conversation")
    messages = {row.id: row for row in add_archived_words(list(rows))}
    rests = {
        row.id: rest
        for row in messages.values()
        if (spans := targets.messages[row.id]) and tells_something(rest := blank_spans(row.content, spans))
    }
    whole = {row.id: row.content for row in messages.values() if row.id not in rests}
    told = SnapshotSource.objects.filter(subject_id=subject.id, message_id__in=list(whole)).order_by()
    said = Snapshot.objects.filter(id__in=told.values("memory_id"), kind__in=STATEMENT_KINDS)
    target = build_target(subject, order_id, set(said.values_list("id", flat=True)), whole)
    cuts = {one: messages[one] for one in rests if one not in target.messages}
    notes = {**_find_cut_notes(subject.id, {one: (targets.messages[one], rests[one]) for one in cuts}), **targets.notes}
    parts = frozenset({*notes, *find_statements(cuts)}) - target.snapshots
    shorter = {note_id: rest for note_id, rest in notes.items() if rest and note_id in parts}
    return RemovalScope(target, cuts, rests, parts, shorter, targets.beliefs)


def _find_cut_notes(subject_id: UUID, cuts: Mapping[UUID, tuple[Sequence[Span], str]]) -> dict[UUID, str]:
    ids = find_notes_said_in(subject_id, list(cuts))
    links = SnapshotSource.objects.filter(
        subject_id=subject_id, memory_id__in=ids, message_id__in=list(cuts)
    ).order_by()
    places = {row.snapshot_id: row for row in Note.objects.filter(subject_id=subject_id, snapshot_id__in=ids)}
    found: dict[UUID, str] = {}
    for note_id, message_id, text in links.values_list("memory_id", "message_id", "memory__text"):
        note, (spans, rest) = places.get(note_id), cuts[message_id]
        if note is None or note.span_start is None or note.span_end is None:
            continue
        if any(note.span_start < end and start < note.span_end for start, end in spans):
            found[note_id] = find_note_remainder(rest[note.span_start : note.span_end], text)
    return found


def find_statements(messages: Collection[UUID] | Mapping[UUID, Message]) -> set[UUID]:
    links = SnapshotSource.objects.filter(message_id__in=list(messages), memory__kind__in=STATEMENT_KINDS)
    return set(links.order_by().values_list("memory_id", flat=True))


def lock_for_forgetting(subject: Subject, conversations: Collection[UUID]) -> None:
    """Block every writer of these conversations' memories; take locks in the order of all forgetting."""
    rows = Conversation.objects.filter(subject_id=subject.id, id__in=conversations).order_by("id")
    list(rows.select_for_update(no_key=True).values_list("id"))
    end_leases(subject.id, conversations)
    lock_subject(subject)
    begin_memory_epoch(subject.id, changed=())


def remove_scope(subject: Subject, scope: RemovalScope) -> Counter[str]:
    """Remove all of it, under the locks; return the rows by table and column."""
    counts = Counter[str]()
    for row in scope.beliefs:
        belief = load_erased_belief(row)
        if belief.rows:
            counts.update(remove_belief(subject, belief))
    if scope.target.messages or scope.target.snapshots:
        ids = [*scope.target.snapshots, *(row.id for row in scope.target.neighbours)]
        positions = Snapshot.objects.filter(subject_id=subject.id, id__in=ids).order_by()
        begin_memory_epoch(subject.id, changed=positions.values_list("position", flat=True))
        counts.update(erase_target(scope.target, ())[0])
    if scope.cuts or scope.snapshots:
        counts.update(_cut_parts(subject.id, scope))
    return counts


def _cut_parts(subject_id: UUID, scope: RemovalScope) -> Counter[str]:
    """Cut parts out of messages, remove the notes that stand in them, and make the statement of the rest again."""
    own = Snapshot.objects.filter(subject_id=subject_id, id__in=scope.snapshots)
    said = own.exclude(kind=SnapshotKind.STATEMENT).values_list("text", flat=True)
    words = ForgottenWords.from_texts(subject_id, [*said, *_list_cut_texts(scope)])
    had_statement = find_statements(scope.cuts)
    told = set(SnapshotSource.objects.filter(memory_id__in=had_statement).values_list("message_id", flat=True))
    shorter = _build_shortened_notes(subject_id, scope)
    slots = list(NoteSlot.objects.filter(subject_id=subject_id, snapshot_id__in=list(scope.shortened_notes)))
    counts = remake_conversation_snapshots(subject_id, scope.cuts, besides=scope.snapshots)
    counts.update(dissolve_consolidations(subject_id, scope.snapshots))
    counts.update(delete_snapshots(subject_id, scope.snapshots))
    counts.update(blank_note_contexts(words))
    counts["snapshot_version"] += drop_earlier_texts(words)
    counts["message"] += _shorten_messages(subject_id, scope)
    counts.update(strip_receipts(words, scope.snapshots))
    counts["idempotent_reply"] += drop_replies(words)
    heard = [one for one in load_heard_messages({subject_id}, list(scope.cuts)) if one.message.id in told]
    drafts = [draft for one in heard if (draft := build_statement(one))]
    store_snapshots(prepare_snapshots(drafts, NO_MODELS))
    _store_shortened_notes(subject_id, shorter)
    NoteSlot.objects.bulk_create(slots, ignore_conflicts=True)
    reindex_following_statements(find_following_statements(subject_id, scope.cuts), ())
    renew_windows(subject_id, frozenset(message.conversation_id for message in scope.cuts.values()))
    return counts


def _build_shortened_notes(subject_id: UUID, scope: RemovalScope) -> list[tuple[Snapshot, Note, list[SnapshotSource]]]:
    own = {"subject_id": subject_id}
    details = {row.snapshot_id: row for row in Note.objects.filter(snapshot_id__in=list(scope.shortened_notes), **own)}
    rows = []
    for row in Snapshot.objects.filter(id__in=list(scope.shortened_notes), **own):
        note, rest = details.get(row.id), scope.shortened_notes[row.id]
        if note is None:
            continue
        row.text, row.content_hash = rest, content_hash(rest)
        note.context = ""
        if note.vital_class and note.vital_class not in find_vital_cues(fold_for_matching(rest)):
            note.vital_class = ""
        rows.append((row, note, list(SnapshotSource.objects.filter(memory_id=row.id, **own))))
    return rows


def _store_shortened_notes(subject_id: UUID, rows: Sequence[tuple[Snapshot, Note, list[SnapshotSource]]]) -> None:
    Snapshot.objects.bulk_create([row for row, _, _ in rows])
    drafts = load_reindexing_drafts([row for row, _, _ in rows], mask_sensitive)
    prepared = {one.draft.id: one for one in prepare_snapshots(drafts, NO_MODELS)}
    SnapshotWords.objects.bulk_create([make_words_row(prepared[row.id], row.position) for row, _, _ in rows])
    SnapshotSource.objects.bulk_create([link for _, _, links in rows for link in links])
    Note.objects.bulk_create([note for _, note, _ in rows])
    begin_memory_epoch(subject_id, changed=[row.position for row, _, _ in rows])


def _list_cut_texts(scope: RemovalScope) -> Iterable[str]:
    for message_id, message in scope.cuts.items():
        rest = scope.remainders[message_id]
        gone = "".join(
            a if b == " " else "\n" for a, b in zip(message.content, rest.ljust(len(message.content)), strict=True)
        )
        yield from (piece.strip() for piece in gone.splitlines() if len(piece.strip()) > 1)


def _shorten_messages(subject_id: UUID, scope: RemovalScope) -> int:
    blank_messages(subject_id, list(scope.cuts))
    for message_id, message in scope.cuts.items():
        rest = scope.remainders[message_id].rstrip()
        metadata = {name: value for name, value in message.metadata.items() if name != AGENTS_ITEM}
        kept = {"name": message.name, "metadata": metadata, "tool_calls": message.tool_calls}
        rows = Message.objects.filter(id=message_id, subject_id=subject_id)
        rows.update(content=rest, tokens=COUNTER.count(rest), **kept)
    return len(scope.cuts)
