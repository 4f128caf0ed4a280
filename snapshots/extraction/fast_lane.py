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

    Costs no query when no message corrects anything. A long message waits for the worker: corrections are short, and a
    request must not pay for what a page of text could hold.
    """
    spoken = [message for message in messages if message.remember and message.role == MessageRole.USER]
    spoken = [message for message in spoken if len(message.content) <= EXTRACTION.fast_lane_chars]
    spoken = [message for message in spoken if may_correct(message.content)]
    results: list[Learned] = []
    if not spoken or not conversation.remember:
        return results
    names = own_names([subject])[subject.id] if any(message.name for message in spoken) else frozenset[str]()
    for message in spoken:
        lesson = lesson_of(subject, message, names)
        if lesson.extraction.corrections:
            results += learn(lesson, changes_only=True)
    return [result for result in results if isinstance(result.candidate, PreferenceCandidate)]
