"""Errors that a provider sends inside a stream of status 200: the same kinds as those of an HTTP status."""

from typing import Any

import pytest

from tests.chat_hosts import KEY, OPENAI
from tests.faults.scripts import CHAT, MESSAGES, Script, both_scripts, event
from tests.faults.watch import Watch, assert_broken_off, both_ways, watched
from tests.servers.script import in_turn


def error_event(script: Script, type_: str, message: str = "no more", code: str | None = None) -> bytes:
    """Return an error of this type as the format has it in a stream."""
    if script is CHAT:
        return event({"error": {"message": message, "type": type_, "param": None, "code": code}})
    return event({"type": "error", "error": {"type": type_, "message": message}}, "error")


PASSES = {CHAT: ("server_error", "server"), MESSAGES: ("overloaded_error", "overloaded")}
OUTPUT = [stage for stage in CHAT.stages if stage not in ("opened", "finished", "counted")]


@both_ways
@pytest.mark.parametrize("stage", OUTPUT)
@both_scripts
def test_an_error_after_the_first_delta_ends_the_stream_and_is_not_tried_again(
    script: Script, stage: str, watch: Watch
) -> None:
    type_, kind = PASSES[script]
    pieces = [*script.sent(stage), error_event(script, type_)]
    seen = watched(watch, script.host, script.reply(pieces), retries=2)
    assert seen.told == (kind, None, type_, True, 1)
    assert (seen.error.message, seen.requests) == ("no more", 1)
    assert_broken_off(seen, script, stage)


@both_ways
@both_scripts
def test_an_error_before_the_first_delta_is_tried_again(script: Script, watch: Watch, waits: list[float]) -> None:
    error = error_event(script, PASSES[script][0])
    first_of_all, after_the_opening = script.reply([error]), script.reply([*script.sent("opened"), error])
    seen = watched(watch, script.host, in_turn(first_of_all, after_the_opening, script.reply()), retries=2)
    assert (seen.response, seen.events, seen.requests) == (script.response(), script.yields(), 3)
    assert len(waits) == 2


@both_ways
@both_scripts
def test_the_last_error_before_the_first_delta_stands(script: Script, watch: Watch, waits: list[float]) -> None:
    type_, kind = PASSES[script]
    failing = script.reply([*script.sent("opened"), error_event(script, type_)])
    seen = watched(watch, script.host, failing, retries=2)
    assert seen.told == (kind, None, type_, True, 3)
    assert seen.requests == 3
    assert_broken_off(seen, script, "opened")


@both_ways
@both_scripts
def test_an_error_that_will_not_pass_is_not_tried_again(script: Script, watch: Watch) -> None:
    error = error_event(script, "invalid_request_error")
    seen = watched(watch, script.host, script.reply([error]), retries=2)
    assert seen.told == ("invalid_request", None, "invalid_request_error", False, 1)
    assert (seen.events, seen.response.content, seen.partial, seen.requests) == ([], [], [], 1)


@both_ways
@both_scripts
def test_what_follows_an_error_is_not_read(script: Script, watch: Watch) -> None:
    sent = script.sent()
    place = script.stages["speaking"].steps
    pieces = [b"".join([*sent[:place], error_event(script, PASSES[script][0]), *sent[place:]])]
    seen = watched(watch, script.host, script.reply(pieces))
    assert seen.error.kind == PASSES[script][1]
    assert_broken_off(seen, script, "speaking")


KINDS: list[tuple[Script, str, str | None, tuple[Any, ...]]] = [
    (CHAT, "insufficient_quota", "insufficient_quota", ("billing", False)),
    (CHAT, "tokens", "rate_limit_exceeded", ("rate_limit", True)),
    (CHAT, "invalid_request_error", "context_length_exceeded", ("context_length", False)),
    (MESSAGES, "rate_limit_error", None, ("rate_limit", True)),
    (MESSAGES, "api_error", None, ("server", True)),
    (MESSAGES, "authentication_error", None, ("authentication", False)),
]


@pytest.mark.parametrize(("script", "type_", "code", "told"), KINDS)
@both_ways
def test_the_kind_is_that_of_the_same_error_as_an_http_status(
    script: Script, type_: str, code: str | None, told: tuple[Any, ...], watch: Watch
) -> None:
    seen = watched(watch, script.host, script.reply([error_event(script, type_, code=code)]))
    assert (seen.error.kind, seen.error.retryable) == told


@both_ways
def test_an_error_with_a_status_for_its_code_has_that_status(watch: Watch) -> None:
    error = event({"error": {"message": "upstream", "code": 502}})  # as OpenRouter sends it
    seen = watched(watch, OPENAI, CHAT.reply([*CHAT.sent("speaking"), error]))
    assert seen.told == ("server", 502, "502", True, 1)
    assert_broken_off(seen, CHAT, "speaking")


@both_ways
@both_scripts
def test_a_key_in_an_error_is_blotted_out(script: Script, watch: Watch) -> None:
    error = error_event(script, PASSES[script][0], f"the key {KEY} is not known", f"code {KEY}")
    seen = watched(watch, script.host, script.reply([*script.sent("speaking"), error]))
    assert seen.error.message == "the key *** is not known"
    assert KEY not in repr((seen.response, seen.response.raw, seen.error, seen.error.body, seen.error.cause))
