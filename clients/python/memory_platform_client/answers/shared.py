"""Answers: shared.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_platform_client.answers.vocabularies import (
    AboutKind,
    AbstainedReason,
    ErasureScope,
    FastLaneKind,
    FastLaneReason,
    FastLaneVerdict,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class About(Answer):
    """The note's person or thing."""

    kind: AboutKind
    id: str | None
    label: str | None
    relation: str | None


@dataclass(kw_only=True)
class Abstained(Answer):
    """The reason why an answer has no memory."""

    reason: AbstainedReason


@dataclass(kw_only=True)
class Certificate(Answer):
    """Proof of an erasure."""

    id: str
    tenant_id: str
    scope: ErasureScope
    subject_hash: str
    object_hash: str | None
    marks: dict[str, list[str]]
    actor: str
    erased: dict[str, int]
    verified: dict[str, Any]
    beyond_reach: list[str]
    requested_at: datetime
    erased_at: datetime | None
    signature: str | None


@dataclass(kw_only=True)
class Erased(Answer):
    """The proof of an erasure."""

    certificate: Certificate


@dataclass(kw_only=True)
class Experiment(Answer):
    """The experiment that the subject takes part in."""

    name: str
    arm: str


@dataclass(kw_only=True)
class FastLane(Answer):
    """The immediate effect of a correction, or of an order to forget.  `kind` names the object of a correction: a
    preference of `category` and `key`, a field of the profile or a tag (both named by `key`), or a note, which ended
    (`superseded`) or is `possibly_outdated` (`unchanged`)."""

    category: str | None
    key: str | None
    kind: FastLaneKind | None
    verdict: FastLaneVerdict
    reason: FastLaneReason | None
    preference_id: str | None
    memory_id: str | None
    forget_order_id: str | None


@dataclass(kw_only=True)
class MessageSource(Answer):
    """The message behind a memory."""

    conversation_id: str
    message_id: str


@dataclass(kw_only=True)
class PassageCitation(Answer):
    """Where a passage stands."""

    document_id: str
    title: str
    heading_path: list[str]
    page: int | None
    url: str | None
    start: int
    end: int
