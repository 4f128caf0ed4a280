"""Group claimed work into questions to a model, each with the notes and fields that it is shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from profiles.models import Subject
from profiles.selectors import load_own_names
from snapshots.models import Message, MessageRole
from snapshots.queue.values import ClaimedWork
from snapshots.understanding.believing.lesson import is_forgotten_message
from snapshots.understanding.candidate_gate import is_own_message
from snapshots.understanding.changes.predicted_endings import CurrentNote, load_current_notes
from snapshots.understanding.changes.sentence_note_features import SaidSentence, may_mean_note
from snapshots.understanding.fields.requested_fields import annotate_policy_epoch, load_requested_fields
from snapshots.understanding.proposing.config import ASKING, AskingConfig
from snapshots.understanding.proposing.model_questions import ModelQuestion, ShownMessage
from snapshots.understanding.reading.courtesies import says_something
from snapshots.understanding.statements.shown_memories import ShownBySubject, load_shown_prompts
from snapshots.understanding.statements.statements import build_utterance, load_claimed_messages


@dataclass(frozen=True, slots=True)
class QuestionBatch:
    """Work of one subject, in its order, and the question about it."""

    items: tuple[ClaimedWork, ...]
    question: ModelQuestion


def split_into_batches(items: Sequence[ClaimedWork], config: AskingConfig = ASKING) -> Iterator[QuestionBatch]:
    """Yield the work subject by subject, in batches that fit one question; in the open scope. A model is not shown
    forgotten or empty messages, or words of others."""
    messages = load_claimed_messages(items)
    subjects = list(annotate_policy_epoch(Subject.objects.filter(id__in={item.subject_id for item in items})))
    names, asked = load_own_names(subjects), load_requested_fields(subjects)
    before = load_shown_prompts([message for message in messages.values() if message.role == MessageRole.USER])
    by_subject: dict[UUID, list[ClaimedWork]] = {}
    for item in sorted(items, key=lambda item: item.position):
        by_subject.setdefault(item.subject_id, []).append(item)
    for subject_id, work in by_subject.items():
        stretches = list(_split_work(work, messages, names.get(subject_id, frozenset()), before, config))
        held = load_current_notes(subject_id) if any(shown for _, shown in stretches) else []
        for own, shown in stretches:
            yield QuestionBatch(own, ModelQuestion(shown, _select_notes(shown, held, config), asked))


def _split_work(
    work: Sequence[ClaimedWork],
    messages: dict[UUID, Message],
    names: frozenset[str],
    before: ShownBySubject,
    config: AskingConfig,
) -> Iterator[tuple[tuple[ClaimedWork, ...], tuple[ShownMessage, ...]]]:
    items: list[ClaimedWork] = []
    shown: list[ShownMessage] = []
    for item in work:
        message = messages.get(item.message_id) if item.message_id else None
        more = []
        spoken = build_utterance(message) if message else None
        is_told = spoken is not None and is_own_message(spoken, names) and says_something(spoken.text)
        if message and is_told and not is_forgotten_message(message):
            more = [ShownMessage(message.id, before.find_echoes(message).blank_pasted(message.content))]
        length = sum(min(len(one.text), config.message_chars) for one in (*shown, *more))
        if items and (length > config.chars or len(items) == config.messages):
            yield tuple(items), tuple(shown)
            items, shown = [], []
        items.append(item)
        shown += more
    yield tuple(items), tuple(shown)


def _select_notes(
    messages: Sequence[ShownMessage], notes: Sequence[CurrentNote], config: AskingConfig
) -> tuple[CurrentNote, ...]:
    said = [SaidSentence(one.text[: config.message_chars]) for one in messages]
    meant = [note for note in notes if any(may_mean_note(one, note.content) for one in said)]
    return tuple(meant[-config.held_notes :])
