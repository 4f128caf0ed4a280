"""What can go wrong with tenants and access."""

from memory_platform.kernel.errors import MemoryPlatformError, NotFound


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
