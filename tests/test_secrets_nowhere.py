"""A planted key is looked for in all that a program can see, keep or pass on: it is nowhere."""

import copy
import gc
import io
import json
import logging
import pickle
import signal
import socket
import threading
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat_hosts import OPENAI, Ask, ChatHost, all_formats, both_ways
from tests.servers.echo import echo
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmError, LlmRequest, LlmResponse, Timeout, register_key_source
from triptych.replay import Tape
from triptych.secret import Secret
from triptych.transport import Transport

KEY = "sk-planted-5JpXw7qTzR2vB9nL"
# Half a key is a secret too: what is cut off or marked in the middle must not leave the other part standing.
PARTS = tuple(KEY[start : start + 12] for start in range(len("sk-planted"), len(KEY) - 11))
QUESTION = LlmRequest(contents="q")


def assert_nowhere(*places: object) -> None:
    """Fail when the key, or half of it, is in one of these values: their text, repr, parts, traceback or pickle."""
    for place in places:
        for text in sights(place):
            assert not [part for part in (KEY, *PARTS) if part in text], text


def sights(value: object) -> Iterator[str]:
    """Yield what can be seen of a value."""
    if isinstance(value, bytes):
        yield value.decode("latin-1")
        return
    yield from (str(value), repr(value))
    if isinstance(value, BaseException):
        shown = traceback.TracebackException.from_exception(value, capture_locals=True)
        yield "".join(shown.format())
        yield repr(value.args)
    if isinstance(value, LlmResponse):
        yield repr(value.raw)
        yield from sights(value.error)
    if isinstance(value, LlmResponse | LlmError | LlmClient):
        yield pickle.dumps(value).decode("latin-1")
        yield repr(copy.deepcopy(value))


def raised(response: LlmResponse) -> LlmError | None:
    """Return the error that the response raises, with the traceback of a program that does not hold the key itself."""
    try:
        response.raise_for_error()
    except LlmError as error:
        return error
    return None


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that any logger says, at any level, tracebacks included."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    root = logging.getLogger()
    level = root.level
    named = [logger for logger in root.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    levels = [(logger, logger.level) for logger in named]
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    for logger, _ in levels:
        logger.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)
    for logger, before in levels:
        logger.setLevel(before)


def quoting(status: int, *, pad: int = 0, encode: bool = False) -> Any:
    """Return a handler whose error quotes the key of the request, after so many other characters, and in headers."""

    def answer(request: Request) -> Reply:
        named = (request.headers[name] for name in ("x-api-key", "x-goog-api-key") if name in request.headers)
        key = next(named, None) or request.headers["authorization"].removeprefix("Bearer ")
        words = f"{'-' * pad}the key {key} is not known"
        ids = dict.fromkeys(("x-request-id", "request-id", "Location", "Retry-After", "X-Other"), f"req_{key}")
        if encode:
            error = {"message": words, "type": f"type_{key}", "code": f"code_{key}", "param": key}
            return Reply.of_json({"error": error, "request_id": key}, status, ids)
        return Reply(status, {"Content-Type": f"text/{key}", **ids}, words.encode())

    return answer


SCENES: dict[str, Any] = {
    "answer": echo(),
    "error-object-400": quoting(400, encode=True),
    "error-object-401": quoting(401, encode=True),
    "error-object-503": quoting(503, encode=True),
    "error-object-in-a-200": quoting(200, encode=True),
    "text-401": quoting(401),
    "text-500": quoting(500),
    "text-in-a-200": quoting(200),
    "text-cut-inside-the-key": quoting(401, pad=474),
    "text-cut-inside-the-key-in-a-200": quoting(200, pad=474),
    "redirect": quoting(307),
    "wrong-shape": lambda request: Reply.of_json({"headers": dict(request.headers), "pad": "-" * 400}),
    "wrong-shape-cut": lambda request: Reply.of_json({"choices": "-" * 60 + str(request.headers), "content": 1}),
    "cut": Reply(body=b"{}", cut_after=1),
    "hang-up": Reply(hang_up=True),
    "not-http": Reply(raw=b"nonsense"),
    "silence": Reply(body=b"{}", stall_after=1),
    "badly-packed": Reply(headers={"Content-Encoding": "gzip"}, body=b"{}"),
}


@pytest.mark.parametrize("handler", SCENES.values(), ids=SCENES)
@all_formats
@both_ways
def test_no_answer_brings_the_key_to_light(
    host: ChatHost, ask: Ask, handler: Any, logged: io.StringIO, waits: list[float]
) -> None:
    with serve(handler) as server, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        options = host.options(server) | {"api_key": KEY, "retries": 1, "timeout": Timeout(idle=0.05)}
        response = ask(host.model, QUESTION, **options)
        assert KEY in repr(server.requests[0].headers)
    assert_nowhere(response, logged.getvalue(), [str(warning.message) for warning in warned])
    assert "connectionpool" in logged.getvalue() or "HTTP" in logged.getvalue()
    assert_nowhere(raised(response))


@all_formats
def test_a_client_shows_nothing_before_and_after_its_first_call(host: ChatHost) -> None:
    with serve(echo()) as server, host.client(server, api_key=KEY) as client:
        assert_nowhere(client)
        client.generate(QUESTION)
        assert_nowhere(client, repr(vars(client)), client.__getstate__())


SPELLINGS = {
    "escapes": b'{"error":{"message":"bad key %b"}}' % "".join(f"\\u{ord(letter):04x}" for letter in KEY).encode(),
    "utf-16": json.dumps({"error": {"message": f"bad key {KEY}"}}).encode("utf-16"),
    "utf-16-text": f"bad key {KEY}".encode("utf-16"),
}


@pytest.mark.parametrize("body", SPELLINGS.values(), ids=SPELLINGS)
@both_ways
def test_a_key_that_a_host_quotes_in_another_spelling_is_not_shown(ask: Ask, body: bytes) -> None:
    with serve(Reply(401, {"Content-Type": "application/json"}, body)) as server:
        response = ask(OPENAI.model, QUESTION, **OPENAI.options(server) | {"api_key": KEY})
    assert response.error is not None
    assert "bad key" in response.error.message
    assert_nowhere(response)


# The ways in which a program hands a key over: a text, a Secret, a function, one that gives a Secret.
GIVEN: dict[str, Any] = {
    "text": KEY,
    "secret": Secret(KEY),
    "function": lambda: KEY,
    "function-of-a-secret": lambda: Secret(KEY),
    "environment": None,
    "key-source": None,
}


@pytest.mark.parametrize("way", GIVEN)
@pytest.mark.parametrize("scene", ["answer", "error-object-401", "text-500", "cut"])
def test_however_a_key_is_given_no_object_log_or_error_shows_it(
    way: str, scene: str, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "environment":
        monkeypatch.setenv(OPENAI.key_variable, KEY)
    register_key_source({"openai": KEY}.get if way == "key-source" else None)
    try:
        with serve(SCENES[scene]) as server, OPENAI.client(server, api_key=GIVEN[way]) as client:
            response = client.generate(QUESTION)
            streamed = client.stream(QUESTION).collect()
            assert [request.headers["authorization"] for request in server.requests] == [f"Bearer {KEY}"] * 2
            assert_nowhere(response, streamed, client, raised(response), logged.getvalue(), *alive())
            assert_nowhere(pickle.dumps(client), repr(copy.deepcopy(client)), repr(copy.copy(client)))
    finally:
        register_key_source(None)


def alive() -> Iterator[str]:
    """Yield what each living object of a class of the library shows of itself."""
    for value in gc.get_objects():
        if str(type(value).__module__).startswith("triptych"):
            yield repr(value)


@all_formats
@both_ways
def test_no_local_failure_brings_the_key_to_light(
    host: ChatHost, ask: Ask, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B177: also not a key that HTTP does not take."""

    class Faulty:
        offline = False

        def send(self, *_: object) -> Any:
            raise ZeroDivisionError("a bug")

    monkeypatch.setenv("AWS_REGION", "us-east-1")  # of the URLs of one cloud
    with socket.create_server(("127.0.0.1", 0)) as listener:
        closed = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    options: list[dict[str, Any]] = [
        {"api_key": KEY, "base_url": closed},
        {"api_key": KEY, "cassette": Faulty()},
        {"api_key": KEY, "extra_body": {"x": object()}},
        {"api_key": KEY, "verify": "/no/such/file", "base_url": "https://127.0.0.1:1"},
        {"api_key": f"{KEY}\n"},
        {"api_key": f"{KEY}\u200b"},
        {"api_key": f"{KEY}\r\nX-Injected: 1"},
    ]
    responses = [ask(host.model, QUESTION, retries=0, **given) for given in options]
    monkeypatch.setenv(host.key_variable, f"{KEY} \n")
    responses.append(ask(host.model, QUESTION, retries=0))
    assert [response.error.kind for response in responses if response.error is not None] == [
        "connection",
        "internal",
        "invalid_request",
        "invalid_request",
        *["authentication"] * 4,
    ]
    assert_nowhere(*responses, logged.getvalue())


def test_the_traceback_of_a_fault_of_ours_shows_no_key_in_its_locals(caplog: pytest.LogCaptureFixture) -> None:
    class Faulty:
        offline = False

        def send(self, *_: object) -> Any:
            raise ZeroDivisionError("a bug")

    with LlmClient("gpt-5-mini", api_key=KEY, cassette=Faulty()) as client:
        client.generate(QUESTION)
    (record,) = caplog.records
    assert record.exc_info is not None
    fault = record.exc_info[1]
    assert fault is not None
    frames = traceback.TracebackException.from_exception(fault, capture_locals=True).stack
    ours = [frame for frame in frames if frame.name != "send"]  # what a recorder is given is its own affair
    assert len(ours) > 3
    assert_nowhere(*(frame.locals for frame in ours))


def interrupted(client: LlmClient) -> KeyboardInterrupt | None:
    """Return the interrupt that reached the program in a call."""
    try:
        client.generate(QUESTION)
    except KeyboardInterrupt as interrupt:
        return interrupt
    return None


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only POSIX can signal one thread")
@all_formats
def test_the_traceback_of_an_interrupt_shows_no_key_in_its_locals(host: ChatHost) -> None:
    def interrupt(_: Request) -> Reply:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return Reply(body=b"{}", stall_after=1)

    with serve(interrupt) as server, host.client(server, api_key=KEY, timeout=Timeout(idle=5)) as client:
        error = interrupted(client)
        assert len(server.requests) == 1
    assert error is not None
    assert "urllib3" in "".join(traceback.format_exception(error))
    assert_nowhere(error)


@pytest.mark.parametrize("wrong", [{"temprature": 1}, {"timeout": "1"}, {"headers": {"X-Key": f"{KEY}\n"}}])
def test_a_mistake_at_construction_shows_no_key(wrong: dict[str, Any]) -> None:
    """B177."""
    with pytest.raises((TypeError, ValueError)) as raised:
        LlmClient("gpt-5-mini", api_key=KEY, **wrong)
    assert_nowhere(str(raised.value))


@pytest.mark.parametrize("scene", ["answer", "error-object-401", "text-401", "error-object-in-a-200"])
@all_formats
@both_ways
def test_a_cassette_holds_no_key(host: ChatHost, ask: Ask, scene: str, tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    tape = Tape(path, "all")
    with serve(SCENES[scene]) as server:
        options = host.options(server) | {"api_key": KEY, "cassette": tape}
        live = ask(host.model, QUESTION, **options)
        ask(host.model, LlmRequest(contents=f"my key is {KEY}"), **options)
        assert KEY in repr(server.requests[0].headers)
        assert KEY.encode() in server.requests[1].body
    tape.close()
    replayed = ask(host.model, QUESTION, base_url=host.base_url(server), cassette=path, retries=0)
    recorded = path.read_bytes()
    assert host.path.encode() in recorded
    assert_nowhere(recorded, repr(tape), repr(tape.recorded))
    assert (live.text, live.error and live.error.kind) == (replayed.text, replayed.error and replayed.error.kind)


def test_a_secret_shows_itself_only_when_asked() -> None:
    secret = Secret(KEY)
    assert_nowhere(secret, f"{secret}", f"{secret!r:>40}", json.dumps(secret, default=str))
    assert secret.reveal() == KEY
    for pickling in (pickle.dumps, copy.deepcopy, copy.copy):
        with pytest.raises(TypeError, match="a Secret is not pickled"):
            pickling(secret)


def test_a_transport_shows_neither_headers_nor_secrets() -> None:
    assert_nowhere(Transport("http://h", {"Authorization": f"Bearer {KEY}"}, Timeout(), hidden=(KEY,)))
