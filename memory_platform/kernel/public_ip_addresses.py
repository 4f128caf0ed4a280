"""Which network addresses belong to the public internet, however they are written."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

# Translators send the last four bytes of such an address on as an IPv4 address.
_NAT64 = IPv6Network("64:ff9b::/96")
# Translators inside of a network, which Python takes for public (RFC 8215).
_LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")


def is_public(address: str) -> bool:
    """Return whether ``address``, an IPv4 or IPv6 address, is on the public internet. An IPv6 address that carries an
    IPv4 address is as public as that one. False for anything else."""
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, IPv6Address):
        return _is_public_v6(ip)
    return _is_plainly_public(ip)


def _is_public_v6(ip: IPv6Address) -> bool:
    if ip.ipv4_mapped is not None:
        return _is_plainly_public(ip.ipv4_mapped)
    if ip in _LOCAL_NAT64:
        return False
    carried = [one for one in (ip.sixtofour, *(ip.teredo or ())) if one is not None]
    if ip in _NAT64:
        carried.append(IPv4Address(ip.packed[-4:]))
    return _is_plainly_public(ip) and all(map(_is_plainly_public, carried))


def _is_plainly_public(ip: IPv4Address | IPv6Address) -> bool:
    return ip.is_global and not ip.is_multicast
