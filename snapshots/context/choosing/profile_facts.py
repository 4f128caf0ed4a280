"""Facts of a profile as items of a context: their words, their stable order in a prefix, and their relevance."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import NamedTuple

from profiles.prompt_lines import TagParts, render_preference, render_tag, translate_label
from profiles.provenance_and_verdict import describe_value
from snapshots.context.values import MemoryItem, StandingProfile
from snapshots.recall.ranking.slot_relevance import SlotRelevance, SlotWords
from snapshots.relevance.config import RELEVANCE

_FIELDS_FIRST = ("name", "occupation", "age_range", "interests")
_FIELDS_LAST = ("mbti", "timezone", "locale")
_BEGINNING = datetime.min.replace(tzinfo=UTC)
_LIMITS = frozenset({"allergies", "avoid", "diet"})
_STRENGTH = {"confirmed_by_user": 0, "corrected_by_staff": 0, "analysis": 1, "imported": 1, "observation": 2}


# Returns how probably each of some slots helps the question.
Judge = Callable[[Sequence[SlotWords]], Sequence[SlotRelevance]]


class FactCertainty(NamedTuple):
    """How firmly a fact is known: stored confidence 0..1, provenance, and since when it holds."""

    confidence: float
    provenance: str
    valid_since: datetime | None = None


def make_profile_fact(field: str, value: object, standing: FactCertainty) -> MemoryItem:
    return MemoryItem(
        lane="profile",
        id=field,
        kind="profile",
        text=describe_value(value),
        category=field,
        **standing._asdict(),
    )


def make_preference_fact(
    preference_id: str, path: tuple[str, str], value: object, standing: FactCertainty
) -> MemoryItem:
    category, key = path
    return MemoryItem(
        lane="preferences",
        id=preference_id,
        kind="preference",
        text=render_preference(category, key, value),
        category=category,
        **standing._asdict(),
        is_limit=key in _LIMITS or key.startswith("avoid_") or key.endswith("_limit"),
    )


def make_tag_fact(tag_id: str, place: TagParts, standing: FactCertainty) -> MemoryItem:
    return MemoryItem(
        lane="tags",
        id=tag_id,
        kind="tag",
        text=render_tag(place),
        category=place.kind,
        **standing._asdict(),
    )


def order_facts(profile: StandingProfile) -> list[MemoryItem]:
    """Return the facts of ``profile`` that say something, those that do harm when missing first.

    Vital notes, limits (allergies, diet, avoid_*, *_limit), name and other fields, preferences, attributes, tags, then
    other notes, oldest first, so that a new one is appended. The order depends on the facts alone, so that a prefix
    stays the same.
    """
    ranked = [
        *(((1, _rank_field(fact), fact.id), fact) for fact in profile.fields),
        *((_rank_preference(fact), fact) for fact in profile.preferences),
        *(((4, 0, fact.category), fact) for fact in profile.attributes),
        *(((5, 0, fact.text), fact) for fact in profile.tags),
        *(((-1 if note.vital else 6, 0, note.valid_since or _BEGINNING), note) for note in profile.notes),
    ]
    ranked.sort(key=lambda pair: (*pair[0], pair[1].text, pair[1].id))
    return [fact for _, fact in ranked if fact.text.strip()]


def may_harm_if_missing(fact: MemoryItem) -> bool:
    """Return whether a fact stands in every prefix: a vital note, or a limit."""
    return fact.vital or (fact.lane == "preferences" and _rank_preference(fact)[0] == 0)


def _rank_field(fact: MemoryItem) -> int:
    if fact.category in _FIELDS_FIRST:
        return _FIELDS_FIRST.index(fact.category)
    return len(_FIELDS_FIRST) + (1 + _FIELDS_LAST.index(fact.category) if fact.category in _FIELDS_LAST else 0)


def _rank_preference(fact: MemoryItem) -> tuple[int, int, str]:
    return (0 if fact.is_limit else 3, _STRENGTH.get(fact.provenance, len(_STRENGTH)), fact.category)


def judge_facts(
    profile: StandingProfile, judge: Judge, tag_scores: Mapping[str, float], *, in_han: bool = False
) -> Iterator[MemoryItem]:
    """Yield all facts of ``profile`` with their relevance, by their words or as a tag that the question means.

    ``tag_scores`` maps ids of tags to how well the question names them (0..1). In a strict question, facts that it does
    not take have ``least`` to reach.
    """
    facts = order_facts(profile)
    slots = [
        SlotWords(
            render_fact_words(fact, in_han=in_han),
            list_bilingual_slot_names(fact),
            tag_scores.get(fact.id, 0.0),
            fact.confidence,
        )
        for fact in facts
    ]
    for fact, judged in zip(facts, judge(slots), strict=True):
        near, why, is_taken = judged
        least = 0.0 if is_taken else RELEVANCE.strict_relevance
        yield replace(fact, relevance=near, score=near * fact.confidence, explain=why, least=least)


def render_fact_words(fact: MemoryItem, *, in_han: bool = False) -> str:
    label, told = _split_label(fact)
    label = translate_label(label) if in_han else label.replace("_", " ")
    return f"{label}: {told}" if label else told


def list_bilingual_slot_names(fact: MemoryItem) -> tuple[str, ...]:
    """Return the names of a slot in both languages. A tag is looked up by its names elsewhere."""
    if fact.lane == "tags":
        return ()
    label, _ = _split_label(fact)
    name = label.partition(" (")[0].replace("_", " ")
    return tuple({one for each in (name, fact.category) for one in (each, translate_label(each))} - {""})


def _split_label(fact: MemoryItem) -> tuple[str, str]:
    if fact.lane == "preferences" and ": " in fact.text:
        label, told = fact.text.split(": ", 1)
        return label, told
    return (fact.category, fact.text) if fact.lane == "profile" else ("", fact.text)
