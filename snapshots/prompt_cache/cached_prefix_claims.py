"""The rows of cached prefixes, by the database's clock: one maker at a time, none for a subject being erased."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import connection

from memory_platform.kernel.ids import new_id
from memory_platform.postgres.prepared_statements import Statement
from memory_platform.providers.config import PromptCacheConfig
from memory_platform.providers.contracts import KeptPrompt
from tenants.isolation import tenant_tx
from tenants.isolation.scope import tenant_reads

_HELD = """
SELECT name, expires_at, tokens, expires_at > statement_timestamp() + $4::interval,
       expires_at > statement_timestamp() + $5::interval
FROM kept_prefix WHERE tenant_id = $1 AND endpoint = $2 AND prefix_hash = $3 AND name <> ''
"""

_CLAIM = """
INSERT INTO kept_prefix AS kept
    (tenant_id, id, subject_id, endpoint, prefix_hash, name, tokens, claim, claimed_until, expires_at, unnamed_until,
     gone_by)
SELECT tenant_id, %(id)s, id, %(endpoint)s, %(hash)s, '', 0, %(claim)s, statement_timestamp() + %(lease)s,
       statement_timestamp(), statement_timestamp(), statement_timestamp() + %(lease)s + %(lives)s
FROM subject WHERE tenant_id = %(tenant)s AND id = %(subject)s AND NOT erasing FOR SHARE
ON CONFLICT (tenant_id, endpoint, prefix_hash) DO UPDATE
    SET claim = excluded.claim, claimed_until = excluded.claimed_until, gone_by = excluded.gone_by,
        unnamed_until = CASE WHEN kept.claim IS NULL THEN kept.unnamed_until ELSE kept.gone_by END
    WHERE kept.claimed_until <= statement_timestamp()
      AND (kept.name = '' OR kept.expires_at <= statement_timestamp() + %(extended)s)
RETURNING CASE WHEN expires_at > statement_timestamp() THEN name ELSE '' END, expires_at
"""

_SETTLE = """
UPDATE kept_prefix SET claim = NULL, claimed_until = statement_timestamp() + %(rests)s, name = %(name)s,
       tokens = %(tokens)s, expires_at = least(%(expires_at)s, statement_timestamp() + %(lives)s)
WHERE tenant_id = %(tenant)s AND endpoint = %(endpoint)s AND prefix_hash = %(hash)s AND claim = %(claim)s
RETURNING expires_at
"""

_GIVE_UP = """
UPDATE kept_prefix SET claim = NULL, claimed_until = statement_timestamp() + %(rests)s,
       unnamed_until = CASE WHEN %(unsure)s THEN gone_by ELSE unnamed_until END
WHERE tenant_id = %(tenant)s AND endpoint = %(endpoint)s AND prefix_hash = %(hash)s AND claim = %(claim)s
"""

_GONE = """
UPDATE kept_prefix SET name = ''
WHERE tenant_id = %(tenant)s AND endpoint = %(endpoint)s AND prefix_hash = %(hash)s AND claim = %(claim)s
"""

_DOUBT = """
UPDATE kept_prefix SET expires_at = least(expires_at, statement_timestamp() + %(extended)s)
WHERE tenant_id = %(tenant)s AND endpoint = %(endpoint)s AND prefix_hash = %(hash)s AND name = %(name)s
"""

_CLEAR = """
DELETE FROM kept_prefix WHERE tenant_id = %(tenant)s AND id IN (
    SELECT id FROM kept_prefix WHERE tenant_id = %(tenant)s AND gone_by < statement_timestamp()
    ORDER BY gone_by LIMIT %(most)s FOR UPDATE SKIP LOCKED)
"""

_OF_SUBJECT = """
SELECT endpoint, CASE WHEN gone_by > statement_timestamp() THEN name ELSE '' END, tokens, expires_at,
       unnamed_until > statement_timestamp() OR (claim IS NOT NULL AND gone_by > statement_timestamp()), gone_by
FROM kept_prefix WHERE tenant_id = %(tenant)s AND subject_id = %(subject)s FOR UPDATE
"""

_REVOKE = "UPDATE kept_prefix SET claim = NULL WHERE tenant_id = %(tenant)s AND subject_id = %(subject)s"


@dataclass(frozen=True, slots=True)
class PrefixKey:
    """A prefix at an endpoint, of a tenant."""

    tenant_id: UUID
    endpoint: str
    prefix_hash: str

    @property
    def parameters(self) -> dict[str, Any]:
        return {"tenant": self.tenant_id, "endpoint": self.endpoint, "hash": self.prefix_hash}


@dataclass(frozen=True, slots=True)
class CachedPrefix:
    """A cached prefix. ``usable``: it may be handed out; ``fresh``: it needs no extension."""

    prompt: KeptPrompt
    usable: bool
    fresh: bool


@dataclass(frozen=True, slots=True)
class PrefixClaim:
    """The right to make or extend a prefix. The vendor may still keep ``name``, booked to ``paid_until``."""

    key: PrefixKey
    id: UUID
    name: str
    paid_until: datetime


@dataclass(frozen=True, slots=True)
class RevokedPrefix:
    """A prefix of a subject being erased, kept until ``gone_by`` at most. ``unnamed``: its name was never told."""

    endpoint: str
    name: str
    tokens: int
    paid_until: datetime
    unnamed: bool
    gone_by: datetime


def find_cached_prefix(key: PrefixKey, config: PromptCacheConfig) -> CachedPrefix | None:
    """Return the cached prefix of a key, in one round trip. Opens its own scope."""
    values = [key.tenant_id, key.endpoint, key.prefix_hash, config.last, config.extended]
    [rows] = tenant_reads(key.tenant_id, [Statement(_HELD, values)])
    if not rows:
        return None
    name, expires_at, tokens, usable, fresh = rows[0]
    return CachedPrefix(KeptPrompt(name, expires_at, tokens), usable, fresh)


def claim_prefix(key: PrefixKey, subject_id: UUID, config: PromptCacheConfig) -> PrefixClaim | None:
    """Take the right to make or extend a prefix; None where another has it, or failed a moment ago. Own scope.

    The subject is locked against the acceptance of its erasure, which finds every claim or prevents it.
    """
    claim = uuid4()
    lease = timedelta(seconds=3 * config.seconds)
    values = {"id": new_id(), "subject": subject_id, "claim": claim, "lease": lease}
    with tenant_tx(key.tenant_id), connection.cursor() as cursor:
        cursor.execute(_CLEAR, {"tenant": key.tenant_id, "most": config.cleared})
        cursor.execute(_CLAIM, key.parameters | values | {"lives": config.lives, "extended": config.extended})
        row = cursor.fetchone()
    return PrefixClaim(key, claim, *row) if row else None


def record_cached_prefix(claim: PrefixClaim, prompt: KeptPrompt, config: PromptCacheConfig) -> KeptPrompt | None:
    """Record the cached prefix, for as long as we asked at most; None where the claim was revoked. Own scope."""
    values = {"claim": claim.id, "name": prompt.name, "tokens": prompt.tokens, "expires_at": prompt.expires_at}
    rows = _run_statement(claim.key, _SETTLE, values | {"rests": timedelta(0), "lives": config.lives})
    return KeptPrompt(prompt.name, rows[0][0], prompt.tokens) if rows else None


def give_up_claim(claim: PrefixClaim, config: PromptCacheConfig, *, unsure: bool) -> None:
    """Give the right back; nobody tries for a while. ``unsure``: something may have been made. Own scope."""
    _run_statement(claim.key, _GIVE_UP, {"claim": claim.id, "rests": config.rests, "unsure": unsure})


def clear_unknown_vendor_name(claim: PrefixClaim) -> None:
    """Remove a name that the vendor no longer knows. Opens its own scope."""
    _run_statement(claim.key, _GONE, {"claim": claim.id})


def mark_name_for_check(key: PrefixKey, name: str, config: PromptCacheConfig) -> None:
    """Have a name checked before it is handed out again. Opens its own scope."""
    _run_statement(key, _DOUBT, {"name": name, "extended": config.extended})


def revoke_claims(tenant_id: UUID, subject_id: UUID) -> list[RevokedPrefix]:
    """Take back every claim on a subject's prefixes and return them. Opens its own scope."""
    with tenant_tx(tenant_id), connection.cursor() as cursor:
        cursor.execute(_OF_SUBJECT, {"tenant": tenant_id, "subject": subject_id})
        found = [RevokedPrefix(*row) for row in cursor.fetchall()]
        cursor.execute(_REVOKE, {"tenant": tenant_id, "subject": subject_id})
    return found


def _run_statement(key: PrefixKey, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with tenant_tx(key.tenant_id), connection.cursor() as cursor:
        cursor.execute(statement, {**key.parameters, **values})
        return list(cursor.fetchall()) if cursor.description else []
