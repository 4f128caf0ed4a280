"""How probably each fact of a profile helps a question: it may enter as a memory where the prefix does not hold it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from profiles.wording import in_chinese
from snapshots.context.choosing.facts import in_stable_order
from snapshots.context.values import MemoryItem, ProfileView
from snapshots.recall.ranking.slots import JudgedSlot, SlotWords
from snapshots.relevance.policy import RELEVANCE

# Returns how probably each of some slots helps the question.
Judge = Callable[[Sequence[SlotWords]], Sequence[JudgedSlot]]


def judge_facts(
    profile: ProfileView, judge: Judge, meant: Mapping[str, float], *, in_han: bool = False
) -> Iterator[MemoryItem]:
    """Yield all facts of ``profile`` with their relevance, that of their words ("diet: vegetarian") or, where it is
    more, of the tag that the question means.

    ``meant`` maps ids of tags to how well the question names them (0..1); ``in_han``: it is Chinese, and so is the
    label that stands before a value. What a strict question does not take has ``least`` to reach.
    """
    facts = in_stable_order(profile)
    slots = [
        SlotWords(fact_words(fact, in_han=in_han), labels_of(fact), meant.get(fact.id, 0.0), fact.confidence)
        for fact in facts
    ]
    for fact, judged in zip(facts, judge(slots), strict=True):
        near, why, is_taken = judged
        least = 0.0 if is_taken else RELEVANCE.strict_relevance
        yield replace(fact, relevance=near, score=near * fact.confidence, explain=why, least=least)


def fact_words(fact: MemoryItem, *, in_han: bool = False) -> str:
    """Return a fact with its label before it, as a note would say it."""
    label, told = _parted(fact)
    label = in_chinese(label) if in_han else label.replace("_", " ")
    return f"{label}: {told}" if label else told


def labels_of(fact: MemoryItem) -> tuple[str, ...]:
    """Return what a slot goes by in both languages: the label of a value, and the category of a preference. A tag goes
    by its names, which are looked up apart."""
    if fact.lane == "tags":
        return ()
    label, _ = _parted(fact)
    name = label.partition(" (")[0].replace("_", " ")
    return tuple({one for each in (name, fact.category) for one in (each, in_chinese(each))} - {""})


def _parted(fact: MemoryItem) -> tuple[str, str]:
    """Return the label and the value of a fact; "" for a label that it does not have."""
    if fact.lane == "preferences" and ": " in fact.text:
        label, told = fact.text.split(": ", 1)
        return label, told
    return (fact.category, fact.text) if fact.lane == "profile" else ("", fact.text)
