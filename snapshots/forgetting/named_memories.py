"""Memories of a thing that an order to forget names, and the places where it was said. In the open scope."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Subject, Tag
from profiles.values import describe_value
from snapshots.conversation_queries import add_archived_words
from snapshots.forgetting.config import FORGETTING, ForgettingConfig
from snapshots.forgetting.nearby_turns import load_answers_after
from snapshots.forgetting.telling_words import repeats_secret
from snapshots.forgetting.values import ForgetTargets, SlotRow, Span, blank_spans, find_note_remainder
from snapshots.lifecycle.selectors import current_snapshot_condition
from snapshots.models import SOURCES, Message, MessageRole, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.understanding.heard.forget_targets import ForgetTarget
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.text_forms import matching_form


def find_named_memories(subject: Subject, named: ForgetTarget, said: Sequence[tuple[Message, str]]) -> ForgetTargets:
    notes = _find_named_notes(subject, named)
    beliefs = [row for row in _load_slots(subject) if _is_named(row, named)]
    spans: dict[UUID, list[Span]] = {}
    for message, text in said:
        if message.role == MessageRole.USER and (found := list(_find_named_spans(text, named))):
            spans[message.id] = found
    for message_id in SnapshotSource.objects.filter(subject_id=subject.id, memory_id__in=list(notes)).values_list(
        "message_id", flat=True
    ):
        spans.setdefault(message_id, [])
    for message_id, span in (*_find_note_spans(subject.id, notes), *_find_slot_spans(subject.id, beliefs)):
        spans.setdefault(message_id, []).append(span)
    for message in _load_messages(subject.id, spans):
        spans[message.id] += _find_named_spans(message.content, named)
        rest = blank_spans(message.content, spans[message.id])
        for answer in load_answers_after(message):
            if found := list(_find_named_spans(answer.content, named, told=False)):
                spans.setdefault(answer.id, []).extend(found)
            elif repeats_secret(answer.content, message.content, besides=rest):
                spans.setdefault(answer.id, []).append((0, len(answer.content)))
    return ForgetTargets(spans, notes, beliefs)


def _find_named_notes(subject: Subject, named: ForgetTarget, config: ForgettingConfig = FORGETTING) -> dict[UUID, str]:
    own = Snapshot.objects.filter(
        current_snapshot_condition(), subject_id=subject.id, kind__in=(SnapshotKind.NOTE, SnapshotKind.MANUAL)
    )
    texts = dict(own.order_by("-position").values_list("id", "text")[: config.notes_compared])
    rows = Note.objects.filter(subject_id=subject.id, snapshot_id__in=list(texts))
    whom = {note_id: (label, relation) for note_id, label, relation in rows.values_list(*_ABOUT_COLUMNS)}
    found: dict[UUID, str] = {}
    for note_id, text in texts.items():
        if any(named.is_mentioned_in(one) for one in whom.get(note_id, ()) if one):
            found[note_id] = ""
        elif named.is_mentioned_in(matching_form(text)):
            found[note_id] = find_note_remainder(blank_spans(text, _find_named_spans(text, named, told=False)), text)
    return found


_ABOUT_COLUMNS = ("snapshot_id", "about_label", "relation")


def _load_slots(subject: Subject) -> Iterator[SlotRow]:
    own = {"subject_id": subject.id, "retired_at__isnull": True, "invalid_at__isnull": True}
    yield from Preference.objects.filter(**own)
    yield from ProfileFact.objects.filter(**own)
    yield from Tag.objects.filter(subject_id=subject.id)


def _is_named(row: SlotRow, named: ForgetTarget) -> bool:
    match row:
        case Preference():
            return named.matches_slot(f"{row.category}/{row.key}", [describe_value(row.value), row.statement])
        case ProfileFact():
            return named.matches_slot(row.field, [describe_value(row.value)])
        case Tag():
            return named.matches_slot(f"tag/{row.label}", [row.relation, *row.aliases])


def _find_named_spans(text: str, named: ForgetTarget, *, told: bool = True) -> Iterator[Span]:
    form = matching_form(text)
    for clause in split_clauses(text):
        words = form[clause.start : clause.end]
        if named.is_mentioned_in(words) and (not told or (tells_something(words) and not clause.asked)):
            yield clause.start, clause.end


def _find_note_spans(subject_id: UUID, notes: Mapping[UUID, str]) -> Iterator[tuple[UUID, Span]]:
    """Yield where messages say notes of which nothing stays; the whole message where the place is unknown."""
    notes = {note_id: rest for note_id, rest in notes.items() if not rest}
    links = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=list(notes)).select_related("memory")
    places = {row.snapshot_id: row for row in Note.objects.filter(subject_id=subject_id, snapshot_id__in=list(notes))}
    contents = {row.id: row.content for row in _load_messages(subject_id, [link.message_id for link in links])}
    for link in links:
        content, note = contents.get(link.message_id, ""), places.get(link.memory_id)
        start = content.find(link.memory.text)
        if start >= 0:
            yield link.message_id, (start, start + len(link.memory.text))
        elif note is not None and note.span_start is not None and note.span_end is not None:
            yield link.message_id, (note.span_start, note.span_end)
        else:
            yield link.message_id, (0, len(content))


def _find_slot_spans(subject_id: UUID, beliefs: Iterable[SlotRow]) -> Iterator[tuple[UUID, Span]]:
    for row in beliefs:
        links = SOURCES[type(row)]._default_manager.filter(subject_id=subject_id, memory_id=row.id)
        messages = list(links.order_by().values_list("message_id", flat=True))
        kind, target = _find_candidate_place(row)
        read = Candidate.objects.filter(subject_id=subject_id, message_ref__in=messages, kind=kind, target=target)
        for one in read.filter(quote_start__isnull=False):
            if one.message_ref and one.quote_start is not None and one.quote_end is not None:
                yield one.message_ref, (one.quote_start, one.quote_end)


def _find_candidate_place(row: SlotRow) -> tuple[CandidateKind, str]:
    match row:
        case Preference():
            return CandidateKind.PREFERENCE, f"{row.category}/{row.key}"
        case ProfileFact():
            return CandidateKind.PROFILE, f"attributes.{row.field}" if row.is_attribute else row.field
        case Tag():
            return CandidateKind.TAG, row.label


def _load_messages(subject_id: UUID, ids: Collection[UUID] | Mapping[UUID, object]) -> Sequence[Message]:
    return add_archived_words(
        list(Message.objects.filter(subject_id=subject_id, id__in=list(ids)).select_related("conversation"))
    )
