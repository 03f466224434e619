"""Tests of fetching through a proxy: it is asked for a tunnel to an address that was checked here.

The scripted server is the proxy and, once it has opened the tunnel, the host at its end: so it can play a public one.
"""

import pytest

from tests.fetching.names import Names
from tests.servers.script import Reply, in_turn, serve
from triptych.fetching.media import fetch
from triptych.fetching.rules import FetchError
from triptych.parts import Image

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
OPEN = Reply(200)


def test_the_tunnel_leads_to_the_address_that_was_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    names = Names(monkeypatch, public_example=[["8.8.8.8"]])
    with serve(in_turn(OPEN, Reply(body=PNG))) as proxy:
        part = fetch(
            Image("http://public.example/a/x.png"), allow_http=True, proxy=f"http://us%65r:word@127.0.0.1:{proxy.port}"
        )
    connect, get = proxy.requests
    assert (connect.method, connect.path) == ("CONNECT", "8.8.8.8:80")
    assert connect.headers["proxy-authorization"] == "Basic dXNlcjp3b3Jk"
    assert (get.method, get.path, get.headers["host"]) == ("GET", "/a/x.png", "public.example")
    assert sorted(get.headers) == ["accept", "accept-encoding", "host", "user-agent"]
    assert (part.data, names.asked) == (PNG, ["public.example"])


def test_a_proxy_is_not_asked_for_a_host_that_is_not_public() -> None:
    with serve(OPEN) as proxy:
        with pytest.raises(FetchError, match=r"169\.254\.169\.254, a link-local address"):
            fetch(Image("http://169.254.169.254/x.png"), allow_http=True, proxy=proxy.url)
        assert proxy.accepted == 0


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1/y.png", "//169.254.169.254/y.png", "http://inner.example/y.png"]
)
def test_a_redirect_from_a_public_host_to_another_is_refused(location: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch, public_example=[["8.8.8.8"]], inner_example=[["10.0.0.1"]])
    with serve(in_turn(OPEN, Reply(302, {"Location": location}))) as proxy:
        with pytest.raises(FetchError, match=r"its host is at [\d.]+, a .* address: allow_private=True takes it"):
            fetch(Image("http://public.example/x.png"), allow_http=True, redirects=3, proxy=proxy.url)
        assert len(proxy.requests) == 2


def test_with_private_hosts_allowed_the_proxy_is_given_the_name() -> None:
    with serve(in_turn(OPEN, Reply(body=PNG))) as proxy:
        fetch(Image("http://inside.example/x.png"), allow_http=True, allow_private=True, proxy=proxy.url)
    assert [request.path for request in proxy.requests] == ["inside.example:80", "/x.png"]


def test_a_proxy_that_refuses_is_told_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    Names(monkeypatch, public_example=[["8.8.8.8"]])
    with serve(Reply(407)) as proxy, pytest.raises(FetchError) as caught:
        fetch(Image("https://public.example/x.png"), proxy=f"http://user:word@127.0.0.1:{proxy.port}")
    assert caught.value.reason == (
        "no connection to the host: Tunnel connection failed: 407 Proxy Authentication Required"
    )
