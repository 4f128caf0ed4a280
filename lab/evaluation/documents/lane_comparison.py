"""The gain of fusing the lanes: the product's own scores of all pieces, ranked in four ways."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.evaluation.documents.questions_of_pages import PagePiece, PageQuestion, find_answers
from lab.evaluation.documents.reliability import Numbers, render_reliability
from lab.evaluation.ranking.paired_bootstrap import compute_interval
from memory_platform.kernel.ids import new_id
from snapshots.embedding.embedding_spaces import Embedders, space_id
from snapshots.knowledge.index.chunk_index_writes import prepare_index_rows
from snapshots.knowledge.search.chunk_candidates import ChunkCandidate, LaneScores, score_candidates
from snapshots.knowledge.search.config import ANSWER_LIMITS, LANES_OF_DOCUMENTS
from snapshots.knowledge.search.document_question import DocumentQuestion, prepare_document_questions
from snapshots.knowledge.search.keyword_lane import score_chunks, weigh_terms_among
from snapshots.knowledge.search.lane_fusion import fuse_lanes
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.question import weigh_terms_by_sentence

HIT_DEPTH, NDCG_DEPTH = 5, 10
HYBRID, KEYWORD, DENSE, PLAIN = "hybrid", "words", "vectors", "BM25 alone"


@dataclass(frozen=True, slots=True)
class LaneFigures:
    """Of each question hit@5 and nDCG@10, shape (n, 2), by the way of ranking; the most relevant piece's relevance,
    shape (n,); and of the hybrid's first hits, best first, the relevance and whether it is right (0 or 1), shape
    (n, HIT_DEPTH, 2), nan where there are fewer."""

    questions: Sequence[PageQuestion]
    figures: Mapping[str, Numbers]
    relevance: Numbers
    hits: Numbers

    def render(self, *, held_out: bool | None) -> list[str]:
        """Return a line for each way, with what the hybrid gains over it in both and the intervals; then how many
        questions get an answer, of those that have one and of those that have none; then how often hits are right by
        their relevance, wrong where a question has no answer. ``held_out``: None is both halves."""
        asked = np.array([held_out in (None, one.held_out) for one in self.questions])
        has_answer = np.array([one.file is not None for one in self.questions])
        own = asked & has_answer
        half = {None: "", True: " that are held out", False: " that are not held out"}[held_out]
        lines = [f"{int(own.sum())} questions{half}"]
        if own.any():
            lines += self._render_ways(own)
        answered = self.relevance >= ANSWER_LIMITS.min_relevance
        for name, among in (("with", own), ("without", asked & ~has_answer)):
            if among.any():
                lines.append(f"  {int(answered[among].sum())} of {int(among.sum())} {name} an answer are answered")
        for name, hits in (("first passages", self.hits[asked, :1]), (f"first {HIT_DEPTH} passages", self.hits[asked])):
            relevance, right = hits[hits[..., 0] >= ANSWER_LIMITS.min_relevance].T  # what an answer shows
            lines += render_reliability(name, relevance, right)
        return lines

    def _render_ways(self, own: npt.NDArray[np.bool_]) -> Iterator[str]:
        for name, held in self.figures.items():
            hit, ndcg = held[own].mean(axis=0)
            line = f"  {name:<11} hit@5 {hit:.3f}  nDCG@10 {ndcg:.3f}"
            if name != HYBRID:
                gained = (self.figures[HYBRID] - held)[own]
                low, high = compute_interval(gained)
                gains = zip(gained.mean(axis=0), low, high, strict=True)
                line += "  hybrid " + ", ".join(f"{mean:+.3f} [{a:+.3f}, {b:+.3f}]" for mean, a, b in gains)
            yield line


def compare_lanes(
    pieces: Sequence[PagePiece],
    questions: Sequence[PageQuestion],
    embedders: Embedders | None = None,
    *,
    advance: Callable[[int], object] = lambda _: None,
) -> LaneFigures:
    """Rank all ``pieces`` for each question in each way. Nothing is stored."""
    candidates = index_pieces(pieces, embedders, advance)
    packed = [one.terms for one in candidates]
    prepared, _ = prepare_document_questions([one.question for one in questions], embedders)
    figures: dict[str, list[tuple[float, float]]] = {name: [] for name in (HYBRID, KEYWORD, DENSE, PLAIN)}
    relevance: list[float] = []
    hits = np.full((len(questions), HIT_DEPTH, 2), np.nan)
    for one, asked, row in zip(questions, prepared, hits, strict=True):
        right = find_answers(one, pieces)
        orders, relevances = _rank_in_all_ways(asked, candidates, packed)
        relevance.append(max(relevances.values()))
        best = orders[HYBRID][:HIT_DEPTH]
        row[: len(best)] = [(relevances[piece], piece in right) for piece in best]
        for name, order in orders.items():
            figures[name].append((hit_among(order, right), compute_ndcg(order, right)))
        advance(1)
    return LaneFigures(questions, {name: np.array(rows) for name, rows in figures.items()}, np.array(relevance), hits)


def hit_among(order: Sequence[int], right: Collection[int]) -> float:
    return float(any(one in right for one in order[:HIT_DEPTH]))


def compute_ndcg(order: Sequence[int], right: Collection[int]) -> float:
    """Return nDCG@10 with gains 0 and 1, where the first piece that is right answers wholly: the others repeat it."""
    ranks = (rank for rank, one in enumerate(order[:NDCG_DEPTH]) if one in right)
    return next((1 / math.log2(rank + 2) for rank in ranks), 0.0)


def index_pieces(
    pieces: Sequence[PagePiece], embedders: Embedders | None, advance: Callable[[int], object]
) -> list[ChunkCandidate]:
    """Return the pieces as the index would hold them."""
    rows = prepare_index_rows([(new_id(), one.place, one.text) for one in pieces], embedders=embedders, advance=advance)
    return [
        ChunkCandidate(
            one.chunk_id, i, one.chunk_id, one.terms, space_id(one.embedder) if one.embedder else None, one.vector
        )
        for i, one in enumerate(rows)
    ]


def rank_pieces(candidates: Sequence[ChunkCandidate], texts: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the best candidates for each text, in the order of both lanes together."""
    packed = [one.terms for one in candidates]
    prepared, _ = prepare_document_questions(texts)
    return [_rank_in_all_ways(one, candidates, packed)[0][HYBRID] for one in prepared]


def score_brought(
    question: DocumentQuestion, candidates: Sequence[ChunkCandidate], packed: Sequence[bytes]
) -> tuple[npt.NDArray[np.int64], LaneScores, LaneScores]:
    """Return the numbers of the pieces that either lane brings, their scores, and the scores of all pieces."""
    scores = score_candidates(candidates, weigh_terms_among(packed, question.terms), question)
    depth = LANES_OF_DOCUMENTS.depth
    brought = np.array(sorted({*_list_best(scores.keyword)[:depth], *_list_best(scores.cosine)[:depth]}), np.int64)
    return brought, LaneScores(scores.keyword[brought], scores.coverage[brought], scores.cosine[brought]), scores


def _rank_in_all_ways(
    question: DocumentQuestion, candidates: Sequence[ChunkCandidate], packed: Sequence[bytes]
) -> tuple[Mapping[str, list[int]], Mapping[int, float]]:
    """Return the best pieces by way of ranking, and the relevance of those that either lane brings."""
    brought, among, scores = score_brought(question, candidates, packed)
    plain, _ = score_chunks(
        packed, weigh_terms_among(packed, weigh_terms_by_sentence(question.text, DEFAULT_RECALL.scoring))
    )
    fused = fuse_lanes(among, is_chinese=question.is_chinese)
    orders = {
        HYBRID: brought[_list_best(fused.fused)].tolist(),
        KEYWORD: _list_best(scores.keyword),
        DENSE: _list_best(scores.cosine),
        PLAIN: _list_best(plain),
    }
    return orders, dict(zip(brought.tolist(), fused.relevance.tolist(), strict=True))


def _list_best(scores: Numbers) -> list[int]:
    return [int(at) for at in np.argsort(-scores, kind="stable")[: LANES_OF_DOCUMENTS.depth * 2]]
