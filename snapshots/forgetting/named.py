"""Memories of a thing that an order to forget names, and the places where it was said. In the open scope."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Subject, Tag
from profiles.values import in_words
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.secret_words import shares_secret
from snapshots.forgetting.turns import answers_after
from snapshots.forgetting.values import Belief, Found, Span, rest_of, stays_of
from snapshots.lifecycle.selectors import current
from snapshots.models import SOURCES, Message, MessageRole, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.selectors import with_words
from snapshots.understanding.heard.names import Named
from snapshots.understanding.heard.turns import tells_something
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form


def find_named(subject: Subject, named: Named, said: Sequence[tuple[Message, str]]) -> Found:
    notes = _notes_named(subject, named)
    beliefs = [row for row in _beliefs_of(subject) if _is_named(row, named)]
    spans: dict[UUID, list[Span]] = {}
    for message, text in said:
        if message.role == MessageRole.USER and (found := list(_spans_named(text, named))):
            spans[message.id] = found
    for message_id in SnapshotSource.objects.filter(subject_id=subject.id, memory_id__in=list(notes)).values_list(
        "message_id", flat=True
    ):
        spans.setdefault(message_id, [])
    for message_id, span in (*_spans_of_notes(subject.id, notes), *_spans_of_beliefs(subject.id, beliefs)):
        spans.setdefault(message_id, []).append(span)
    for message in _messages(subject.id, spans):
        spans[message.id] += _spans_named(message.content, named)
        rest = rest_of(message.content, spans[message.id])
        for answer in answers_after(message):
            if found := list(_spans_named(answer.content, named, told=False)):
                spans.setdefault(answer.id, []).extend(found)
            elif shares_secret(answer.content, message.content, besides=rest):
                spans.setdefault(answer.id, []).append((0, len(answer.content)))
    return Found(spans, notes, beliefs)


def _notes_named(subject: Subject, named: Named, policy: ForgettingPolicy = FORGETTING) -> dict[UUID, str]:
    own = Snapshot.objects.filter(current(), subject_id=subject.id, kind__in=(SnapshotKind.NOTE, SnapshotKind.MANUAL))
    texts = dict(own.order_by("-position").values_list("id", "text")[: policy.notes_compared])
    rows = Note.objects.filter(subject_id=subject.id, snapshot_id__in=list(texts))
    whom = {note_id: (label, relation) for note_id, label, relation in rows.values_list(*_WHOM)}
    found: dict[UUID, str] = {}
    for note_id, text in texts.items():
        if any(named.is_said_in(one) for one in whom.get(note_id, ()) if one):
            found[note_id] = ""
        elif named.is_said_in(matching_form(text)):
            found[note_id] = stays_of(rest_of(text, _spans_named(text, named, told=False)), text)
    return found


_WHOM = ("snapshot_id", "about_label", "relation")


def _beliefs_of(subject: Subject) -> Iterator[Belief]:
    own = {"subject_id": subject.id, "retired_at__isnull": True, "invalid_at__isnull": True}
    yield from Preference.objects.filter(**own)
    yield from ProfileFact.objects.filter(**own)
    yield from Tag.objects.filter(subject_id=subject.id)


def _is_named(row: Belief, named: Named) -> bool:
    match row:
        case Preference():
            return named.fills(f"{row.category}/{row.key}", [in_words(row.value), row.statement])
        case ProfileFact():
            return named.fills(row.field, [in_words(row.value)])
        case Tag():
            return named.fills(f"tag/{row.label}", [row.relation, *row.aliases])


def _spans_named(text: str, named: Named, *, told: bool = True) -> Iterator[Span]:
    """Yield the clauses that speak of what is named; ``told``: only statements."""
    form = matching_form(text)
    for clause in split_clauses(text):
        words = form[clause.start : clause.end]
        if named.is_said_in(words) and (not told or (tells_something(words) and not clause.asked)):
            yield clause.start, clause.end


def _spans_of_notes(subject_id: UUID, notes: Mapping[UUID, str]) -> Iterator[tuple[UUID, Span]]:
    """Yield where messages say notes of which nothing stays; the whole message where the place is unknown."""
    notes = {note_id: rest for note_id, rest in notes.items() if not rest}
    links = SnapshotSource.objects.filter(subject_id=subject_id, memory_id__in=list(notes)).select_related("memory")
    places = {row.snapshot_id: row for row in Note.objects.filter(subject_id=subject_id, snapshot_id__in=list(notes))}
    contents = {row.id: row.content for row in _messages(subject_id, [link.message_id for link in links])}
    for link in links:
        content, note = contents.get(link.message_id, ""), places.get(link.memory_id)
        start = content.find(link.memory.text)
        if start >= 0:
            yield link.message_id, (start, start + len(link.memory.text))
        elif note is not None and note.span_start is not None and note.span_end is not None:
            yield link.message_id, (note.span_start, note.span_end)
        else:
            yield link.message_id, (0, len(content))


def _spans_of_beliefs(subject_id: UUID, beliefs: Iterable[Belief]) -> Iterator[tuple[UUID, Span]]:
    for row in beliefs:
        links = SOURCES[type(row)]._default_manager.filter(subject_id=subject_id, memory_id=row.id)
        messages = list(links.order_by().values_list("message_id", flat=True))
        kind, target = _place_of(row)
        read = Candidate.objects.filter(subject_id=subject_id, message_ref__in=messages, kind=kind, target=target)
        for one in read.filter(quote_start__isnull=False):
            if one.message_ref and one.quote_start is not None and one.quote_end is not None:
                yield one.message_ref, (one.quote_start, one.quote_end)


def _place_of(row: Belief) -> tuple[CandidateKind, str]:
    match row:
        case Preference():
            return CandidateKind.PREFERENCE, f"{row.category}/{row.key}"
        case ProfileFact():
            return CandidateKind.PROFILE, f"attributes.{row.field}" if row.is_attribute else row.field
        case Tag():
            return CandidateKind.TAG, row.label


def _messages(subject_id: UUID, ids: Collection[UUID] | Mapping[UUID, object]) -> Sequence[Message]:
    return with_words(
        list(Message.objects.filter(subject_id=subject_id, id__in=list(ids)).select_related("conversation"))
    )
