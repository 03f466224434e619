"""Which addresses are out on the public internet: those of a host, asked for once and each looked at.

A URL from somebody else may name a machine that only we can reach: the cloud's metadata service, a database, a
printer. Names and numeric spellings alike (2130706433, 0x7f.1, 127.1) count as what the system makes of them.
"""

from __future__ import annotations

import ipaddress
import socket

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# What some versions of `ipaddress` take for public and is not, or is worth a word of its own.
_NETWORKS = tuple(
    (ipaddress.ip_network(network), words)
    for network, words in (
        ("100.64.0.0/10", "an address shared within a provider's network"),
        ("192.0.0.0/24", "an address of protocols, which Oracle's metadata service uses"),
        ("168.63.129.16/32", "the address of Azure's own services"),
        ("192.88.99.0/24", "a relay of an IPv6 tunnel"),
        ("2001::/23", "an address of protocols or of a Teredo tunnel"),
        ("2002::/16", "an address of a 6to4 tunnel"),
        ("3fff::/20", "an address of documentation"),
    )
)
# What `ipaddress` itself tells apart; the first that fits.
_KINDS = (
    ("is_unspecified", "an unspecified address"),
    ("is_loopback", "a loopback address"),
    ("is_link_local", "a link-local address"),
    ("is_multicast", "a multicast address"),
    ("is_private", "a private address"),
)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# An IPv6 network without IPv4 reaches an IPv4 host under this prefix and the host's 32 bits.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def addresses(host: str, port: int) -> list[str]:
    """Return the addresses that the system's resolver gives for a host, the one to try first in front.

    Args:
        host: A name or an address, an IPv6 one without brackets.
        port: The port that shall be connected to.

    Raises:
        OSError, UnicodeError: it has none.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def why_not_public(address: str) -> str | None:
    """Return what kind of address this is where it is not on the public internet, else None.

    An IPv6 address that bears an IPv4 one (mapped, NAT64) is what that is; those of obsolete tunnels (6to4, Teredo) are
    never public.

    Args:
        address: An IPv4 or IPv6 address; anything else is not public.
    """
    try:
        number: Address = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return "no address"
    if isinstance(number, ipaddress.IPv6Address):
        number = _borne(number) or number
    for network, words in _NETWORKS:
        if number in network:
            return words
    for kind, words in _KINDS:
        if getattr(number, kind):
            return words
    everybodys = number.is_global and (number.version == 4 or number in _GLOBAL_UNICAST)
    return None if everybodys else "an address that is not on the public internet"


def _borne(number: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if number in _NAT64:
        return ipaddress.IPv4Address(int(number) & 0xFFFFFFFF)
    return number.ipv4_mapped
