"""Errors that a provider sends inside a stream of status 200: the same kinds as those of an HTTP status."""

from typing import Any

import pytest

from tests.chat_hosts import KEY, OPENAI
from tests.faults.script import Told
from tests.faults.scripts import CHAT, COHERE, CONVERSE, INVOKE, MESSAGES, RESPONSES, SCRIPTS, Script, event
from tests.faults.watch import Watch, assert_broken_off, both_ways, every_script, watched
from tests.servers.script import in_turn

OUTPUT = [stage for stage in CHAT.stages if stage not in ("opened", "finished", "counted")]


@pytest.mark.parametrize("stage", OUTPUT)
@every_script
def test_an_error_after_the_first_delta_ends_the_stream_and_is_not_tried_again(
    script: Script, stage: str, watch: Watch
) -> None:
    error = script.passing
    seen = watched(watch, script.host, script.reply([*script.sent(stage), script.error()]), retries=2)
    assert seen.told == (error.kind, error.status, error.code, True, 1)
    assert (seen.error.message, seen.requests) == ("no more", 1)
    assert_broken_off(seen, script, stage)


@every_script
def test_an_error_before_the_first_delta_is_tried_again(script: Script, watch: Watch, waits: list[float]) -> None:
    error = script.error()
    first_of_all, after_the_opening = (
        script.reply([script.wire.opening + error]),
        script.reply([*script.sent("opened"), error]),
    )
    seen = watched(watch, script.host, in_turn(first_of_all, after_the_opening, script.reply()), retries=2)
    assert (seen.response, seen.events, seen.requests) == (script.response(), script.yields(), 3)
    assert len(waits) == 2


@every_script
def test_the_last_error_before_the_first_delta_stands(script: Script, watch: Watch, waits: list[float]) -> None:
    error = script.passing
    failing = script.reply([*script.sent("opened"), script.error()])
    seen = watched(watch, script.host, failing, retries=2)
    assert seen.told == (error.kind, error.status, error.code, True, 3)
    assert seen.requests == 3
    assert_broken_off(seen, script, "opened")


REFUSING = [(script, script.refusing) for script in SCRIPTS if script.refusing is not None]


@both_ways
@pytest.mark.parametrize(("script", "error"), REFUSING, ids=lambda case: getattr(case, "name", ""))
def test_an_error_that_will_not_pass_is_not_tried_again(script: Script, error: Told, watch: Watch) -> None:
    piece = script.wire.opening + script.fault(error.type, "no more")
    seen = watched(watch, script.host, script.reply([piece]), retries=2)
    assert seen.told == (error.kind, error.status, error.code, False, 1)
    assert (seen.events, seen.response.content, seen.partial, seen.requests) == ([], [], [], 1)


_FAILED: dict[str, Any] = {"id": "resp_s1", "model": RESPONSES.model, "status": "failed", "output": []}
# By script: the last event of an answer that failed, as OpenRouter, Cohere and OpenAI have it.
ENDS: dict[Script, bytes] = {
    CHAT: event(
        {
            "id": CHAT.id,
            "model": CHAT.model,
            "error": {"code": 502, "message": "no more"},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        }
    ),
    COHERE: event({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "no more"}}, "message-end"),
    RESPONSES: event(
        {
            "type": "response.failed",
            "response": {**_FAILED, "error": {"code": "server_error", "message": "no more"}},
        },
        "response.failed",
    ),
}
any_end = pytest.mark.parametrize(("script", "end"), ENDS.items(), ids=lambda case: getattr(case, "name", ""))


@both_ways
@pytest.mark.parametrize("stage", ["calling", "calling again", "after the last delta"])
@any_end
def test_a_call_that_an_error_ended_is_no_call(script: Script, end: bytes, stage: str, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([*script.sent(stage), end, *script.sent()]), retries=2)
    place = script.stages[stage]
    assert (seen.error.kind, seen.error.message, seen.error.attempts) == ("server", "no more", 1)
    assert (seen.response.content, seen.partial) == (list(place.content), list(place.partial))
    assert (seen.response.finish_reason, seen.events) == ("error", script.yields(stage))


@both_ways
@pytest.mark.parametrize("stage", ["thinking", "speaking"])
@pytest.mark.parametrize(("script", "end"), [(CHAT, ENDS[CHAT]), (RESPONSES, ENDS[RESPONSES])])
def test_an_answer_that_ends_with_an_error_has_broken_off(script: Script, end: bytes, stage: str, watch: Watch) -> None:
    seen = watched(watch, script.host, script.reply([*script.sent(stage), end, *script.sent()]), retries=2)
    place = script.stages[stage]
    assert (seen.error.kind, seen.error.message, seen.error.attempts) == ("server", "no more", 1)
    assert (seen.response.content, seen.partial) == (list(place.content), list(place.partial))
    assert (seen.response.finish_reason, seen.events) == ("error", script.yields(stage))


@both_ways
@any_end
def test_an_answer_that_fails_before_the_first_delta_is_tried_again(
    script: Script, end: bytes, watch: Watch, waits: list[float]
) -> None:
    answers = in_turn(script.reply([*script.sent("opened"), end]), script.reply([end]), script.reply())
    seen = watched(watch, script.host, answers, retries=2)
    assert (seen.response, seen.events, len(waits)) == (script.response(), script.yields(), 2)


@every_script
def test_what_follows_an_error_is_not_read(script: Script, watch: Watch) -> None:
    sent = script.sent()
    place = script.stages["speaking"].steps
    pieces = [b"".join([*sent[:place], script.error(), *sent[place:]])]
    seen = watched(watch, script.host, script.reply(pieces))
    assert seen.error.kind == script.passing.kind
    assert_broken_off(seen, script, "speaking")


def chat_error(type_: str, code: str) -> bytes:
    """Return an error of OpenAI that has a code beside its type."""
    return event({"error": {"message": "no more", "type": type_, "param": None, "code": code}})


KINDS: list[tuple[Script, bytes, tuple[str, bool]]] = [
    (CHAT, chat_error("insufficient_quota", "insufficient_quota"), ("billing", False)),
    (CHAT, chat_error("tokens", "rate_limit_exceeded"), ("rate_limit", True)),
    (CHAT, chat_error("invalid_request_error", "context_length_exceeded"), ("context_length", False)),
    *(
        (script, script.fault(type_, "no more"), told)
        for script, type_, told in (
            (MESSAGES, "rate_limit_error", ("rate_limit", True)),
            (MESSAGES, "api_error", ("server", True)),
            (MESSAGES, "authentication_error", ("authentication", False)),
            (RESPONSES, "rate_limit_exceeded", ("rate_limit", True)),
            (RESPONSES, "insufficient_quota", ("billing", False)),
            (RESPONSES, "context_length_exceeded", ("context_length", False)),
            (CONVERSE, "modelStreamErrorException", ("server", True)),
            (CONVERSE, "serviceUnavailableException", ("overloaded", True)),
            (CONVERSE, "internalServerException", ("server", True)),
            (INVOKE, "modelStreamErrorException", ("server", True)),
            (INVOKE, "serviceUnavailableException", ("overloaded", True)),
            (INVOKE, "modelTimeoutException", ("timeout", True)),
        )
    ),
]


@pytest.mark.parametrize(("script", "error", "told"), KINDS)
@both_ways
def test_the_kind_is_that_of_the_same_error_as_an_http_status(
    script: Script, error: bytes, told: tuple[str, bool], watch: Watch
) -> None:
    seen = watched(watch, script.host, script.reply([error]))
    assert (seen.error.kind, seen.error.retryable) == told


@both_ways
def test_an_error_with_a_status_for_its_code_has_that_status(watch: Watch) -> None:
    error = event({"error": {"message": "upstream", "code": 502}})  # as OpenRouter sends it
    seen = watched(watch, OPENAI, CHAT.reply([*CHAT.sent("speaking"), error]))
    assert seen.told == ("server", 502, "502", True, 1)
    assert_broken_off(seen, CHAT, "speaking")


@every_script
def test_a_key_in_an_error_is_blotted_out(script: Script, watch: Watch) -> None:
    error = script.error(f"the key {KEY} is not known")
    seen = watched(watch, script.host, script.reply([*script.sent("speaking"), error]))
    assert seen.error.message == "the key *** is not known"
    assert KEY not in repr((seen.response, seen.response.raw, seen.error, seen.error.body, seen.error.cause))
