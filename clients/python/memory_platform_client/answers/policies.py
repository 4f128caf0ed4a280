"""Answers: policies.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.vocabularies import ExperimentDetailStatus, NumberProvenance, RefusalReason, WhyNot
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class ArmFigures(Answer):
    """How well an arm serves its subjects."""

    arm: str
    policy_version: str
    contexts: int
    precision: Share
    utilisation: Share
    correction: Share
    staleness: Share
    degraded: Share
    tokens_per_context: float | None
    saved_ratio: float | None
    fast_lane_changes: int
    fast_lane_p95_ms: float | None


@dataclass(kw_only=True)
class Arm(Answer):
    """An arm of an experiment."""

    name: str
    policy_version: int
    percent: int


@dataclass(kw_only=True)
class Change(Answer):
    """A field whose value differs."""

    section: str
    field: str
    before: Any
    after: Any


@dataclass(kw_only=True)
class Diff(Answer):
    """Differences between two versions."""

    from_: int
    to: int
    changes: list[Change]


@dataclass(kw_only=True)
class ExperimentDetail(Answer):
    """An experiment."""

    id: str
    name: str
    status: ExperimentDetailStatus
    arms: list[Arm]
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(kw_only=True)
class FieldScore(Answer):
    """How well a note fits a field."""

    field: str
    score: float


@dataclass(kw_only=True)
class FieldsTry(Answer):
    """The text's clauses and their notes."""

    clauses: list[TriedClause]
    notes: list[TriedNote]


@dataclass(kw_only=True)
class Indicators(Answer):
    """How well the arms of an experiment serve their subjects."""

    experiment: str
    arms: list[ArmFigures]


@dataclass(kw_only=True)
class PolicyDetail(Answer):
    """A version of the tenant's policy with all values."""

    version: int
    active: bool
    based_on: int | None
    reason: str
    created_by: str
    created_at: datetime
    settings: dict[str, Any]
    effective: dict[str, Any]


@dataclass(kw_only=True)
class PolicyMade(Answer):
    """A version that was made, or would be made by a request without `dry_run`."""

    version: int | None
    based_on: int
    settings: dict[str, Any]
    effective: dict[str, Any]
    changes: list[Change]


@dataclass(kw_only=True)
class Policy(Answer):
    """A version of the tenant's policy."""

    version: int
    active: bool
    based_on: int | None
    reason: str
    created_by: str
    created_at: datetime
    settings: dict[str, Any]


@dataclass(kw_only=True)
class Refusal(Answer):
    """Receipts that cannot be replayed because other software made them."""

    reason: RefusalReason
    made_by: str
    now: str
    receipts: int


@dataclass(kw_only=True)
class ReplayExample(Answer):
    """A context that would change."""

    receipt_id: str
    entering: list[str]
    leaving: list[str]


@dataclass(kw_only=True)
class Replay(Answer):
    """The results of version `to` on the receipts of version `from`."""

    from_: int
    to: int
    receipts: int
    compared: int
    reproduced: Share
    changed: Share
    entering: int
    leaving: int
    tokens_before: float
    tokens_after: float
    utilised_leaving: Share
    utilised_staying: Share
    untold: list[str]
    always_untold: list[str]
    examples: list[ReplayExample]
    refused: list[Refusal]


@dataclass(kw_only=True)
class Setting(Answer):
    """A field that a version may set."""

    section: str
    field: str
    default: Any
    bounds: dict[str, Any]
    provenance: NumberProvenance
    source: str


@dataclass(kw_only=True)
class Settings(Answer):
    """All fields that a version may set."""

    settings: list[Setting]


@dataclass(kw_only=True)
class Share(Answer):
    """A share, with its 95 % confidence interval."""

    count: int
    of: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(kw_only=True)
class TriedClause(Answer):
    """A clause of the text."""

    text: str
    lasting: float
    note: int | None


@dataclass(kw_only=True)
class TriedNote(Answer):
    """A note that the text would make."""

    text: str
    field: str | None
    confidence: float | None
    why_not: WhyNot | None
    scores: list[FieldScore]
