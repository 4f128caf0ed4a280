"""What a correction changes: the meant value in each place that holds it, preference, profile or tag."""

from collections.abc import Sequence
from typing import Any

from profiles.models import CandidateKind, Preference, ProfileFact, Subject
from profiles.services.preferences import amend_list_preference, record_preference, retract_preference
from profiles.services.profile import FactChange, FactName, fact_place, patch_profile
from profiles.services.quantities import in_place_of, is_measured
from profiles.services.tags.tags import TagDraft, patch_tag, upsert_tag
from profiles.values import Provenance, Verdict
from snapshots.extraction import values
from snapshots.extraction.corrections_meant import Meant
from snapshots.extraction.corrections_words import Wrong, named, put_right
from snapshots.extraction.lessons import Learned, Lesson, claim_of, link
from snapshots.extraction.things import things_en, things_zh
from snapshots.models import PreferenceSource, ProfileFactSource, TagSource


def correct(
    lesson: Lesson, found: values.PreferenceCandidate, meant: Sequence[Meant], new: str | None = None
) -> Learned:
    """Put ``new`` in place of the meant value wherever it is held, or take it out (None); return what became of the
    first, which is the one that is meant."""
    first, *others = (_corrected(lesson, found, one, new) for one in meant)
    return first if first.memory_id or not others else others[0]


def completed(subject: Subject, fact: values.ProfileFact) -> str:
    """Return the value of a fact that replaces a part of what is held as a whole: "John Smith" for "John"."""
    place = fact_place(subject, FactName(fact.field, is_attribute=fact.is_attribute))
    held = place.current() if fact.replaces else None
    how = named(str(held.value), Wrong.of(fact.replaces or "")) if held is not None else None
    if held is None or how is None or fact.field != "name":
        return fact.value
    return put_right(str(held.value), how, fact.value, exact=True)


def _corrected(lesson: Lesson, found: values.PreferenceCandidate, meant: Meant, new: str | None) -> Learned:
    row = meant.held.row
    value = None if new is None else _right(meant, new)
    if isinstance(row, Preference):
        return _preference(lesson, found, meant, row, value)
    if isinstance(row, ProfileFact):
        return _fact(lesson, found, meant, row, value)
    if value is None:  # no news of a tag leaves it as it is: what is over is set to nothing
        tag = patch_tag(lesson.subject, row, {meant.held.key: ""}, valid_at=lesson.message.said_at)
        return Learned(found, row.label, Verdict.SUPERSEDED, "", tag.id, CandidateKind.TAG)
    draft = TagDraft(
        row.label,
        {meant.held.key: value},
        Provenance(found.provenance),
        found.confidence,
        message_ref=lesson.message.id,
        valid_at=lesson.message.said_at,
    )
    outcome = upsert_tag(lesson.subject, draft)
    link(TagSource, lesson, outcome.tag.id)
    return Learned(found, row.label, outcome.verdict, outcome.reason, outcome.tag.id, CandidateKind.TAG)


def _preference(
    lesson: Lesson, found: values.PreferenceCandidate, meant: Meant, row: Preference, value: Any
) -> Learned:
    path, claim = (row.category, row.key), claim_of(lesson, found, value, statement=found.statement)
    target = f"{row.category}/{row.key}"
    if meant.held.is_entry:
        added = [] if value is None else [value]
        outcome = amend_list_preference(lesson.subject, path, claim, add=added, remove=[meant.held.value])
    elif value is None:
        ended = retract_preference(lesson.subject, *path, at=lesson.message.said_at)
        return Learned(found, target, Verdict.MERGED, "", ended.id)
    else:
        outcome = record_preference(lesson.subject, *path, claim)
    if outcome.row is None:
        return Learned(found, target, outcome.verdict, outcome.reason)
    link(PreferenceSource, lesson, outcome.row.id)
    return Learned(found, target, outcome.verdict, outcome.reason, outcome.row.id)


def _fact(lesson: Lesson, found: values.PreferenceCandidate, meant: Meant, row: ProfileFact, value: Any) -> Learned:
    name = FactName(row.field, is_attribute=row.is_attribute)
    is_entry = meant.held.is_entry
    changes = [FactChange(name, claim_of(lesson, found, meant.held.value), "remove")] if is_entry else []
    if value is not None:
        changes.append(FactChange(name, claim_of(lesson, found, value), "append" if is_entry else "overwrite"))
    ended = [] if changes else [name]
    verdict = patch_profile(lesson.subject, changes, remove=ended, at=lesson.message.said_at)[-1]
    if verdict.row is None:
        return Learned(found, name.path, verdict.verdict, verdict.reason, kind=CandidateKind.PROFILE)
    link(ProfileFactSource, lesson, verdict.row.id)
    return Learned(found, name.path, verdict.verdict, verdict.reason, verdict.row.id, CandidateKind.PROFILE)


def _right(meant: Meant, new: str) -> Any:
    """Return the right value as it stands where the wrong one stood."""
    held = meant.held.row
    if isinstance(held, Preference) and is_measured(held.value) and in_place_of(held.value, new) != new:
        return in_place_of(held.value, new)
    if not meant.held.is_entry and in_place_of(meant.held.value, new) != new:
        return in_place_of(meant.held.value, new)
    return put_right(
        meant.held.value, meant.how, new if meant.held.is_exact else _thing(new), exact=meant.held.is_exact
    )


def _thing(new: str) -> str:
    """Return the one thing that ``new`` names without what is said around it; else the words as they are."""
    things = [thing for thing, _ in things_zh(new)] or things_en(new)
    return things[0] if len(things) == 1 else new
