"""The numbers of searching documents, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised

_SCALE = "times of searches among 10,000, 100,000 and 1,000,000 chunks"
_PAGES = "248 questions that are not held out, and 60 without an answer; lab/notes/document-answers.md"
_QUESTIONS = "56 questions over Node's documentation, half of them held out; lab/notes/knowledge-index.md"

_WEIGHTS = "248 questions that are not held out, with weights of 0 to .6; lab/notes/knowledge-index.md"
_CELLS = "60 questions among 100,000 chunks, with 16 to 48 cells and all; lab/notes/knowledge-speed.md"


@dataclass(frozen=True, slots=True)
class LaneConfig:
    """How much each lane reads."""

    # Chunks that each lane brings.
    depth: int = promised(50)
    # Terms of a question that are looked up, the weightiest first.
    query_terms: int = assumed(48, owner="knowledge", settle_by="lengths of real questions about documents")
    # The share of a term's weight, times the cosine, for a word near in meaning; and how many such words it has.
    related_share: float = measured(0.5, source=_QUESTIONS)
    related_terms: int = measured(5, source=_QUESTIONS)
    # Cells that the vectors of a question are compared with; fewer cells are read whole, so that the search is exact.
    cells: int = measured(32, source=_CELLS)
    # From so many chunks in the searched parts on, the weaker postings of frequent terms are not read.
    weak_until: int = assumed(150_000, owner="knowledge", settle_by=_SCALE)
    # Documents of a filter that hold at most so many chunks are searched one by one.
    filtered: int = assumed(4_000, owner="knowledge", settle_by="time of searches with filters in production")
    # Chunks that each lane brings when a filter leaves many documents.
    filtered_depth: int = assumed(400, owner="knowledge", settle_by="share of documents that real filters leave")


@dataclass(frozen=True, slots=True)
class FusionConfig:
    """How the lanes become one order: a weighted sum of their scores, each 0 to 1."""

    dense_weight: float = measured(0.4, source=_WEIGHTS)
    # A chunk that holds more of the question's rare words gains beyond its BM25.
    coverage_weight: float = measured(0.2, source=_QUESTIONS)


@dataclass(frozen=True, slots=True)
class ChunkRelevanceConfig:
    """The log-odds of a chunk's relevance; ``lab.teaching.documents.search_weights`` prints what others give. Of the
    questions with an answer 96 % (English) and 97 % (Chinese) have a chunk that is not doubtful."""

    base: float = measured(-5.2, source=_PAGES)
    # Chinese texts share less of a question's characters and pairs.
    base_chinese: float = measured(-4.25, source=_PAGES)
    cosine: float = measured(5.0, source=_PAGES)
    coverage: float = measured(5.0, source=_PAGES)
    # Where no chunk has more relevance, each keeps this share of its own.
    doubtful: float = measured(0.1, source=_PAGES)
    doubtful_share: float = measured(0.5, source=_PAGES)


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """Limits of an answer of the search."""

    top_k: int = promised(5)
    top_k_most: int = promised(50)
    # Less relevance than this is no answer: half of what a question's best chunk has to have.
    min_relevance: float = measured(0.05, source=_PAGES)
    # Chunks that a reranker reads.
    reranked: int = assumed(40, owner="knowledge", settle_by="nDCG by the number of chunks reranked")
    # Chunks that may be merged into one passage.
    merged: int = assumed(3, owner="knowledge", settle_by="lengths of passages that answer questions")


@dataclass(frozen=True, slots=True)
class RewordingConfig:
    """How the orders of several wordings are fused by their reciprocal ranks."""

    rank_k: float = assumed(10.0, owner="knowledge", settle_by="wordings of a real chat model")
    own_words: float = assumed(3.0, owner="knowledge", settle_by="wordings of a real chat model")
    other_words: float = assumed(1.0, owner="knowledge", settle_by="wordings of a real chat model")


LANES_OF_DOCUMENTS = LaneConfig()
FUSION = FusionConfig()
RELEVANCE_OF_CHUNKS = ChunkRelevanceConfig()
ANSWER_LIMITS = AnswerLimits()
REWORDING = RewordingConfig()
