"""The types of context assembly: the request, the candidates, and the result with its reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

from snapshots.knowledge.search.values import PassageCitation
from snapshots.models import NoteGrade
from snapshots.recall.times.plan_dates import parse_last_day
from snapshots.recall.values import Explanation

MemoryOrder = Literal["u_shape", "relevance_first"]
PromptFormat = Literal["messages", "text", "plain"]
MemoryStyle = Literal["grouped", "compact", "full"]
Language = Literal["en", "zh"]
CandidateLane = Literal["profile", "preferences", "tags", "snapshots", "documents", "tasks", "summary"]


class SectionName(StrEnum):
    """The sections of a context, in the order in which a model reads them; the values are public."""

    SYSTEM = "system"
    GUIDE = "guide"
    PROFILE = "profile"
    MEMORY = "memory"
    TASK = "task"
    KNOWLEDGE = "knowledge"
    SUMMARY = "summary"
    WINDOW = "window"
    QUERY = "query"


class DecisionReason(StrEnum):
    """Why a candidate is in the context, or is not; the values are public (``decision_reason`` of a receipt)."""

    KEPT = "kept"
    OVER_BUDGET = "over_budget"
    DUPLICATE_OF_WINDOW = "duplicate_of_window"
    DUPLICATE_OF_PROFILE = "duplicate_of_profile"
    DUPLICATE_OF_MEMORY = "duplicate_of_memory"
    UNTRUSTED_INSTRUCTION = "untrusted_instruction"
    BELOW_FLOOR = "below_floor"
    NOT_NEEDED = "not_needed"
    EXPIRED = "expired"


class Guardrail(StrEnum):
    """A problem that the prompt fence found in a text (``guardrail_hit`` of a receipt), the most serious first."""

    INSTRUCTION = "instruction"
    FORGED_MEMORY = "forged_memory"
    UNSEEN_CHARACTERS = "unseen_characters"


@dataclass(frozen=True, slots=True)
class TextLooks:
    """``plain``: the text enters a prompt unchanged. ``instructs``: it instructs the model."""

    plain: bool
    instructs: bool
    guardrail: Guardrail | None


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One memory that may become an ``user_memory`` element; ``relevance`` and ``confidence`` are 0..1. ``score``
    orders items of one call; below ``least`` the question does not take it. ``grade``, ``vital``, ``vital_class``,
    ``words`` (its own words in its message) and ``statement_ids`` (messages that say it) are a note's. ``is_noted``:
    notes say all of it. ``doubted_since``: possibly untrue since then; ``ended_at``: untrue since then.
    """

    lane: CandidateLane
    id: str
    kind: str
    text: str
    confidence: float
    provenance: str
    score: float = 0.0
    relevance: float = 1.0
    category: str = "general"
    valid_since: datetime | None = None
    message_keys: frozenset[str] = frozenset()
    untrusted_instruction: bool = False
    looks: TextLooks | None = None
    explain: Explanation | None = None
    least: float = 0.0
    grade: str = ""
    vital: bool = False
    vital_class: str = ""
    words: str = ""
    statement_ids: frozenset[str] = frozenset()
    is_noted: bool = False
    is_limit: bool = False
    doubted_since: datetime | None = None
    ended_at: datetime | None = None

    @property
    def planned_until(self) -> date | None:
        """The last day of a dated plan; None for anything else."""
        if self.grade != NoteGrade.PLAN or self.valid_since is None:
            return None
        return parse_last_day(self.text, self.valid_since.date())

    @property
    def is_refused(self) -> bool:
        """Whether it must not enter a prompt: it gives orders. A vital one stays, with a caution."""
        return self.untrusted_instruction and not self.vital


@dataclass(frozen=True, slots=True)
class PassageSource:
    """Where a passage stands: the row of its ``document``, its chunks, the ``position`` of the first, and how it is
    cited. ``number`` counts the passages of one context from 1, the best first."""

    number: int
    document: UUID
    chunk_ids: tuple[str, ...]
    position: int
    citation: PassageCitation


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that is no memory: a running summary, a task, a part of a document (``source`` says which, ``relevance``
    how well it fits the question, 0 to 1, at ``least`` what was asked for). ``untrusted_instruction``: it holds orders;
    it stays, with a caution beside it."""

    lane: CandidateLane
    id: str
    text: str
    label: str = ""
    score: float = 0.0
    source: PassageSource | None = None
    relevance: float | None = None
    least: float = 0.0
    untrusted_instruction: bool = False
    looks: TextLooks | None = None


@dataclass(frozen=True, slots=True)
class StandingProfile:
    """The subject's profile, read without search. ``locale`` (BCP 47 or None) chooses the guide's language. ``notes``
    are in every prefix: vital ones, limits and habits."""

    locale: str | None = None
    fields: tuple[MemoryItem, ...] = ()
    attributes: tuple[MemoryItem, ...] = ()
    preferences: tuple[MemoryItem, ...] = ()
    tags: tuple[MemoryItem, ...] = ()
    notes: tuple[MemoryItem, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextTurn:
    """One recent message of the window; sources of memories use the same ``key``."""

    key: str
    role: str
    content: str | None
    name: str | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class BudgetRequest:
    """Tokens that the caller grants. A section that it names gets at most that; None leaves it to the policy."""

    total: int | None = None
    system: int | None = None
    profile: int | None = None
    memory: int | None = None
    window: int | None = None
    knowledge: int | None = None


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Input of context assembly. ``intent_read``: ``intent`` was detected, so it changes no size.
    ``tenant_locale`` applies if neither subject nor system prompt has a language. ``at`` is the question's time in the
    subject's zone; None omits its date. ``min_relevance`` is the minimum; None uses the policy's. ``strict`` never
    fills room with memories below it. ``asks_for_all``: the query asks for all memories. ``order``: None is "u_shape",
    or oldest first for a whole small memory. ``citations``: passages of documents carry numbers to cite."""

    query: str
    system_prompt: str = ""
    budget: BudgetRequest = field(default_factory=BudgetRequest)
    intent: str | None = None
    intent_read: bool = False
    phase: str | None = None
    order: MemoryOrder | None = None
    format: PromptFormat = "messages"
    style: MemoryStyle | None = None
    guide: bool = True
    at: datetime | None = None
    tenant_locale: str | None = None
    min_relevance: float | None = None
    strict: bool = False
    asks_for_all: bool = False
    citations: bool = False

    @property
    def intent_named(self) -> str | None:
        return None if self.intent_read else self.intent


@dataclass(frozen=True, slots=True)
class ContextMaterial:
    """All that may go in. ``turns`` are oldest first; ``full_history_tokens``: the tokens of sending everything.
    ``said_first``: the user's first turns, which may decide the language of the guide. ``needs``: how probably the
    query needs memory; ``held_back``: recall left something out.
    """

    profile: StandingProfile = field(default_factory=StandingProfile)
    memories: tuple[MemoryItem, ...] = ()
    turns: tuple[ContextTurn, ...] = ()
    summary: Passage | None = None
    tasks: tuple[Passage, ...] = ()
    knowledge: tuple[Passage, ...] = ()
    full_history_tokens: int = 0
    said_first: tuple[str, ...] = ()
    needs: float = 1.0
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class CandidateDecision:
    """The decision on one candidate. ``position`` counts from 1 in reading order; None when it was left out.
    ``relevance`` is None for candidates in every context; ``least`` is the relevance required of this one. ``source``
    is that of a passage of a document."""

    lane: CandidateLane
    id: str
    kind: str
    section: SectionName
    score: float
    tokens: int
    reason: DecisionReason
    position: int | None = None
    guardrail: Guardrail | None = None
    relevance: float | None = None
    least: float = 0.0
    explain: Explanation | None = None
    is_vital: bool = False
    source: PassageSource | None = None


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section: tokens with framing, items in it, and items offered but left out."""

    name: SectionName
    tokens: int
    items: int
    dropped: int


@dataclass(frozen=True, slots=True)
class TokenReport:
    """``total`` is the sum of the sections, at most ``budget``; ``saved_ratio`` is 0..1."""

    total: int
    budget: int
    full_history: int
    saved_ratio: float
    counter: str


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """Message 0: SHA-256 of its UTF-8 content (hex), its tokens, and the messages after which a cache may break."""

    hash: str
    tokens: int
    breakpoints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SpanInPrompt:
    """Where the candidate at ``position`` stands: message (0 for one text), first character, and the one after the
    last."""

    position: int
    message: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MemoryRoom:
    """The bounds of the memory section in tokens: room ``carried`` from other sections, and ``free`` in the total."""

    carried: int
    free: int
    grows: bool


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """A context to send. ``abstained``: why it has no memory of this turn; ``threshold``: least relevance."""

    messages: tuple[dict[str, Any], ...]
    text: str | None
    sections: tuple[SectionReport, ...]
    tokens: TokenReport
    prefix: PrefixReport
    decisions: tuple[CandidateDecision, ...]
    places: tuple[SpanInPrompt, ...]
    intent: str | None
    phase: str | None
    language: Language
    memory_room: MemoryRoom
    abstained: str | None = None
    threshold: float = 0.0
