"""Cache a stable prefix at a vendor: made once, handed out while it lives, extended while it is used.

The state is a tenant's table, not Redis: an erasure has to find every name, also after Redis forgot, and row-level
security separates tenants. The vendor is called with no transaction open; the result is a cached prefix or the reason
why no prefix is cached.

A vendor bills the tokens it reads, and the cached tokens by the hour. The hours are booked with the call that buys
them, until the expiry; a deletion books those back that are left. Prefixes hold the profile: they are deleted with
their subject.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar
from uuid import UUID

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.config import PROMPT_CACHE, PromptCacheConfig
from memory_platform.providers.contracts import KeptPrompt, PromptKeeper
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure
from snapshots.prompt_cache.cached_prefix_claims import (
    PrefixClaim,
    PrefixKey,
    RevokedPrefix,
    claim_prefix,
    clear_unknown_vendor_name,
    find_cached_prefix,
    give_up_claim,
    mark_name_for_check,
    record_cached_prefix,
    revoke_claims,
)
from tenants.models import CACHE
from tenants.services.usage.metered_chat import ModelCallUsage, record_model_usage

Answer = TypeVar("Answer")

HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class RecordedKeeper:
    """A vendor's cache on behalf of a tenant. Where the vendor tells no tokens, our estimate counts."""

    tenant_id: UUID
    keeper: PromptKeeper

    def make(self, text: str, estimate: int) -> KeptPrompt:
        def use(prompt: KeptPrompt) -> ModelCallUsage:
            tokens = prompt.tokens or estimate
            return self._make_usage(read=tokens, token_hours=count_token_hours(tokens, utc_now(), prompt.expires_at))

        return self._record_call(lambda: self.keeper.make(text), use)

    def extend(self, name: str, estimate: int, paid_until: datetime) -> KeptPrompt:
        def use(prompt: KeptPrompt) -> ModelCallUsage:
            since = max(paid_until, utc_now())
            return self._make_usage(token_hours=count_token_hours(prompt.tokens or estimate, since, prompt.expires_at))

        return self._record_call(lambda: self.keeper.extend(name), use)

    def delete(self, name: str, tokens: int, paid_until: datetime) -> None:
        self._record_call(
            lambda: self.keeper.delete(name),
            lambda _: self._make_usage(token_hours=-count_token_hours(tokens, utc_now(), paid_until)),
        )

    def _record_call(self, call: Callable[[], Answer], use: Callable[[Answer], ModelCallUsage]) -> Answer:
        try:
            answer = call()
        except CallFailed as failed:
            if failed.failure is not Failure.CIRCUIT_OPEN:  # an open circuit made no call
                record_model_usage(self.tenant_id, self._make_usage(failures=1))
            raise
        record_model_usage(self.tenant_id, use(answer))
        return answer

    def _make_usage(self, *, read: int = 0, token_hours: float = 0.0, failures: int = 0) -> ModelCallUsage:
        return ModelCallUsage(CACHE, self.keeper.model, read=read, token_hours=token_hours, failures=failures)


def count_token_hours(tokens: int, since: datetime, until: datetime) -> float:
    """Return tokens times hours; 0 where ``until`` comes first."""
    return tokens * max(0.0, (until - since).total_seconds()) / HOUR_S


# After any other failure the vendor may keep something whose name we do not know.
_NOTHING_MADE = frozenset(
    {Failure.OVERLOADED, Failure.DENIED, Failure.REFUSED, Failure.REDIRECTED, Failure.CIRCUIT_OPEN}
)


class NotKept(StrEnum):
    """Why a prompt goes without cached content; the values are public."""

    NOT_CONFIGURED = "cached_content_not_configured"
    TOO_SMALL = "prefix_too_small"
    NEW_SUBJECT = "subject_is_new"
    BEING_MADE = "cached_content_being_made"
    UNAVAILABLE = "cached_content_unavailable"


@dataclass(frozen=True, slots=True)
class StablePrefix:
    """The prefix of one subject's prompts: ``hash`` is the SHA-256 of ``text`` in hex, ``tokens`` our estimate."""

    subject_id: UUID | None
    text: str
    hash: str
    tokens: int


def cache_prefix(
    tenant_id: UUID,
    prefix: StablePrefix,
    keeper: PromptKeeper | None,
    *,
    lost_name: str = "",
    config: PromptCacheConfig = PROMPT_CACHE,
) -> KeptPrompt | NotKept:
    """Return the prefix as the vendor caches it. A ``lost_name``, which it no longer knows, is asked for first.

    Opens its own scopes. Raises ModelCallInTransaction.
    """
    if keeper is None:
        return NotKept.NOT_CONFIGURED
    if prefix.tokens < keeper.least_tokens:
        return NotKept.TOO_SMALL
    if prefix.subject_id is None:  # nobody whose erasure would find it
        return NotKept.NEW_SUBJECT
    key = PrefixKey(tenant_id, keeper.identity, prefix.hash)
    if lost_name:
        mark_name_for_check(key, lost_name, config)
    before = find_cached_prefix(key, config)
    if before is not None and before.fresh:
        return before.prompt
    claim = claim_prefix(key, prefix.subject_id, config)
    if claim is None:
        return _find_usable_prefix(key, NotKept.BEING_MADE, config)
    return _cache_under_claim(claim, prefix, RecordedKeeper(tenant_id, keeper), config)


def _cache_under_claim(
    claim: PrefixClaim, prefix: StablePrefix, keeper: RecordedKeeper, config: PromptCacheConfig
) -> KeptPrompt | NotKept:
    try:
        made = _renew_prefix(keeper, claim, prefix)
    except CallFailed as failed:
        give_up_claim(claim, config, unsure=failed.failure not in _NOTHING_MADE)
        return _find_usable_prefix(claim.key, NotKept.UNAVAILABLE, config)
    return record_cached_prefix(claim, made, config) or _delete_after_erasure(keeper, made, prefix)


def _renew_prefix(keeper: RecordedKeeper, claim: PrefixClaim, prefix: StablePrefix) -> KeptPrompt:
    """Return the cached prefix extended, or made again where it is gone. Raises CallFailed."""
    if claim.name:
        try:
            return keeper.extend(claim.name, prefix.tokens, claim.paid_until)
        except CallFailed as failed:
            if failed.failure is not Failure.GONE:
                raise
            clear_unknown_vendor_name(claim)
    return keeper.make(prefix.text, prefix.tokens)


def _find_usable_prefix(key: PrefixKey, reason: NotKept, config: PromptCacheConfig) -> KeptPrompt | NotKept:
    """Return the cached prefix that is still usable although it could not be renewed."""
    still = find_cached_prefix(key, config)
    return still.prompt if still is not None and still.usable else reason


def _delete_after_erasure(keeper: RecordedKeeper, prompt: KeptPrompt, prefix: StablePrefix) -> NotKept:
    with suppress(CallFailed):  # then it runs out by itself
        keeper.delete(prompt.name, prompt.tokens or prefix.tokens, prompt.expires_at)
    return NotKept.UNAVAILABLE


def remove_prefixes(tenant_id: UUID, subject_id: UUID, keeper: PromptKeeper | None) -> dict[str, Any]:
    """Delete a subject's prefixes at the vendor; return the counts for a certificate; {} without prefixes.

    ``left`` could not be deleted (no answer, or an endpoint that is no longer configured): the vendor keeps it until
    ``gone_by`` at most. May be repeated. No scope may be open.
    """
    found = [one for one in revoke_claims(tenant_id, subject_id) if one.name or one.unnamed]
    if not found:
        return {}
    named = [one for one in found if one.name]
    refused = [one for one in named if not _delete_prefix(tenant_id, one, keeper)]
    left = [*refused, *(one for one in found if one.unnamed)]
    until = {"gone_by": max(one.gone_by for one in left).isoformat()} if left else {}
    return {"deleted": len(named) - len(refused), "left": len(left), **until}


def _delete_prefix(tenant_id: UUID, one: RevokedPrefix, keeper: PromptKeeper | None) -> bool:
    if keeper is None or keeper.identity != one.endpoint:
        return False
    try:
        RecordedKeeper(tenant_id, keeper).delete(one.name, one.tokens, one.paid_until)
    except CallFailed:
        return False
    return True
