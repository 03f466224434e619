"""What the library promises a user, line by line, on every wire format where it can, blocking and awaited."""

from typing import Any

import pytest

from tests.chat_hosts import (
    ANTHROPIC,
    KEY,
    OPENAI,
    Ask,
    ChatHost,
    all_formats,
    ask_blocking,
    both_formats,
    both_ways,
)
from tests.servers.script import Reply, ScriptedServer, serve
from triptych import (
    LlmClient,
    LlmError,
    LlmRequest,
    LlmResponse,
    Message,
    Notice,
    Reasoning,
    ToolCall,
    ToolResult,
    Usage,
    aio,
)

ANTHROPIC_DEFAULT_LIMIT = 4096
QUESTION = LlmRequest(
    instructions=["You are a helpful assistant."], contents=[Message(role="user", content="What is 2 + 2?")]
)


def sent(server: ScriptedServer) -> Any:
    """Return the JSON of the one request that the server received."""
    (request,) = server.requests
    return request.json()


@pytest.mark.parametrize("module_client", [LlmClient, aio.LlmClient], ids=["sync", "async"])
def test_a_client_is_made_from_a_bare_name_or_provider_and_model(module_client: type[LlmClient]) -> None:
    models = {"gpt-5-mini": "openai", "anthropic/claude-sonnet-4-5": "anthropic", "groq/llama-3.3-70b": "groq"}
    models |= {"llamacpp/any": "llamacpp", "claude-sonnet-4-5": "anthropic"}
    assert {model: module_client(model, temperature=0).provider for model in models} == models
    assert module_client(model="gpt-4.1", temperature=0.2, max_tokens=100).settings.max_tokens == 100


@both_ways
def test_the_first_example_sends_the_openai_request_and_reads_the_answer(ask: Ask) -> None:
    with serve(OPENAI.reply("4")) as server:
        response = ask("gpt-5-mini", QUESTION, temperature=0, base_url=OPENAI.base_url(server), api_key=KEY)
        assert server.requests[0].path == "/v1/chat/completions"
        assert sent(server) == {
            "model": "gpt-5-mini",
            "messages": [
                {"role": "system", "content": "You are a helpful assistant."},
                {"role": "user", "content": "What is 2 + 2?"},
            ],
        }
    assert (response.text, response.tool_calls, response.error, response.error_message) == ("4", [], None, None)
    assert response.content == [Message("assistant", "4")]
    assert response.notices == (
        Notice("settings.temperature", "left out", "this model or host refuses it"),  # it reasons: the API has none
    )


@both_ways
def test_the_first_example_sends_the_anthropic_request_and_reads_the_answer(ask: Ask) -> None:
    with serve(ANTHROPIC.reply("4")) as server:
        response = ask(ANTHROPIC.model, QUESTION, temperature=0, base_url=server.url, api_key=KEY)
        assert server.requests[0].path == "/v1/messages"
        assert sent(server) == {
            "model": "claude-sonnet-4-5",
            "system": "You are a helpful assistant.",
            "messages": [{"role": "user", "content": "What is 2 + 2?"}],
            "max_tokens": ANTHROPIC_DEFAULT_LIMIT,
            "temperature": 0,
        }
    assert (response.text, response.tool_calls, response.error, response.error_message) == ("4", [], None, None)
    assert response.content == [Message("assistant", "4")]
    assert response.notices == ()


# By format: two settings on the wire, why an answer ended that needed no more words, the error of an unknown key.
LIMITS: dict[str, dict[str, Any]] = {
    "openai_chat": {"temperature": 0.2, "max_completion_tokens": 100},
    "anthropic_messages": {"temperature": 0.2, "max_tokens": 100},
    "openai_responses": {"temperature": 0.2, "max_output_tokens": 100},
    "gemini_generate": {"generationConfig": {"temperature": 0.2, "maxOutputTokens": 100}},
    "bedrock_converse": {"inferenceConfig": {"temperature": 0.2, "maxTokens": 100}},
    "mistral_chat": {"temperature": 0.2, "max_tokens": 100},
    "ollama_chat": {"options": {"temperature": 0.2, "num_predict": 100}},
    "cohere_chat": {"temperature": 0.2, "max_tokens": 100},
}
REASONS = {
    "openai_chat": "stop",
    "anthropic_messages": "end_turn",
    "openai_responses": "completed",
    "gemini_generate": "STOP",
    "bedrock_converse": "end_turn",
    "mistral_chat": "stop",
    "ollama_chat": "stop",
    "cohere_chat": "COMPLETE",
}
UNKNOWN_KEYS = {
    "anthropic": "authentication_error",
    "gemini": "UNAUTHENTICATED",
    "bedrock": "UnrecognizedClientException",
    "bedrock-anthropic": "UnrecognizedClientException",
}


@all_formats
@both_ways
def test_the_settings_of_the_client_are_on_the_wire(host: ChatHost, ask: Ask) -> None:
    limits = LIMITS[host.name]
    with serve(host.reply("4")) as server:
        ask(host.model, QUESTION, temperature=0.2, max_tokens=100, **host.options(server))
        assert {name: sent(server)[name] for name in limits} == limits


@all_formats
@both_ways
def test_the_answer_says_who_gave_it_why_it_ended_and_what_it_cost(host: ChatHost, ask: Ask) -> None:
    body = host.answer("4")
    with serve(Reply.of_json(body)) as server:
        response = ask(host.model, QUESTION, **host.options(server))
    (said,) = response.content
    assert isinstance(said, Message)
    assert (said.role, said.content) == ("assistant", "4")
    assert response == LlmResponse(
        content=[said],
        usage=Usage(12, 7),
        finish_reason="stop",
        raw_finish_reason=REASONS[host.name],
        model=body.get("model") or body.get("modelVersion"),
        id=body.get("id") or body.get("responseId"),
        provider=host.provider,
        raw=body,
    )
    assert response.usage_metadata == {"input_tokens": 12, "output_tokens": 7}


def _openai_turn() -> dict[str, Any]:
    body = OPENAI.answer("I look it up.")
    calls = [
        {"id": f"c{number}", "type": "function", "function": {"name": "add", "arguments": f'{{"a":{number}}}'}}
        for number in (1, 2)
    ]
    body["choices"][0]["message"] |= {"reasoning_content": "Two sums.", "tool_calls": calls}
    body["choices"][0]["finish_reason"] = "tool_calls"
    return body


def _anthropic_turn() -> dict[str, Any]:
    calls = [{"type": "tool_use", "id": f"c{number}", "name": "add", "input": {"a": number}} for number in (1, 2)]
    thought = {"type": "thinking", "thinking": "Two sums.", "signature": "seal"}
    body = ANTHROPIC.answer("I look it up.")
    return body | {"content": [thought, *body["content"], *calls], "stop_reason": "tool_use"}


@pytest.mark.parametrize(
    ("host", "body"),
    [(OPENAI, _openai_turn()), (ANTHROPIC, _anthropic_turn())],
    ids=[OPENAI.name, ANTHROPIC.name],
)
@both_ways
def test_items_come_in_the_order_in_which_the_model_produced_them(
    host: ChatHost, body: dict[str, Any], ask: Ask
) -> None:
    with serve(Reply.of_json(body)) as server:
        response = ask(host.model, QUESTION, **host.options(server))
    assert [type(item) for item in response.content] == [Reasoning, Message, ToolCall, ToolCall]
    assert (response.reasoning, response.text) == ("Two sums.", "I look it up.")
    assert [(call.tool_call_id, call.name, call.arguments) for call in response.tool_calls] == [
        ("c1", "add", {"a": 1}),
        ("c2", "add", {"a": 2}),
    ]
    assert response.finish_reason == "tool_calls"


def test_anthropic_items_keep_their_order_when_words_and_calls_alternate() -> None:
    blocks = [
        {"type": "text", "text": "First."},
        {"type": "tool_use", "id": "c1", "name": "f", "input": {}},
        {"type": "text", "text": "Then."},
        {"type": "tool_use", "id": "c2", "name": "f", "input": {}},
    ]
    with serve(Reply.of_json(ANTHROPIC.answer("") | {"content": blocks})) as server:
        response = ask_blocking(ANTHROPIC.model, QUESTION, **ANTHROPIC.options(server))
    assert response.content == [
        Message("assistant", "First."),
        ToolCall("c1", "f", {}),
        Message("assistant", "Then."),
        ToolCall("c2", "f", {}),
    ]


def test_what_a_user_constructs_by_hand_constructs_as_written() -> None:
    assert LlmResponse(content=[Message("assistant", "hi")]).text == "hi"
    failed = LlmResponse(error_message="no luck")
    assert (failed.error_message, failed.content) == ("no luck", [])
    response = LlmResponse(usage_metadata={"input_tokens": 1, "output_tokens": 2})
    assert response.usage == Usage(1, 2)
    result = ToolResult(tool_call_id="c1", name="f", status="success", content=["4"])
    assert (result.text, result.status) == ("4", "success")
    call = ToolCall(tool_call_id="c1", name="f", arguments={"a": 1})
    assert (call.arguments, call.malformed) == ({"a": 1}, False)
    request = LlmRequest(instructions="one string", contents="hi", tools=[], tool_choice="auto")
    assert (request.instructions, request.contents) == (["one string"], [Message("user", "hi")])


def _openai_call(name: str, a: int) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "add", "arguments": f'{{"a":{a}}}'}}


def _anthropic_call(name: str, a: int) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "add", "input": {"a": a}}


def _texts(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


SPOKEN = [
    Message("user", "q"),
    Message("assistant", "Let me see."),
    ToolCall("c1", "add", {"a": 1}),
    ToolCall("c2", "add", {"a": 2}),
    ToolResult("c2", "add", content=["5"]),
    ToolResult("c1", "add", content=["4", {"unit": "m"}, "sure"]),
]
UNSPOKEN = [Message("user", "q"), ToolCall("c1", "add", {"a": 1}), ToolResult("c1", "add", "error", ["no", "way"])]
WIRE_HISTORIES = [
    pytest.param(
        OPENAI,
        SPOKEN,
        [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": "Let me see.",
                "tool_calls": [_openai_call("c1", 1), _openai_call("c2", 2)],
            },
            {"role": "tool", "tool_call_id": "c2", "content": "5"},
            {"role": "tool", "tool_call_id": "c1", "content": '4\n{"unit":"m"}\nsure'},
        ],
        id="openai-parallel-calls-after-a-message",
    ),
    pytest.param(
        ANTHROPIC,
        SPOKEN,
        [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me see."},
                    _anthropic_call("c1", 1),
                    _anthropic_call("c2", 2),
                ],
            },
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c2", "content": "5"},
                    {"type": "tool_result", "tool_use_id": "c1", "content": _texts("4", '{"unit":"m"}', "sure")},
                ],
            },
        ],
        id="anthropic-parallel-calls-after-a-message",
    ),
    pytest.param(
        OPENAI,
        UNSPOKEN,
        [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": None, "tool_calls": [_openai_call("c1", 1)]},
            {"role": "tool", "tool_call_id": "c1", "content": "Error: no\nway"},
        ],
        id="openai-call-without-a-message",
    ),
    pytest.param(
        ANTHROPIC,
        UNSPOKEN,
        [
            {"role": "user", "content": "q"},
            {"role": "assistant", "content": [_anthropic_call("c1", 1)]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c1", "content": _texts("no", "way"), "is_error": True}
                ],
            },
        ],
        id="anthropic-call-without-a-message",
    ),
]


@pytest.mark.parametrize(("host", "contents", "messages"), WIRE_HISTORIES)
@both_ways
def test_calls_join_the_message_before_them_and_results_carry_all_they_hold(
    host: ChatHost, contents: list[Any], messages: list[Any], ask: Ask
) -> None:
    with serve(host.reply("done")) as server:
        response = ask(host.model, LlmRequest(contents=contents), **host.options(server))
        assert sent(server)["messages"] == messages
    assert (response.text, response.notices) == ("done", ())


@both_formats
@both_ways
def test_a_whole_answer_goes_back_as_history(host: ChatHost, ask: Ask) -> None:
    body = {"openai_chat": _openai_turn(), "anthropic_messages": _anthropic_turn()}[host.name]
    with serve(Reply.of_json(body)) as server:
        options = host.options(server)
        first = ask(host.model, LlmRequest(contents="q"), **options)
        results = [ToolResult(call.tool_call_id, call.name, content=["ok"]) for call in first.tool_calls]
        ask(host.model, LlmRequest(contents=[Message("user", "q"), *first.content, *results]), **options)
        assistant = server.requests[1].json()["messages"][1]
    if host is OPENAI:
        message = body["choices"][0]["message"]
        assert assistant == {name: value for name, value in message.items() if value is not None}
    else:
        assert assistant == {"role": "assistant", "content": body["content"]}


@all_formats
@both_ways
def test_a_failed_call_comes_back_as_a_response(host: ChatHost, ask: Ask) -> None:
    code = UNKNOWN_KEYS.get(host.provider, "invalid_api_key")
    with serve(Reply.of_json(host.error("this key is not known", code), 401)) as server:
        response = ask(host.model, QUESTION, **host.options(server))
    assert response.error is not None
    assert (response.error.kind, response.error.status) == ("authentication", 401)
    assert response.error.code == host.code(code)
    assert (response.error.retryable, response.error.attempts) == (False, 1)
    assert (response.error_message, response.text, response.content) == ("this key is not known", "", [])
    with pytest.raises(LlmError, match=r"authentication \(401\): this key is not known"):
        response.raise_for_error()


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, GeneratorExit])
@both_ways
def test_only_what_ends_a_program_is_raised(interrupt: type[BaseException], ask: Ask) -> None:
    class Interrupting:
        offline = True

        def send(self, *_: object) -> Any:
            raise interrupt

    with pytest.raises(interrupt):
        ask("gpt-5-mini", QUESTION, cassette=Interrupting())
