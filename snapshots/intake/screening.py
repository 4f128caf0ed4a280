"""Messages with special categories of data (health, faith ...): learned from, kept to their conversation, or not
stored, as the tenant's policy ``notes.special_categories`` says."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.intake.values import IncomingMessage
from snapshots.models import MessageRole, VitalClass
from snapshots.notes.policy_section import KEEP, REFUSE, NotesPolicy, load_notes_policy
from snapshots.sensitive.special_categories import find_special_categories
from snapshots.understanding.config import NOTING
from snapshots.understanding.grading.clause_classifier import ClauseGrade, grade_messages
from snapshots.understanding.grading.clause_features import SpokenMessage
from snapshots.understanding.reading.clauses import split_clauses

HEALTH = frozenset({VitalClass.ALLERGY, VitalClass.ILLNESS, VitalClass.ACCESSIBILITY})


@dataclass(frozen=True, slots=True)
class Screening:
    """The places of messages that must teach nothing. ``refused``: they are not stored either."""

    places: frozenset[int] = frozenset()
    refused: bool = False


NOTHING_SPECIAL = Screening()


def screen_with_classifier(policy: NotesPolicy, incoming: Sequence[IncomingMessage]) -> Screening:
    """Return the messages that this policy excludes from learning, whoever says them.

    Reads words, and uses the clause reader where no word matches. Embeds: no transaction may be open.
    """
    if policy.special_categories == KEEP:
        return NOTHING_SPECIAL
    spoken = [SpokenMessage(one.text, tuple(split_clauses(one.text)[: NOTING.graded_clauses])) for one in incoming]
    try:
        grades: Sequence[Sequence[ClauseGrade]] = grade_messages(spoken)
    except EmbeddingUnavailable:
        grades = [()] * len(incoming)
    told = [
        _names_special_category(one)
        or any(grade.vital >= NOTING.vital_from and grade.vital_class in HEALTH for grade in own)
        for one, own in zip(incoming, grades, strict=True)
    ]
    return _build_screening(policy, told)


def screen_by_words(incoming: Sequence[IncomingMessage]) -> Screening:
    """Return the same by words alone, in the open scope. The tenant's policy is read only where a message has such
    words."""
    told = [_names_special_category(one) for one in incoming]
    return _build_screening(load_notes_policy(), told) if any(told) else NOTHING_SPECIAL


def _build_screening(policy: NotesPolicy, told: Sequence[bool]) -> Screening:
    if policy.special_categories == KEEP:
        return NOTHING_SPECIAL
    places = frozenset(place for place, is_told in enumerate(told) if is_told)
    return Screening(places, policy.special_categories == REFUSE)


def _names_special_category(message: IncomingMessage) -> bool:
    return message.role != MessageRole.SYSTEM and bool(find_special_categories(message.text))
