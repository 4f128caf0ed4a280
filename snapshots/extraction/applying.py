"""One gated candidate applied: to the profile, a preference or a tag, with the message behind it as its source."""

from typing import Any
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from profiles.models import CandidateKind
from profiles.services.preferences import (
    amend_list_preference,
    correct_newest_preference,
    record_preference,
    take_from_opposite,
)
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.extraction.corrections_applied import completed, correct
from snapshots.extraction.corrections_meant import meant_by
from snapshots.extraction.lessons import UNRESOLVED, Learned, Lesson, claim_of, link
from snapshots.extraction.policy import EXTRACTION
from snapshots.extraction.values import (
    Candidate,
    PreferenceCandidate,
    ProfileFact,
    Quantity,
    TagCandidate,
)
from snapshots.models import (
    Conversation,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    ReceiptMemory,
    TagSource,
)

__all__ = ["Learned", "Lesson", "apply_candidate", "as_json", "target_of"]


def apply_candidate(lesson: Lesson, candidate: Candidate) -> Learned:
    """Write what one candidate says, in the open scope; return where it went and what that did."""
    match candidate:
        case ProfileFact():
            return _learn_fact(lesson, candidate)
        case PreferenceCandidate():
            return _learn_preference(lesson, candidate)
        case TagCandidate():
            return _learn_tag(lesson, candidate)


def _learn_fact(lesson: Lesson, fact: ProfileFact) -> Learned:
    name = FactName(fact.field, is_attribute=fact.is_attribute)
    value = completed(lesson.subject, fact)
    change = FactChange(name, claim_of(lesson, fact, value), fact.mode)
    verdict = patch_profile(lesson.subject, [change])[0]
    kind = CandidateKind.PROFILE
    if verdict.row is None:
        return Learned(fact, name.path, verdict.verdict, verdict.reason, kind=kind)
    link(ProfileFactSource, lesson, verdict.row.id)
    return Learned(fact, name.path, verdict.verdict, verdict.reason, verdict.row.id, kind)


def _learn_preference(lesson: Lesson, found: PreferenceCandidate) -> Learned:
    if found.sort == "change" and not found.category and found.mode == "remove":
        return _withdraw(lesson, found, None) or Learned(found, "", Verdict.REJECTED, UNRESOLVED)
    if found.sort == "change" and found.replaces is not None:
        meant = meant_by(lesson.subject, found.replaces, key=found.key, among=_among(lesson, found))
        if meant:
            return correct(lesson, found, meant, str(found.value))
    if found.sort == "change" and found.mode == "remove" and found.category and found.key:
        withdrawn = _withdraw(lesson, found, found.key)
        if withdrawn is not None:
            return withdrawn
    outcome, target = _record_preference(lesson, found)
    if outcome is None:
        return Learned(found, "", Verdict.REJECTED, UNRESOLVED)
    row = outcome.row
    if row is None:
        return Learned(found, target, outcome.verdict, outcome.reason)
    link(PreferenceSource, lesson, row.id)
    if row.is_current and found.mode in {"add", "replace"}:
        claim = claim_of(lesson, found, as_json(found.value))
        for opposite in take_from_opposite(lesson.subject, row.key, claim, _entries(found)[0]):
            link(PreferenceSource, lesson, opposite.id)
    return Learned(found, f"{row.category}/{row.key}", outcome.verdict, outcome.reason, row.id)


def _record_preference(lesson: Lesson, found: PreferenceCandidate) -> tuple[Any, str]:
    """Return the outcome (None when no object is meant) and the place it went to."""
    subject, claim = lesson.subject, claim_of(lesson, found, as_json(found.value), statement=found.statement)
    if found.category is None or found.key is None:
        meant_by_words = found.replaces is not None or found.mode == "set"
        return None if meant_by_words else correct_newest_preference(subject, claim, among=_among(lesson, found)), ""
    path, target = (found.category, found.key), f"{found.category}/{found.key}"
    if found.mode == "set":
        return record_preference(subject, *path, claim), target
    add, remove = _entries(found)
    return amend_list_preference(subject, path, claim, add=add, remove=remove), target


def _withdraw(lesson: Lesson, found: PreferenceCandidate, key: str | None) -> Learned | None:
    """Take out what is denied from wherever it is held (under the key, if any); None where nothing is named."""
    said = found.value if isinstance(found.value, tuple) else (found.value,)
    results = [
        correct(lesson, found, meant)
        for old in said
        if isinstance(old, str) and (meant := meant_by(lesson.subject, old, key=key, denied=True))
    ]
    return results[0] if results else None


def _among(lesson: Lesson, found: PreferenceCandidate) -> frozenset[UUID]:
    return lesson.among | _meant_in(lesson.conversation, names_old=found.replaces is not None)


def _entries(found: PreferenceCandidate) -> tuple[list[Any], list[Any]]:
    """Return the entries that a list gains and loses."""
    # A flag stays a flag: "True" would not be found in `avoid_highway: true`.
    said: list[Any] = list(found.value) if isinstance(found.value, tuple) else [found.value]
    if found.mode == "remove":
        return [], said
    return said, [found.replaces] if found.mode == "replace" and found.replaces else []


def _learn_tag(lesson: Lesson, found: TagCandidate) -> Learned:
    details = {
        "kind": found.kind,
        "address": found.address,
        "phone": found.phone,
        "relation": found.relation,
        "aliases": list(found.aliases) or None,
    }
    draft = TagDraft(
        found.label,
        details,
        Provenance(found.provenance),
        found.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    if outcome.verdict is not Verdict.REJECTED:
        link(TagSource, lesson, outcome.tag.id)
    return Learned(found, found.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


def _meant_in(conversation: Conversation | None, *, names_old: bool) -> set[UUID]:
    """Return the preferences that a change can mean: those said in the conversation, and, when it names the old value,
    those that its prompts showed, for an answer may have said them."""
    if conversation is None:
        return set()
    return _preferences_of(conversation) | (_preferences_shown_in(conversation) if names_old else set())


def _preferences_shown_in(conversation: Conversation) -> set[UUID]:
    recent = Receipt.objects.filter(
        subject_id=conversation.subject_id,
        conversation_id=conversation.id,
        created_at__gte=utc_now() - EXTRACTION.shown_within,
    )
    shown = ReceiptMemory.objects.filter(
        subject_id=conversation.subject_id, lane="preferences", receipt__in=recent.order_by()
    )
    waiting = recent.filter(due__isnull=False).order_by().values_list("due", flat=True)
    due = {UUID(memory) for held in waiting for memory, lane, _ in held or () if lane == "preferences"}
    return due.union(shown.order_by().values_list("memory_ref", flat=True))


def _preferences_of(conversation: Conversation) -> set[UUID]:
    """Return the preferences that messages of this conversation are behind."""
    links = PreferenceSource.objects.filter(
        subject_id=conversation.subject_id, message__conversation_id=conversation.id
    )
    return set(links.order_by().values_list("memory_id", flat=True))


def target_of(found: Candidate) -> str:
    """Return where a candidate would stand: a field, ``category/key`` or a label; "" where no object is named."""
    match found:
        case ProfileFact():
            return FactName(found.field, is_attribute=found.is_attribute).path
        case PreferenceCandidate():
            return f"{found.category}/{found.key}" if found.category and found.key else ""
        case TagCandidate():
            return found.label


def as_json(value: Any) -> Any:
    """Return a candidate's value as the tables keep it."""
    if isinstance(value, Quantity):
        return value.as_json()
    return list(value) if isinstance(value, tuple) else value
