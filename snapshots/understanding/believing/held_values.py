"""What is believed of a subject now, value by value, as corrections may name it (row G4); in the open scope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from profiles.models import Preference, ProfileFact, Subject, Tag, TagKind
from profiles.selectors import current_preferences, profile_facts, tags_of
from profiles.services.quantities import is_measured
from profiles.values import in_words
from snapshots.understanding.values import HeldValue

_NOT_SAID = frozenset({"age_range", "locale", "timezone"})
"""Fields whose values are codes and not words of the subject."""
_DETAILS: tuple[Literal["address"], Literal["phone"]] = ("address", "phone")
INTERESTS = "interests"
MOST_KNOWN = 60
"""Contacts and things by whose names a message is read."""


@dataclass(frozen=True, slots=True)
class Held:
    """A value with the row that holds it: the whole value, or one entry of its list (``is_entry``). The key of a tag's
    value is its column."""

    row: Preference | ProfileFact | Tag
    value: HeldValue
    is_entry: bool = False


class Believed:
    """What is believed of the subjects of a batch, in one open scope: read once, and again after something was learned.

    The caller holds the subjects (``lock_subject``), so that nobody else learns of them meanwhile.
    """

    def __init__(self) -> None:
        self._values: dict[UUID, tuple[HeldValue, ...]] = {}
        self._named: dict[UUID, list[Tag]] = {}

    def values(self, subject: Subject) -> tuple[HeldValue, ...]:
        """Return every value that is believed of a subject."""
        if subject.id not in self._values:
            self._values[subject.id] = tuple(_values_held(subject))
        return self._values[subject.id]

    def people_and_things(self, subject_id: UUID) -> Sequence[Tag]:
        """Return the contacts and things of a subject, the newest first: at most ``MOST_KNOWN``."""
        if subject_id not in self._named:
            tags = Tag.objects.filter(subject_id=subject_id).exclude(kind=TagKind.PLACE)
            self._named[subject_id] = list(tags.order_by("-id")[:MOST_KNOWN])
        return self._named[subject_id]

    def read_again(self, subject_id: UUID) -> None:
        """Have the next look read what is believed of a subject now."""
        self._values.pop(subject_id, None)
        self._named.pop(subject_id, None)


def held_values(subject: Subject) -> list[Held]:
    """Return every value that is believed of a subject; three queries."""
    return [
        *(one for row in current_preferences(subject) for one in _values(row, row.key)),
        *(one for row in profile_facts(subject).exclude(field__in=_NOT_SAID) for one in _values(row, row.field)),
        *(one for tag in tags_of(subject) for one in _details(tag)),
    ]


def _values_held(subject: Subject) -> Iterator[HeldValue]:
    """Yield the values of :func:`held_values` without their rows, which take four times as long to make."""
    facts = profile_facts(subject).exclude(field__in=_NOT_SAID).values_list("field", "value")
    for rows in (current_preferences(subject).values_list("key", "value"), facts):
        yield from (one for key, value in rows for one, _ in _named_in(key, value))
    for details in tags_of(subject).values_list(*_DETAILS):
        yield from (HeldValue(name, value) for name, value in zip(_DETAILS, details, strict=True) if value)


def _values(row: Preference | ProfileFact, key: str) -> Iterator[Held]:
    yield from (Held(row, value, is_entry) for value, is_entry in _named_in(key, row.value))


def _named_in(key: str, held: Any) -> Iterator[tuple[HeldValue, bool]]:
    """Yield what corrections may name of a value that is held, and whether it is an entry of a list."""
    is_list = isinstance(held, list)
    for value in held if is_list else [held]:
        if is_measured(value):
            yield HeldValue(key, in_words(value)), False
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield HeldValue(key, str(value)), is_list or key == INTERESTS


def _details(tag: Tag) -> Iterator[Held]:
    yield from (Held(tag, HeldValue(name, getattr(tag, name))) for name in _DETAILS if getattr(tag, name))
