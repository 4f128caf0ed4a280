"""How probably each fact of a profile helps a question: it may enter as a memory where the prefix does not hold it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from profiles.wording import in_chinese
from snapshots.context.choosing.facts import in_stable_order
from snapshots.context.values import MemoryItem, ProfileView

Judge = Callable[[Sequence[str]], Sequence[float]]
"""Returns how probably each of some texts helps a question that needs memory, 0..1."""


def judge_facts(
    profile: ProfileView, judge: Judge, meant: Mapping[str, float], needs: float, *, in_han: bool = False
) -> Iterator[MemoryItem]:
    """Yield all facts of ``profile`` with their relevance, that of their words ("diet: vegetarian") or, where it is
    more, of the tag that the question means.

    ``meant`` maps ids of tags to how well the question names them (0..1), ``needs`` is how probably it needs memory,
    ``in_han``: it is Chinese, and so is the label that stands before a value.
    """
    facts = in_stable_order(profile)
    judged = judge([fact_words(fact, in_han=in_han) for fact in facts])
    for fact, helps in zip(facts, judged, strict=True):
        near = needs * max(meant.get(fact.id, 0.0), helps)
        yield replace(fact, relevance=near, score=near * fact.confidence)


def fact_words(fact: MemoryItem, *, in_han: bool = False) -> str:
    """Return a fact with its label before it, as a note would say it."""
    label, told = (fact.category, fact.text) if fact.lane == "profile" else ("", fact.text)
    if fact.lane == "preferences" and ": " in told:
        label, told = told.split(": ", 1)
    label = in_chinese(label) if in_han else label.replace("_", " ")
    return f"{label}: {told}" if label else told
