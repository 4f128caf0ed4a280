"""The typed values that flow through extraction: utterance in, candidates out, each with the words that prove it.

A candidate is a proposal. Whether it becomes memory is decided by the gate (is it proven, is it allowed?) and then by
the writer, who knows what is believed now (is it new, does it contradict?). Its ``origin`` names what read it and in
which version; "" means the rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Sort = Literal["explicit", "implicit", "change", "constraint"]
Mode = Literal["set", "add", "remove", "replace"]
FactMode = Literal["overwrite", "append", "remove"]
TagKind = Literal["place", "contact", "thing"]
Reason = Literal[
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
class Quantity:
    """A number with its unit: 22 °C, 40 %."""

    value: int | float
    unit: str

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".strip()

    def as_json(self) -> dict[str, int | float | str]:
        """Return what is stored as the JSON value of a preference."""
        return {"value": self.value, "unit": self.unit}


Value = str | bool | tuple[str, ...] | Quantity

PROFILE_FIELDS = frozenset({"name", "occupation", "interests", "mbti", "age_range", "locale", "timezone"})


@dataclass(frozen=True, slots=True)
class Utterance:
    """One message as extraction sees it. ``name`` null means the subject's own words; ``said_at`` is aware, UTC."""

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
        """From character to character of the message, the end not included."""
        return self.start, self.start + len(self.quote)


@dataclass(frozen=True, slots=True)
class ProfileFact:
    """A profile field or free attribute (any field outside ``PROFILE_FIELDS``), in the subject's own words.

    ``interests`` come one entry at a time with mode ``append`` (or ``remove``); all else overwrites. ``replaces`` names
    the old value when the subject corrected it.
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
        """True when the profile has no field of its own for it (city, employer, pets, budget, ...)."""
        return self.field not in PROFILE_FIELDS

    @property
    def texts(self) -> tuple[str, ...]:
        """The values that it would bring into memory."""
        return (self.value,)


@dataclass(frozen=True, slots=True)
class PreferenceCandidate:
    """One preference in the convention of the preference table.

    ``add`` and ``remove`` carry a tuple of entries of a list; ``set`` carries the whole value; ``replace`` takes
    ``replaces`` out and puts ``value`` in. ``category`` and ``key`` are null only for a change that did not name its
    object: it goes to the current value equal to ``replaces``, or, with ``replaces`` null too, to the newest value of
    the same conversation with the same unit. Such a change that ``remove``s takes its value out wherever it is held,
    and one that ``set``s says what is right of something that only a reader can name: it changes nothing.
    ``statement`` is the utterance, sensitive data masked.
    """

    category: str | None
    key: str | None
    value: Value
    statement: str
    mode: Mode
    sort: Sort
    evidence: Evidence
    replaces: str | None = None
    provenance: str = "confirmed_by_user"
    confidence: float = 0.9
    origin: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """The values that it would bring into memory."""
        return self.value if isinstance(self.value, tuple) else (str(self.value),)


@dataclass(frozen=True, slots=True)
class TagCandidate:
    """A labelled place or contact. Null means "no news": an address without phone leaves the stored phone alone."""

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
    def texts(self) -> tuple[str, ...]:
        """The values that it would bring into memory, its label first."""
        return (self.label, *filter(None, (self.address, self.phone)), *self.aliases)


Candidate = ProfileFact | PreferenceCandidate | TagCandidate


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why something did not become memory. ``candidate`` is null when a whole clause was refused before analysis."""

    reason: Reason
    evidence: Evidence
    candidate: Candidate | None = None


@dataclass(frozen=True, slots=True)
class Verdicted:
    """What the gate let through, and what it refused and why."""

    accepted: tuple[Candidate, ...]
    rejected: tuple[Rejection, ...]


@dataclass(frozen=True, slots=True)
class Nearby:
    """The turn before: the contacts that the user named there, and everything that was said in it and since; and
    all who are ``known``: contacts, and things that have a name."""

    contacts: tuple[TagCandidate, ...] = ()
    said: str = ""
    known: tuple[TagCandidate, ...] = ()


NOBODY = Nearby()


@dataclass(frozen=True, slots=True)
class HeldValue:
    """A value that is believed now: of a preference, a field of the profile (``key`` names either), an entry of its
    list, or the ``address`` or ``phone`` of a tag; ``is_others``: it is told of somebody else."""

    key: str
    text: str
    is_others: bool = False

    @property
    def limit(self) -> str:
        """Which kind of limit it is, "" for none: a limit is only lifted by words that lift it."""
        return next((name for name in LIMITS if self.key == name or self.key.startswith(f"{name}_")), "")

    @property
    def is_exact(self) -> bool:
        """Whether a part of it alone is none: of an address, a number, the name of a company."""
        return self.key in {"address", "phone", "employer"}


AVOID = "avoid"
# Keys of lists of things to be kept away from the user.
LIMITS = ("allergies", AVOID, "dislikes")


@dataclass(frozen=True, slots=True)
class GradedSpan:
    """How probable it is that what stands from ``start`` to ``end`` of a message lasts, and that it is of another;
    and whether, if it lasts, it is a plan."""

    start: int
    end: int
    lasting: float
    other: float
    is_plan: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionContext:
    """What the analysis may know beside the utterance: under which names the subject itself speaks, the assistant's
    turn before it, whom the user named just before, what the utterance states as the answer to that turn
    (``is_offered``: in the assistant's words), what is believed of the subject, for an utterance may put it right, and
    how its clauses were graded, where they were."""

    own_names: frozenset[str] = frozenset()
    previous: str | None = None
    nearby: Nearby = NOBODY
    stated: str = ""
    is_offered: bool = False
    held: tuple[HeldValue, ...] = ()
    graded: tuple[GradedSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Everything one utterance taught. ``corrections`` are the changes of the fast lane, not repeated elsewhere."""

    facts: tuple[ProfileFact, ...] = ()
    preferences: tuple[PreferenceCandidate, ...] = ()
    tags: tuple[TagCandidate, ...] = ()
    corrections: tuple[ProfileFact | PreferenceCandidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class SnapshotDraft:
    """A snapshot before it is stored: masked text, importance 0..1, topics, the keys of its source messages."""

    kind: Literal["conversation", "segment", "statement"]
    text: str
    importance: float
    topics: tuple[str, ...]
    category: str | None
    sources: tuple[str, ...]
    masked: int
    details: Mapping[str, str] = field(default_factory=dict)
