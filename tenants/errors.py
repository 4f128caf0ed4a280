"""What can go wrong with tenants and access."""

from memory_platform.kernel.errors import Conflict, MemoryPlatformError, NotFound, Refused


class TenantScopeMissing(MemoryPlatformError):
    """A query on a tenant's table was compiled outside ``tenant_tx``: a programming error, never an answer."""

    code = "tenant_scope_missing"

    def __init__(self) -> None:
        super().__init__("no tenant is open: wrap the call in tenant_tx(tenant_id)")


class InvalidKey(MemoryPlatformError):
    """The API key is missing, malformed, unknown, expired or revoked: one answer for all. HTTP 401."""

    code = "invalid_key"

    def __init__(self) -> None:
        super().__init__("The API key is missing or not valid: send it as the header Authorization: Bearer <key>.")


class ScopeMissing(MemoryPlatformError):
    """The API key is valid but lacks a scope. HTTP 403."""

    code = "scope_missing"

    def __init__(self, scope: str) -> None:
        super().__init__(f"this call needs the scope {scope}")
        self.scope = scope


class TenantUnknown(NotFound):
    """No tenant has this slug."""

    code = "tenant_unknown"


class PolicyUnknown(NotFound):
    """The tenant's policy has no version of this number. HTTP 404."""

    code = "policy_unknown"


class PolicyUnchanged(Refused):
    """The changes leave everything as it is: a version of its own would differ in nothing. HTTP 422."""

    code = "policy_unchanged"


class ExperimentUnknown(NotFound):
    """The tenant has no experiment of this id. HTTP 404."""

    code = "experiment_unknown"


class ExperimentRefused(Refused):
    """The arms cannot be: ``faults`` names what is wrong with which. HTTP 422."""

    code = "experiment_refused"


class ExperimentConflict(Conflict):
    """Another experiment has the name or runs, or this one does not stand where the act needs it. HTTP 409."""

    code = "experiment_conflict"
