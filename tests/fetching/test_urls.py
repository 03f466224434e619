"""Tests of the URLs that are refused before anything is sent, and of the error that says so."""

import copy
import pickle

import pytest

from tests.servers.script import Reply, serve
from triptych.fetching.media import fetch
from triptych.fetching.rules import FetchError, Place, Rules, without_secrets
from triptych.parts import Document, Image

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


def refusal(url: str, **options: bool) -> tuple[str, str]:
    """Return the URL and the reason of the error that fetching a picture raises."""
    with pytest.raises(FetchError) as caught:
        fetch(
            Image(url), allow_http=options.get("allow_http", False), allow_private=options.get("allow_private", False)
        )
    return caught.value.url, caught.value.reason


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://h.example/x.png", "expected the scheme https, got 'http': allow_http=True takes http"),
        ("gs://bucket/x.png", "expected the scheme https, got 'gs'"),
        ("s3://bucket/x.png", "expected the scheme https, got 's3'"),
        ("https://user:word@h.example/x.png", "it has a user or a password, which are not sent"),
        ("https://user@127.0.0.1/x.png", "it has a user or a password, which are not sent"),
        ("https:///x.png", "it names no host"),
        ("https:x.png", "it names no host"),
        ("https://h.example:99999/x.png", "it is no URL: expected https://host/path"),
        ("https://①②⑦.⓪.⓪.①/x.png", "it is no URL: expected https://host/path"),
        ("https://h\t.example/x.png", "it is no URL: expected https://host/path"),
    ],
)
def test_a_url_that_is_no_plain_https_url_is_refused(url: str, reason: str) -> None:
    assert refusal(url) == (without_secrets(url), reason)


@pytest.mark.parametrize(
    ("host", "address", "kind"),
    [
        ("127.0.0.1", "127.0.0.1", "a loopback address"),
        ("2130706433", "127.0.0.1", "a loopback address"),
        ("0x7f000001", "127.0.0.1", "a loopback address"),
        ("0x7f.1", "127.0.0.1", "a loopback address"),
        ("0177.0.0.1", "127.0.0.1", "a loopback address"),
        ("127.1", "127.0.0.1", "a loopback address"),
        ("%31%32%37.0.0.1", "127.0.0.1", "a loopback address"),
        ("0", "0.0.0.0", "an unspecified address"),
        ("[::1]", "::1", "a loopback address"),
        ("[::]", "::", "an unspecified address"),
        ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1", "a loopback address"),
        ("[::ffff:a9fe:a9fe]", "::ffff:169.254.169.254", "a link-local address"),
        ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1", "a loopback address"),
        ("[2002:7f00:1::]", "2002:7f00:1::", "an address of a 6to4 tunnel"),
        ("[fd00:ec2::254]", "fd00:ec2::254", "a private address"),
        ("169.254.169.254", "169.254.169.254", "a link-local address"),
        ("2852039166", "169.254.169.254", "a link-local address"),
        ("10.0.0.1", "10.0.0.1", "a private address"),
        ("192.168.0.1:8443", "192.168.0.1", "a private address"),
        ("100.100.100.200", "100.100.100.200", "an address shared within a provider's network"),
    ],
)
def test_a_host_that_is_not_public_is_refused_however_it_is_spelled(host: str, address: str, kind: str) -> None:
    _, reason = refusal(f"https://{host}/x.png")
    assert reason == f"its host is at {address}, {kind}: allow_private=True takes it"


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "2130706433", "127.1"])
def test_a_refused_host_is_not_even_connected_to(host: str) -> None:
    with serve(Reply(body=PNG)) as server:
        _, reason = refusal(f"http://{host}:{server.port}/x.png", allow_http=True)
        assert server.accepted == 0
    assert reason.endswith("a loopback address: allow_private=True takes it")


def test_what_is_told_of_a_url_has_no_secret_in_it() -> None:
    assert without_secrets("https://user:word@h.example/a?key=k#f") == "https://h.example/a"
    assert without_secrets("https://u@v:word@h.example/a") == "https://h.example/a"
    assert without_secrets("https://h.example/a@b") == "https://h.example/a@b"
    assert without_secrets("//user@h/a") == "//h/a"


def test_the_error_is_a_value_error_that_can_be_copied_and_pickled() -> None:
    error = FetchError("https://user:word@h.example/a?key=k", "it is empty")
    assert isinstance(error, ValueError)
    for each in (error, copy.deepcopy(error), pickle.loads(pickle.dumps(error))):
        assert (type(each), str(each)) == (FetchError, "https://h.example/a: it is empty")
        assert (each.url, each.reason) == ("https://h.example/a", "it is empty")


def test_a_url_leads_where_it_says_and_its_fragment_stays_here() -> None:
    place = Place.of("HTTPS://Bücher.Example:8443/ä b?q=ü#f", Rules())
    assert (place.host, place.port, place.secure) == ("xn--bcher-kva.example", 8443, True)
    assert (place.authority, place.target) == ("xn--bcher-kva.example:8443", "/%C3%A4%20b?q=%C3%BC")
    place = Place.of("http://[2606:4700::1111]", Rules(allow_http=True))
    assert (place.host, place.port, place.secure) == ("2606:4700::1111", 80, False)
    assert (place.authority, place.target) == ("[2606:4700::1111]", "/")


def test_an_option_that_cannot_be_meant_is_told_before_anything_is_looked_at() -> None:
    part = Document(text="words")
    for options, words in (
        ({"max_bytes": 0}, "max_bytes: expected a number from 1, got 0"),
        ({"timeout": 0}, "timeout: expected a number from 0.001, got 0"),
        ({"timeout": float("inf")}, "timeout: expected a number from 0.001, got inf"),
        ({"timeout": float("nan")}, "timeout: expected a number from 0.001, got nan"),
        ({"redirects": -1}, "redirects: expected a number from 0, got -1"),
        ({"proxy": "socks5://h:1080"}, "proxy: expected the URL of an HTTP proxy, such as http://proxy.example:3128"),
        ({"proxy": "http://u:w@h:x"}, "proxy: expected the URL of an HTTP proxy, such as http://proxy.example:3128"),
    ):
        with pytest.raises(ValueError, match="expected") as caught:
            fetch(part, **options)
        assert str(caught.value) == words
    with pytest.raises(TypeError, match=r"Rules\.verify: expected str or SSLContext or None, got False"):
        fetch(part, verify=False)  # type: ignore[arg-type]  # certificates are always checked
    with pytest.raises(TypeError, match="fetch: expected an Image, Audio, Video or Document, got str"):
        fetch("https://h.example/x.png")  # type: ignore[type-var]  # a part is wanted
