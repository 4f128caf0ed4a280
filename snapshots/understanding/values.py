"""Values of extraction: an utterance in, candidates out, each with the words that prove it.

A candidate is a proposal. The gate decides whether it is proven and allowed; the writer, who knows the current beliefs,
whether it is new. Its ``origin`` names the classifier or model and its version; "" means patterns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

CandidateSort = Literal["explicit", "implicit", "change", "constraint"]
PreferenceMode = Literal["set", "add", "remove", "replace"]
FactMode = Literal["overwrite", "append", "remove"]
TagKind = Literal["place", "contact", "thing"]
RejectionReason = Literal[
    "evidence_missing",
    "not_the_subject",
    "not_asserted",
    "one_off",
    "schema",
    "sensitive",
    "instruction",
    "unsupported",
    "forgotten",
    "echo",
]


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A number with its unit: 22 °C, 40 %."""

    value: int | float
    unit: str

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".strip()

    def to_json(self) -> dict[str, int | float | str]:
        return {"value": self.value, "unit": self.unit}


CandidateValue = str | bool | tuple[str, ...] | MeasuredValue

PROFILE_FIELDS = frozenset({"name", "occupation", "interests", "mbti", "age_range", "locale", "timezone"})


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message as extraction sees it. ``name`` None means the subject's own words; ``said_at`` is aware, UTC."""

    message_key: str
    role: str
    name: str | None
    text: str
    said_at: datetime
    seq: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words that prove a candidate: ``quote`` stands in message ``message_key`` from character ``start``."""

    message_key: str
    quote: str
    start: int

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.start + len(self.quote)


@dataclass(frozen=True, slots=True)
class FactCandidate:
    """A profile field or free attribute (any field outside ``PROFILE_FIELDS``), in the subject's own words.

    ``interests`` come one entry at a time with mode ``append`` (or ``remove``); other fields are overwritten.
    ``replaces`` is the old value when the subject corrected it.
    """

    field: str
    value: str
    evidence: Evidence
    mode: FactMode = "overwrite"
    replaces: str | None = None
    provenance: str = "confirmed_by_user"
    confidence: float = 0.9
    origin: str = ""

    @property
    def is_attribute(self) -> bool:
        return self.field not in PROFILE_FIELDS

    @property
    def value_texts(self) -> tuple[str, ...]:
        return (self.value,)


@dataclass(frozen=True, slots=True)
class PreferenceCandidate:
    """One preference in the convention of the preference table.

    ``add`` and ``remove`` carry list entries; ``set`` carries the whole value; ``replace`` exchanges ``replaces`` for
    ``value``. ``category`` and ``key`` are None only for a change that did not name its object: it changes the current
    value equal to ``replaces``, or, without one, the newest value of the same conversation with the same unit. Such a
    ``remove`` takes its value out wherever it stands; such a ``set`` changes nothing. ``statement`` is the utterance,
    sensitive data masked.
    """

    category: str | None
    key: str | None
    value: CandidateValue
    statement: str
    mode: PreferenceMode
    sort: CandidateSort
    evidence: Evidence
    replaces: str | None = None
    provenance: str = "confirmed_by_user"
    confidence: float = 0.9
    origin: str = ""

    @property
    def value_texts(self) -> tuple[str, ...]:
        return self.value if isinstance(self.value, tuple) else (str(self.value),)


@dataclass(frozen=True, slots=True)
class TagCandidate:
    """A labelled place or contact. None means no news: an address without a phone keeps the stored phone."""

    label: str
    kind: TagKind
    evidence: Evidence
    address: str | None = None
    phone: str | None = None
    relation: str | None = None
    aliases: tuple[str, ...] = ()
    provenance: str = "confirmed_by_user"
    confidence: float = 0.9
    origin: str = ""

    @property
    def value_texts(self) -> tuple[str, ...]:
        """The values that it would bring into memory, its label first."""
        return (self.label, *filter(None, (self.address, self.phone)), *self.aliases)


Candidate = FactCandidate | PreferenceCandidate | TagCandidate


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why something did not become memory. ``candidate`` is None when a whole clause was refused before analysis."""

    reason: RejectionReason
    evidence: Evidence
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """The accepted and the rejected candidates."""

    accepted: tuple[Candidate, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class NearbyPeople:
    """Contacts that the user named in the turn before, everything that was said in it and since, and all known
    contacts and named things."""

    contacts: tuple[TagCandidate, ...] = ()
    recent_text: str = ""
    known_tags: tuple[TagCandidate, ...] = ()


NOBODY = NearbyPeople()


@dataclass(frozen=True, slots=True)
class CurrentValue:
    """A current value: of a preference or profile field (``key`` names either), an entry of its list, or the
    ``address`` or ``phone`` of a tag. ``is_others``: it belongs to somebody else."""

    key: str
    text: str
    is_others: bool = False

    @property
    def limit(self) -> str:
        """The kind of limit, "" for none: a limit is only lifted by words that lift it."""
        return next((name for name in LIMITS if self.key == name or self.key.startswith(f"{name}_")), "")

    @property
    def is_exact(self) -> bool:
        """Whether a part of it means nothing alone: of an address, a number, the name of a company."""
        return self.key in {"address", "phone", "employer"}


AVOID = "avoid"
# Keys of lists of things to be kept away from the user.
LIMITS = ("allergies", AVOID, "dislikes")


@dataclass(frozen=True, slots=True)
class GradedSpan:
    """The probabilities that characters ``start`` to ``end`` of a message last, and that they are about another; and
    whether, if they last, they are a plan."""

    start: int
    end: int
    lasting: float
    other: float
    is_plan: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """The context of an utterance: the subject's own names, the assistant's turn before it, the people that the user
    named just before, the statement that a bare answer makes (``is_offered``: in the assistant's words), current values
    that it may correct, and the grades of its clauses."""

    own_names: frozenset[str] = frozenset()
    previous: str | None = None
    nearby: NearbyPeople = NOBODY
    restatement: str = ""
    is_offered: bool = False
    current_values: tuple[CurrentValue, ...] = ()
    graded: tuple[GradedSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """All candidates of one utterance. ``corrections`` are the changes of the fast lane, not repeated elsewhere."""

    facts: tuple[FactCandidate, ...] = ()
    preferences: tuple[PreferenceCandidate, ...] = ()
    tags: tuple[TagCandidate, ...] = ()
    corrections: tuple[FactCandidate | PreferenceCandidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractiveDraft:
    """A snapshot made of a message's or conversation's own words: masked text, importance 0..1, topics, source keys."""

    kind: Literal["conversation", "segment", "statement"]
    text: str
    importance: float
    topics: tuple[str, ...]
    category: str | None
    sources: tuple[str, ...]
    masked: int
    details: Mapping[str, str] = field(default_factory=dict)
