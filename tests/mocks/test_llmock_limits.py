"""llmock's limits a minute and of a conversation's length, in each provider's words and headers."""

import pytest

from tests.mocks.conftest import CONTEXT_WINDOW, REQUESTS_A_MINUTE, TOKENS_A_MINUTE
from tests.mocks.control import Llmock
from tests.mocks.expected import LLMOCK_CODES
from tests.mocks.hosts import MockHost, every_llmock_format
from tests.mocks.ways import Way, every_way
from triptych import Attempt, LlmClient, LlmRequest

QUESTION = LlmRequest(contents="What is 2 + 2?")
NEARLY_ALL = TOKENS_A_MINUTE - 500
# What uses a limit up, by what it counts: how many calls, and how many tokens each may be answered with.
SPENT = {"requests": (REQUESTS_A_MINUTE, None), "tokens": (1, NEARLY_ALL)}


@every_way
@pytest.mark.parametrize("limit", SPENT)
@every_llmock_format
def test_a_limit_that_is_reached_is_waited_for_as_long_as_it_lasts_and_the_answer_comes(
    limited_llmock: Llmock, waits: list[float], host: MockHost, limit: str, ask: Way
) -> None:
    calls, tokens = SPENT[limit]
    limited_llmock.plan()
    with LlmClient(host.model, **host.options(limited_llmock.mock), retries=0, max_tokens=tokens) as client:
        assert [client.generate(QUESTION).error for _ in range(calls)] == [None] * calls
    tries: list[Attempt] = []

    def look_on(attempt: Attempt) -> None:
        tries.append(attempt)
        limited_llmock.plan()  # while the client sleeps, a minute passes at the server

    outcome = ask(host.model, **host.options(limited_llmock.mock), max_tokens=tokens, on_attempt=look_on)
    assert outcome.response.error is None
    refused, answered = tries
    assert (answered.number, answered.error, answered.wait) == (2, None, None)
    assert refused.error is not None
    assert (refused.error.kind, refused.error.status) == ("rate_limit", 429)
    assert refused.error.code == LLMOCK_CODES[host.envelope][429]
    assert refused.error.message.startswith(f"Rate limit reached for {limit} per minute")
    assert waits == [refused.wait] == [refused.error.retry_after]
    assert 0 < waits[0] < 60


@every_way
@every_llmock_format
def test_a_conversation_that_is_too_long_is_told_as_that_and_not_sent_again(
    limited_llmock: Llmock, waits: list[float], host: MockHost, ask: Way
) -> None:
    limited_llmock.plan()
    outcome = ask(host.model, LlmRequest(contents="word " * CONTEXT_WINDOW), **host.options(limited_llmock.mock))
    code = {"anthropic": "invalid_request_error", "gemini": "INVALID_ARGUMENT"}.get(host.envelope)
    assert outcome.told == ("context_length", 400, code or "context_length_exceeded", False, 1)
    assert (limited_llmock.served, waits) == (1, [])
