"""What an order to forget means: what it names, else what the last teaching message taught. In the open scope."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from memory_platform.kernel.terms import terms
from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Subject, Tag
from profiles.values import in_words
from snapshots.forgetting.policy import FORGETTING, ForgettingPolicy
from snapshots.forgetting.rest import rest_of, stays_of
from snapshots.forgetting.told import find_told, shares_secret, words_of
from snapshots.forgetting.values import Belief, Found, Span
from snapshots.lifecycle.selectors import current
from snapshots.models import SOURCES, Message, MessageRole, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.selectors import with_words
from snapshots.understanding.heard.forget_orders import ForgetOrder, Meant, read_forget_orders, refers_back
from snapshots.understanding.heard.names import Named
from snapshots.understanding.heard.turns import asks_about_memory, asks_something, tells_something
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.forms import matching_form
from snapshots.understanding.statements.statements import is_statement

# An answer that only shares such a little with what was said does not repeat it.
_SHARED_TERMS = 1


def find_meant(subject: Subject, message: Message, order: ForgetOrder, policy: ForgettingPolicy = FORGETTING) -> Found:
    """Return what an order in ``message`` means; nothing where it means nothing that is remembered."""
    turns = _turns_before(message, policy)
    if order.meant is Meant.EVERYTHING or _refuses_an_answer(message, order, turns):
        return Found()
    own = _cut(without_orders(message.content), order)  # an acknowledged order is not read without its answer
    users = [turn for turn in turns if turn.role == MessageRole.USER][: policy.turns]
    if order.meant in (Meant.NAMED, Meant.OWNED):
        said = [(message, own), *((turn, turn.content) for turn in users)]
        return _find_named(subject, Named.of(order.name), said) or _find_loosely(message, order, own, [order.name])
    if order.names and (order.refers or not _speaks_of(own[: order.start], order.names)):
        return _find_loosely(message, order, own, order.names)
    if tells_something(own):
        spoken_of = _spoken_of(own[: order.start], users)
        return Found(dict.fromkeys((message.id, *_with_answers(spoken_of)), ()))
    taught = _last_teaching(
        users, stops=order.meant is Meant.POINTED or (order.meant is Meant.READ and not order.refers)
    )
    return Found(dict.fromkeys(_with_answers([taught]), ())) if taught else Found()


def _speaks_of(before: str, names: Iterable[str]) -> bool:
    """Return whether the words before an order tell of what it names: "my card is 880 212, lose that card"."""
    said = words_of(before)
    return tells_something(before) and any(said & words_of(name) for name in names)


def _spoken_of(before: str, users: Sequence[Message]) -> list[Message]:
    """Return the last turns of which the words right before an order speak: "the card isn't safe here, delete it"."""
    sentence = _SENTENCE.split(before)[-1]
    return [turn for turn in users if _tells(turn) and shares_secret(sentence, turn.content, besides="")]


_SENTENCE = re.compile(r"[.!?;。！？；…\n]")


def _find_loosely(message: Message, order: ForgetOrder, own: str, names: Sequence[str]) -> Found:
    """Return the messages that share words with what is named, and the order's own words; else what it tells itself."""
    refers = order.refers or refers_back(message.content[order.start : order.end])
    told = find_told(message, names, _tells, anywhere=refers)
    if told:
        return Found({**dict.fromkeys(_with_answers(told), ()), message.id: [(order.start, order.end)]})
    if refers:
        return Found()
    tells = order.meant is Meant.READ or (order.meant is Meant.NAMED and _OF_SELF.match(order.name))
    return Found({message.id: ()}) if tells or tells_something(own[: order.start]) else Found()


_OF_SELF = re.compile(r"(?:i|i'm|i've|my|we|our)\b|我", re.IGNORECASE)


def _tells(message: Message) -> bool:
    """Return whether a user's message told something that is not forgotten yet."""
    if not message.content or not message.remember or not is_statement(message):
        return False
    return tells_something(without_orders(message.content)) or _has_taught(message)


def _with_answers(told: Iterable[Message]) -> list[UUID]:
    """Return messages, each with the assistant's turns right after it that use its words."""
    found: list[UUID] = []
    for message in told:
        words = set(terms(message.content))
        answers = [one.id for one in _answers_after(message) if len(words & set(terms(one.content))) >= _SHARED_TERMS]
        found += [message.id, *answers]
    return found


def _turns_before(message: Message, policy: ForgettingPolicy) -> Sequence[Message]:
    """Return the turns before a message that its order can reach, newest first."""
    rows = Message.objects.filter(
        subject_id=message.subject_id, conversation_id=message.conversation_id, seq__lt=message.seq
    ).order_by("-seq")
    found: list[Message] = []
    users = 0
    for row in with_words(list(rows[: 8 * policy.turns])):
        users += row.role == MessageRole.USER
        if users > policy.turns:
            break
        found.append(row)
    return found


def without_orders(text: str) -> str:
    """Return what a message says beside its orders, at its place."""
    for order in read_forget_orders(text):
        text = _cut(text, order)
    return text


def _cut(text: str, order: ForgetOrder) -> str:
    return text[: order.start] + " " * (order.end - order.start) + text[order.end :]


def _refuses_an_answer(message: Message, order: ForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether weak words only refuse what the assistant has just asked: "Your age?" / "That's private." """
    points = order.meant is Meant.POINTED or (order.meant is Meant.READ and not order.names)
    if not points or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    asked = turns[0].content
    return (
        asks_something(asked) and not asks_about_memory(asked) and not tells_something(without_orders(message.content))
    )


def _last_teaching(users: Iterable[Message], *, stops: bool) -> Message | None:
    """Return the newest message that tells something; ``stops``: what was asked or wanted since ends the search."""
    for turn in users:
        if not turn.content:
            return None  # it is forgotten already
        if not turn.remember or not is_statement(turn):
            continue
        if _tells(turn):
            return turn
        if stops and without_orders(turn.content).strip():
            return None
    return None


def _has_taught(message: Message) -> bool:
    """Return whether a note or a slot has this message as its source."""
    notes = SnapshotSource.objects.filter(
        subject_id=message.subject_id, message_id=message.id, memory__kind=SnapshotKind.NOTE
    )
    slots = [links for model, links in SOURCES.items() if model is not Snapshot]
    own = {"subject_id": message.subject_id, "message_id": message.id}
    return notes.exists() or any(links._default_manager.filter(**own).exists() for links in slots)


def _find_named(subject: Subject, named: Named, said: Sequence[tuple[Message, str]]) -> Found:
    """Return what is remembered of what is named, and where the messages behind it say so."""
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
        for answer in _answers_after(message):
            if found := list(_spans_named(answer.content, named, told=False)):
                spans.setdefault(answer.id, []).extend(found)
            elif shares_secret(answer.content, message.content, besides=rest):
                spans.setdefault(answer.id, []).append((0, len(answer.content)))
    return Found(spans, notes, beliefs)


def _notes_named(subject: Subject, named: Named, policy: ForgettingPolicy = FORGETTING) -> dict[UUID, str]:
    """Return the notes that speak of what is named, each with what stays of it."""
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
    """Yield the clauses that speak of what is named; ``told``: only such as tell something."""
    form = matching_form(text)
    for clause in split_clauses(text):
        words = form[clause.start : clause.end]
        if named.is_said_in(words) and (not told or (tells_something(words) and not clause.asked)):
            yield clause.start, clause.end


def _spans_of_notes(subject_id: UUID, notes: Mapping[UUID, str]) -> Iterator[tuple[UUID, Span]]:
    """Yield where messages say the notes of which nothing stays; all of a message in which it cannot be told."""
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
    """Yield where messages say these slots, as far as what was read in them tells."""
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


def _answers_after(message: Message) -> list[Message]:
    """Return the assistant's turns between a user's message and the next."""
    if message.role != MessageRole.USER:
        return []
    rows = Message.objects.filter(
        subject_id=message.subject_id, conversation_id=message.conversation_id, seq__gt=message.seq
    ).order_by("seq")[:4]
    answers: list[Message] = []
    for row in with_words(list(rows)):
        if row.role == MessageRole.USER:
            break
        answers.append(row)
    return answers
