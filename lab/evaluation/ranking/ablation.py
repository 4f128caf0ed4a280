"""Every optimisation of recall with its switch. An evaluation turns off one at a time to measure its effect.

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


def make_scoring_switch(**off: Any) -> Switch:
    return Switch("scoring", off)


def make_ranking_switch(**off: Any) -> Switch:
    return Switch("ranking", off)


# By name. Several rows may turn the same field: a group, and each of its parts.
ABLATIONS: Mapping[str, Switch] = {
    "keyword: own words": make_scoring_switch(keyword_own=0.0),
    "keyword: window of neighbours": make_scoring_switch(keyword_window=0.0),
    "keyword: whole sitting": make_scoring_switch(keyword_sitting=0.0),
    "keyword: length counts": make_scoring_switch(bm25_b=0.0),
    "dense lane": make_scoring_switch(dense_dated=0.0, dense_continued=0.0),
    "dense: the memory alone": make_scoring_switch(dense_dated=0.0),
    "dense: with the turn before": make_scoring_switch(dense_continued=0.0),
    "dense: weight by space": make_scoring_switch(dense_weights=()),
    "dense: least cosine": make_scoring_switch(cosine_floors=()),
    "neighbour smoothing": make_scoring_switch(smooth_previous=0.0, smooth_next=0.0),
    "neighbour smoothing: from before": make_scoring_switch(smooth_previous=0.0),
    "neighbour smoothing: from after": make_scoring_switch(smooth_next=0.0),
    "question: related words": make_scoring_switch(related_share=0.0),
    "question: last sentence counts most": make_scoring_switch(sentence_decay=1.0),
    "preferred: named speaker": make_scoring_switch(named_speaker=0.0),
    "preferred: names a time when asked": make_scoring_switch(named_time=0.0),
    "preferred: said in the time named": make_scoring_switch(said_in_time=0.0, said_recently=0.0),
    "preferred: said recently when asked": make_scoring_switch(said_recently=0.0),
    "preferred: told some days later": make_scoring_switch(said_after_days=0.0),
    "preferred: asks nothing itself": make_scoring_switch(asking=0.0),
    "preferred: was not asked before": make_scoring_switch(asked_alike=0.0),
    "preferred: says more": make_scoring_switch(longer=0.0),
    "factor: recency": make_ranking_switch(use_recency=False),
    "factor: confidence": make_ranking_switch(use_confidence=False),
    "factor: provenance": make_ranking_switch(use_provenance=False),
    "factor: frequency": make_ranking_switch(use_frequency=False),
    "answer: says everything once": make_ranking_switch(say_once=False),
}


def disable_optimisations(policy: RecallPolicy, **left: Any) -> RecallPolicy:
    """Return ``policy`` with every optimisation off, and the scoring fields ``left`` at the values given."""
    for switch in ABLATIONS.values():
        policy = switch(policy)
    return replace(policy, scoring=replace(policy.scoring, **left))
