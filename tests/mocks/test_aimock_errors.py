"""aimock's error answers, in each provider's form: told as what they are, and tried again where that may help."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.mocks.control import Aimock
from tests.mocks.expected import AIMOCK_ERRORS, AIMOCK_ODD, assert_waits, kind_of, may_pass
from tests.mocks.hosts import AIMOCK_HOSTS, MockHost, every_aimock_host
from tests.mocks.ways import Way, every_way
from triptych import LlmResponse, Timeout
from triptych.errors import Kind, LlmError

RETRIES = 2
WORDS = "why it did not work"
REPLY = {"response": {"content": "4"}}
# aimock gives every answer this header, whatever its provider calls it: the id that the request came with, if it did.
REQUEST_ID = "req-0123456789"
ID_HEADER = {"x-request-id": REQUEST_ID}


def error(host: MockHost, status: int, **more: Any) -> dict[str, Any]:
    """Return the fixture of an error answer, its type and code being the provider's own."""
    named = AIMOCK_ERRORS[host.envelope][status]
    return {"response": {"error": {"message": WORDS, **named}, "status": status, **more}}


def code_of(host: MockHost, status: int, named: Mapping[str, str]) -> str:
    """Return what stands for an error in its body: at OpenRouter the status, elsewhere the code, or else the type."""
    return str(status) if host.envelope == "openrouter" else named.get("code", named["type"])


@every_way
@pytest.mark.parametrize(
    ("host", "status"),
    [
        pytest.param(host, status, id=f"{host.name}-{status}")
        for host in AIMOCK_HOSTS
        for status in AIMOCK_ERRORS[host.envelope]
    ],
)
def test_a_status_is_told_as_its_kind_with_the_words_and_type_of_its_body(
    aimock: Aimock, waits: list[float], host: MockHost, status: int, ask: Way
) -> None:
    aimock.plan(error(host, status, retryAfter=7))
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES, headers=ID_HEADER)
    told = kind_of(host.envelope, status, AIMOCK_ODD)
    attempts = 1 + RETRIES if may_pass(told) else 1
    asked = 7.0 if status == 429 else None  # aimock asks for a wait with this status alone
    expected = LlmError(
        WORDS,
        told,
        status=status,
        code=code_of(host, status, AIMOCK_ERRORS[host.envelope][status]),
        request_id=REQUEST_ID,
        retry_after=asked,
        retryable=may_pass(told),
        attempts=attempts,
    )
    assert outcome.response == LlmResponse(error=expected, provider=host.provider)
    assert outcome.events == []
    assert aimock.served == attempts
    assert_waits(waits, outcome.error, attempts - 1, asked)


@every_way
@pytest.mark.parametrize("status", [429, 500])
@every_aimock_host
def test_an_error_that_passes_is_waited_for_and_the_answer_comes(
    aimock: Aimock, waits: list[float], host: MockHost, status: int, ask: Way
) -> None:
    aimock.plan(REPLY)
    for _ in range(RETRIES):
        aimock.fail_next(status, {"message": WORDS})
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    assert outcome.whole == (None, ["4"])
    assert aimock.served == 1 + RETRIES
    # A 429 asks for a second besides saying when its limits are lifted: in 1 s and in 6 min; the first holds.
    assert_waits(waits, None, RETRIES, 1.0 if status == 429 else None)


@every_way
@every_aimock_host
def test_a_wait_longer_than_the_cap_is_left_to_the_caller(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan(error(host, 429, retryAfter=90))
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    code = code_of(host, 429, AIMOCK_ERRORS[host.envelope][429])
    assert outcome.told == ("rate_limit", 429, code, True, 1)
    assert_waits(waits, outcome.error, 0, 90.0)


@every_way
@every_aimock_host
def test_an_error_inside_a_successful_answer_is_an_error(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan(REPLY)
    named = AIMOCK_ERRORS[host.envelope][500]
    aimock.fail_next(200, {"message": WORDS, **named})
    outcome = ask(host.model, **host.options(aimock.mock), retries=0)
    code = code_of(host, 200, named)
    # One JSON object is an event where streams are such objects: an event has no status.
    status = None if outcome.streamed and host.lone else 200
    assert outcome.told == ("server", status, code, True, 1)
    assert (outcome.error.message, outcome.response.content) == (WORDS, [])
    assert_waits(waits, outcome.error, 0)


@every_way
@every_aimock_host
def test_a_wrong_key_is_told_as_that_and_not_shown(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    key = "sk-planted-0123456789abcdef"
    aimock.plan(REPLY)
    outcome = ask(host.model, **{**host.options(aimock.mock), "api_key": key}, headers=ID_HEADER)
    # Whatever the provider, aimock says this in OpenAI's form.
    assert outcome.told == ("authentication", 401, "invalid_api_key", False, 1)
    assert (outcome.error.message, outcome.error.request_id) == ("Invalid API key", REQUEST_ID)
    assert key not in repr(outcome)
    assert waits == []


# What stands for the error where no fixture fits, by the form of the body.
NO_FIXTURE = {"openai": "no_fixture_match", "openrouter": "503", "gemini": "UNAVAILABLE"}


@every_way
@every_aimock_host
def test_a_question_that_no_fixture_fits_is_told_in_the_servers_words(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan()
    outcome = ask(host.model, **host.options(aimock.mock), retries=0)
    # aimock calls it an invalid_request_error; where that is the provider's own type, it counts for more than a status.
    kind = "invalid_request" if host.envelope in ("anthropic", "bedrock-anthropic") else "overloaded"
    code = NO_FIXTURE.get(host.envelope, "invalid_request_error")
    assert outcome.told == (kind, 503, code, kind == "overloaded", 1)
    assert outcome.error.message == "Strict mode: no fixture matched"
    assert waits == []


# Faults that aimock makes of any answer, and what they are told as: status, kind, code, and the wait asked for.
CHAOS: Mapping[str, tuple[int | None, Kind, str | None, float | None]] = {
    "dropRate": (500, "server", "chaos_drop", None),
    "rateLimitRate": (429, "rate_limit", "chaos_ratelimit", 1.0),
    "disconnectRate": (None, "connection", "incomplete_response", None),
}


@every_way
@pytest.mark.parametrize("chaos", CHAOS)
@every_aimock_host
def test_a_server_that_fails_whatever_it_is_asked_is_asked_as_often_as_allowed(
    aimock: Aimock, waits: list[float], host: MockHost, chaos: str, ask: Way
) -> None:
    status, kind, code, asked = CHAOS[chaos]
    aimock.plan({**REPLY, "chaos": {chaos: 1}})
    outcome = ask(host.model, **host.options(aimock.mock), retries=RETRIES)
    assert outcome.told == (kind, status, code, True, 1 + RETRIES)
    assert (outcome.events, outcome.response.content) == ([], [])
    assert aimock.served == 1 + RETRIES
    assert_waits(waits, outcome.error, RETRIES, asked)


@every_way
@every_aimock_host
def test_an_answer_that_is_no_json_is_told_as_malformed(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan({**REPLY, "chaos": {"malformedRate": 1}})
    outcome = ask(host.model, **host.options(aimock.mock), retries=0)
    # Where streams are JSON objects, one that is not closed is a stream that was cut off.
    cut = ("stream_interrupted", None, "bad_framing" if host.envelope == "gemini" else None, True, 1)
    whole = ("malformed_response", 200, None, False, 1)
    assert outcome.told == (cut if outcome.streamed and host.lone else whole)
    assert (outcome.events, outcome.response.content, waits) == ([], [], [])


@every_way
@every_aimock_host
def test_an_answer_that_does_not_come_in_time_is_a_timeout(
    aimock: Aimock, waits: list[float], host: MockHost, ask: Way
) -> None:
    aimock.plan({**REPLY, "chaos": {"latencyMs": 30_000}})
    outcome = ask(host.model, **host.options(aimock.mock), retries=1, timeout=Timeout(first_event=0.2))
    assert outcome.told == ("timeout", None, "read_timeout", True, 2)
    assert (outcome.events, outcome.response.content) == ([], [])
    assert_waits(waits, outcome.error, 1)
