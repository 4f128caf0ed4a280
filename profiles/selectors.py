"""Reads profiles, preferences and tags: now, at a past moment, and as believed at a past moment.

Every function runs inside an open ``tenant_tx`` and names its subject. Times are aware.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from memory_platform.kernel.errors import NotFound
from profiles.models import PROFILE_FIELDS, DetailName, Preference, ProfileFact, Subject, SubjectAlias, Tag, TagDetail
from profiles.models.belief import Belief

B = TypeVar("B", bound=Belief)


def subject_by_external_id(external_id: str) -> Subject:
    """Return the subject that the product calls ``external_id``. Raises NotFound."""
    found = find_subject(external_id)
    if found is None:
        raise NotFound("No subject with this id.")
    return found


def find_subject(external_id: str) -> Subject | None:
    """Return the subject with this id of the product, also one into which the subject of this id was joined."""
    return Subject.objects.filter(id=build_subject_key(external_id)).first()


def build_subject_key(external_id: str) -> Coalesce:
    """Return, as an expression, the platform's id of the subject that :func:`find_subject` finds."""
    own = Subject.objects.filter(external_id=external_id).values("id")[:1]
    joined = SubjectAlias.objects.filter(external_id=external_id).values("subject_id")[:1]
    return Coalesce(Subquery(own), Subquery(joined))


def list_aliases(subject: Subject) -> list[str]:
    """Return the other ids of the product that name this subject since a join."""
    rows = SubjectAlias.objects.filter(subject_id=subject.id).order_by("created_at", "id")
    return list(rows.values_list("external_id", flat=True))


def all_subjects() -> QuerySet[Subject]:
    return Subject.objects.filter(erasing=False)


def load_own_names(subjects: Collection[Subject]) -> dict[UUID, frozenset[str]]:
    """Return, per subject, the names under which it speaks itself: the product's id and the profile's name."""
    facts = ProfileFact.objects.filter(
        subject__in=subjects, is_attribute=False, field="name", retired_at__isnull=True, invalid_at__isnull=True
    )
    called = {fact.subject_id: str(fact.value) for fact in facts}
    return {one.id: frozenset({one.external_id, called.get(one.id, one.external_id)}) for one in subjects}


def select_as_of(
    rows: QuerySet[B],
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    include_history: bool = False,
) -> QuerySet[B]:
    """Return the ``rows`` that were true at ``as_of`` as known at ``known_at``; None is now, for either clock.

    ``known_at`` alone gives the rows that the platform held as current then. ``include_history`` adds the values that
    had ended by then.
    """
    held, is_open = Q(retired_at__isnull=True), Q(invalid_at__isnull=True)
    if known_at is not None:
        held = Q(recorded_at__lte=known_at) & (held | Q(retired_at__gt=known_at))
    known = rows.filter(held)
    if as_of is not None:
        known = known.filter(valid_at__lte=as_of)
        is_open |= Q(invalid_at__gt=as_of)
    return known if include_history else known.filter(is_open)


def current_preferences(subject: Subject, *, category: str | None = None) -> QuerySet[Preference]:
    return preferences_at(subject, category=category)


def preferences_at(
    subject: Subject,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    category: str | None = None,
    include_history: bool = False,
) -> QuerySet[Preference]:
    rows = Preference.objects.filter(subject_id=subject.id)
    if category is not None:
        rows = rows.filter(category=category)
    return select_as_of(rows, as_of=as_of, known_at=known_at, include_history=include_history)


def current_preference(subject: Subject, category: str, key: str) -> Preference:
    """Return the current value of one preference. Raises NotFound if no value is current."""
    found = current_preferences(subject, category=category).filter(key=key).first()
    if found is None:
        raise NotFound("No preference with this category and key.")
    return found


def preference_history(subject: Subject, category: str, key: str) -> QuerySet[Preference]:
    return preferences_at(subject, category=category, include_history=True).filter(key=key)


def group_preference_values(preferences: Iterable[Preference]) -> dict[str, dict[str, Any]]:
    """Return ``{category: {key: value}}``: the short form that recall answers with."""
    values: dict[str, dict[str, Any]] = {}
    for preference in preferences:
        values.setdefault(preference.category, {})[preference.key] = preference.value
    return values


def profile_facts(
    subject: Subject, *, as_of: datetime | None = None, known_at: datetime | None = None
) -> QuerySet[ProfileFact]:
    return select_as_of(ProfileFact.objects.filter(subject_id=subject.id), as_of=as_of, known_at=known_at)


def profile_history(subject: Subject) -> QuerySet[ProfileFact]:
    return select_as_of(ProfileFact.objects.filter(subject_id=subject.id), include_history=True)


def current_profile(subject: Subject) -> dict[str, Any]:
    """Return the profile: every standard field (None when unknown) and ``attributes``."""
    return build_profile(profile_facts(subject))


def build_profile(facts: Iterable[ProfileFact]) -> dict[str, Any]:
    """Return facts as a profile: ``{name, occupation, interests, mbti, age_range, locale, timezone, attributes}``."""
    profile: dict[str, Any] = dict.fromkeys(PROFILE_FIELDS)
    attributes: dict[str, Any] = {}
    for fact in facts:
        (attributes if fact.is_attribute else profile)[fact.field] = fact.value
    return {**profile, "attributes": attributes}


def current_profiles(subjects: Collection[Subject]) -> Mapping[UUID, dict[str, Any]]:
    facts: dict[UUID, list[ProfileFact]] = {subject.id: [] for subject in subjects}
    for fact in select_as_of(ProfileFact.objects.filter(subject_id__in=list(facts))):
        facts[fact.subject_id].append(fact)
    return {subject_id: build_profile(own) for subject_id, own in facts.items()}


def tags_of(subject: Subject) -> QuerySet[Tag]:
    return Tag.objects.filter(subject_id=subject.id)


def tag_by_id(subject: Subject, tag_id: UUID) -> Tag:
    found = tags_of(subject).filter(id=tag_id).first()
    if found is None:
        raise NotFound("No tag with this id.")
    return found


def details_of(tag: Tag) -> QuerySet[TagDetail]:
    return TagDetail.objects.filter(subject_id=tag.subject_id, tag_id=tag.id)


def load_tag_start(tag: Tag) -> datetime:
    """Return since when all details of a tag are as they are, as prompts tell it."""
    now = details_of(tag).filter(invalid_at__isnull=True, retired_at__isnull=True).order_by()
    return now.aggregate(at=Max("valid_at"))["at"] or tag.created_at


def detail_history(tag: Tag) -> QuerySet[TagDetail]:
    return select_as_of(details_of(tag), include_history=True)


def detail_histories(
    tags: Sequence[Tag], *, as_of: datetime | None = None, known_at: datetime | None = None
) -> Mapping[UUID, list[TagDetail]]:
    """Return the values of tags' details up to a moment of either clock, by tag, in the order of beginning."""
    rows = TagDetail.objects.filter(tag_id__in=[tag.id for tag in tags])
    past: dict[UUID, list[TagDetail]] = defaultdict(list)
    for row in select_as_of(rows, as_of=as_of, known_at=known_at, include_history=True).order_by("valid_at", "id"):
        past[row.tag_id].append(row)
    return past


def tags_at(subject: Subject, *, as_of: datetime | None = None, known_at: datetime | None = None) -> QuerySet[Tag]:
    """Return the tags that existed at a moment of either clock, as :func:`select_as_of` says; each as it is now.
    :func:`tags_known_at` gives their state then. A tag without details never changed."""
    if as_of is None and known_at is None:
        return tags_of(subject)
    own = TagDetail.objects.filter(subject_id=subject.id, tag_id=OuterRef("id"))
    called = select_as_of(own.filter(detail=DetailName.LABEL), as_of=as_of, known_at=known_at)
    unchanged = ~Exists(own) & Q(created_at__lte=min(one for one in (as_of, known_at) if one is not None))
    return tags_of(subject).filter(Exists(called) | unchanged)


def tags_known_at(tags: Sequence[Tag], *, as_of: datetime | None = None, known_at: datetime | None = None) -> list[Tag]:
    """Return tags as they were at a moment of either clock, in one query; unchanged without a moment."""
    if as_of is None and known_at is None:
        return list(tags)
    own = TagDetail.objects.filter(tag_id__in=[tag.id for tag in tags])
    then: dict[UUID, list[TagDetail]] = defaultdict(list)
    for row in select_as_of(own, as_of=as_of, known_at=known_at).order_by("valid_at", "id"):
        then[row.tag_id].append(row)
    return [copy_tag_with(tag, then[tag.id]) if tag.id in then else tag for tag in tags]


def copy_tag_with(tag: Tag, details: Sequence[TagDetail]) -> Tag:
    """Return a copy of a tag with just these details, the newest last, and their confidence."""
    then = copy(tag)
    values = {row.detail: row.value for row in details}
    for name in DetailName.values:
        column = Tag._meta.get_field(name)
        nothing: Any = [] if name == DetailName.ALIASES else None if column.null else ""
        setattr(then, name, values.get(name, nothing))
    then.provenance, then.confidence = details[-1].provenance, details[-1].confidence
    return then
