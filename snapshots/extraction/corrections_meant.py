"""What a correction is about: of all that is believed of the subject now, what its wrong part names (row G4)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q

from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.selectors import current_preferences, profile_facts, tags_of
from profiles.services.lists import alike
from profiles.services.quantities import is_measured, same_quantity
from profiles.values import in_words
from snapshots.extraction.corrections_words import Fit, Named, Wrong, named
from snapshots.extraction.rules import AVOID

_NOT_SAID = frozenset({"age_range", "locale", "timezone"})
"""Fields whose values are codes and not words of the subject."""
_EXACT = frozenset({"name", "address", "phone"})
LIKES, INTERESTS = "likes", "interests"
_ROADS = {
    "avoid_highway": ("highway", "高速"),
    "avoid_toll": ("toll", "收费"),
    "avoid_ferry": ("ferry", "轮渡"),
    "avoid_tunnel": ("tunnel", "隧道"),
    "avoid_traffic": ("traffic", "堵车"),
    "avoid_u_turn": ("u-turn", "掉头"),
}
"""How people name what a flag that is kept as ``avoid_highway: true`` forbids."""


@dataclass(frozen=True, slots=True)
class Held:
    """A value that is believed now: the whole value of a row, or one entry of its list (``is_entry``).

    ``key`` is its preference key, its profile field, or the column of a tag.
    """

    row: Preference | ProfileFact | Tag
    key: str
    value: str
    is_entry: bool
    since: datetime

    @property
    def is_exact(self) -> bool:
        """Whether a part of it is changed and the rest stands: of names, addresses and numbers."""
        return self.key in _EXACT


@dataclass(frozen=True, slots=True)
class Meant:
    """A held value, and how the correction names it."""

    held: Held
    how: Named


def meant_by(
    subject: Subject, old: str, *, key: str | None = None, among: Collection[UUID] = (), denied: bool = False
) -> list[Meant]:
    """Return what ``old`` names among all that is believed now, the value that is meant in each place that holds it.

    The closest fit wins, then what is ``among`` the beliefs of the conversation, then the newest. ``key`` bounds it to
    preferences of one key; ``denied``: to values that are denied with these words and not only described by them.
    """
    wrong = Wrong.of(old)
    found = [Meant(held, how) for held in _held(subject, key) if (how := _named(held, wrong, old)) is not None]
    if denied:
        found = [one for one in found if one.how.is_all]
    if not found:
        return []
    found.sort(key=lambda one: (one.how.fit, one.held.row.id in among, _is_preference(one), one.held.since))
    best = found[-1]
    return [one for one in reversed(found) if alike(one.held.value, best.held.value)]


def _held(subject: Subject, key: str | None) -> Iterator[Held]:
    preferences = current_preferences(subject)
    # Beside the list ``avoid`` there may be keys of its own for each kind of thing: ``avoid_food``.
    kept_as = Q(key=key) | Q(key__startswith=f"{AVOID}_") if key == AVOID else Q(key=key)
    for row in preferences if key is None else preferences.filter(kept_as):
        yield from _values(row, row.key)
        if key == AVOID and row.value is True:
            yield from (Held(row, row.key, name, False, row.valid_at) for name in _ROADS.get(row.key, ()))
    facts = profile_facts(subject).exclude(field__in=_NOT_SAID)
    for fact in facts if key is None else facts.filter(field=INTERESTS) if key == LIKES else ():
        yield from _values(fact, fact.field)
    for tag in tags_of(subject) if key is None else ():
        parts: tuple[tuple[Literal["address", "phone"], str], ...] = (("address", tag.address), ("phone", tag.phone))
        yield from (Held(tag, column, value, False, tag.updated_at) for column, value in parts if value)


def _values(row: Preference | ProfileFact, key: str) -> Iterator[Held]:
    values = row.value if isinstance(row.value, list) else [row.value]
    for value in values:
        if is_measured(value):
            yield Held(row, key, in_words(value), False, row.valid_at)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            yield Held(row, key, str(value), isinstance(row.value, list) or key == INTERESTS, row.valid_at)


def _named(held: Held, wrong: Wrong, old: str) -> Named | None:
    if held.key == "name" and old[:1].islower():
        return None  # "black" is no name
    if not held.is_entry and same_quantity(held.value, old):
        return Named(Fit.WHOLE)
    return named(held.value, wrong, key=held.key)


def _is_preference(one: Meant) -> bool:
    return isinstance(one.held.row, Preference)
