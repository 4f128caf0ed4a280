"""The meaning of an order to forget: the thing it names, else the turns it points at. In the open scope."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from uuid import UUID

from memory_platform.kernel.linear_model import Float32
from memory_platform.kernel.pattern_files import load_patterns
from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Subject, Tag
from profiles.provenance_and_verdict import describe_value
from snapshots.conversation_queries import add_archived_words
from snapshots.forgetting.config import FORGETTING
from snapshots.forgetting.meant_turn_classifier import (
    EarlierTurn,
    OrderMessage,
    choose_meant_turns,
    points_to_last_turn,
)
from snapshots.forgetting.nearby_turns import (
    blank_order,
    blank_orders,
    list_messages_with_answers,
    load_answers_after,
    load_remembered_turns,
    load_turns_before,
    tells_anything_new,
)
from snapshots.forgetting.order_targets import ForgetTargets, SlotRow, Span, blank_spans, find_note_remainder
from snapshots.forgetting.topic_words import repeats_secret
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import SOURCES, Message, MessageRole, Note, Snapshot, SnapshotKind, SnapshotSource
from snapshots.understanding.heard.forget_order_classifier import extract_names
from snapshots.understanding.heard.forget_orders import SpokenForgetOrder, refers_back
from snapshots.understanding.heard.forget_targets import ForgetTarget, is_personal_thing
from snapshots.understanding.heard.turn_kinds import ends_with_question, mentions_remembering, tells_something
from snapshots.understanding.reading.clauses import split_clauses
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.statements.statements import is_statement

_ABOUT_COLUMNS = ("snapshot_id", "about_label", "relation")


_RE = load_patterns(Path(__file__).with_name("data") / "order_meaning.toml")
NO_VECTORS: Mapping[str, Float32] = {}


def find_forget_targets(
    subject: Subject,
    message: Message,
    order: SpokenForgetOrder,
    *,
    acknowledged: bool = False,
    vectors: Mapping[str, Float32] = NO_VECTORS,
) -> ForgetTargets:
    """Return the targets of an order in ``message``; none where it refers to no memory. Looks for the thing that it
    names ("forget my address"), else the words beside it or earlier turns."""
    turns = load_turns_before(message)
    if order.is_everything or only_refuses_to_answer(message, order, turns):
        return ForgetTargets()
    users = [turn for turn in turns if turn.role == MessageRole.USER][: FORGETTING.turns]
    words = fold_for_matching(message.content[order.start : order.end])
    is_stated = _RE["states_the_secret"].search(words) is not None
    is_exact = len(order.names) == 1 and (
        is_stated or _RE["means_all_of_it"].search(words) or is_personal_thing(order.names[0])
    )
    if is_exact:
        own = blank_order(blank_orders(message.content, acknowledged=acknowledged), order)
        near = [(message, own), *((turn, turn.content) for turn in users)]
        if found := find_named_memories(subject, ForgetTarget.build(order.names[0]), near):
            return found
    if is_stated:
        return ForgetTargets({message.id: ()})
    asked = turns[0].content if turns and turns[0].role == MessageRole.ASSISTANT else ""
    said = split_order_message(message.content, order, asked, acknowledged=acknowledged)
    points_back = order.refers or refers_back(said.words)  # "what I told you", 刚才说的
    points_only = not (acknowledged or order.names or points_back or extract_names(f"{said.before}{said.after}"))
    told = list_possible_turns(message, order, turns, points_only=points_only)
    before = [_build_earlier_turn(one, message, vectors) for one in told]
    places = choose_meant_turns(said.with_vectors(vectors), before, acknowledged=acknowledged)
    return _build_targets([[message, *told][place] for place in places], message, order)


def split_order_message(
    text: str, order: SpokenForgetOrder, assistant_turn: str = "", *, acknowledged: bool
) -> OrderMessage:
    own = blank_order(blank_orders(text, acknowledged=acknowledged), order)
    return OrderMessage(order, text[order.start : order.end], own[: order.start], own[order.end :], assistant_turn)


def _build_earlier_turn(turn: Message, order: Message, vectors: Mapping[str, Float32]) -> EarlierTurn:
    said = blank_orders(turn.content)
    return EarlierTurn(said, elsewhere=turn.conversation_id != order.conversation_id, vector=vectors.get(said))


def _build_targets(meant_messages: Sequence[Message], message: Message, order: SpokenForgetOrder) -> ForgetTargets:
    """Return messages with the answers that repeat them, and where the order's own message stays, its words that may
    name the secret."""
    found = dict.fromkeys(list_messages_with_answers(meant_messages), ())
    if not meant_messages or message in meant_messages or not order.names:
        return ForgetTargets(found)
    return ForgetTargets({**found, message.id: [(order.start, order.end)]})


def list_possible_turns(
    message: Message, order: SpokenForgetOrder, turns: Sequence[Message], *, points_only: bool
) -> Sequence[Message]:
    """Return the earlier turns that an order may mean, newest first.

    An order that only says "forget that" takes back the turn before it: a turn without a statement ends the search. So
    does a turn that is forgotten already, where the order says "just now".
    """
    users = [turn for turn in turns if turn.role == MessageRole.USER]
    if points_only:
        return list(takewhile(tells_anything_new, users))
    if points_to_last_turn(message.content[order.start : order.end]) and not order.names:
        return [turn for turn in takewhile(lambda one: one.content, users) if turn.remember and is_statement(turn)]
    return load_remembered_turns(message)


def only_refuses_to_answer(message: Message, order: SpokenForgetOrder, turns: Sequence[Message]) -> bool:
    """Return whether a weak order only refuses to answer the assistant's question: "Your age?" / "That's private."
    Words about keeping, or that refer back, are an order after any question."""
    if order.names or order.refers or not turns or turns[0].role != MessageRole.ASSISTANT:
        return False
    if _RE["is_about_what_was_said"].search(fold_for_matching(message.content[order.start : order.end])):
        return False
    asked = turns[0].content
    return (
        ends_with_question(asked)
        and not mentions_remembering(asked)
        and not tells_something(blank_orders(message.content))
    )


def find_named_memories(
    subject: Subject, target: ForgetTarget, message_texts: Sequence[tuple[Message, str]]
) -> ForgetTargets:
    notes = _find_named_notes(subject, target)
    beliefs = [row for row in _load_slots(subject) if _is_named(row, target)]
    spans: dict[UUID, list[Span]] = {}
    for message, text in message_texts:
        if message.role == MessageRole.USER and (found := list(_find_named_spans(text, target))):
            spans[message.id] = found
    for message_id in SnapshotSource.objects.filter(subject_id=subject.id, memory_id__in=list(notes)).values_list(
        "message_id", flat=True
    ):
        spans.setdefault(message_id, [])
    for message_id, span in (*_find_note_spans(subject.id, notes), *_find_slot_spans(subject.id, beliefs)):
        spans.setdefault(message_id, []).append(span)
    for message in _load_messages(subject.id, spans):
        spans[message.id] += _find_named_spans(message.content, target)
        rest = blank_spans(message.content, spans[message.id])
        for answer in load_answers_after(message):
            if found := list(_find_named_spans(answer.content, target, only_statements=False)):
                spans.setdefault(answer.id, []).extend(found)
            elif repeats_secret(answer.content, message.content, besides=rest):
                spans.setdefault(answer.id, []).append((0, len(answer.content)))
    return ForgetTargets(spans, notes, beliefs)


def _find_named_notes(subject: Subject, target: ForgetTarget) -> dict[UUID, str]:
    own = Snapshot.objects.filter(
        build_current_snapshot_condition(), subject_id=subject.id, kind__in=(SnapshotKind.NOTE, SnapshotKind.MANUAL)
    )
    texts = dict(own.order_by("-position").values_list("id", "text")[: FORGETTING.notes_compared])
    rows = Note.objects.filter(subject_id=subject.id, snapshot_id__in=list(texts))
    whom = {note_id: (label, relation) for note_id, label, relation in rows.values_list(*_ABOUT_COLUMNS)}
    found: dict[UUID, str] = {}
    for note_id, text in texts.items():
        if any(target.is_mentioned_in(one) for one in whom.get(note_id, ()) if one):
            found[note_id] = ""
        elif target.is_mentioned_in(fold_for_matching(text)):
            found[note_id] = find_note_remainder(
                blank_spans(text, _find_named_spans(text, target, only_statements=False)), text
            )
    return found


def _load_slots(subject: Subject) -> Iterator[SlotRow]:
    own = {"subject_id": subject.id, "retired_at__isnull": True, "invalid_at__isnull": True}
    yield from Preference.objects.filter(**own)
    yield from ProfileFact.objects.filter(**own)
    yield from Tag.objects.filter(subject_id=subject.id)


def _is_named(row: SlotRow, target: ForgetTarget) -> bool:
    match row:
        case Preference():
            return target.matches_slot(f"{row.category}/{row.key}", [describe_value(row.value), row.statement])
        case ProfileFact():
            return target.matches_slot(row.field, [describe_value(row.value)])
        case Tag():
            return target.matches_slot(f"tag/{row.label}", [row.relation, *row.aliases])


def _find_named_spans(text: str, target: ForgetTarget, *, only_statements: bool = True) -> Iterator[Span]:
    form = fold_for_matching(text)
    for clause in split_clauses(text):
        words = form[clause.start : clause.end]
        if target.is_mentioned_in(words) and (
            not only_statements or (tells_something(words) and not clause.in_question)
        ):
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
