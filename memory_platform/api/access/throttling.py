"""The headers ``X-RateLimit-*``, as GitHub writes them."""

import math

from memory_platform.kernel.errors import MemoryPlatformError
from tenants.errors import QuotaExceeded
from tenants.services.usage.request_rates import BucketState

LIMIT, REMAINING, RESET = "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"


def rate_headers(rate: BucketState) -> dict[str, str]:
    """Return the headers for a key's bucket; ``Reset`` is the UTC epoch second at which it is full."""
    return {
        LIMIT: str(rate.allowed),
        REMAINING: str(rate.remaining),
        RESET: str(math.ceil(rate.full_at.timestamp())),
    }


def refusal_headers(error: MemoryPlatformError) -> dict[str, str]:
    """Return the headers for a limit that was reached; none for any other error."""
    if not isinstance(error, QuotaExceeded):
        return {}
    reset = {RESET: str(math.ceil(error.resets_at.timestamp()))} if error.resets_at else {}
    return {LIMIT: str(error.allowed), REMAINING: str(error.remaining), **reset}
