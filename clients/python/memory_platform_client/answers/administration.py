"""Answers: administration.

Written by clients/python/answer_writer.py from the OpenAPI document: do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from memory_platform_client.answers.shared import Certificate
from memory_platform_client.answers.vocabularies import (
    CheckStatus,
    ErasureStatus,
    JobKind,
    JobStatus,
    KeyScope,
    WebhookDeliveryState,
    WebhookDeliveryType,
    WebhookEvent,
    WebhookOffReason,
)
from memory_platform_client.decoding import Answer


@dataclass(kw_only=True)
class ApiKey(Answer):
    """A key without its secret."""

    key_id: str
    name: str
    scopes: list[KeyScope]
    subject_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(kw_only=True)
class Checks(Answer):
    """The state of each part."""

    postgres: CheckStatus
    redis: CheckStatus
    embedding: CheckStatus
    queue: CheckStatus


@dataclass(kw_only=True)
class CreatedApiKey(Answer):
    """A new key with its secret, which is shown this once and stored nowhere."""

    key_id: str
    name: str
    scopes: list[KeyScope]
    subject_id: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    token: str


@dataclass(kw_only=True)
class CreatedWebhook(Answer):
    """A webhook with its new secret, which is shown this once."""

    id: str
    url: str
    name: str | None
    events: list[WebhookEvent]
    include: list[Literal["text"]]
    enabled: bool
    off_reason: WebhookOffReason | None
    failing_since: datetime | None
    former_secret_until: datetime | None
    created_at: datetime
    updated_at: datetime
    secret: str


@dataclass(kw_only=True)
class Erasing(Answer):
    """An erasure that a job completes."""

    job_id: str
    erasure_id: str


@dataclass(kw_only=True)
class Erasure(Answer):
    """An erasure and its certificate."""

    id: str
    status: ErasureStatus
    genuine: bool
    certificate: Certificate


@dataclass(kw_only=True)
class Imported(Answer):
    """An import that a job carries out."""

    job_id: str
    subject_id: str


@dataclass(kw_only=True)
class JobError(Answer):
    """Why the last attempt failed."""

    code: str
    detail: str | None


@dataclass(kw_only=True)
class Job(Answer):
    """A job."""

    id: str
    kind: JobKind
    status: JobStatus
    progress: Progress
    attempts: int
    error: JobError | None
    result: dict[str, Any]


@dataclass(kw_only=True)
class Limits(Answer):
    """Limits of one request, of the key and of the tenant."""

    body_bytes: int
    messages_body_bytes: int
    bulk_body_bytes: int
    requests_per_second: int
    burst: int
    messages_per_day: int
    stored_snapshots: int
    model_tokens_per_day: int | None


@dataclass(kw_only=True)
class Live(Answer):
    """The process runs."""

    status: Literal["ok"]


@dataclass(kw_only=True)
class Progress(Answer):
    """How far a job is."""

    done: int
    total: int


@dataclass(kw_only=True)
class Ready(Answer):
    """The state of the process."""

    status: CheckStatus
    checks: Checks


@dataclass(kw_only=True)
class Root(Answer):
    """Paths of the documentation."""

    docs: str
    schema: str


@dataclass(kw_only=True)
class Tenant(Answer):
    """The tenant, scopes and limits of the key."""

    id: str
    name: str
    locale: str | None
    scopes: list[KeyScope]
    limits: Limits
    subject_id: str | None
    policy_version: str


@dataclass(kw_only=True)
class Upstream(Answer):
    """The tenant's model endpoint."""

    base_url: str
    key_end: str | None
    updated_at: datetime


@dataclass(kw_only=True)
class UsageDay(Answer):
    """One day of use."""

    day: date
    requests: int
    refused: int
    messages: int
    contexts: int
    tokens_in_context: int
    tokens_full_history: int
    sections: dict[str, int]
    model_tokens: int
    cost: float | None
    cost_full_history: float | None
    currency: str | None
    saved_ratio: float


@dataclass(kw_only=True)
class Usage(Answer):
    """Days of use, the oldest first."""

    data: list[UsageDay]


@dataclass(kw_only=True)
class WebhookDelivery(Answer):
    """One event for one webhook, and how far it got."""

    id: str
    event_id: str
    type: WebhookDeliveryType
    subject_id: str | None
    object_kind: str | None
    object_id: str | None
    state: WebhookDeliveryState
    attempts: int
    next_attempt_at: datetime | None
    last_status: int | None
    error: str | None
    created_at: datetime
    ended_at: datetime | None


@dataclass(kw_only=True)
class Webhook(Answer):
    """A webhook without its secret."""

    id: str
    url: str
    name: str | None
    events: list[WebhookEvent]
    include: list[Literal["text"]]
    enabled: bool
    off_reason: WebhookOffReason | None
    failing_since: datetime | None
    former_secret_until: datetime | None
    created_at: datetime
    updated_at: datetime
