"""Input values of a receipt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from memory_platform.kernel.errors import Unavailable


class ContextOutdated(Unavailable):
    """The content of a context was changed or erased while it was made. HTTP 503: a retry shows the current content."""

    code = "context_outdated"

    def __init__(self) -> None:
        super().__init__("The memory changed while the context was made. Try again.")


VITAL, LASTING = "vital", "lasting"


class ReceiptCandidate(NamedTuple):
    """One candidate of a context, without its words.

    ``context_position`` counts from 1 in reading order; None if it was left out. ``explain``: ranks, scores and factors
    without their names, in the order of :mod:`snapshots.receipts.candidate_packing`. ``relevance`` and ``threshold``
    are those of a memory that competed for the question; ``standing`` names the reason of one that is in every context:
    :data:`VITAL` or :data:`LASTING`. ``passage`` is the place of a document's passage, without names, in the order of
    :data:`snapshots.receipts.candidate_packing.PASSAGE_PARTS`.
    """

    memory_id: str
    lane: str
    kind: str
    candidate_score: float
    decision_reason: str
    tokens: int
    guardrail_hit: str | None = None
    context_position: int | None = None
    explain: tuple[Any, ...] | None = None
    relevance: float | None = None
    threshold: float | None = None
    standing: str = ""
    passage: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """The question and the prompt. In text format ``messages`` is empty and ``text`` holds it all.

    ``places``: the places of candidates, as (position, message, start, end), ``message`` 0 in a text; none in receipts
    of release 1.
    """

    query: str
    messages: Sequence[Mapping[str, Any]] = ()
    text: str | None = None
    places: Sequence[Sequence[int]] = ()

    def text_at(self, place: Sequence[int]) -> str:
        _, message, start, end = place
        told = self.text if self.text is not None else self.messages[message].get("content")
        return str(told or "")[start:end]


@dataclass(frozen=True, slots=True)
class ReceiptDraft:
    """One assembled context, ready to be recorded. ``sections`` and ``tokens`` as the API shows them.

    ``epoch``: that of the subject's memory when it was read; None skips the check that it is still the same.
    ``documents``: those whose words it shows.
    """

    subject_id: UUID
    policy_version: str
    rendered: RenderedPrompt
    candidates: Sequence[ReceiptCandidate] = ()
    conversation_id: UUID | None = None
    intent: str | None = None
    phase: str | None = None
    model_route: Mapping[str, Any] | None = None
    sections: Sequence[Mapping[str, Any]] = ()
    tokens: Mapping[str, Any] = field(default_factory=dict)
    prefix_hash: str = ""
    abstained: str | None = None
    degraded_reason: str | None = None
    experiment: str = ""
    arm: str = ""
    epoch: int | None = None
    made_by: Mapping[str, str] = field(default_factory=dict)
    documents: Sequence[UUID] = ()
