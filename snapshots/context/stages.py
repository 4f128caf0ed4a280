"""The stages of one context, each as what it has: the query, all models asked, all rows read, a draft, the answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.errors import NotFound
from snapshots.context.gathering.scene import Scene, Surroundings
from snapshots.context.policy import ContextPolicy
from snapshots.context.turn.route import ModelRoute
from snapshots.context.values import AssembledContext, ContextRequest, Passage
from snapshots.models import Receipt
from snapshots.recall.answer import Recalled
from snapshots.recall.degraded import DegradedReason
from snapshots.recall.filtering.grammar import FilterNode
from snapshots.recall.policy import DEFAULT_RECALL, RecallPolicy
from snapshots.recall.question import Question, Stopwatch


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """One request for a context. Intent and phase in ``request`` are the caller's; None leaves them to the rules.

    ``tasks``: whether the tasks in progress may go in; ``replies``: whether what the assistant said may, also where the
    query does not ask for it; ``knowledge``: whether documents may, of which none are held yet, as the answer says.
    ``recall`` steers which memories are found, ``filter`` narrows them as it does there; ``experiment`` and ``arm`` by
    name are the subject's part in one.
    """

    request: ContextRequest
    policy_version: str
    conversation_id: str | None = None
    tasks: bool = False
    knowledge: bool = False
    replies: bool = False
    filter: FilterNode | None = None
    recall: RecallPolicy = DEFAULT_RECALL
    experiment: str = ""
    arm: str = ""
    # Whether a chat model may be asked what the turn is after.
    by_model: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """What was read for one context."""

    found: Recalled
    around: Surroundings = field(default_factory=Surroundings)
    scene: Scene | None = None
    tasks: tuple[Passage, ...] = ()
    missing: frozenset[DegradedReason] = frozenset()

    @property
    def degraded(self) -> frozenset[DegradedReason]:
        """What was missing meanwhile."""
        without_redis = self.scene is not None and self.scene.window.degraded
        return self.found.degraded | self.missing | ({DegradedReason.REDIS_UNAVAILABLE} if without_redis else set())


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A request for which every model has been asked, to be answered from what is remembered, also more than once.

    ``asked`` has its intent; ``missing``: what could not be asked.
    """

    subject: str
    asked: ContextQuery
    question: Question
    policy: ContextPolicy
    missing: frozenset[DegradedReason]
    watch: Stopwatch


@dataclass(frozen=True, slots=True)
class Draft:
    """A context of which nothing is written yet."""

    prepared: PreparedQuery
    findings: Findings
    context: AssembledContext
    route: ModelRoute

    @property
    def subject_id(self) -> UUID | None:
        """The subject's row; None for an unknown subject, which stays unknown."""
        return self.findings.found.subject_id


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """A context, its receipt, and milliseconds by stage. An unknown subject leaves no receipt."""

    asked: ContextQuery
    context: AssembledContext
    route: ModelRoute
    receipt_left: Receipt | None
    degraded_reason: str | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def subject_id(self) -> UUID | None:
        """The subject's row, None for an unknown subject."""
        return self.receipt_left.subject_id if self.receipt_left else None

    @property
    def receipt(self) -> Receipt:
        """The receipt of a known subject. Raises NotFound for an unknown one."""
        if self.receipt_left is None:
            raise NotFound("receipt")
        return self.receipt_left
