"""The fast lane (G4): what new messages correct is applied in the transaction that accepts them."""

from collections.abc import Sequence

from profiles.models import Subject
from snapshots.extraction.corrections import may_correct
from snapshots.extraction.learn import Learned, learn
from snapshots.extraction.memories import lesson_of, own_names
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.values import PreferenceCandidate
from snapshots.models import Conversation, Message, MessageRole


def apply_corrections(subject: Subject, conversation: Conversation, messages: Sequence[Message]) -> list[Learned]:
    """Apply the corrections of preferences in new messages, in their order; return what became of each.

    Costs no query when no message corrects anything. A request pays for few words and few changes: from the first
    message that would pass either bound, the batch waits for the worker, which keeps the order in which it was said.
    """
    spoken = _short([message for message in messages if message.remember and message.role == MessageRole.USER])
    if not spoken or not conversation.remember:
        return []
    names = own_names([subject])[subject.id] if any(message.name for message in spoken) else frozenset[str]()
    results: list[Learned] = []
    for message in spoken:
        lesson = lesson_of(subject, message, names)
        if len(results) + len(lesson.extraction.corrections) > EXTRACTION.fast_lane_changes:
            break
        if lesson.extraction.corrections:
            results += learn(lesson, changes_only=True)
    return [result for result in results if isinstance(result.candidate, PreferenceCandidate)]


def _short(spoken: Sequence[Message]) -> list[Message]:
    """Return those that may correct something, a page of text left out, up to what one request may read."""
    found: list[Message] = []
    left = EXTRACTION.fast_lane_batch_chars
    for message in spoken:
        if len(message.content) > EXTRACTION.fast_lane_chars or not may_correct(message.content):
            continue
        left -= len(message.content)
        if left < 0:
            break
        found.append(message)
    return found
