"""Tests of addresses: which are on the public internet, in every form that leads to one."""

import pytest

from triptych.fetching.address import addresses, why_not_public

REFUSED = {
    "0.0.0.0": "an unspecified address",
    "::": "an unspecified address",
    "127.0.0.1": "a loopback address",
    "127.255.255.254": "a loopback address",
    "::1": "a loopback address",
    "169.254.169.254": "a link-local address",
    "fe80::1%eth0": "a link-local address",
    "febf::1": "a link-local address",
    "224.0.0.1": "a multicast address",
    "239.255.255.250": "a multicast address",
    "ff02::1": "a multicast address",
    "10.0.0.1": "a private address",
    "172.16.0.1": "a private address",
    "172.31.255.255": "a private address",
    "192.168.1.1": "a private address",
    "198.18.0.1": "a private address",
    "203.0.113.1": "a private address",
    "255.255.255.255": "a private address",
    "fd00:ec2::254": "a private address",
    "fc00::1": "a private address",
    "2001:db8::1": "a private address",
    "100.64.0.1": "an address shared within a provider's network",
    "100.100.100.200": "an address shared within a provider's network",
    "192.0.0.192": "an address of protocols, which Oracle's metadata service uses",
    "168.63.129.16": "the address of Azure's own services",
    "192.88.99.1": "a relay of an IPv6 tunnel",
    "2002:7f00:1::": "an address of a 6to4 tunnel",
    "2002:808:808::": "an address of a 6to4 tunnel",
    "3fff::1": "an address of documentation",
    "fec0::1": "an address that is not on the public internet",
    "nowhere": "no address",
    "": "no address",
    # Those that bear another in them.
    "::ffff:127.0.0.1": "a loopback address",
    "::ffff:7f00:1": "a loopback address",
    "::ffff:169.254.169.254": "a link-local address",
    "::ffff:0.0.0.0": "an unspecified address",
    "::ffff:10.0.0.1": "a private address",
    "::ffff:100.64.0.1": "an address shared within a provider's network",
    "64:ff9b::7f00:1": "a loopback address",
    "64:ff9b::169.254.169.254": "a link-local address",
    "64:ff9b::10.0.0.1": "a private address",
}
# Python's versions differ in the word for these, and agree that they are not public.
REFUSED_SOMEHOW = [
    "240.0.0.1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "64:ff9b:1::7f00:1",
    "::127.0.0.1",
    "::8.8.8.8",
    "100::1",
    "4000::1",
    "5f00::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.32.0.1",
    "168.63.129.17",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize(("address", "words"), REFUSED.items())
def test_an_address_that_is_not_for_everybody_is_told_as_what_it_is(address: str, words: str) -> None:
    assert why_not_public(address) == words


@pytest.mark.parametrize("address", REFUSED_SOMEHOW)
def test_an_address_of_no_public_use_is_refused(address: str) -> None:
    assert why_not_public(address) is not None


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_taken(address: str) -> None:
    assert why_not_public(address) is None


def test_the_addresses_of_a_host_are_each_told_once() -> None:
    assert addresses("127.0.0.1", 80) == ["127.0.0.1"]
    assert addresses("::1", 80) == ["::1"]
