"""How a host is reached: proxies given and taken from the environment, kept connections, and what of it is secret."""

import copy
import logging
import pickle
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.chat_hosts import KEY, OPENAI, ChatHost, both_formats
from tests.servers.echo import answer_to, echo
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmRequest, ProviderError
from triptych.network import Network, passwords, without_userinfo

QUESTION = LlmRequest(contents="q")
PASSWORD = "pass-word-of-the-proxy"


@both_formats
def test_a_proxy_that_is_given_serves_every_host_and_beats_the_environment(
    host: ChatHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(echo()) as proxy, serve(Reply(500)) as other:
        monkeypatch.setenv("http_proxy", other.url)
        monkeypatch.setenv("no_proxy", "*")
        url = proxy.url.replace("http://", f"http://user:{PASSWORD}@")
        base_url = f"http://llm.invalid{host.root}"
        with LlmClient(host.model, base_url=base_url, api_key=KEY, proxy=url) as client:
            assert client.generate(QUESTION).text == answer_to("q")
        (request,) = proxy.requests
        assert other.accepted == 0
    assert request.path == f"http://llm.invalid{host.path}"
    assert request.headers["proxy-authorization"].startswith("Basic ")


def test_an_empty_proxy_is_none_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(echo()) as proxy, serve(echo()) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)
        with OPENAI.client(server, proxy="") as client:
            assert client.generate(QUESTION).text == answer_to("q")
        assert (proxy.accepted, server.accepted) == (0, 1)


ENVIRONMENTS: dict[str, dict[str, str]] = {
    "by-scheme": {"http_proxy": "{proxy}"},
    "upper-case": {"HTTP_PROXY": "{proxy}"},
    "for-all": {"all_proxy": "{proxy}"},
    "scheme-before-all": {"http_proxy": "{proxy}", "all_proxy": "{other}"},
    "lower-before-upper": {"http_proxy": "{proxy}", "HTTP_PROXY": "{other}"},
    "other-hosts-excepted": {"http_proxy": "{proxy}", "no_proxy": "example.org,127.0.0.1"},
}


@pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_the_environment_names_a_proxy_in_this_order(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve(echo()) as proxy, serve(Reply(500)) as other:
        for name, value in environment.items():
            monkeypatch.setenv(name, value.format(proxy=proxy.url, other=other.url))
        with LlmClient(OPENAI.model, base_url="http://llm.invalid/v1", api_key=KEY, retries=0) as client:
            assert client.generate(QUESTION).text == answer_to("q")
        assert other.accepted == 0


@pytest.mark.parametrize("excepted", ["llm.invalid", ".invalid", "*", "x,llm.invalid"])
def test_hosts_that_no_proxy_names_are_reached_without_one(excepted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(echo()) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("NO_PROXY", excepted)
        with LlmClient(OPENAI.model, base_url="http://llm.invalid/v1", api_key=KEY, retries=0) as client:
            error = client.generate(QUESTION).error
        assert proxy.accepted == 0
    assert error is not None
    assert error.kind == "connection"


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "proxy-type": ({"proxy": 5}, TypeError, r"LlmClient\.proxy: expected str or None, got int"),
    "proxy-scheme": (
        {"proxy": "ftp://h:1"},
        ValueError,
        r"LlmClient\.proxy: expected a URL such as 'http://host:3128'",
    ),
    "proxy-bare": ({"proxy": "host:3128"}, ValueError, r"LlmClient\.proxy: expected a URL"),
    "proxy-port": ({"proxy": "http://u:pass-word@h:x"}, ValueError, r"got 'http://h:x'"),
    "cert-type": ({"cert": 5}, TypeError, r"LlmClient\.cert: expected str or two of them or None, got 5 \(int\)"),
    "cert-three": ({"cert": ("a", "b", "c")}, TypeError, r"LlmClient\.cert: expected str or two"),
    "connections": ({"connections": 0}, ValueError, r"LlmClient\.connections: expected a number from 1, got 0"),
    "connections-bool": ({"connections": True}, ValueError, r"LlmClient\.connections: expected a number from 1"),
    "cert-and-context": (
        {"cert": "a", "verify": ssl.create_default_context()},
        ValueError,
        r"LlmClient\.cert: the context given as verify holds the client certificate, too",
    ),
}


@pytest.mark.parametrize(("options", "error", "words"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_meant_is_raised_at_construction(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words) as raised:
        LlmClient(OPENAI.model, api_key=KEY, **options)
    assert "pass-word" not in str(raised.value)


def test_as_many_connections_are_kept_as_the_client_is_told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    all_there = threading.Barrier(6, timeout=20)
    answer = echo()

    def together(request: Request) -> Reply:
        all_there.wait()
        return answer(request)

    for connections, opened in ((6, 6), (2, 6 + 4)):
        with serve(together) as server, OPENAI.client(server, connections=connections) as client:
            for _ in range(2):
                with ThreadPoolExecutor(6) as pool:
                    list(pool.map(lambda _: client.generate(QUESTION).raise_for_error(), range(6)))
            assert server.accepted == opened
    assert ("pool is full" in caplog.text) is True


def client(**options: Any) -> LlmClient:
    """Return a client with a proxy and an address that hold passwords."""
    base_url = f"http://user:{PASSWORD}@llm.invalid/v1"
    return LlmClient(OPENAI.model, base_url=base_url, proxy=f"http://me:{PASSWORD}@127.0.0.1:1", retries=0, **options)


def test_the_password_of_a_proxy_and_of_an_address_is_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with client(api_key=KEY) as made:
        error = made.generate(QUESTION).error
        places = [repr(made), repr(error), str(error), caplog.text, pickle.dumps(made).decode("latin-1")]
    assert error is not None
    assert (error.kind, error.code) == ("connection", "proxy")
    assert [place for place in places if PASSWORD in place] == []


def test_a_pickled_client_keeps_its_network_without_what_is_secret() -> None:
    made = client(api_key=KEY, verify="/a/bundle", cert=("/c", "/k"), connections=7)
    back = pickle.loads(pickle.dumps(made))
    assert back._network == Network("/a/bundle", ("/c", "/k"), "http://127.0.0.1:1", 7)
    assert back == made
    assert copy.deepcopy(made)._network == made._network


def test_a_context_cannot_be_pickled_and_says_so_while_a_copy_shares_it() -> None:
    context = ssl.create_default_context()
    made = LlmClient(OPENAI.model, api_key=KEY, verify=context)
    with pytest.raises(TypeError, match="a TLS context of its own cannot be pickled; give verify= as a path"):
        pickle.dumps(made)
    assert copy.deepcopy(made)._network.verify is context


PARAMETERS = ["key", "api_key", "api-key", "access_token", "sig", "X-Amz-Signature", "password", "client_secret"]


@pytest.mark.parametrize("name", PARAMETERS)
def test_a_key_in_an_address_is_refused_and_not_quoted(name: str) -> None:
    with pytest.raises(ProviderError, match="looks like a secret, and URLs are written into logs") as raised:
        LlmClient(OPENAI.model, base_url=f"https://h/v1?x=1&{name}=planted", api_key=KEY)
    assert "planted" not in str(raised.value)


URLS = {
    "none": ("http://h:1/p?q=1", (), "http://h:1/p?q=1"),
    "user": ("http://u@h/p", (), "http://h/p"),
    "password": ("http://u:p%40ss@h:1/p", ("p%40ss", "p@ss"), "http://h:1/p"),
    "brackets": ("http://u:p@[h", (), "[h"),
}


@pytest.mark.parametrize(("url", "secret", "public"), URLS.values(), ids=URLS)
def test_the_password_of_a_url_is_found_and_taken_away(url: str, secret: tuple[str, ...], public: str) -> None:
    assert set(passwords(url)) == set(secret)
    assert without_userinfo(url) == public
