"""llmock's error answers, in each provider's form: told as what they are, and tried again where that may help."""

from typing import Any

import pytest

from tests.mocks.control import Llmock
from tests.mocks.expected import KINDS, LLMOCK_CODES, LLMOCK_ODD, LLMOCK_WORDS, assert_waits, kind_of, may_pass
from tests.mocks.hosts import LLMOCK_FORMATS, MockHost, every_llmock_format, every_llmock_host
from tests.mocks.ways import Way, every_way
from triptych import LlmResponse
from triptych.errors import LlmError

RETRIES = 2
# llmock asks for a second at these statuses, where it is not told how long to ask for.
ASKS = (429, 503, 504, 529)
PASSING = (408, 409, 429, 500, 502, 503, 504, 529)


def fail(status: int, **more: Any) -> dict[str, Any]:
    """Return the plan of an error answer."""
    return {"type": "fail", "status": status, **more}


@every_way
@pytest.mark.parametrize("status", KINDS)
@every_llmock_host
def test_a_status_is_told_as_its_kind_with_the_words_and_code_of_its_body(
    llmock: Llmock, waits: list[float], host: MockHost, status: int, ask: Way
) -> None:
    llmock.plan(fail(status, times=None))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    kind = kind_of(host.envelope, status, LLMOCK_ODD)
    attempts = 1 + RETRIES if may_pass(kind) else 1
    asked = 1.0 if status in ASKS else None
    expected = LlmError(
        LLMOCK_WORDS[status],
        kind,
        status=status,
        code=LLMOCK_CODES[host.envelope][status],
        retry_after=asked,
        retryable=may_pass(kind),
        attempts=attempts,
    )
    assert outcome.response == LlmResponse(error=expected, provider=host.provider)
    assert outcome.events == []
    assert llmock.served == attempts
    assert_waits(waits, outcome.error, attempts - 1, asked)


@every_way
@pytest.mark.parametrize("status", PASSING)
@every_llmock_format
def test_an_error_that_passes_is_waited_for_to_the_millisecond_and_the_answer_comes(
    llmock: Llmock, waits: list[float], host: MockHost, status: int, ask: Way
) -> None:
    # The header in seconds is rounded up to 1; the one in milliseconds holds.
    llmock.plan(fail(status, times=RETRIES, retry_after=0.25), {"type": "reply", "text": "4"})
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    assert (outcome.response.error, outcome.response.text) == (None, "4")
    assert llmock.served == 1 + RETRIES
    assert_waits(waits, None, RETRIES, 0.25)


@every_way
@pytest.mark.parametrize("status", [429, 503])
@every_llmock_format
def test_a_wait_longer_than_the_cap_is_left_to_the_caller(
    llmock: Llmock, waits: list[float], host: MockHost, status: int, ask: Way
) -> None:
    llmock.plan(fail(status, times=None, retry_after=90))
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES)
    code = LLMOCK_CODES[host.envelope][status]
    assert outcome.told == (kind_of(host.envelope, status, LLMOCK_ODD), status, code, True, 1)
    assert llmock.served == 1
    assert_waits(waits, outcome.error, 0, 90.0)


@every_way
@every_llmock_format
def test_a_status_asked_for_by_a_header_of_the_caller_is_answered_at_every_try(
    llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    llmock.plan({"type": "reply", "text": "4", "times": None})
    forced = {"x-llmock-force-status": "503"}
    outcome = ask(host.model, **host.options(llmock.mock), retries=RETRIES, headers=forced)
    assert outcome.told == ("overloaded", 503, LLMOCK_CODES[host.envelope][503], True, 1 + RETRIES)
    assert llmock.served == 1 + RETRIES
    assert_waits(waits, outcome.error, RETRIES, 1.0)


# Errors whose words or code say more than their status, as the providers say them.
SPOKEN = {
    ("openai", 429, "insufficient_quota", "You exceeded your current quota, check your plan."): "billing",
    ("openai-responses", 429, "insufficient_quota", "You exceeded your current quota, check your plan."): "billing",
    ("openai", 400, "context_length_exceeded", "The conversation is too long."): "context_length",
    ("openai", 400, "content_filter", "The prompt was filtered."): "content_filter",
    ("openai", 404, "model_not_found", "The model `gpt-9` does not exist."): "not_found",
    ("anthropic", 400, "invalid_request_error", "Your credit balance is too low to call the API."): "billing",
    ("anthropic", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"): "context_length",
    ("gemini", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."): "authentication",
    ("gemini", 429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, check your plan."): "rate_limit",
    ("cohere", 429, "rate_limit_error", "Your Trial key is limited to 1000 API calls / month."): "billing",
    ("mistral", 400, "3051", "Prompt contains 9 tokens, too large for model with 8 maximum context"): "context_length",
}


@every_way
@pytest.mark.parametrize(("spoken", "kind"), SPOKEN.items(), ids=[f"{key[0]}-{kind}" for key, kind in SPOKEN.items()])
def test_a_providers_own_words_say_more_than_the_status(
    llmock: Llmock, waits: list[float], spoken: tuple[str, int, str, str], kind: Any, ask: Way
) -> None:
    name, status, code, words = spoken
    host = next(host for host in LLMOCK_FORMATS if host.name == name)
    llmock.plan(fail(status, times=None, code=code, message=words))
    outcome = ask(host.model, **host.options(llmock.mock), retries=1)
    attempts = 2 if may_pass(kind) else 1
    assert outcome.told == (kind, status, code, may_pass(kind), attempts)
    assert outcome.error.message == words
    assert llmock.served == attempts
    assert_waits(waits, outcome.error, attempts - 1, 1.0 if status == 429 else None)
