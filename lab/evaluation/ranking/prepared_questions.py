"""What many policies share of one question, worked out once: what it asks, the words matched, the vectors compared.

Most of a search changes weights only. Then nothing is read again: the stages that follow are the product's own.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from lab.evaluation.ranking.inputs import LoadedQuestion, LoadedSubject
from lab.evaluation.ranking.metrics import coverage_within
from lab.evaluation.ranking.rankers import query_of
from snapshots.embedding.rows import Float32
from snapshots.recall.policy import RecallPolicy, ScoringPolicy
from snapshots.recall.ranking.pipeline import Int64, Mask, alive_rows, best_sayings
from snapshots.recall.ranking.probe import Probe, asked_at, make_probe
from snapshots.recall.ranking.relevance import standing_of_statements
from snapshots.recall.ranking.scoring import Nearness, compare_vectors, match_words, weigh
from snapshots.recall.values import RecallQuery

Made = TypeVar("Made")

READ_BY = ("sentence_decay", "sentence_least", "related_cosine", "related_words")
MATCHED_BY = ("related_share", "related_terms", "query_terms", "bm25_k1", "bm25_b")
COMPARED_BY = ("dense_weights", "cosine_floors", "alike_cosines", "fusion", "rrf_k")
"""Fields of ScoringPolicy that a question's reading, its matching (beside those) and its comparing rest on."""

KEPT = 8
"""Readings, matchings, comparings of a question that are kept, the latest: a search varies one field after another."""


@dataclass(frozen=True, slots=True)
class PreparedQuestion:
    """One question to one subject's memory, with what was worked out of it so far.

    ``tokens`` are those of each row's text, ``occurring`` which pieces of the evidence a row holds, as bits.
    """

    subject: LoadedSubject
    asked: LoadedQuestion
    query: RecallQuery
    tokens: Sequence[int]
    occurring: Mapping[int, tuple[int, ...]]
    _made: dict[str, dict[Hashable, object]] = field(default_factory=dict)

    def best_rows(self, policy: RecallPolicy) -> Int64:
        """Return the rows of the best ``query.top_k`` memories, as ``rank_memories`` finds them."""
        image, scoring = self.subject.image, policy.scoring
        probe = self._get_or_make("read", values(scoring, READ_BY), lambda: self._read(scoring))
        words: Float32 = self._get_or_make(
            "matched", values(scoring, READ_BY + MATCHED_BY), lambda: match_words(image, probe, scoring)
        )
        nearness: Nearness = self._get_or_make(
            "compared", values(scoring, COMPARED_BY), lambda: compare_vectors(image, probe, scoring)
        )
        alive: Mask = self._get_or_make("alive", policy.clock_skew_seconds, lambda: self._alive_mask(policy))
        scores = weigh(image, probe, words, nearness, scoring)
        near = standing_of_statements(scores.fused, alive)
        return best_sayings(scores.fused, near, alive & scores.found, self.query, image, policy).rows

    def coverage(self, policy: RecallPolicy, budgets: Sequence[int]) -> float:
        """Return the fraction of evidence turns within each budget, as a sum over the budgets."""
        rows, nothing = self.best_rows(policy).tolist(), (0,) * len(self.asked.wanted)
        tokens = [self.tokens[row] for row in rows]
        occurring = [self.occurring.get(row, nothing) for row in rows]
        return sum(coverage_within(budgets, tokens, occurring, self.asked.wanted).values())

    def _read(self, policy: ScoringPolicy) -> Probe:
        probe = make_probe(self.query.text, self.asked.vectors, policy, self.subject.relations)
        return asked_at(probe, self.query.text, self.query.at)

    def _alive_mask(self, policy: RecallPolicy) -> Mask:
        return alive_rows(self.subject.image.columns, self.query, skew=policy.clock_skew_seconds)

    def _get_or_make(self, what: str, key: Hashable, make: Callable[[], Made]) -> Made:
        made = self._made.setdefault(what, {})
        if key not in made:
            if len(made) >= KEPT:
                made.pop(next(iter(made)))
            made[key] = make()
        return made[key]  # type: ignore[return-value]


def prepare(subject: LoadedSubject, top_k: int) -> list[PreparedQuestion]:
    """Return the questions of one subject, to be asked for ``top_k`` memories by many policies."""
    ids = [subject.image.id(row) for row in range(subject.image.size)]
    tokens = [subject.memories[memory_id].tokens for memory_id in ids]
    rows = {memory_id: row for row, memory_id in enumerate(ids)}
    return [
        PreparedQuestion(
            subject,
            asked,
            query_of(asked, top_k),
            tokens,
            {rows[memory_id]: bits for memory_id, bits in asked.occurring.items()},
        )
        for asked in subject.questions
    ]


def values(policy: ScoringPolicy, names: tuple[str, ...]) -> Hashable:
    """Return the values of some fields, to tell policies apart by them."""
    return tuple(getattr(policy, name) for name in names)
