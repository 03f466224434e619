"""The transport on real sockets: what is sent where, which answers are whole, and how each broken one is told."""

import gzip
import json
import socket
import sys
import time
import zlib
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from tests.chat_hosts import ANTHROPIC, KEY, OPENAI, ChatHost, both_formats
from tests.servers.echo import answer_to, echo
from tests.servers.script import Reply, in_turn, serve
from triptych import LlmClient, LlmError, LlmRequest, Timeout
from triptych.transport import Transport

QUESTION = LlmRequest(contents="q")
ANSWER = json.dumps(OPENAI.answer("whole")).encode()


def fault(reply: Reply, **options: Any) -> tuple[Any, ...]:
    """Return what a program decides by when this is the reply to a call."""
    with serve(reply) as server, OPENAI.client(server, **options) as client:
        response = client.generate(QUESTION)
    assert response.content == []
    return told(response.error)


def told(error: LlmError | None) -> tuple[Any, ...]:
    """Return what a program decides by."""
    assert error is not None
    return error.kind, error.status, error.code, error.retryable


@both_formats
def test_the_request_is_one_post_with_these_headers(host: ChatHost) -> None:
    with serve(echo()) as server, host.client(server) as client:
        client.generate(QUESTION)
        (request,) = server.requests
    assert (request.method, request.path) == ("POST", host.path)
    headers = dict(request.headers)
    assert headers.pop("user-agent").startswith("triptych/")
    assert headers == {
        "host": server.url.removeprefix("http://"),
        "accept": "application/json",
        "accept-encoding": "gzip, deflate",
        "content-type": "application/json",
        "content-length": str(len(request.body)),
        host.key_header: host.key_prefix + KEY,
        **({"anthropic-version": "2023-06-01"} if host is ANTHROPIC else {}),
    }


def test_further_headers_are_sent_and_win_over_ours_in_any_case() -> None:
    headers = {"X-Team": "blue", "user-agent": "mine/1", "AUTHORIZATION": "Basic eA=="}
    with serve(echo()) as server, OPENAI.client(server, headers=headers) as client:
        client.generate(QUESTION)
        received = server.requests[0].headers
    assert {name: received[name] for name in ("x-team", "user-agent", "authorization")} == {
        "x-team": "blue",
        "user-agent": "mine/1",
        "authorization": "Basic eA==",
    }


BASE_URLS = {
    "/v1": "/v1/chat/completions",
    "/v1/": "/v1/chat/completions",
    "/v1//": "/v1/chat/completions",
    "": "/chat/completions",
    "/": "/chat/completions",
    "/api/llm": "/api/llm/chat/completions",
    "/prefix/v1?x=1": "/prefix/v1/chat/completions?x=1",
    "/v1/chat/completions": "/v1/chat/completions",
    "/with%20space/v1": "/with%20space/v1/chat/completions",
}


@pytest.mark.parametrize(("end", "path"), BASE_URLS.items())
def test_a_base_url_keeps_its_prefix_and_query(end: str, path: str) -> None:
    """B058, B059: as it is sent."""
    with serve(OPENAI.reply("whole")) as server, OPENAI.client(server, base_url=server.url + end) as client:
        assert client.generate(QUESTION).text == "whole"
        assert [request.path for request in server.requests] == [path]


@both_formats
def test_twenty_calls_share_one_connection(host: ChatHost) -> None:
    with serve(echo()) as server:
        with host.client(server) as client:
            texts = [client.generate(LlmRequest(contents=f"q{number}")).text for number in range(20)]
            assert (len(server.requests), server.accepted, server.open_connections) == (20, 1, 1)
        assert server.wait_until_closed()
    assert texts == [answer_to(f"q{number}") for number in range(20)]


def test_refused_calls_keep_the_connection() -> None:
    refused = Reply.of_json(OPENAI.error("no", "invalid"), 400)
    with serve(in_turn(refused, Reply(204), OPENAI.reply("whole"))) as server, OPENAI.client(server) as client:
        texts = [client.generate(QUESTION).text for _ in range(3)]
        assert server.accepted == 1
    assert texts == ["", "", "whole"]


def test_a_connection_that_the_server_has_closed_meanwhile_is_replaced() -> None:
    with serve(echo()) as server, OPENAI.client(server) as client:
        client.generate(QUESTION)
        server.drop_connections()
        assert server.wait_until_closed()
        assert client.generate(QUESTION).text == answer_to("q")
        assert server.accepted == 2


def test_a_closed_client_can_be_used_again() -> None:
    with serve(echo()) as server:
        client = OPENAI.client(server)
        for _ in range(2):
            assert client.generate(QUESTION).text == answer_to("q")
            client.close()
            client.close()
            assert server.wait_until_closed()


@both_formats
def test_cookies_are_not_kept(host: ChatHost) -> None:
    """B194."""
    with serve(echo()) as server, host.client(server) as client:
        for _ in range(3):
            client.generate(QUESTION)
        assert [request.headers.get("cookie") for request in server.requests] == [None, None, None]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@both_formats
def test_a_redirect_is_refused_and_no_key_leaves_for_the_other_host(host: ChatHost, status: int) -> None:
    """B178, B179."""
    with serve(echo()) as other:
        location = f"{other.url}{host.path}?token=1"
        with serve(Reply(status, {"Location": location})) as server, host.client(server, retries=2) as client:
            error = client.generate(QUESTION).error
            assert len(server.requests) == 1
        assert (other.accepted, other.requests) == (0, [])
    assert told(error) == ("connection", status, "redirect", False)
    assert error is not None
    assert error.message == (
        f"the host answered {status} with a redirect to {other.url}{host.path}: redirects are refused, set base_url"
    )


@pytest.mark.parametrize("location", ["//attacker.invalid/x", "/v1/elsewhere", "not a url", ""])
def test_a_redirect_to_anywhere_is_refused(location: str) -> None:
    """B179."""
    with serve(Reply(307, {"Location": location})) as server, OPENAI.client(server) as client:
        assert told(client.generate(QUESTION).error) == ("connection", 307, "redirect", False)
        assert len(server.requests) == 1


@both_formats
def test_netrc_does_not_replace_the_key(host: ChatHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B180."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\ndefault login somebody password else\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with serve(echo()) as server, host.client(server) as client:
        client.generate(QUESTION)
        headers = server.requests[0].headers
    assert headers[host.key_header] == host.key_prefix + KEY
    assert not any("Basic" in value for value in headers.values())


@both_formats
def test_a_proxy_of_the_environment_is_used(host: ChatHost, monkeypatch: pytest.MonkeyPatch) -> None:
    """B180."""
    with serve(echo()) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.replace("http://", "http://user:word@"))
        base_url = f"http://llm.invalid{host.root}"
        with LlmClient(host.model, base_url=base_url, api_key=KEY) as client:
            assert client.generate(QUESTION).text == answer_to("q")
        (request,) = proxy.requests
    assert request.path == f"http://llm.invalid{host.path}"
    assert request.headers["proxy-authorization"] == "Basic dXNlcjp3b3Jk"
    assert request.headers[host.key_header] == host.key_prefix + KEY


def test_no_proxy_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(echo()) as proxy, serve(echo()) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        with OPENAI.client(server) as client:
            assert client.generate(QUESTION).text == answer_to("q")
        assert (len(server.requests), proxy.accepted) == (1, 0)


def test_a_proxy_that_refuses_the_tunnel_sees_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Reply(407)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        with LlmClient(OPENAI.model, base_url="https://llm.invalid/v1", api_key=KEY, retries=0) as client:
            error = client.generate(QUESTION).error
        (request,) = proxy.requests
    assert (request.method, request.path) == ("CONNECT", "llm.invalid:443")
    assert KEY not in repr(request)
    assert told(error) == ("connection", None, "proxy", True)
    assert "407" in str(error)


@pytest.mark.parametrize("proxy", ["nonsense://127.0.0.1:9", "http:///"])
def test_a_proxy_that_is_none_is_told_and_not_tried_again(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    with LlmClient(OPENAI.model, base_url="http://llm.invalid/v1", api_key=KEY) as client:
        assert told(client.generate(QUESTION).error) == ("invalid_request", None, None, False)


WHOLE = {
    "length": Reply(body=ANSWER),
    "chunks": Reply(body=[ANSWER[:10], ANSWER[10:11], ANSWER[11:]]),
    "until-close": Reply(body=ANSWER, framing="close"),
    "close-announced": Reply(body=ANSWER, close=True),
    "gzip": Reply(headers={"Content-Encoding": "gzip"}, body=gzip.compress(ANSWER)),
    "deflate": Reply(headers={"Content-Encoding": "deflate"}, body=zlib.compress(ANSWER)),
    "gzip-in-chunks": Reply(headers={"Content-Encoding": "gzip"}, body=[bytes([b]) for b in gzip.compress(ANSWER)]),
    "identity": Reply(headers={"Content-Encoding": "identity"}, body=ANSWER),
    "byte-order-mark": Reply(body=b"\xef\xbb\xbf" + ANSWER),
    "status-201": Reply(201, body=ANSWER),
    "no-content-type": Reply(headers={"Content-Type": "text/plain"}, body=ANSWER),
}


@pytest.mark.parametrize("reply", WHOLE.values(), ids=WHOLE)
def test_a_whole_body_is_read_however_it_is_framed_and_packed(reply: Reply) -> None:
    with serve(reply) as server, OPENAI.client(server) as client:
        response = client.generate(QUESTION)
    assert (response.text, response.error) == ("whole", None)


def test_a_body_of_many_megabytes_is_read_whole() -> None:
    text = "abcdefgh" * (1 << 20)
    with serve(OPENAI.reply(text)) as server, OPENAI.client(server) as client:
        assert client.generate(QUESTION).text == text


def test_a_request_of_many_megabytes_is_sent_whole() -> None:
    text = "abcdefgh" * (1 << 20)
    with serve(echo()) as server, OPENAI.client(server) as client:
        assert client.generate(LlmRequest(contents=text)).text == answer_to(text)


PACKED = gzip.compress(ANSWER)
BROKEN = {
    "cut-between-chunks": Reply(body=[ANSWER[:10], ANSWER[10:]], cut_after=10),
    "cut-inside-a-chunk": Reply(body=[ANSWER], cut_after=10),
    "cut-before-the-last-chunk": Reply(body=[ANSWER], cut_after=len(ANSWER)),
    "cut-before-the-length": Reply(body=ANSWER, cut_after=60),
    "cut-after-the-head": Reply(body=ANSWER, cut_after=0),
    "length-too-great": Reply(body=ANSWER, content_length=len(ANSWER) + 40, close=True),
    "reset-in-the-body": Reply(body=ANSWER, cut_after=60, reset=True),
    "packed-and-cut": Reply(headers={"Content-Encoding": "gzip"}, body=PACKED, cut_after=len(PACKED) - 4),
    "closed-before-the-answer": Reply(hang_up=True),
    "reset-before-the-answer": Reply(hang_up=True, reset=True),
    "no-http": Reply(raw=b"SSH-2.0-OpenSSH_9.6\r\n\r\n"),
    "broken-chunk-size": Reply(raw=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_an_answer_that_breaks_off_is_told_and_never_parsed(reply: Reply) -> None:
    """B168, B169."""
    assert fault(reply) == ("connection", None, "incomplete_response", True)


def test_a_body_that_is_not_packed_as_it_says_is_told() -> None:
    """B168."""
    reply = Reply(headers={"Content-Encoding": "gzip"}, body=ANSWER)
    assert fault(reply) == ("connection", None, "undecodable", True)


def test_an_answer_that_breaks_off_is_asked_for_again(waits: list[float]) -> None:
    """B169."""
    with serve(in_turn(Reply(body=ANSWER, cut_after=60), Reply(body=ANSWER))) as server:
        with OPENAI.client(server, retries=1) as client:
            assert client.generate(QUESTION).text == "whole"
        assert len({request.body for request in server.requests}) == len(waits) == 1


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_a_refused_connection_is_told() -> None:
    with LlmClient(OPENAI.model, base_url=f"http://127.0.0.1:{_free_port()}/v1", api_key=KEY, retries=0) as client:
        error = client.generate(QUESTION).error
    assert told(error) == ("connection", None, None, True)
    assert "refused" in str(error)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems answer when the queue of a listener is full")
def test_a_host_that_does_not_accept_is_a_connect_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for stranger in waiting:
            stranger.setblocking(False)
            stranger.connect_ex(address)
        base_url = f"http://127.0.0.1:{address[1]}/v1"
        with LlmClient(
            OPENAI.model, base_url=base_url, api_key=KEY, retries=0, timeout=Timeout(connect=0.05)
        ) as client:
            error = client.generate(QUESTION).error
        for stranger in waiting:
            stranger.close()
    assert told(error) == ("timeout", None, "connect_timeout", True)


STALLED = Reply(body=ANSWER, stall_after=10)


@pytest.mark.parametrize("reply", [STALLED, Reply(body=ANSWER, stall_after=10, close=True)], ids=["kept", "closing"])
def test_a_pause_in_the_body_beyond_the_idle_limit_is_a_timeout(reply: Reply) -> None:
    """B168."""
    assert fault(reply, timeout=Timeout(idle=0.05, first_event=5)) == ("timeout", None, "read_timeout", True)


def test_no_word_of_an_answer_in_time_is_a_timeout() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        timeout = Timeout(first_event=0.05)
        with LlmClient(OPENAI.model, base_url=base_url, api_key=KEY, retries=0, timeout=timeout) as client:
            assert told(client.generate(QUESTION).error) == ("timeout", None, "read_timeout", True)


def _endless() -> Iterator[bytes]:
    return repeat(b" ")


@pytest.mark.parametrize("framing", ["chunked", "close"])
def test_a_body_that_never_ends_is_given_up_when_the_time_for_the_call_is_over(framing: Any) -> None:
    reply = Reply(body=_endless(), framing=framing)
    assert fault(reply, timeout=0.1) == ("timeout", None, "total_timeout", True)


@pytest.mark.parametrize("reply", [STALLED, Reply(body=ANSWER, stall_after=10, close=True)], ids=["kept", "closing"])
def test_the_time_for_the_call_counts_for_a_silent_host_too(reply: Reply) -> None:
    timeout = Timeout(total=0.05, first_event=5, idle=5)
    assert fault(reply, timeout=timeout) == ("timeout", None, "total_timeout", True)


def test_a_connection_that_timed_out_is_not_used_again(waits: list[float]) -> None:
    with serve(in_turn(STALLED, Reply(body=ANSWER))) as server:
        with OPENAI.client(server, retries=1, timeout=Timeout(idle=0.05)) as client:
            assert client.generate(QUESTION).text == "whole"
        assert (server.accepted, len(waits)) == (2, 1)


def test_whoever_looks_for_the_end_of_a_body_leaves_the_next_call_on_the_connection_alone() -> None:
    pieces = Reply(body=iter([b"{", b"}"]))
    with serve(in_turn(Reply(body=b"{}"), pieces)) as server:
        transport = Transport(server.url, {}, Timeout(first_event=5, idle=5))
        first = transport.open(b"{}", None)
        assert first.read(None) == b"{}"  # all of it: urllib3 has given the connection back
        second = transport.open(b"{}", None)
        limit = second._socket.gettimeout()
        assert first.read(time.monotonic() + 0.05) == b""
        assert (server.accepted, second._socket.gettimeout()) == (1, limit)
        assert second.rest(5, None) == b"{}"
        transport.close()


def test_a_password_in_the_base_url_is_in_no_repr_and_no_error() -> None:
    base_url = f"http://somebody:pass-word@127.0.0.1:{_free_port()}/v1"
    with LlmClient(OPENAI.model, base_url=base_url, api_key=KEY, retries=0) as client:
        shown = repr((client, client.generate(QUESTION).error, Transport(base_url, {}, Timeout())))
    assert "pass-word" not in shown


def test_a_key_is_not_replaced_by_the_user_and_password_of_the_url() -> None:
    with serve(OPENAI.reply("4")) as server:
        address = OPENAI.base_url(server).replace("://", "://user:password@")
        with OPENAI.client(server, base_url=address) as client:
            assert client.generate(LlmRequest(contents="q")).text == "4"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_the_user_and_password_of_the_url_count_where_there_is_no_key() -> None:
    with serve(OPENAI.reply("4")) as server:
        address = OPENAI.base_url(server).replace("://", "://user:password@")
        with LlmClient("llamacpp/m", base_url=address) as client:
            assert client.generate(LlmRequest(contents="q")).text == "4"
        assert server.requests[0].headers["authorization"] == "Basic dXNlcjpwYXNzd29yZA=="
