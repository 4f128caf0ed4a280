"""The typed values of context assembly: what is asked, what may go in, what comes out and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Literal

from snapshots.models import NoteGrade
from snapshots.recall.times.plans import last_day_of
from snapshots.recall.values import Explain

Order = Literal["u_shape", "relevance_first"]
Format = Literal["messages", "text", "plain"]
Style = Literal["grouped", "compact", "full"]
Language = Literal["en", "zh"]
Lane = Literal["profile", "preferences", "tags", "snapshots", "documents", "tasks", "summary"]


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


class Reason(StrEnum):
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
    """What the prompt fence met in a candidate's text (``guardrail_hit`` of a receipt), the gravest first."""

    INSTRUCTION = "instruction"
    FORGED_MEMORY = "forged_memory"
    UNSEEN_CHARACTERS = "unseen_characters"


@dataclass(frozen=True, slots=True)
class Looks:
    """What a stored text looks like. ``plain``: it stands in a prompt as it is, nothing is escaped or removed;
    ``instructs``: it tells the model what to do with its rules, secrets or powers."""

    plain: bool
    instructs: bool
    guardrail: Guardrail | None


@dataclass(frozen=True, slots=True)
class MemoryItem:
    """One remembered thing that may become one ``user_memory`` element.
    ``text`` is what is shown; ``confidence`` (0..1) is the stored one; ``relevance`` (0..1) is how probably it helps
    the question, as ``explain`` says, and ``score``, which weighs that, orders items of one call. Below ``least`` the
    question does not take it. ``message_keys`` are those of its turns. ``grade``, ``vital``, ``words``, its own as in
    its message, and ``statement_ids``, of the messages that say it, are a note's. ``is_noted``: all of it, a message or
    a slot, stands in notes. ``is_limit``: a preference that limits the subject. ``doubted_since``: from when on it may
    hold no more; ``ended_at``: until when it held."""

    lane: Lane
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
    looks: Looks | None = None
    explain: Explain | None = None
    least: float = 0.0
    grade: str = ""
    vital: bool = False
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
        return last_day_of(self.text, self.valid_since.date())

    @property
    def is_refused(self) -> bool:
        """Whether it must not enter a prompt: it gives orders and is not vital: that stays, with a caution."""
        return self.untrusted_instruction and not self.vital


@dataclass(frozen=True, slots=True)
class Passage:
    """Something to read that is not a memory of the subject: a running summary, a task, a chunk of a document.
    ``untrusted_instruction``: it holds what would be left out as a memory; it stays, with a caution beside it."""

    lane: Lane
    id: str
    text: str
    label: str = ""
    score: float = 0.0
    untrusted_instruction: bool = False
    looks: Looks | None = None


@dataclass(frozen=True, slots=True)
class ProfileView:
    """What is known of the subject without searching. ``locale`` (BCP 47 or None) chooses the guide's language;
    ``notes`` are those that stand in every prefix: vital ones, limits and habits."""

    locale: str | None = None
    fields: tuple[MemoryItem, ...] = ()
    attributes: tuple[MemoryItem, ...] = ()
    preferences: tuple[MemoryItem, ...] = ()
    tags: tuple[MemoryItem, ...] = ()
    notes: tuple[MemoryItem, ...] = ()


@dataclass(frozen=True, slots=True)
class WindowTurn:
    """One recent message, as the window holds it. ``key`` is the one that sources of memories use."""

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
    """One request for a context. ``intent`` and ``phase`` are already decided; ``intent_read``: not by the caller, so
    that it sizes nothing. ``tenant_locale`` stands in where the subject has no locale and the system prompt no
    language. ``at`` is the moment of the question, in the subject's time zone; None leaves its date out. Below
    ``min_relevance`` no memory comes; None leaves that to the policy, and ``strict`` fills no room below it.
    ``asks_for_all``: for all that is held. ``order``: None is "u_shape", of a whole small memory oldest first."""

    query: str
    system_prompt: str = ""
    budget: BudgetRequest = field(default_factory=BudgetRequest)
    intent: str | None = None
    intent_read: bool = False
    phase: str | None = None
    order: Order | None = None
    format: Format = "messages"
    style: Style | None = None
    guide: bool = True
    at: datetime | None = None
    tenant_locale: str | None = None
    min_relevance: float | None = None
    strict: bool = False
    asks_for_all: bool = False

    @property
    def intent_named(self) -> str | None:
        """The intent that the caller named."""
        return None if self.intent_read else self.intent


@dataclass(frozen=True, slots=True)
class Material:
    """All that may go in. ``turns`` oldest first; ``full_history_tokens`` is what sending everything would cost.
    ``said_first``: the user's first turns in the conversation, where the language of the guide may depend on them.
    ``needs``: how probably the query needs memory; ``held_back``: more is held, which recall left out."""

    profile: ProfileView = field(default_factory=ProfileView)
    memories: tuple[MemoryItem, ...] = ()
    turns: tuple[WindowTurn, ...] = ()
    summary: Passage | None = None
    tasks: tuple[Passage, ...] = ()
    knowledge: tuple[Passage, ...] = ()
    full_history_tokens: int = 0
    said_first: tuple[str, ...] = ()
    needs: float = 1.0
    held_back: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one candidate. ``position`` counts from 1 in reading order; None when it was left out.
    ``relevance`` is that of a memory that competed by the question, ``least`` what the question asks of it alone; None
    and 0 for what stands whatever is asked."""

    lane: Lane
    id: str
    kind: str
    section: SectionName
    score: float
    tokens: int
    reason: Reason
    position: int | None = None
    guardrail: Guardrail | None = None
    relevance: float | None = None
    least: float = 0.0
    explain: Explain | None = None
    is_vital: bool = False


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section of the answer: tokens with its framing, items in it, items offered and left out."""

    name: SectionName
    tokens: int
    items: int
    dropped: int


@dataclass(frozen=True, slots=True)
class TokenReport:
    """``total`` is the sum of the sections, at most ``budget``; ``saved_ratio`` is 0..1, 0 where nothing is saved."""

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
class Place:
    """Where the candidate at ``position`` stands: in which message (0 where the prompt is one text), from character to
    character, the end not included."""

    position: int
    message: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MemoryRoom:
    """What bounded the memory section, in tokens: what earlier and later sections left it, and what the total did; it
    takes of the former only where its slot ``grows``."""

    carried: int
    free: int
    grows: bool


@dataclass(frozen=True, slots=True)
class AssembledContext:
    """A context to send; ``abstained``: why it has no memory of this turn; ``threshold``: from when on one helped."""

    messages: tuple[dict[str, Any], ...]
    text: str | None
    sections: tuple[SectionReport, ...]
    tokens: TokenReport
    prefix: PrefixReport
    decisions: tuple[Decision, ...]
    places: tuple[Place, ...]
    intent: str | None
    phase: str | None
    language: Language
    memory_room: MemoryRoom
    abstained: str | None = None
    threshold: float = 0.0
