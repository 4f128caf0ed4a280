"""Cache a stable prefix at a vendor: made once, handed out while it lives, extended while it is used.

The state is a tenant's table, not Redis: an erasure has to find every name, also after Redis forgot, and row-level
security separates tenants. The vendor is called with no transaction open; the result is a cached prefix or the reason
why there is none.
"""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from memory_platform.providers.contracts import KeptPrompt, PromptKeeper
from memory_platform.providers.endpoints.endpoint import CallFailed, Failure
from memory_platform.providers.policy import PROMPT_CACHE, PromptCachePolicy
from snapshots.prompt_cache.ledger import NotedKeeper
from snapshots.prompt_cache.rows import Claim, Key, claimed, doubted, given_up, gone, held, settled

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


def keep_prefix(
    tenant_id: UUID,
    prefix: StablePrefix,
    keeper: PromptKeeper | None,
    *,
    lost_name: str = "",
    policy: PromptCachePolicy = PROMPT_CACHE,
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
    key = Key(tenant_id, keeper.identity, prefix.hash)
    if lost_name:
        doubted(key, lost_name, policy)
    before = held(key, policy)
    if before is not None and before.fresh:
        return before.kept
    claim = claimed(key, prefix.subject_id, policy)
    if claim is None:
        return _meanwhile(key, NotKept.BEING_MADE, policy)
    return _kept_under(claim, prefix, NotedKeeper(tenant_id, keeper), policy)


def _kept_under(
    claim: Claim, prefix: StablePrefix, keeper: NotedKeeper, policy: PromptCachePolicy
) -> KeptPrompt | NotKept:
    try:
        made = _renewed(keeper, claim, prefix)
    except CallFailed as failed:
        given_up(claim, policy, unsure=failed.failure not in _NOTHING_MADE)
        return _meanwhile(claim.key, NotKept.UNAVAILABLE, policy)
    return settled(claim, made, policy) or _taken_back(keeper, made, prefix)


def _renewed(keeper: NotedKeeper, claim: Claim, prefix: StablePrefix) -> KeptPrompt:
    """Return the cached prefix extended, or made again where it is gone. Raises CallFailed."""
    if claim.name:
        try:
            return keeper.extend(claim.name, prefix.tokens, claim.paid_until)
        except CallFailed as failed:
            if failed.failure is not Failure.GONE:
                raise
            gone(claim)
    return keeper.make(prefix.text, prefix.tokens)


def _meanwhile(key: Key, reason: NotKept, policy: PromptCachePolicy) -> KeptPrompt | NotKept:
    """Return the cached prefix that is still usable although it could not be renewed."""
    still = held(key, policy)
    return still.kept if still is not None and still.usable else reason


def _taken_back(keeper: NotedKeeper, made: KeptPrompt, prefix: StablePrefix) -> NotKept:
    """Delete at once what was made for a subject that was erased meanwhile."""
    with suppress(CallFailed):  # then it runs out by itself
        keeper.delete(made.name, made.tokens or prefix.tokens, made.expires_at)
    return NotKept.UNAVAILABLE
