"""What is tried again, how often and after which wait; what leaves at once."""

import random
import signal
import threading
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

from tests.chat_hosts import ANTHROPIC, OPENAI, Ask, ChatHost, all_formats, both_formats, both_ways
from tests.servers.script import Reply, Request, in_turn, serve
from triptych import BaseTool, LlmError, LlmRequest, LlmResponse, Message, Retries, Timeout, retry
from triptych.replay import Tape

QUESTION = LlmRequest(contents="q")
NOON = "Mon, 30 Nov 2026 12:00:00 GMT"


def refusal(host: ChatHost, status: int, headers: dict[str, str] | None = None) -> Reply:
    """Return a reply that refuses in the words of the host."""
    return Reply.of_json(host.error("not now", "some_code"), status, headers)


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
@all_formats
@both_ways
def test_what_may_pass_is_tried_again_with_the_same_bytes(
    host: ChatHost, ask: Ask, status: int, waits: list[float]
) -> None:
    with serve(in_turn(refusal(host, status), refusal(host, status), host.reply("at last"))) as server:
        response = ask(host.model, QUESTION, **host.options(server) | {"retries": 2})
        assert len({(request.body, request.path) for request in server.requests}) == 1
        assert (len(server.requests), server.accepted) == (3, 1)
    assert (response.text, response.error) == ("at last", None)
    assert len(waits) == 2


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 413, 422])
@all_formats
def test_what_will_not_pass_is_not_tried_again(host: ChatHost, status: int, waits: list[float]) -> None:
    with serve(refusal(host, status)) as server, host.client(server, retries=2) as client:
        error = client.generate(QUESTION).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.retryable, error.attempts, waits) == (False, 1, [])


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (1, 2), (4, 5)])
@all_formats
def test_the_last_error_says_how_often_the_request_was_sent(
    host: ChatHost, retries: int, attempts: int, waits: list[float]
) -> None:
    with serve(refusal(host, 503)) as server, host.client(server, retries=retries) as client:
        error = client.generate(QUESTION).error
        assert len(server.requests) == attempts
    assert error is not None
    assert (error.kind, error.status, error.attempts) == ("overloaded", 503, attempts)
    assert len(waits) == retries


WINDOWS = [0.5, 1, 2, 4, 8, 16, 32, 60, 60, 60]


def test_waits_without_advice_are_random_each_in_its_window(waits: list[float]) -> None:
    with serve(refusal(OPENAI, 500)) as server, OPENAI.client(server, retries=10) as client:
        client.generate(QUESTION)
    assert [wait for wait, window in zip(waits, WINDOWS, strict=True) if not 0 <= wait <= window] == []
    assert len(set(waits)) == 10


def test_the_windows_double_up_to_a_minute(waits: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "uniform", lambda _, most: most)
    with serve(refusal(OPENAI, 500)) as server, OPENAI.client(server, retries=10) as client:
        client.generate(QUESTION)
    assert waits == WINDOWS


ADVICE = {
    "seconds": ({"Retry-After": "7"}, 7.0),
    "zero": ({"Retry-After": "0"}, 0.0),
    "fraction": ({"Retry-After": "0.25"}, 0.25),
    "the-longest": ({"Retry-After": "60"}, 60.0),
    "milliseconds": ({"retry-after-ms": "1500"}, 1.5),
    "milliseconds-before-seconds": ({"retry-after-ms": "1500", "Retry-After": "2"}, 1.5),
    "broken-milliseconds": ({"retry-after-ms": "soon", "Retry-After": "2"}, 2.0),
    "date": ({"Retry-After": "Mon, 30 Nov 2026 12:00:20 GMT", "Date": NOON}, 20.0),
    "date-of-another-zone": ({"Retry-After": "Mon, 30 Nov 2026 13:00:20 +0100", "Date": NOON}, 20.0),
    "date-that-has-passed": ({"Retry-After": "Mon, 30 Nov 2026 11:00:00 GMT", "Date": NOON}, 0.0),
}


@pytest.mark.parametrize(("headers", "wait"), ADVICE.values(), ids=ADVICE)
def test_the_host_says_how_long_to_wait(headers: dict[str, str], wait: float, waits: list[float]) -> None:
    """B158."""
    handler = in_turn(refusal(OPENAI, 429, headers), OPENAI.reply("at last"))
    with serve(handler) as server, OPENAI.client(server, retries=1) as client:
        assert client.generate(QUESTION).text == "at last"
    assert waits == [wait]


NO_ADVICE = ["abc", "-5", "", "nan", "inf", "1e999", "Mon, 99 Nov 2026 12:00:00 GMT", "Mon, 30 Nov 2026 12:00:00 -0000"]


@pytest.mark.parametrize("value", NO_ADVICE)
def test_advice_that_says_nothing_leaves_the_wait_to_us(value: str, waits: list[float]) -> None:
    """B158."""
    refused = refusal(OPENAI, 429, {"Retry-After": value, "Date": NOON})
    with serve(in_turn(refused, OPENAI.reply("at last"))) as server, OPENAI.client(server, retries=1) as client:
        assert client.generate(QUESTION).text == "at last"
    assert [0 <= wait <= Retries().first_wait for wait in waits] == [True]


TOLD: dict[str, tuple[dict[str, str], float | None, bool]] = {
    "nothing": ({}, 34.0, True),
    "should": ({"x-should-retry": "false"}, 34.0, False),
    "header": ({"retry-after": "5"}, 5.0, True),
    "milliseconds": ({"retry-after-ms": "1500", "retry-after": "5"}, 1.5, True),
    "aws": ({"x-amz-retry-after": "1500"}, 1.5, True),
    "reset": ({"x-ratelimit-reset-requests": "3s", "x-ratelimit-remaining-requests": "0"}, 34.0, True),
}


@pytest.mark.parametrize(("headers", "wait", "retryable"), TOLD.values(), ids=TOLD)
def test_a_wait_that_the_body_tells_gives_way_to_retry_after_alone(
    headers: dict[str, str], wait: float, retryable: bool
) -> None:
    error = retry.advised(LlmError("wait", "rate_limit", retry_after=34.0), CaseInsensitiveDict(headers))
    assert (error.retry_after, error.retryable) == (wait, retryable)


def test_a_date_without_the_date_of_the_answer_counts_from_now() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    error = retry.advised(LlmError("wait", "rate_limit"), {"retry-after": moment})
    assert error.retry_after is not None
    assert 3500 < error.retry_after <= 3600


TOO_LONG = {
    "seconds": ({"Retry-After": "90"}, 90.0),
    "milliseconds": ({"retry-after-ms": "300000"}, 300.0),
    "date": ({"Retry-After": "Mon, 30 Nov 2026 13:00:00 GMT", "Date": NOON}, 3600.0),
}


@pytest.mark.parametrize(("headers", "seconds"), TOO_LONG.values(), ids=TOO_LONG)
@all_formats
def test_a_wait_that_is_too_long_comes_back_at_once_and_is_never_shortened(
    host: ChatHost, headers: dict[str, str], seconds: float, waits: list[float]
) -> None:
    """B158."""
    with serve(refusal(host, 429, headers)) as server, host.client(server, retries=5) as client:
        error = client.generate(QUESTION).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.retry_after, error.retryable, error.attempts) == ("rate_limit", seconds, True, 1)
    assert waits == []


def test_a_wait_past_the_deadline_comes_back_at_once(waits: list[float]) -> None:
    with serve(refusal(OPENAI, 429, {"Retry-After": "30"})) as server:
        with OPENAI.client(server, retries=5, timeout=20) as client:
            error = client.generate(QUESTION).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.retry_after, error.attempts, waits) == ("rate_limit", 30.0, 1, [])


def test_a_wait_of_our_own_does_not_pass_the_deadline_and_the_error_is_the_hosts(waits: list[float]) -> None:
    with serve(refusal(OPENAI, 500)) as server, OPENAI.client(server, retries=200, timeout=5) as client:
        error = client.generate(QUESTION).error
        assert error is not None
        assert error.attempts == len(server.requests) == len(waits) + 1
    assert (error.kind, error.status) == ("server", 500)
    assert max(waits) < 5


@pytest.mark.parametrize(
    ("status", "should", "attempts"), [(503, "false", 1), (409, "true", 3), (400, "true", 3), (503, "maybe", 3)]
)
@all_formats
def test_the_hosts_word_on_trying_again_counts_more_than_the_status(
    host: ChatHost, status: int, should: str, attempts: int, waits: list[float]
) -> None:
    """B161."""
    refused = refusal(host, status, {"x-should-retry": should})
    with serve(refused) as server, host.client(server, retries=2) as client:
        error = client.generate(QUESTION).error
        assert len(server.requests) == attempts
    assert error is not None
    assert (error.attempts, error.retryable) == (attempts, attempts > 1)


def test_exhausted_credit_is_billing_and_not_tried_again(waits: list[float]) -> None:
    message = "You exceeded your current quota, please check your plan and billing details."
    words = {"message": message, "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}
    with serve(Reply.of_json({"error": words}, 429)) as server, OPENAI.client(server, retries=2) as client:
        error = client.generate(QUESTION).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.status, error.retryable, error.message) == ("billing", 429, False, message)


def test_an_error_in_a_200_that_may_pass_is_tried_again(waits: list[float]) -> None:
    overloaded = Reply.of_json(ANTHROPIC.error("Overloaded", "overloaded_error"))
    handler = in_turn(overloaded, ANTHROPIC.reply("at last"))
    with serve(handler) as server, ANTHROPIC.client(server, retries=1) as client:
        assert client.generate(QUESTION).text == "at last"
    assert len(waits) == 1


RING: dict[str, Any] = {}
RING["ring"] = RING
UNSENDABLE: dict[str, tuple[LlmRequest, dict[str, Any]]] = {
    "no-contents": (LlmRequest(), {}),
    "value-that-json-cannot-hold": (QUESTION, {"extra_body": {"x": object()}}),
    "value-that-holds-itself": (QUESTION, {"extra_body": RING}),
    "strict": (QUESTION, {"strict": True, "seed": 1, "top_k": 1}),
}


@pytest.mark.parametrize(("request_", "options"), UNSENDABLE.values(), ids=UNSENDABLE)
@both_formats
@both_ways
def test_what_cannot_be_built_is_neither_sent_nor_tried_again(
    host: ChatHost, ask: Ask, request_: LlmRequest, options: dict[str, Any], waits: list[float]
) -> None:
    with serve(host.reply("never")) as server:
        error = ask(host.model, request_, **host.options(server) | {"retries": 2} | options).error
        assert server.accepted == 0
    assert error is not None
    assert error.kind in ("invalid_request", "unsupported")
    assert (error.retryable, error.attempts, waits) == (False, 0, [])


def test_an_interrupt_in_a_wait_leaves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """B165."""

    def interrupted(_: float) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(time, "sleep", interrupted)
    with serve(refusal(OPENAI, 503)) as server:
        with OPENAI.client(server, retries=15) as client, pytest.raises(KeyboardInterrupt):
            client.generate(QUESTION)
        assert len(server.requests) == 1
        assert server.wait_until_closed()


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only POSIX can signal one thread")
def test_an_interrupt_while_the_answer_is_awaited_leaves_at_once_and_closes_the_connection() -> None:
    main = threading.main_thread().ident
    assert main is not None

    def interrupt(_: Request) -> Reply:
        signal.pthread_kill(main, signal.SIGINT)
        return Reply(body=b"{}", stall_after=1)

    with serve(interrupt) as server, OPENAI.client(server, retries=15, timeout=Timeout(idle=5)) as client:
        with pytest.raises(KeyboardInterrupt):
            client.generate(QUESTION)
        assert server.wait_until_closed()
        assert len(server.requests) == 1


@pytest.mark.parametrize("foreign", [SystemExit, GeneratorExit, KeyboardInterrupt, ZeroDivisionError])
def test_what_is_no_failure_of_the_call_passes_on_the_first_occurrence(
    foreign: type[BaseException], waits: list[float]
) -> None:
    calls = []

    def attempt() -> LlmResponse:
        calls.append(1)
        if len(calls) > 1:
            raise foreign("mine")
        return LlmResponse(error=LlmError("not now", "server"))

    with pytest.raises(foreign):
        retry.call(attempt, retry.Policy(Retries(5)))
    assert (len(calls), len(waits)) == (2, 1)


def test_tools_and_history_are_the_same_on_each_try(waits: list[float]) -> None:
    request = LlmRequest(contents=[Message("user", "q")] * 3, tools=[BaseTool("f", "does", {"type": "object"})])
    with serve(refusal(ANTHROPIC, 529)) as server, ANTHROPIC.client(server, retries=3) as client:
        client.generate(request)
        assert len(server.requests) == 4
        assert len({received.body for received in server.requests}) == 1


def test_a_recorded_failure_is_tried_again_at_once_and_stands_where_the_recording_ends(
    tmp_path: Path, waits: list[float]
) -> None:
    path = tmp_path / "retries.yaml"
    with serve(in_turn(refusal(OPENAI, 503), OPENAI.reply("4"), refusal(OPENAI, 503))) as server:
        tape = Tape(path, "all")
        with OPENAI.client(server, cassette=tape) as recording:
            kinds = [recording.generate(LlmRequest(contents="q")).error for _ in range(3)]
            assert [error.kind if error else None for error in kinds] == ["overloaded", None, "overloaded"]
        tape.close()
        with OPENAI.client(server, cassette=path, retries=2) as client:
            first, second = (client.generate(LlmRequest(contents="q")) for _ in range(2))
    assert (first.text, first.error) == ("4", None)
    assert second.error is not None
    assert (second.error.kind, second.error.message, second.error.attempts) == ("overloaded", "not now", 1)
    assert waits == []
