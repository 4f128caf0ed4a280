"""Answers: profiles.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.shared import MessageSource
from memory_platform_client.answers.vocabularies import (
    BeliefVerdict,
    FactVerdictReason,
    Grade,
    NextAskReason,
    Priority,
    Provenance,
    SettledAskReason,
    TagField,
    TagKind,
    TagMatchKind,
    WrittenPreferenceReason,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class Ask(Answer):
    """A question to the user."""

    id: str
    key: str
    priority: Priority
    question: str


@dataclass(kw_only=True)
class Completeness(Answer):
    """The subject's missing information."""

    initialised: bool
    missing: list[Missing]
    next_question: str | None


@dataclass(kw_only=True)
class Fact(Answer):
    """One value that a profile field has had."""

    id: str
    value: Any
    confidence: float
    provenance: Provenance
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    recorded_at: datetime
    last_validated_at: datetime
    field: str


@dataclass(kw_only=True)
class FactVerdict(Answer):
    """The result of a change of one profile field."""

    field: str
    verdict: BeliefVerdict
    reason: FactVerdictReason | None


@dataclass(kw_only=True)
class ListedTag(Answer):
    """A tag in a list."""

    id: str
    label: str
    kind: TagKind
    address: str | None
    poi_id: str | None
    lat: float | None
    lon: float | None
    phone: str | None
    relation: str | None
    confidence: float
    provenance: Provenance
    aliases: list[str]
    use_count: int
    last_used: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int
    history: list[TagDetail] | None


@dataclass(kw_only=True)
class Lookup(Answer):
    """The tags that a text may name."""

    data: list[TagMatch]


@dataclass(kw_only=True)
class Missing(Answer):
    """One thing that is not known about the subject yet."""

    key: str
    priority: Priority


@dataclass(kw_only=True)
class NextAsk(Answer):
    """The question to ask now, if any."""

    ask: Ask | None
    reason: NextAskReason


@dataclass(kw_only=True)
class OneTag(Answer):
    """A tag with notes about it."""

    id: str
    label: str
    kind: TagKind
    address: str | None
    poi_id: str | None
    lat: float | None
    lon: float | None
    phone: str | None
    relation: str | None
    confidence: float
    provenance: Provenance
    aliases: list[str]
    use_count: int
    last_used: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int
    notes: list[TagNote]


@dataclass(kw_only=True)
class PatchedProfile(Answer):
    """A profile after a change, and the result for each field."""

    name: str | None
    occupation: str | None
    interests: list[str] | None
    mbti: str | None
    age_range: str | None
    locale: str | None
    timezone: str | None
    attributes: dict[str, Any]
    standing: dict[str, Standing]
    verdicts: list[FactVerdict]


@dataclass(kw_only=True)
class Preference(Answer):
    """One value of a preference."""

    id: str
    value: Any
    confidence: float
    provenance: Provenance
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    recorded_at: datetime
    last_validated_at: datetime
    category: str
    key: str
    statement: str | None
    sources: list[MessageSource]
    note_id: str | None
    version: int


@dataclass(kw_only=True)
class Profile(Answer):
    """Who the subject is."""

    name: str | None
    occupation: str | None
    interests: list[str] | None
    mbti: str | None
    age_range: str | None
    locale: str | None
    timezone: str | None
    attributes: dict[str, Any]


@dataclass(kw_only=True)
class SettledAsk(Answer):
    """The result of an answer."""

    ask: Ask
    accepted: bool
    verdict: BeliefVerdict | None
    reason: SettledAskReason | None


@dataclass(kw_only=True)
class Standing(Answer):
    """How well a profile field is known."""

    confidence: float
    provenance: Provenance
    valid_at: datetime
    note_id: str | None


@dataclass(kw_only=True)
class StandingProfile(Answer):
    """A profile, and how well each of its fields is known."""

    name: str | None
    occupation: str | None
    interests: list[str] | None
    mbti: str | None
    age_range: str | None
    locale: str | None
    timezone: str | None
    attributes: dict[str, Any]
    standing: dict[str, Standing]


@dataclass(kw_only=True)
class Subject(Answer):
    """One subject: a user of your product."""

    subject_id: str
    created_at: datetime
    profile: Profile
    metadata: dict[str, Any]


@dataclass(kw_only=True)
class TagDetail(Answer):
    """One value that a detail of a tag has had."""

    id: str
    value: Any
    confidence: float
    provenance: Provenance
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    recorded_at: datetime
    last_validated_at: datetime
    detail: TagField


@dataclass(kw_only=True)
class TagMatch(Answer):
    """A tag that a text may name."""

    tag: Tag
    score: float
    match: TagMatchKind


@dataclass(kw_only=True)
class TagNote(Answer):
    """A note about a contact or thing."""

    id: str
    text: str
    grade: Grade
    said_at: datetime | None


@dataclass(kw_only=True)
class Tag(Answer):
    """A tag with its use and its version."""

    id: str
    label: str
    kind: TagKind
    address: str | None
    poi_id: str | None
    lat: float | None
    lon: float | None
    phone: str | None
    relation: str | None
    confidence: float
    provenance: Provenance
    aliases: list[str]
    use_count: int
    last_used: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int


@dataclass(kw_only=True)
class WrittenPreference(Answer):
    """The current value after a write, and the result of the write."""

    id: str
    value: Any
    confidence: float
    provenance: Provenance
    valid_at: datetime
    invalid_at: datetime | None
    superseded_by: str | None
    recorded_at: datetime
    last_validated_at: datetime
    category: str
    key: str
    statement: str | None
    sources: list[MessageSource]
    note_id: str | None
    version: int
    verdict: BeliefVerdict
    reason: WrittenPreferenceReason | None


@dataclass(kw_only=True)
class WrittenTag(Answer):
    """A tag after a write, and the result of the write."""

    id: str
    label: str
    kind: TagKind
    address: str | None
    poi_id: str | None
    lat: float | None
    lon: float | None
    phone: str | None
    relation: str | None
    confidence: float
    provenance: Provenance
    aliases: list[str]
    use_count: int
    last_used: datetime | None
    created_at: datetime
    updated_at: datetime
    version: int
    verdict: BeliefVerdict
    reason: WrittenPreferenceReason | None
