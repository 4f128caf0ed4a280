"""Group claimed work into questions to a model, each with the notes and fields that it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from profiles.models import Subject
from snapshots.echo.shown_memories import ShownBefore, shown_before
from snapshots.models import Message, MessageRole
from snapshots.queue.values import ClaimedWork
from snapshots.understanding.believing.gate import speaks_for_subject
from snapshots.understanding.believing.message_lessons import is_forgotten_message, own_names
from snapshots.understanding.changes.foresee import HeldChange, held_changes
from snapshots.understanding.changes.pairs import Sentence, shares_something
from snapshots.understanding.fields.section import fields_asked, with_epoch
from snapshots.understanding.proposing.ask import Question, Shown
from snapshots.understanding.proposing.config import ASKING, AskingPolicy
from snapshots.understanding.statements.statements import load_messages, utterance_of
from snapshots.understanding.statements.worth import says_something


@dataclass(frozen=True, slots=True)
class Share:
    """Work of one subject, in its order, and the question about it."""

    items: tuple[ClaimedWork, ...]
    question: Question


def shares_of(items: Sequence[ClaimedWork], policy: AskingPolicy = ASKING) -> Iterator[Share]:
    """Yield the work subject by subject, in batches that fit one question; in the open scope.

    A model is not shown forgotten or empty messages, or words of others.
    """
    messages = load_messages(items)
    subjects = list(with_epoch(Subject.objects.filter(id__in={item.subject_id for item in items})))
    names, asked = own_names(subjects), fields_asked(subjects)
    before = shown_before([message for message in messages.values() if message.role == MessageRole.USER])
    by_subject: dict[UUID, list[ClaimedWork]] = {}
    for item in sorted(items, key=lambda item: item.position):
        by_subject.setdefault(item.subject_id, []).append(item)
    for subject_id, work in by_subject.items():
        stretches = list(_stretches(work, messages, names.get(subject_id, frozenset()), before, policy))
        held = held_changes(subject_id) if any(shown for _, shown in stretches) else []
        for own, shown in stretches:
            yield Share(own, Question(shown, _meant(shown, held, policy), asked))


def _stretches(
    work: Sequence[ClaimedWork],
    messages: dict[UUID, Message],
    names: frozenset[str],
    before: ShownBefore,
    policy: AskingPolicy,
) -> Iterator[tuple[tuple[ClaimedWork, ...], tuple[Shown, ...]]]:
    items: list[ClaimedWork] = []
    shown: list[Shown] = []
    for item in work:
        message = messages.get(item.message_id) if item.message_id else None
        more = []
        spoken = utterance_of(message) if message else None
        is_told = spoken is not None and speaks_for_subject(spoken, names) and says_something(spoken.text)
        if message and is_told and not is_forgotten_message(message):
            more = [Shown(message.id, before.echoes(message).unpasted(message.content))]
        length = sum(min(len(one.text), policy.message_chars) for one in (*shown, *more))
        if items and (length > policy.chars or len(items) == policy.messages):
            yield tuple(items), tuple(shown)
            items, shown = [], []
        items.append(item)
        shown += more
    yield tuple(items), tuple(shown)


def _meant(shown: Sequence[Shown], held: Sequence[HeldChange], policy: AskingPolicy) -> tuple[HeldChange, ...]:
    said = [Sentence(one.text[: policy.message_chars]) for one in shown]
    meant = [note for note in held if any(shares_something(one, note.said) for one in said)]
    return tuple(meant[-policy.held_notes :])
