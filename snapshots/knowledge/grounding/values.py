"""A text to be checked, and the findings for each of its sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from snapshots.knowledge.grounding.config import LIMITS
from snapshots.knowledge.search.values import DocumentScope, PassageCitation
from snapshots.recall.values import DegradedReason

DifferenceKind = Literal["number", "name", "denial", "opposite", "statement"]
GroundingJudge = Literal["words", "model"]

# All documents without an access label.
EVERYTHING = DocumentScope()


@dataclass(frozen=True, slots=True)
class GroundingQuery:
    """A text. The documents are narrowed as in a search; ``asks_model`` lets a chat model judge."""

    text: str
    scope: DocumentScope = EVERYTHING
    document_ids: tuple[str, ...] = ()
    limit: int = LIMITS.sentences
    asks_model: bool = False


@dataclass(frozen=True, slots=True)
class FactDifference:
    """A difference between a sentence and its evidence: its own words, and the document's; "" where one has none."""

    kind: DifferenceKind
    sentence_words: str
    document_words: str


@dataclass(frozen=True, slots=True)
class GroundedSentence:
    """A sentence, ``[start:end]`` of the text, with the passage that comes nearest to it, if any."""

    text: str
    start: int
    end: int
    is_supported: bool
    support: float
    judge: GroundingJudge = "words"
    citation: PassageCitation | None = None
    quote: str = ""
    differences: Sequence[FactDifference] = ()


@dataclass(frozen=True, slots=True)
class GroundingReport:
    """The sentences in their order; ``left_out`` counts those beyond the limit, or for which no time was left."""

    sentences: Sequence[GroundedSentence]
    left_out: int = 0
    degraded: frozenset[DegradedReason] = frozenset()
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def checked_until(self) -> int:
        """The character of the text after the last sentence that was checked."""
        return self.sentences[-1].end if self.sentences else 0
