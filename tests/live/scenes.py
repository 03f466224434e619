"""The scenes: what is asked in each, and what must be answered."""

import json
from typing import Any

import attrs

from tests.live.scene import (
    ALL_FORMATS,
    ANTHROPIC_MESSAGES,
    OLLAMA_CHAT,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    Ask,
    Scene,
    Steps,
    check_counts,
)
from triptych import BaseTool, LlmRequest, LlmResponse, Message, OutputSchema, ToolCall, ToolResult

ASSISTANT = "You are a helpful assistant."
# Some 1,100 tokens: just over what the local engine takes.
TOO_LONG = "word " * 1100
FEWEST_TOKENS = 16  # OpenAI's Responses API takes no lower limit

CITY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
    "required": ["city", "country"],
    "additionalProperties": False,
}

WEATHER = BaseTool(
    name="get_weather",
    description="Tell the weather of a city now.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
)
DEGREES = {"Paris": 18, "Rome": 24}


def _user(text: str) -> Message:
    return Message(role="user", content=text)


def _chat() -> Steps:
    yield Ask(LlmRequest(instructions=[ASSISTANT], contents=[_user("What is 2 + 2?")]))


def _check_chat(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert "4" in response.text
    assert response.finish_reason == "stop"


def _multi_turn() -> Steps:
    first = _user("What is the capital of France?")
    answer = yield Ask(LlmRequest(instructions=[ASSISTANT], contents=[first]))
    # What came back goes back as it is: the answer's items are the history's items.
    contents = [first, *answer.content, _user("And of Italy?")]
    yield Ask(LlmRequest(instructions=[ASSISTANT], contents=contents))


def _check_multi_turn(responses: list[LlmResponse]) -> None:
    for response, city in zip(responses, ("Paris", "Rome"), strict=True):
        _check_answer(response)
        assert city in response.text
        assert response.finish_reason == "stop"


def _check_multi_turn_counts(responses: list[LlmResponse]) -> None:
    check_counts(responses)
    first, second = responses
    assert first.usage is not None
    assert second.usage is not None
    # Everything the model read counts, whatever part of it came from a cache.
    assert second.usage.input_tokens > first.usage.input_tokens


def _system_text() -> Steps:
    instructions = ["You are Bob, a baker.", "You bake bread in Lyon."]
    request = LlmRequest(instructions=instructions, contents=[_user("Who are you?")])
    yield Ask(request, {"max_tokens": 60})


def _check_system_text(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    # Each of the two instructions has reached the model.
    assert "baker" in response.text
    assert "Lyon" in response.text


def _json_schema() -> Steps:
    # The engine holds the model to the schema on the OpenAI format and takes no notice of it on Anthropic's. Asking for
    # the shape in words, and stopping at the fence that a small model closes with, has it answered in JSON on both.
    example = '{"city": "...", "country": "..."}'
    request = LlmRequest(
        contents=[_user(f"Give the capital of France as a JSON object like {example}.")],
        output_type=OutputSchema(CITY_SCHEMA, mode="native"),
    )
    yield Ask(request, {"max_tokens": 60, "stop": ["```"]})


def _check_json_schema(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    answer = json.loads(response.text)
    assert sorted(answer) == ["city", "country"]
    assert answer["city"] == "Paris"
    assert answer["country"].title() == "France"


@attrs.define
class City:
    """A city and where it is."""

    name: str
    country: str


def _typed_output() -> Steps:
    yield Ask(LlmRequest(contents=[_user("Give the capital of France and its country.")], output_type=City))


def _check_typed_output(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert isinstance(response.output, City)
    assert (response.output.name, response.output.country.title()) == ("Paris", "France")


def _max_tokens() -> Steps:
    request = LlmRequest(instructions=[ASSISTANT], contents=[_user("Tell me about the sea.")])
    yield Ask(request, {"max_tokens": FEWEST_TOKENS})


def _check_max_tokens(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert response.finish_reason == "length"


def _check_max_tokens_counts(responses: list[LlmResponse]) -> None:
    (response,) = responses
    assert response.usage is not None
    assert response.usage.output_tokens == FEWEST_TOKENS


def _stop_sequence() -> Steps:
    yield Ask(LlmRequest(contents=[_user("Count from 1 to 10.")]), {"stop": ["5"], "max_tokens": 60})


def _check_stop_sequence(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert "4" in response.text
    assert "5" not in response.text
    assert response.finish_reason == "stop"


def _logprobs() -> Steps:
    request = LlmRequest(instructions=[ASSISTANT], contents=[_user("What is 2 + 2?")])
    yield Ask(request, {"logprobs": True, "top_logprobs": 2, "max_tokens": 3})


def _check_logprobs(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert response.raw is not None
    assert response.usage is not None
    tokens = response.raw["choices"][0]["logprobs"]["content"]
    assert "".join(token["token"] for token in tokens) == response.text
    assert [len(token["top_logprobs"]) for token in tokens] == [2] * response.usage.output_tokens


def _error_400() -> Steps:
    # A field of the wrong type is refused by every server; only extra_body lets one through.
    yield Ask(LlmRequest(contents=[_user("What is 2 + 2?")]), {"max_tokens": 5, "extra_body": {"top_p": "high"}})


def _check_error_400(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="invalid_request", status=400)


def _context_length() -> Steps:
    yield Ask(LlmRequest(contents=[_user(TOO_LONG)]), {"max_tokens": 5})


def _check_context_length(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="context_length", status=400)


def _error_401() -> Steps:
    yield Ask(LlmRequest(contents=[_user("What is 2 + 2?")]), {"max_tokens": 5}, api_key="not-the-key")


def _check_error_401(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="authentication", status=401)


def _tool_call() -> Steps:
    yield from _ask_about_weather("What is the weather in Paris?")


def _parallel_tool_calls() -> Steps:
    yield from _ask_about_weather("What is the weather in Paris and in Rome?")


def _ask_about_weather(question: str) -> Steps:
    """Ask, run each tool that the model calls, and give it what they came to."""
    contents: list[Any] = [_user(question)]
    answer = yield Ask(LlmRequest(instructions=[ASSISTANT], contents=list(contents), tools=[WEATHER]))
    contents += answer.content
    for call in answer.tool_calls:
        city = str(call.arguments.get("city"))
        degrees = DEGREES.get(city)
        contents.append(ToolResult(call.tool_call_id, call.name, content=[{"city": city, "degrees": degrees}]))
    yield Ask(LlmRequest(instructions=[ASSISTANT], contents=contents, tools=[WEATHER]))


def _check_tool_call(responses: list[LlmResponse]) -> None:
    _check_weather(responses, "Paris")


def _check_parallel_tool_calls(responses: list[LlmResponse]) -> None:
    _check_weather(responses, "Paris", "Rome")


def _check_weather(responses: list[LlmResponse], *cities: str) -> None:
    """Check that the first answer calls the tool once a city, each by an id of its own, and the second tells all."""
    asked, told = responses
    assert asked.error is None, asked.error_message
    assert {type(item) for item in asked.content} <= {Message, ToolCall}
    assert [(call.name, call.arguments) for call in asked.tool_calls] == [
        (WEATHER.name, {"city": city}) for city in cities
    ]
    assert len({call.tool_call_id for call in asked.tool_calls}) == len(cities)
    assert asked.finish_reason == "tool_calls"
    _check_answer(told)
    assert all(str(DEGREES[city]) in told.text for city in cities)
    assert told.finish_reason == "stop"


def _check_answer(response: LlmResponse) -> None:
    """Check what holds of every answer in words: no failure, and one assistant message of some text."""
    assert response.error is None, response.error_message
    assert [(type(item), getattr(item, "role", None)) for item in response.content] == [(Message, "assistant")]
    assert response.text


def _check_failure(responses: list[LlmResponse], *, kind: str, status: int) -> None:
    """Check that the only answer is a failure of the given kind, that says something, and was not tried again."""
    (response,) = responses
    assert response.error is not None, response.text
    assert (response.error.kind, response.error.status) == (kind, status)
    assert response.error.attempts == 1
    assert not response.error.retryable
    assert response.error_message
    assert response.content == []


def _all_but(*formats: str) -> tuple[str, ...]:
    return tuple(name for name in ALL_FORMATS if name not in formats)


# What llama.cpp's server speaks itself.
OF_THE_ENGINE = (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES)

SCENES: tuple[Scene, ...] = (
    Scene("chat", _chat, _check_chat),
    Scene("multi_turn", _multi_turn, _check_multi_turn, _check_multi_turn_counts),
    Scene("system_text", _system_text, _check_system_text),
    Scene("json_schema", _json_schema, _check_json_schema),
    Scene("typed_output", _typed_output, _check_typed_output, formats=(OPENAI_CHAT,)),
    # The server that speaks Ollama's format here knows one reason to stop.
    Scene("max_tokens", _max_tokens, _check_max_tokens, _check_max_tokens_counts, formats=_all_but(OLLAMA_CHAT)),
    # The Responses API has no stop sequences.
    Scene("stop_sequence", _stop_sequence, _check_stop_sequence, formats=_all_but(OPENAI_RESPONSES)),
    Scene("tool_call", _tool_call, _check_tool_call),
    Scene("parallel_tool_calls", _parallel_tool_calls, _check_parallel_tool_calls),
    Scene("logprobs", _logprobs, _check_logprobs, formats=(OPENAI_CHAT,)),
    Scene("error_400", _error_400, _check_error_400),
    Scene("context_length", _context_length, _check_context_length, formats=OF_THE_ENGINE, engine_only=True),
    Scene("error_401", _error_401, _check_error_401),
)
