"""Try weights for searches of documents: ``manage.py fetch_documents FOLDER``, then ``python -m
lab.teaching.documents.search_weights FOLDER``, env set.

Prints, for the questions that are not held out, hit@5 and nDCG@10 by the weights of ``FusionConfig``, and by those of
``ChunkRelevanceConfig`` the share of questions with an answer that are answered when so many of those without are.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from lab.evaluation.documents.lane_comparison import compute_ndcg, hit_among, index_pieces, score_brought
from lab.evaluation.documents.page_anchors import QUESTIONS_BY_LANGUAGE
from lab.evaluation.documents.questions_of_pages import cut_pages, find_answers, read_questions
from lab.evaluation.documents.reliability import Numbers
from lab.standalone import run_program
from snapshots.knowledge.search.chunk_candidates import LaneScores
from snapshots.knowledge.search.config import FusionConfig
from snapshots.knowledge.search.document_question import prepare_document_questions
from snapshots.knowledge.search.lane_fusion import fuse_lanes

DENSE_WEIGHTS, COVERAGE_WEIGHTS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6), (0.1, 0.2, 0.3)
# Of the relevance; the rest is the share of the question's words.
COSINE_SHARES = (0.3, 0.4, 0.5, 0.6)
# Shares of the questions with an answer that a limit lets pass.
ANSWERED = (0.95, 0.97, 1.0)


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The pieces that were brought for a question, with their scores; ``right`` are those that answer."""

    brought: Sequence[int]
    scores: LaneScores
    right: Collection[int]


def teach(folder: Path) -> Iterator[str]:
    for language, path in QUESTIONS_BY_LANGUAGE.items():
        pieces = cut_pages(folder / language)
        candidates = index_pieces(pieces, None, lambda _: None)
        packed = [one.terms for one in candidates]
        questions = [one for one in read_questions(path) if not one.held_out]
        prepared, _ = prepare_document_questions([one.question for one in questions])
        scored = []
        for question, one in zip(questions, prepared, strict=True):
            brought, scores, _ = score_brought(one, candidates, packed)
            scored.append(ScoredQuestion(brought.tolist(), scores, find_answers(question, pieces)))
        yield f"{language}: {len(scored)} questions"
        answered = [one for one in scored if one.right]
        yield from try_fusion(answered, is_chinese=language == "zh")
        yield from try_relevance(answered, [one for one in scored if not one.right])


def try_fusion(scored: Sequence[ScoredQuestion], *, is_chinese: bool) -> Iterator[str]:
    for dense, coverage in product(DENSE_WEIGHTS, COVERAGE_WEIGHTS):
        figures = []
        for one in scored:
            fused = fuse_lanes(one.scores, FusionConfig(dense, coverage), is_chinese=is_chinese).fused
            order = [one.brought[i] for i in np.argsort(-fused, kind="stable")]
            figures.append((hit_among(order, one.right), compute_ndcg(order, one.right)))
        hit, ndcg = np.mean(figures, axis=0)
        yield f"  vectors {dense}, coverage {coverage}: hit@5 {hit:.3f}, nDCG@10 {ndcg:.3f}"


def try_relevance(answered: Sequence[ScoredQuestion], others: Sequence[ScoredQuestion]) -> Iterator[str]:
    for share in COSINE_SHARES:
        own, other = (np.array([_find_best(one.scores, share) for one in among]) for among in (answered, others))
        limits = [float(np.quantile(own, 1 - passing)) for passing in ANSWERED]
        passing = "; ".join(
            f"{(own >= limit).mean():.2f} from {limit:.3f} on, and {(other >= limit).sum()} of {len(other)} others"
            for limit in limits
        )
        yield f"  cosine {share}: {passing}"


def _find_best(scores: LaneScores, share: float) -> float:
    mixed: Numbers = share * scores.cosine + (1 - share) * scores.coverage
    return float(mixed.max())


if __name__ == "__main__":
    run_program(lambda: teach(Path(sys.argv[1])))
