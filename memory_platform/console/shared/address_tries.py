"""How often one network address may try what nobody is logged in for: counted in Redis, in fixed windows.

Without Redis nobody is refused: what is tried here has secrets of its own that cannot be guessed.
"""

from datetime import timedelta
from ipaddress import ip_address, ip_network

from django.conf import settings
from django.http import HttpRequest

from memory_platform.kernel.keyed_hashes import derived_key, keyed_digest
from memory_platform.providers.redis.client import RedisAway, RedisScript, redis_client

TAKE_TRY = RedisScript(
    "tries",
    """
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count}
""",
)
# A household has a network of this length in IPv6, and all addresses in it.
IPV6_NETWORK = 64


def take_try(request: HttpRequest, purpose: str, *, allowed: int, per: timedelta) -> bool:
    """Count one try of the request's address; return False if it has had ``allowed`` tries in this window."""
    milliseconds = int(per.total_seconds() * 1000)
    try:
        (count,) = TAKE_TRY.run(redis_client(), [build_tries_key(purpose, read_address(request))], [milliseconds])
    except RedisAway:
        return True
    return int(count) <= allowed


def build_tries_key(purpose: str, address: str) -> str:
    """Return the key of an address's count; an address is personal data, so it is stored as a keyed hash."""
    return f"tries:{purpose}:{keyed_digest(derived_key(settings.KEY_PEPPER, 'addresses'), address).hex()[:32]}"


def read_address(request: HttpRequest) -> str:
    """Return the address of the connection, in IPv6 its network; "" for a local socket."""
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return ""
    return str(address if address.version == 4 else ip_network((address, IPV6_NETWORK), strict=False))  # noqa: PLR2004
