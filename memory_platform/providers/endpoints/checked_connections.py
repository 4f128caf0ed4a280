"""Connections to addresses that a tenant chose: each is checked when it is opened; no proxy or redirect is followed.

A name is resolved once for a connection, and the connection goes to the address that was checked: a name that leads to
a private address by then is refused. TLS still checks the certificate against the name.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpcore
import httpx

from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.public_ip_addresses import is_public
from memory_platform.providers.endpoints.endpoint import load_authorities
from memory_platform.providers.endpoints.time_limit import run_within

MayBePrivate = Callable[[str, int], bool]
SocketOptions = Iterable[Any] | None


class AddressRefused(Unavailable):
    """The name leads to an address that is not public. Nothing was sent."""

    code = "address_refused"

    def __init__(self) -> None:
        super().__init__("The host leads to an address that is not public.")


class CheckedBackend(httpcore.NetworkBackend):
    """Opens TCP connections to public addresses only; ``may_be_private`` names the exceptions by host and port. After
    ``most_s`` seconds, if given, a connection reads and writes nothing more."""

    def __init__(self, may_be_private: MayBePrivate, most_s: float | None = None) -> None:
        self._may_be_private = may_be_private
        self._most_s = most_s
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: SocketOptions = None,
    ) -> httpcore.NetworkStream:
        """Connect within ``timeout`` seconds, which the look-up of the name may use as well. Raises AddressRefused,
        httpcore.ConnectError, httpcore.ConnectTimeout."""
        until = None if self._most_s is None else time.monotonic() + self._most_s
        failure: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in self._find_addresses(host, port, timeout):
            try:
                stream = self._plain.connect_tcp(address, port, timeout, local_address, socket_options)
                return stream if until is None else BoundedStream(stream, until)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                failure = failed
        raise failure or httpcore.ConnectError("the name has no address")

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: SocketOptions = None
    ) -> httpcore.NetworkStream:
        raise AddressRefused

    def _find_addresses(self, host: str, port: int, timeout: float | None) -> Sequence[str]:
        """Return the addresses of ``host``. Raises AddressRefused if one of them is not public."""
        name = host.strip("[]")
        try:
            found = run_within(timeout or 0, lambda: resolve_host(name, port))
        except TimeoutError:
            raise httpcore.ConnectTimeout("the name was not found in time") from None
        except (OSError, UnicodeError):
            raise httpcore.ConnectError("the name was not found") from None
        if not self._may_be_private(name, port) and not all(map(is_public, found)):
            raise AddressRefused
        return found


class BoundedStream(httpcore.NetworkStream):
    """A connection that ends at ``until``, on the monotonic clock. A limit for each read is none for all of them: who
    sends a byte now and then would hold it for hours."""

    def __init__(self, plain: httpcore.NetworkStream, until: float) -> None:
        self._plain = plain
        self._until = until

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._plain.read(max_bytes, self._shorten(timeout, httpcore.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._plain.write(buffer, self._shorten(timeout, httpcore.WriteTimeout))

    def close(self) -> None:
        self._plain.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        left = self._shorten(timeout, httpcore.ConnectTimeout)
        return BoundedStream(self._plain.start_tls(ssl_context, server_hostname, left), self._until)

    def get_extra_info(self, info: str) -> Any:
        return self._plain.get_extra_info(info)

    def _shorten(self, timeout: float | None, late: type[Exception]) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise late("the connection has lived as long as it may")
        return left if timeout is None else min(left, timeout)


class CheckedTransport(httpx.HTTPTransport):
    """httpx's transport with a pool whose connections are checked. httpx has no setting for that."""

    def __init__(self, may_be_private: MayBePrivate, *, kept: int, kept_s: float, most_s: float | None = None) -> None:
        super().__init__(verify=load_authorities(), trust_env=False)
        self._pool = httpcore.ConnectionPool(
            ssl_context=load_authorities(),
            max_connections=None,
            max_keepalive_connections=kept,
            keepalive_expiry=kept_s,
            network_backend=CheckedBackend(may_be_private, most_s),
        )


class CheckedClient:
    """The one client of a process, made at its first use: a pool does not survive a fork."""

    def __init__(self, may_be_private: MayBePrivate, *, kept: int, kept_s: float, most_s: float | None = None) -> None:
        self._transport = partial(CheckedTransport, may_be_private, kept=kept, kept_s=kept_s, most_s=most_s)
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def get(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                # An unpacked answer could be larger than any bound on what arrives.
                headers = {"Accept-Encoding": "identity"}
                self._client = httpx.Client(
                    transport=self._transport(),
                    headers=headers,
                    cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # one tenant's would go with all calls
                    follow_redirects=False,
                    trust_env=False,
                )
            return self._client


def resolve_host(name: str, port: int) -> list[str]:
    """Return the addresses of a host in the order in which to try them. Raises OSError, UnicodeError."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(place[0]) for *_, place in found))
