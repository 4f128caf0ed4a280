"""Every optimisation of recall with its switch: what an evaluation turns off, one at a time, to learn its worth.

A new field of ScoringPolicy or RankingPolicy takes one row here, unless it switches nothing: a test lists those.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from snapshots.recall.config import RecallPolicy


@dataclass(frozen=True, slots=True)
class Switch:
    """Turns one optimisation off: the values that the fields of one part of the policy take then."""

    part: Literal["scoring", "ranking"]
    off: Mapping[str, Any]

    def __call__(self, policy: RecallPolicy) -> RecallPolicy:
        """Return ``policy`` without the optimisation; equal to it where it was off already."""
        return replace(policy, **{self.part: replace(getattr(policy, self.part), **self.off)})


def scoring(**off: Any) -> Switch:
    return Switch("scoring", off)


def ranking(**off: Any) -> Switch:
    return Switch("ranking", off)


# By name. Several rows may turn the same field: a group, and each of its parts.
ABLATIONS: Mapping[str, Switch] = {
    "keyword: own words": scoring(keyword_own=0.0),
    "keyword: window of neighbours": scoring(keyword_window=0.0),
    "keyword: whole sitting": scoring(keyword_sitting=0.0),
    "keyword: length counts": scoring(bm25_b=0.0),
    "dense lane": scoring(dense_dated=0.0, dense_continued=0.0),
    "dense: the memory alone": scoring(dense_dated=0.0),
    "dense: with the turn before": scoring(dense_continued=0.0),
    "dense: weight by space": scoring(dense_weights=()),
    "dense: least cosine": scoring(cosine_floors=()),
    "neighbour smoothing": scoring(smooth_previous=0.0, smooth_next=0.0),
    "neighbour smoothing: from before": scoring(smooth_previous=0.0),
    "neighbour smoothing: from after": scoring(smooth_next=0.0),
    "question: related words": scoring(related_share=0.0),
    "question: last sentence counts most": scoring(sentence_decay=1.0),
    "preferred: named speaker": scoring(named_speaker=0.0),
    "preferred: names a time when asked": scoring(named_time=0.0),
    "preferred: said in the time named": scoring(said_in_time=0.0, said_recently=0.0),
    "preferred: said recently when asked": scoring(said_recently=0.0),
    "preferred: told some days later": scoring(said_after_days=0.0),
    "preferred: asks nothing itself": scoring(asking=0.0),
    "preferred: was not asked before": scoring(asked_alike=0.0),
    "preferred: says more": scoring(longer=0.0),
    "factor: recency": ranking(use_recency=False),
    "factor: confidence": ranking(use_confidence=False),
    "factor: provenance": ranking(use_provenance=False),
    "factor: frequency": ranking(use_frequency=False),
    "answer: says everything once": ranking(say_once=False),
}


def without_optimisations(policy: RecallPolicy, **left: Any) -> RecallPolicy:
    """Return ``policy`` with every optimisation off, and the scoring fields ``left`` at the values given."""
    for switch in ABLATIONS.values():
        policy = switch(policy)
    return replace(policy, scoring=replace(policy.scoring, **left))
