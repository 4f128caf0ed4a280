"""Facts of a profile as items of a context: their words, and the stable order in which a prefix holds them."""

from datetime import UTC, datetime
from typing import NamedTuple

from profiles.values import in_words
from profiles.wording import Place, preference_words, tag_words
from snapshots.context.values import MemoryItem, ProfileView

_FIELDS_FIRST = ("name", "occupation", "age_range", "interests")
_FIELDS_LAST = ("mbti", "timezone", "locale")
_BEGINNING = datetime.min.replace(tzinfo=UTC)
_LIMITS = frozenset({"allergies", "avoid", "diet"})
_STRENGTH = {"confirmed_by_user": 0, "analysis": 1, "observation": 2}


class Standing(NamedTuple):
    """How firmly a fact is known: stored confidence 0..1, provenance, and since when it holds."""

    confidence: float
    provenance: str
    valid_since: datetime | None = None


def profile_fact(field: str, value: object, standing: Standing) -> MemoryItem:
    """Return a profile field or a free attribute as an item; its text is the value, its category the field."""
    return MemoryItem(
        lane="profile",
        id=field,
        kind="profile",
        text=in_words(value),
        category=field,
        confidence=standing.confidence,
        provenance=standing.provenance,
        valid_since=standing.valid_since,
    )


def preference_fact(preference_id: str, path: tuple[str, str], value: object, standing: Standing) -> MemoryItem:
    """Return the preference at ``path`` (category, key) as an item."""
    category, key = path
    return MemoryItem(
        lane="preferences",
        id=preference_id,
        kind="preference",
        text=preference_words(category, key, value),
        category=category,
        confidence=standing.confidence,
        provenance=standing.provenance,
        valid_since=standing.valid_since,
        is_limit=key in _LIMITS or key.startswith("avoid_") or key.endswith("_limit"),
    )


def tag_fact(tag_id: str, place: Place, standing: Standing) -> MemoryItem:
    """Return a tag as an item: its label, and what it points at."""
    return MemoryItem(
        lane="tags",
        id=tag_id,
        kind="tag",
        text=tag_words(place),
        category=place.kind,
        confidence=standing.confidence,
        provenance=standing.provenance,
        valid_since=standing.valid_since,
    )


def in_stable_order(profile: ProfileView) -> list[MemoryItem]:
    """Return the facts of ``profile`` that say something, those that do harm when missing first.

    Vital notes, what limits the subject (allergies, diet, avoid_*, *_limit), name and other fields, preferences,
    attributes, tags, then the other notes. Notes stand oldest first: a new one is appended. The order depends on
    nothing but the facts: no clock, no query, no order of rows, so that a prefix stays the same.
    """
    ranked = [
        *(((1, _field_rank(fact), fact.id), fact) for fact in profile.fields),
        *((_preference_rank(fact), fact) for fact in profile.preferences),
        *(((4, 0, fact.category), fact) for fact in profile.attributes),
        *(((5, 0, fact.text), fact) for fact in profile.tags),
        *(((-1 if note.vital else 6, 0, _since(note)), note) for note in profile.notes),
    ]
    ranked.sort(key=lambda pair: (*pair[0], pair[1].text, pair[1].id))
    return [fact for _, fact in ranked if fact.text.strip()]


def may_harm(fact: MemoryItem) -> bool:
    """Return whether a fact stands in a prefix however small: a vital note, or what limits the subject."""
    return fact.vital or (fact.lane == "preferences" and _preference_rank(fact)[0] == 0)


def _since(note: MemoryItem) -> datetime:
    return note.valid_since or _BEGINNING


def _field_rank(fact: MemoryItem) -> int:
    if fact.category in _FIELDS_FIRST:
        return _FIELDS_FIRST.index(fact.category)
    return len(_FIELDS_FIRST) + (1 + _FIELDS_LAST.index(fact.category) if fact.category in _FIELDS_LAST else 0)


def _preference_rank(fact: MemoryItem) -> tuple[int, int, str]:
    return (0 if fact.is_limit else 3, _STRENGTH.get(fact.provenance, len(_STRENGTH)), fact.category)
