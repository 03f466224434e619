"""How long until a provider lifts a limit, as the headers of its limits say."""

from __future__ import annotations

import pytest
from requests.structures import CaseInsensitiveDict

from tests.chat_hosts import ANTHROPIC, OPENAI
from tests.servers.script import Reply, serve
from triptych import LlmRequest
from triptych.reset_times import seconds_to_reset

NOON = "Mon, 30 Nov 2026 12:00:00 GMT"


def seconds(**headers: str) -> float | None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return seconds_to_reset(CaseInsensitiveDict({"Date": NOON, **named}))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("6m0s", 360),
        ("7.66s", 7.66),
        ("76ms", 0.076),
        ("1h2m3s", 3723),
        ("1d", 86_400),
        ("12", 12),
        ("0", 0),
        ("1796040090", 90),
        ("1796040090000", 90),
        ("2026-11-30T12:00:05Z", 5),
        ("2026-11-30T13:00:05+01:00", 5),
        ("2026-11-30T11:00:00Z", 0),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("", None),
        ("1e400", None),
        ("9" * 400, None),
        ("9" * 400 + "s", None),
        ("0001-01-01T00:00:00+23:59", 0),
    ],
)
def test_a_reset_is_a_duration_a_number_or_a_moment(value: str, expected: float | None) -> None:
    """B159, B160."""
    found = seconds(x_ratelimit_reset_requests=value)
    assert found == (None if expected is None else pytest.approx(expected))


def test_of_several_limits_the_longest_counts() -> None:
    """B160."""
    assert seconds(x_ratelimit_reset_requests="1s", x_ratelimit_reset_tokens="6m0s") == 360


def test_only_limits_that_are_used_up_count_where_that_is_said() -> None:
    """B159."""
    assert seconds(
        anthropic_ratelimit_requests_remaining="0",
        anthropic_ratelimit_requests_reset="2026-11-30T12:00:07Z",
        anthropic_ratelimit_input_tokens_remaining="500",
        anthropic_ratelimit_input_tokens_reset="2026-11-30T12:01:00Z",
    ) == pytest.approx(7)
    assert seconds(
        X_RateLimit_Remaining_Tokens="0",
        X_RateLimit_Reset_Tokens="30s",
        X_RateLimit_Remaining_Requests="9",
        X_RateLimit_Reset_Requests="90s",
    ) == pytest.approx(30)


def test_of_limits_that_all_have_something_left_the_scarcest_counts() -> None:
    """Too little is left of the minute's tokens; the day's requests, lifted in hours, have nothing to do with it."""
    assert seconds(
        x_ratelimit_limit_tokens_minute="60000",
        x_ratelimit_remaining_tokens_minute="500",
        x_ratelimit_reset_tokens_minute="12.5",
        x_ratelimit_limit_requests_day="1000",
        x_ratelimit_remaining_requests_day="900",
        x_ratelimit_reset_requests_day="33011.4",
    ) == pytest.approx(12.5)


@pytest.mark.parametrize("name", ["ratelimitbysize-reset", "ratelimit-reset", "x-ratelimit-reset"])
def test_a_reset_goes_by_several_names(name: str) -> None:
    assert seconds(**{name: "28"}) == pytest.approx(28)


@pytest.mark.parametrize("date", ["Mon, 01 Jan 0001 00:00:00 +2359", "Mon, 01 Jan 99999999999999 00:00:00 GMT", "soon"])
def test_a_date_that_is_none_leaves_durations_alone(date: str) -> None:
    assert seconds_to_reset(CaseInsensitiveDict({"Date": date, "x-ratelimit-reset": "28"})) == 28
    assert seconds_to_reset(CaseInsensitiveDict({"Date": date, "x-ratelimit-reset": "1796040090"})) is not None


def test_without_such_headers_nothing_is_known() -> None:
    assert seconds() is None


def test_a_reached_limit_is_waited_for_and_one_that_is_far_off_comes_back_with_its_wait(waits: list[float]) -> None:
    """B158, B159, B160."""
    near = {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "7.5s"}
    bucket = "anthropic-ratelimit-tokens"
    far = {"Date": NOON, f"{bucket}-remaining": "0", f"{bucket}-reset": "2026-11-30T12:30:00Z"}
    replies = iter([Reply.of_json(OPENAI.error("slow down", "rate_limit_exceeded"), 429, near), OPENAI.reply("a")])
    with serve(lambda request: next(replies)) as server, OPENAI.client(server, retries=1) as client:
        assert client.generate(LlmRequest(contents="q")).text == "a"
    assert waits == [7.5]
    refusal = Reply.of_json(ANTHROPIC.error("slow down", "rate_limit_error"), 429, far)
    with serve(lambda request: refusal) as server, ANTHROPIC.client(server, retries=3) as client:
        error = client.generate(LlmRequest(contents="q")).error
        assert len(server.requests) == 1
    assert error is not None
    assert (error.kind, error.attempts, waits) == ("rate_limit", 1, [7.5])
    assert error.retry_after == pytest.approx(1800)


def test_a_wait_that_the_provider_names_itself_goes_before_its_limits(waits: list[float]) -> None:
    headers = {"Retry-After": "2", "x-ratelimit-reset-tokens": "50s"}
    replies = iter([Reply.of_json(OPENAI.error("slow down", "x"), 429, headers), OPENAI.reply("a")])
    with serve(lambda request: next(replies)) as server, OPENAI.client(server, retries=1) as client:
        assert client.generate(LlmRequest(contents="q")).text == "a"
    assert waits == [2.0]
