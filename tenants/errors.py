"""Errors of tenants and access."""

from datetime import datetime
from typing import Any

from memory_platform.kernel.errors import Conflict, MemoryPlatformError, NotFound, Refused


class TenantScopeMissing(MemoryPlatformError):
    """A query on a tenant's table was compiled outside ``tenant_tx``: a programming error, never an answer."""

    code = "tenant_scope_missing"

    def __init__(self) -> None:
        super().__init__("no tenant is open: wrap the call in tenant_tx(tenant_id)")


class InvalidKey(MemoryPlatformError):
    """The API key is malformed, unknown, expired or revoked: one answer for all of these. HTTP 401."""

    code = "invalid_key"

    def __init__(
        self, detail: str = "This API key is unknown, expired or revoked. Check it, or create a new one."
    ) -> None:
        super().__init__(detail)


class MissingKey(InvalidKey):
    """The request has no API key, so there is nothing to check. HTTP 401, with the same code as a wrong key."""

    def __init__(self) -> None:
        super().__init__("The API key is missing. Send it as the header `Authorization: Bearer <key>`.")


class ScopeMissing(MemoryPlatformError):
    """The API key is valid but lacks a scope. HTTP 403."""

    code = "scope_missing"

    def __init__(self, scope: str) -> None:
        super().__init__(f"This call needs a key with the scope {scope}.")
        self.scope = scope


class KeyBoundToSubject(MemoryPlatformError):
    """The API key is bound to one subject, and this call concerns the whole tenant. HTTP 403."""

    code = "key_bound_to_subject"

    def __init__(self) -> None:
        super().__init__("This key is bound to one subject. This call needs a key of the whole tenant.")


class TenantUnknown(NotFound):
    """No tenant has this slug."""

    code = "tenant_unknown"


class LastManager(Refused):
    """The tenant would be left without an active manager. HTTP 422."""

    code = "last_manager"

    def __init__(self) -> None:
        super().__init__(
            "This is the last active manager of the tenant. Make somebody else a manager first: "
            "change the role of a member, or invite a manager."
        )


class InvitationEnded(NotFound):
    """The link of an invitation is mistyped, unknown, expired, revoked or used: one answer for all. HTTP 404."""

    code = "invitation_ended"

    def __init__(self) -> None:
        super().__init__("This invitation is not valid. Ask the manager who invited you for a new link.")


class AlreadyMember(Conflict):
    """Whoever accepts an invitation is a member of its tenant already. HTTP 409."""

    code = "already_member"

    def __init__(self) -> None:
        super().__init__("This account is a member of the tenant already. A manager changes its role.")


class PolicyUnknown(NotFound):
    """The tenant's policy has no version of this number. HTTP 404."""

    code = "policy_unknown"


class PolicyUnchanged(Refused):
    """The changes have no effect, so a version of its own would differ in nothing. HTTP 422."""

    code = "policy_unchanged"


class ExperimentUnknown(NotFound):
    """The tenant has no experiment of this id. HTTP 404."""

    code = "experiment_unknown"


class ExperimentRefused(Refused):
    """The arms are invalid: ``faults`` names the errors. HTTP 422."""

    code = "experiment_refused"


class ExperimentConflict(Conflict):
    """Another experiment has this name or runs, or this one is in the wrong state. HTTP 409."""

    code = "experiment_conflict"


class QuotaExceeded(MemoryPlatformError):
    """A limit of the tenant is reached. HTTP 429.

    ``limit`` is its public name, ``resets_at`` when it has room again; None: after a deletion.
    """

    code = "quota_exceeded"
    retryable = True

    def __init__(
        self, limit: str, *, allowed: int, remaining: int, resets_at: datetime | None, retry_after_s: int
    ) -> None:
        when = (
            f"it resets at {resets_at:%Y-%m-%dT%H:%M:%SZ}" if resets_at else "it has room again once some are deleted"
        )
        super().__init__(f"The limit {limit} of {allowed} is reached ({remaining} left): {when}.")
        self.limit = limit
        self.allowed = allowed
        self.remaining = remaining
        self.resets_at = resets_at
        self.retry_after_s = retry_after_s

    @property
    def extras(self) -> dict[str, Any]:
        return {
            "limit": {
                "name": self.limit,
                "allowed": self.allowed,
                "remaining": self.remaining,
                "resets_at": self.resets_at,
            }
        }


class RateLimited(QuotaExceeded):
    """Too many requests at once with one key. HTTP 429."""

    code = "rate_limited"
