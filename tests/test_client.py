"""What the client makes of keys that cannot be sent, and of answers that are none: an error, never a lost text."""

import json
from typing import Any

import pytest

from tests.chat_hosts import ANTHROPIC, KEY, OPENAI, Ask, ChatHost, all_formats, both_formats, both_ways
from tests.servers.echo import answer_to, echo
from tests.servers.script import Reply, serve
from triptych import LlmClient, LlmError, LlmRequest, LlmResponse, Message, Opaque

QUESTION = LlmRequest(contents="q")


def summary(error: LlmError | None) -> tuple[Any, ...]:
    """Return what a program decides by."""
    assert error is not None
    return error.kind, error.status, error.code, error.retryable, error.attempts


def ask_for(reply: Reply, host: ChatHost, ask: Ask) -> LlmResponse:
    """Return what the client makes of one reply."""
    with serve(reply) as server:
        return ask(host.model, QUESTION, **host.options(server))


@both_formats
@both_ways
def test_a_missing_key_names_its_variable_and_nothing_is_sent(host: ChatHost, ask: Ask) -> None:
    with serve(echo()) as server:
        response = ask(host.model, QUESTION, base_url=host.base_url(server))
        assert (server.requests, server.accepted) == ([], 0)
    assert summary(response.error) == ("authentication", None, "missing_key", False, 0)
    provider = host.model.partition("/")[0]
    assert response.error_message == (
        f"no API key for {provider}: set the environment variable {host.key_variable}, or give api_key="
    )


@all_formats
@both_ways
def test_the_key_of_the_environment_is_sent(host: ChatHost, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(host.key_variable, KEY)
    with serve(echo()) as server:
        assert ask(host.model, QUESTION, base_url=host.base_url(server)).text == answer_to("q")
        assert server.requests[0].headers[host.key_header] == host.key_prefix + KEY


MALFORMED_KEYS = {
    "inner-space": ("sk-pla nted", "white space"),
    "line-break-at-the-end": ("sk-planted\n", "a line break at its end"),
    "header-injection": ("sk-planted\r\nX-Other: 1", "white space"),
    "only-space": ("  ", "white space"),
    "not-ascii": ("sk-plänted", "not printable ASCII"),
    "control-character": ("sk-pl\x00anted", "not printable ASCII"),
    "zero-width-space": ("sk-pl\u200banted", "not printable ASCII"),
}


@pytest.mark.parametrize(("key", "reason"), MALFORMED_KEYS.values(), ids=MALFORMED_KEYS)
@all_formats
@both_ways
def test_a_key_that_no_header_can_hold_is_not_sent_and_not_quoted(
    host: ChatHost, ask: Ask, key: str, reason: str
) -> None:
    with serve(echo()) as server:
        response = ask(host.model, QUESTION, base_url=host.base_url(server), api_key=key)
        assert server.accepted == 0
    assert summary(response.error) == ("authentication", None, "malformed_key", False, 0)
    assert response.error_message is not None
    assert response.error_message.startswith("the API key in api_key cannot be sent: ")
    assert reason in response.error_message
    assert not any(part in repr(response) for part in ("anted", "änted", key))


@all_formats
@both_ways
def test_a_malformed_key_of_the_environment_is_told_by_its_variable(
    host: ChatHost, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(host.key_variable, f"{KEY}\n")
    with serve(echo()) as server:
        response = ask(host.model, QUESTION, base_url=host.base_url(server))
        assert server.accepted == 0
    assert summary(response.error) == ("authentication", None, "malformed_key", False, 0)
    assert response.error_message == (
        f"the API key in {host.key_variable} cannot be sent: it has white space in it: a line break at its end, perhaps"
    )


HTML = b"<html><head><title>502 Bad Gateway</title></head>\n<body>nginx says no</body></html>"


@pytest.mark.parametrize("way", ["argument", "environment"])
@all_formats
@both_ways
def test_a_refused_key_is_told_by_where_it_came_from(
    host: ChatHost, ask: Ask, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"api_key": KEY} if way == "argument" else {}
    monkeypatch.setenv(host.key_variable, KEY)
    with serve(Reply.of_json(host.error("no", "bad_key"), 401)) as server:
        error = ask(host.model, QUESTION, base_url=host.base_url(server), retries=0, **given).error
    assert error is not None
    origin = "given as api_key" if given else f"read from the environment variable {host.key_variable}"
    assert f"(hint: the key was {origin}: check that it is one for the host that is asked" in str(error)


IDS = {"X-Request-Id": "req_1"}


@all_formats
@both_ways
def test_the_id_of_a_request_is_kept_whatever_went_wrong_with_its_answer(host: ChatHost, ask: Ask) -> None:
    cut = Reply(headers=IDS, body=b"{}", cut_after=1)
    inside = Reply.of_json(host.error("no", "some_code"), 200, IDS)
    strange = Reply.of_json(5, 200, IDS)
    for reply in (cut, inside, strange, Reply.of_json(host.error("no", "some_code"), 500, IDS)):
        error = ask_for(reply, host, ask).error
        assert error is not None
        assert error.request_id == "req_1"


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [(200, "malformed_response", False), (403, "permission", False), (502, "server", True)],
)
@all_formats
@both_ways
def test_an_html_page_is_told_by_its_title_and_quoted(
    host: ChatHost, ask: Ask, status: int, kind: str, retryable: bool
) -> None:
    response = ask_for(Reply(status, {"Content-Type": "text/html"}, HTML), host, ask)
    assert summary(response.error) == (kind, status, None, retryable, 1)
    assert response.error_message == f"HTTP {status} with an HTML page: 502 Bad Gateway"
    assert response.error is not None
    assert response.error.body == "<html><head><title>502 Bad Gateway</title></head> <body>nginx says no</body></html>"


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [(200, "malformed_response", False), (204, "malformed_response", False), (500, "server", True)],
)
@all_formats
@both_ways
def test_an_empty_body_is_said_to_be_empty(host: ChatHost, ask: Ask, status: int, kind: str, retryable: bool) -> None:
    response = ask_for(Reply(status, {"Content-Type": "application/json"}), host, ask)
    assert summary(response.error) == (kind, status, None, retryable, 1)
    assert response.error_message == f"HTTP {status} with an empty body"


@all_formats
@both_ways
def test_a_body_shorter_than_its_length_is_never_parsed(host: ChatHost, ask: Ask) -> None:
    body = json.dumps(host.answer("whole")).encode()
    response = ask_for(Reply(body=body, content_length=len(body) + 1, close=True), host, ask)
    assert summary(response.error) == ("connection", None, "incomplete_response", True, 1)
    assert response.text == ""


@all_formats
@both_ways
def test_json_that_ends_too_early_is_quoted(host: ChatHost, ask: Ask) -> None:
    body = json.dumps(host.answer("half of it")).encode()[:-40]
    response = ask_for(Reply(200, {"Content-Type": "application/json"}, body), host, ask)
    assert summary(response.error) == ("malformed_response", 200, None, False, 1)
    assert response.error is not None
    assert "(application/json)" in response.error.message
    assert "half of it" in response.error.message


@pytest.mark.parametrize(
    "body", [{"unheard": "of", "words": "x" * 600 + "the end"}, [], ["text"], "words", None, 5, True]
)
@both_formats
@both_ways
def test_json_of_a_wrong_shape_says_where_it_differs_and_is_kept(host: ChatHost, ask: Ask, body: Any) -> None:
    response = ask_for(Reply.of_json(body), host, ask)
    assert summary(response.error) == ("malformed_response", 200, None, False, 1)
    assert response.error is not None
    assert f"does not have the form of {host.name}" in response.error.message
    assert response.error.body is not None
    assert response.raw == (body if isinstance(body, dict) else None)


@both_formats
@both_ways
def test_a_200_that_holds_an_error_is_that_error(host: ChatHost, ask: Ask) -> None:
    code = {"openai_chat": "rate_limit_exceeded", "anthropic_messages": "rate_limit_error"}[host.name]
    body = host.error("slow down", code)
    response = ask_for(Reply.of_json(body), host, ask)
    assert summary(response.error) == ("rate_limit", 200, code, True, 1)
    assert (response.error_message, response.raw) == ("slow down", body)


@pytest.mark.parametrize("choices", [None, "text", [None], [{"text": "hello"}], [{"message": None}]])
@both_ways
def test_choices_without_a_message_are_malformed_and_kept(ask: Ask, choices: Any) -> None:
    body = OPENAI.answer("") | {"choices": choices}
    response = ask_for(Reply.of_json(body), OPENAI, ask)
    assert summary(response.error) == ("malformed_response", 200, None, False, 1)
    assert "choices" in str(response.error_message)
    assert response.raw == body


@pytest.mark.parametrize("content", [None, "text", [None], [{"text": "hello"}], [{"type": "text", "text": None}]])
@both_ways
def test_content_that_is_no_list_of_blocks_is_malformed_and_kept(ask: Ask, content: Any) -> None:
    body = ANTHROPIC.answer("") | {"content": content}
    response = ask_for(Reply.of_json(body), ANTHROPIC, ask)
    assert summary(response.error) == ("malformed_response", 200, None, False, 1)
    assert "content" in str(response.error_message)
    assert response.raw == body


@both_formats
@both_ways
def test_an_unknown_finish_reason_is_kept_beside_the_text(host: ChatHost, ask: Ask) -> None:
    body = host.answer("the text")
    (body["choices"][0] if host is OPENAI else body)["finish_reason" if host is OPENAI else "stop_reason"] = "whim"
    response = ask_for(Reply.of_json(body), host, ask)
    assert (response.text, response.finish_reason, response.raw_finish_reason) == ("the text", "other", "whim")
    assert response.error is None


@both_formats
@both_ways
def test_a_block_of_an_unknown_type_is_kept_between_the_texts(host: ChatHost, ask: Ask) -> None:
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "before "},
        {"type": "hologram", "data": [1, 2]},
        {"type": "text", "text": "after"},
    ]
    body = host.answer("")
    (body["choices"][0]["message"] if host is OPENAI else body)["content"] = blocks
    response = ask_for(Reply.of_json(body), host, ask)
    assert (response.error, response.text) == (None, "before after")
    parts = [part for item in response.content for part in (item.content if isinstance(item, Message) else [item])]
    assert [part.data for part in parts if isinstance(part, Opaque)] == [blocks[1]]


@all_formats
@both_ways
def test_fields_that_nobody_knows_stay_in_raw(host: ChatHost, ask: Ask) -> None:
    body = host.answer("the text") | {"mood": {"of": "the day"}}
    response = ask_for(Reply.of_json(body), host, ask)
    assert (response.text, response.raw) == ("the text", body)


@all_formats
@both_ways
def test_a_text_with_every_kind_of_character_arrives_as_sent(host: ChatHost, ask: Ask) -> None:
    text = 'naïve 日本語 👩‍🚀 \u2028 \x00 \\ " 𝔘 end'
    with serve(echo()) as server:
        response = ask(host.model, LlmRequest(contents=text), **host.options(server))
    assert response.text == answer_to(text)


@both_formats
def test_an_error_keeps_the_notices_and_the_id_to_quote_to_support(host: ChatHost) -> None:
    header = {"openai_chat": "x-request-id", "anthropic_messages": "request-id"}[host.name]
    body = {"error": {"message": "no such model", "type": "not_found_error"}}
    with serve(Reply.of_json(body, 404, {header: "req_7"})) as server, host.client(server, top_k=3, seed=1) as client:
        response = client.generate(QUESTION)
    assert response.error is not None
    assert (response.error.kind, response.error.request_id) == ("not_found", "req_7")
    assert [notice.path for notice in response.notices] == {
        "openai_chat": ["settings.top_k"],
        "anthropic_messages": ["settings.seed"],
    }[host.name]


@both_ways
def test_a_fault_of_the_library_is_an_error_of_its_own_kind_with_the_traceback_in_the_log(
    ask: Ask, caplog: pytest.LogCaptureFixture
) -> None:
    class Faulty:
        offline = True

        def send(self, *_: object) -> Any:
            raise ZeroDivisionError("a bug")

    response = ask("gpt-5-mini", QUESTION, cassette=Faulty())
    assert summary(response.error) == ("internal", None, None, False, 0)
    assert "ZeroDivisionError('a bug')" in str(response.error_message)
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[0] is ZeroDivisionError


@all_formats
def test_an_error_holds_no_frame_of_the_call(host: ChatHost) -> None:
    with serve(Reply(500)) as server, host.client(server) as client:
        answered = client.generate(QUESTION).error
    for error in (answered, LlmClient(host.model).generate(QUESTION).error):
        assert error is not None
        assert (error.__traceback__, error.__context__, error.__cause__) == (None, None, None)


@both_ways
def test_what_is_no_request_is_raised_where_it_is_given(ask: Ask) -> None:
    with pytest.raises(TypeError, match=r"LlmClient.generate: expected an LlmRequest, got 'hi' \(str\)"):
        ask("gpt-5-mini", "hi", api_key=KEY)


def test_a_client_is_named_by_its_model_and_provider() -> None:
    assert repr(LlmClient("gpt-5-mini", api_key=KEY)) == "LlmClient('gpt-5-mini', provider='openai')"
