"""What is believed of a subject now, value by value, as corrections may name it (row G4); in the open scope."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.selectors import current_preferences, profile_facts, tags_of
from profiles.services.quantities import is_measured
from profiles.values import in_words
from snapshots.understanding.values import HeldValue

_NOT_SAID = frozenset({"age_range", "locale", "timezone"})
"""Fields whose values are codes and not words of the subject."""
INTERESTS = "interests"


@dataclass(frozen=True, slots=True)
class Held:
    """A value with the row that holds it: the whole value, or one entry of its list (``is_entry``). The key of a tag's
    value is its column."""

    row: Preference | ProfileFact | Tag
    value: HeldValue
    is_entry: bool = False


def held_values(subject: Subject) -> list[Held]:
    """Return every value that is believed of a subject; three queries."""
    return [
        *(one for row in current_preferences(subject) for one in _values(row, row.key)),
        *(one for row in profile_facts(subject).exclude(field__in=_NOT_SAID) for one in _values(row, row.field)),
        *(one for tag in tags_of(subject) for one in _details(tag)),
    ]


def _values(row: Preference | ProfileFact, key: str) -> Iterator[Held]:
    is_list = isinstance(row.value, list)
    for value in row.value if is_list else [row.value]:
        if is_measured(value):
            yield Held(row, HeldValue(key, in_words(value)))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield Held(row, HeldValue(key, str(value)), is_entry=is_list or key == INTERESTS)


def _details(tag: Tag) -> Iterator[Held]:
    columns: tuple[Literal["address"], Literal["phone"]] = ("address", "phone")
    yield from (Held(tag, HeldValue(name, getattr(tag, name))) for name in columns if getattr(tag, name))
