"""Apply one gated candidate to the profile, a preference or a tag, with its message as the source."""

from typing import Any

from profiles.models import CandidateKind
from profiles.services.preferences import amend_list_preference, record_preference, take_from_opposite
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.kin import follow_number, label_of_kin
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource
from snapshots.understanding.believing.lessons import UNRESOLVED, Learned, Lesson, claim_of, link
from snapshots.understanding.correcting.apply import correct
from snapshots.understanding.values import Candidate, PreferenceCandidate, ProfileFact, Quantity, TagCandidate


def apply_candidate(lesson: Lesson, candidate: Candidate) -> Learned:
    """Write one candidate in the open scope; return where it went and the verdict."""
    match candidate:
        case ProfileFact():
            return _learn_fact(lesson, candidate)
        case PreferenceCandidate():
            return _learn_preference(lesson, candidate)
        case TagCandidate():
            return _learn_tag(lesson, candidate)


def _learn_fact(lesson: Lesson, fact: ProfileFact) -> Learned:
    name = FactName(fact.field, is_attribute=fact.is_attribute)
    verdict = patch_profile(lesson.subject, [FactChange(name, claim_of(lesson, fact, fact.value), fact.mode)])[0]
    kind = CandidateKind.PROFILE
    if verdict.row is None:
        return Learned(fact, name.path, verdict.verdict, verdict.reason, kind=kind)
    link(ProfileFactSource, lesson, verdict.row.id)
    return Learned(fact, name.path, verdict.verdict, verdict.reason, verdict.row.id, kind)


def _learn_preference(lesson: Lesson, found: PreferenceCandidate) -> Learned:
    corrected = correct(lesson, found) if found.sort == "change" else None
    if corrected is not None:
        return corrected
    if found.category is None or found.key is None:
        return Learned(found, "", Verdict.REJECTED, UNRESOLVED)
    path, claim = (found.category, found.key), claim_of(lesson, found, as_json(found.value), statement=found.statement)
    target = "/".join(path)
    added, removed = _entries(found)
    if found.mode == "set":
        outcome = record_preference(lesson.subject, *path, claim)
    else:
        outcome = amend_list_preference(lesson.subject, path, claim, add=added, remove=removed)
    row = outcome.row
    if row is None:
        return Learned(found, target, outcome.verdict, outcome.reason)
    link(PreferenceSource, lesson, row.id)
    if row.is_current and found.mode in {"add", "replace"}:
        claim = claim_of(lesson, found, as_json(found.value))
        for opposite in take_from_opposite(lesson.subject, row.key, claim, added):
            link(PreferenceSource, lesson, opposite.id)
    return Learned(found, target, outcome.verdict, outcome.reason, row.id)


def _entries(found: PreferenceCandidate) -> tuple[list[Any], list[Any]]:
    # A flag stays a flag: "True" would not be found in `quiet: true`.
    said: list[Any] = list(found.value) if isinstance(found.value, tuple) else [found.value]
    if found.mode == "remove":
        return [], said
    return said, [found.replaces] if found.mode == "replace" and found.replaces else []


def _learn_tag(lesson: Lesson, found: TagCandidate) -> Learned:
    is_kin = found.label == found.relation
    label = label_of_kin(lesson.subject, found.label) if is_kin else found.label
    details = {
        "kind": found.kind,
        "address": found.address,
        "phone": found.phone,
        "relation": found.relation if label == found.label else None,  # 老爸 is the 爸爸 who is known
        "aliases": list(found.aliases) or None,
    }
    draft = TagDraft(
        label,
        details,
        Provenance(found.provenance),
        found.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    if outcome.verdict is not Verdict.REJECTED:
        link(TagSource, lesson, outcome.tag.id)
        for other in follow_number(lesson.subject, draft, outcome.tag):
            link(TagSource, lesson, other.id)
    return Learned(found, outcome.tag.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


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
    if isinstance(value, Quantity):
        return value.as_json()
    return list(value) if isinstance(value, tuple) else value
