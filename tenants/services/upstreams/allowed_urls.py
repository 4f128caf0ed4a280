"""Which addresses a tenant's model endpoint, and its webhooks, may have.

The operator's own hosts may be anywhere and without TLS. All others need TLS and a public address, which is checked
once more whenever a connection is opened: a name may lead elsewhere by then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from memory_platform.kernel.character_checks import has_control
from memory_platform.kernel.errors import FieldFault
from memory_platform.kernel.public_ip_addresses import is_public

BASE_URL_CHARS = 500
SCHEMES = ("https", "http")
PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """A host of the operator's; ``port`` None allows every port."""

    name: str
    port: int | None = None

    @classmethod
    def parse(cls, text: str) -> "AllowedHost":
        name, colon, port = text.rpartition(":")
        if colon and port.isdigit() and (":" not in name or name.startswith("[")):
            return cls(name.strip("[]").lower(), int(port))
        return cls(text.strip("[]").lower())

    def matches(self, name: str, port: int) -> bool:
        return self.name == name.strip("[]").lower() and self.port in (None, port)


def is_allowed_host(name: str, port: int, hosts: Sequence[str] | None = None) -> bool:
    """Return whether the operator allows this host at any address and without TLS."""
    given = settings.UPSTREAM_HOSTS if hosts is None else hosts
    return any(AllowedHost.parse(host).matches(name, port) for host in given)


def find_base_url_fault(base_url: str) -> FieldFault | None:
    """Return why this cannot be the address of a model endpoint, or None. Resolves no name."""
    parts = _split_url(base_url)
    if parts is None or parts.scheme not in SCHEMES or not parts.hostname:
        return _make_fault("malformed", "Must be an address such as https://api.openai.com/v1.")
    if parts.username is not None or parts.query or parts.fragment or "?" in base_url or "#" in base_url:
        return _make_fault("malformed", "Must have no user, query or fragment: the key is sent as a header.")
    return _find_host_fault(parts)


def find_url_fault(url: str) -> FieldFault | None:
    """Return why this cannot be the address of a webhook, or None. It may have a query. Resolves no name."""
    parts = _split_url(url)
    if parts is None or parts.scheme not in SCHEMES or not parts.hostname:
        return _make_fault("malformed", "Must be an address such as https://example.com/hooks.")
    if parts.username is not None or "#" in url:
        return _make_fault("malformed", "Must have no user and no fragment.")
    return _find_host_fault(parts)


def _find_host_fault(parts: SplitResult) -> FieldFault | None:
    """Return why nothing may be sent to this host, or None. The address has a scheme and a host."""
    if parts.hostname is None:
        return _make_fault("malformed", "Must name a host.")
    if is_allowed_host(parts.hostname, parts.port or PORTS[parts.scheme]):
        return None
    if parts.scheme != "https":
        return _make_fault("not_https", "Must begin with https://, unless the operator's UPSTREAM_HOSTS has its host.")
    if not _may_be_public(parts.hostname):
        return _make_fault(
            "private_address", "Must not lead to a private address, unless the operator's UPSTREAM_HOSTS has its host."
        )
    return None


def _split_url(base_url: str) -> SplitResult | None:
    if not base_url.isascii() or len(base_url) > BASE_URL_CHARS or has_control(base_url) or set(base_url) & set(" \\"):
        return None
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _may_be_public(name: str) -> bool:
    """Return whether a host may be public: a public address, or a name with a dot that is no other spelling of an
    address (``127.1``, ``0x7f000001``)."""
    try:
        return is_public(str(ip_address(name)))
    except ValueError:
        last = name.rstrip(".").rpartition(".")[2]
        return "." in name.rstrip(".") and not last[:1].isdigit() and last not in {"localhost", "local", "internal"}


def _make_fault(code: str, message: str) -> FieldFault:
    return FieldFault("base_url", code, message)
