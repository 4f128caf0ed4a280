"""The current beliefs of a subject, value by value, as corrections may name them; in the open scope."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from django.db.models import Window
from django.db.models.functions import RowNumber

from profiles.models import Preference, ProfileFact, Subject, Tag, TagKind
from profiles.prompt_lines import OTHERS_CATEGORIES
from profiles.provenance_and_verdict import describe_value
from profiles.selectors import current_preferences, profile_facts, select_as_of, tags_of
from profiles.services.quantities import is_measured
from snapshots.understanding.values import CurrentValue

# The values of these fields are codes, not words of the subject.
_NOT_SAID = frozenset({"age_range", "locale", "timezone"})
_DETAILS: tuple[Literal["address"], Literal["phone"]] = ("address", "phone")
# The columns that identify a value.
_PREFERENCE, _FIELD = ("category", "key"), ("field", "field")
INTERESTS = "interests"
# How many contacts and things of a subject are known when a message is read.
MOST_KNOWN = 60


@dataclass(frozen=True, slots=True)
class StoredValue:
    """A value with its row: the whole value, or one entry of its list (``is_entry``). The key of a tag's value is its
    column."""

    row: Preference | ProfileFact | Tag
    value: CurrentValue
    is_entry: bool = False


class BeliefCache:
    """Beliefs of the subjects of a batch in one open scope, loaded once and again after something was learned. The
    caller locks the subjects (``lock_subject``), so that nobody else changes their beliefs meanwhile."""

    def __init__(self, subjects: Collection[Subject] = ()) -> None:
        self._unread = {subject.id for subject in subjects}
        self._unnamed = set(self._unread)
        self._values: dict[UUID, tuple[CurrentValue, ...]] = {}
        self._named: dict[UUID, list[Tag]] = {}

    def list_values(self, subject: Subject) -> tuple[CurrentValue, ...]:
        """Return all current values of a subject; the first call loads those of all subjects."""
        if subject.id not in self._values:
            self._values |= _load_values({subject.id, *self._unread})
            self._unread.clear()
        return self._values[subject.id]

    def list_people_and_things(self, subject_id: UUID) -> Sequence[Tag]:
        """Return at most ``MOST_KNOWN`` contacts and things of a subject, the newest first; the first call loads those
        of all subjects."""
        if subject_id not in self._named:
            self._named |= _load_tags({subject_id, *self._unnamed})
            self._unnamed.clear()
        return self._named[subject_id]

    def invalidate(self, subject_id: UUID) -> None:
        self._values.pop(subject_id, None)
        self._named.pop(subject_id, None)


def find_values(subject: Subject, is_meant: Callable[[CurrentValue], bool]) -> list[StoredValue]:
    """Return the current values that ``is_meant`` selects, with their rows; only those rows are loaded."""
    found: list[StoredValue] = []
    facts = profile_facts(subject).exclude(field__in=_NOT_SAID)
    for rows, place in ((current_preferences(subject), _PREFERENCE), (facts, _FIELD)):
        told = rows.values_list("id", *place, "value")
        ids = [row_id for row_id, *held in told if any(is_meant(one) for one, _ in _list_nameable_values(*held))]
        found += (one for row in (rows.filter(id__in=ids) if ids else ()) for one in _list_row_values(row))
    found += (one for tag in tags_of(subject) for one in _list_tag_values(tag))
    return [one for one in found if is_meant(one.value)]


def _load_values(subjects: Collection[UUID]) -> dict[UUID, tuple[CurrentValue, ...]]:
    """Return all current values of subjects without their rows, which take four times as long. Three queries."""
    own = {"subject_id__in": list(subjects)}
    found: dict[UUID, list[CurrentValue]] = {one: [] for one in subjects}
    preferences = select_as_of(Preference.objects.filter(**own)).values_list("subject_id", *_PREFERENCE, "value")
    facts = select_as_of(ProfileFact.objects.filter(**own)).exclude(field__in=_NOT_SAID)
    for rows in (preferences, facts.values_list("subject_id", *_FIELD, "value")):
        for subject_id, *held in rows:
            found[subject_id] += (one for one, _ in _list_nameable_values(*held))
    for subject_id, kind, *details in Tag.objects.filter(**own).values_list("subject_id", "kind", *_DETAILS):
        told = zip(_DETAILS, details, strict=True)
        found[subject_id] += (CurrentValue(name, value, kind != TagKind.PLACE) for name, value in told if value)
    return {subject_id: tuple(values) for subject_id, values in found.items()}


def _load_tags(subjects: Collection[UUID]) -> dict[UUID, list[Tag]]:
    found: dict[UUID, list[Tag]] = {one: [] for one in subjects}
    place = Window(RowNumber(), partition_by="subject_id", order_by="-id")
    tags = Tag.objects.filter(subject_id__in=list(subjects)).exclude(kind=TagKind.PLACE)
    for tag in tags.annotate(place=place).filter(place__lte=MOST_KNOWN).order_by("-id"):
        found[tag.subject_id].append(tag)
    return found


def _list_row_values(row: Preference | ProfileFact) -> Iterator[StoredValue]:
    place = (row.category, row.key) if isinstance(row, Preference) else (row.field, row.field)
    yield from (StoredValue(row, value, is_entry) for value, is_entry in _list_nameable_values(*place, row.value))


def _list_nameable_values(category: str, key: str, json_value: Any) -> Iterator[tuple[CurrentValue, bool]]:
    is_list, is_others = isinstance(json_value, list), category in OTHERS_CATEGORIES
    for value in json_value if is_list else [json_value]:
        if is_measured(value):
            yield CurrentValue(key, describe_value(value), is_others), False
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield CurrentValue(key, str(value), is_others), is_list or key == INTERESTS


def _list_tag_values(tag: Tag) -> Iterator[StoredValue]:
    told = ((name, getattr(tag, name)) for name in _DETAILS)
    yield from (StoredValue(tag, CurrentValue(name, value, tag.kind != TagKind.PLACE)) for name, value in told if value)
