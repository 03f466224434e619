"""Calls whose answer is a value, over every wire format: how it is asked for, and what becomes of each answer."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, TypedDict

import attrs
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Meta

from tests.chat_hosts import (
    ANTHROPIC,
    BEDROCK,
    BEDROCK_ANTHROPIC,
    COHERE,
    OLLAMA,
    OPENAI,
    RESPONSES,
    Ask,
    ChatHost,
    both_ways,
)
from tests.dialects.references import written
from tests.dialects.types import drawn_types
from tests.faults.wires import EVENT_STREAM, LINES, NAMED_FRAMES, SSE, Wire, event, named_frame
from tests.formats.anthropic_messages import splitter as messages_splitter
from tests.formats.bedrock_converse import splitter as converse_splitter
from tests.formats.closed import faults
from tests.formats.cohere_chat import splitter as cohere_splitter
from tests.formats.gemini_generate import splitter as gemini_splitter
from tests.formats.ollama_chat import splitter as ollama_splitter
from tests.formats.openai_chat import splitter as chat_splitter
from tests.formats.openai_responses import splitter as responses_splitter
from tests.formats.streams import DONE
from tests.output_answers import FILTERING, HOSTS, calling, cut_off, each_format, filtered, refused
from tests.servers.script import Reply, Request, in_turn, serve
from triptych import BaseTool, LlmClient, LlmError, LlmRequest, Message, Notice, OutputSchema, ToolCall, Usage, aio
from triptych.content import ContentItem
from triptych.events import ItemDone
from triptych.formats import Call
from triptych.output_answer import finish
from triptych.output_modes import OutputWay, output_mode
from triptych.output_plan import make_plan
from triptych.provider import Quirks
from triptych.response import LlmResponse


@attrs.define
class Person:
    """A person."""

    name: str
    age: Annotated[int, Meta(ge=0)]
    email: str | None = None


class City(TypedDict):
    """A city."""

    city: str
    inhabitants: int


ADA = Person("Ada", 36)
ADA_TEXT = '{"name": "Ada", "age": 36, "email": null}'
ADA_JSON = {"name": "Ada", "age": 36, "email": None}
WRONG_TEXT = '{"name": "Ada", "age": "thirty-six", "email": null}'
WRONG = '$.age: expected integer, got "thirty-six" (string)'
WEATHER = BaseTool("get_weather", "Tell the weather.", {"type": "object", "properties": {"city": {"type": "string"}}})
NATIVE = OutputSchema.of(Person, mode="native")


def who(output: Any = NATIVE, **more: Any) -> LlmRequest:
    """Return a request for a person."""
    return LlmRequest(contents="Who?", output_type=output, **more)


def answered(host: ChatHost, request: LlmRequest, *bodies: Any, ask: Ask | None = None, **options: Any) -> LlmResponse:
    """Return what a client makes of these bodies, which are answered one after the other."""
    with serve(in_turn(*map(Reply.of_json, bodies))) as server:
        if ask is not None:
            return ask(host.model, request, **host.options(server), **options)
        with host.client(server, **options) as client:
            return client.generate(request)


def sent(host: ChatHost, request: LlmRequest, **options: Any) -> dict[str, Any]:
    """Return the body that a client sends for a request."""
    with serve(Reply.of_json(host.answer(ADA_TEXT))) as server, host.client(server, **options) as client:
        client.generate(request)
        body: dict[str, Any] = server.requests[0].json()
        return body


@each_format
@both_ways
def test_a_native_answer_becomes_a_value(ask: Ask, host: ChatHost) -> None:
    response = answered(host, who(), host.answer(ADA_TEXT), ask=ask)
    assert (response.output, response.error, response.text) == (ADA, None, ADA_TEXT)
    assert response.usage is not None
    assert response.usage.output_tokens == 7


@each_format
@pytest.mark.parametrize("text", [f"```json\n{ADA_TEXT}\n```", f"Of course! Here: {ADA_TEXT} Anything else?"])
def test_a_fenced_and_a_chatty_answer_are_read(host: ChatHost, text: str) -> None:
    assert answered(host, who(), host.answer(text)).output == ADA


@each_format
def test_a_schema_gives_a_json_value(host: ChatHost) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    native = OutputSchema(schema, mode="native")
    assert answered(host, who(native), host.answer('{"a": 5}')).output == {"a": 5}


@each_format
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(list[int], '{"value": [1, 2]}', [1, 2]), (int, '{"value": 4}', 4), (int | str, '{"value": "x"}', "x")],
)
def test_a_type_that_is_no_object_is_wrapped_where_the_api_asks_for_one(
    host: ChatHost, kind: Any, text: str, value: Any
) -> None:
    wrapping = host.name not in ("gemini_generate", "ollama_chat")
    body = host.answer(text if wrapping else json.dumps(value))
    assert answered(host, who(OutputSchema.of(kind, mode="native")), body).output == value


@each_format
def test_an_answer_at_the_token_limit_is_truncated_and_never_asked_again(host: ChatHost) -> None:
    """B077, B078."""
    request = who(OutputSchema.of(Person, mode="native", repairs=3))
    response = answered(host, request, cut_off(host, '{"name": "Ada", "age": 3'))
    words = "the answer was cut off at the token limit: raise max_tokens"
    assert response.error == LlmError(words, "truncated", attempts=1, partial=response.content)
    assert (response.error_message, response.output, response.finish_reason) == (words, None, "length")
    assert response.text == '{"name": "Ada", "age": 3'


@pytest.mark.parametrize("host", [OPENAI, RESPONSES], ids=lambda host: host.name)
def test_a_refusal_is_an_error_of_its_own_and_never_asked_again(host: ChatHost) -> None:
    """B076."""
    request = who(OutputSchema.of(Person, mode="native", repairs=3))
    response = answered(host, request, refused(host, "I can't help with that"))
    assert response.error == LlmError("I can't help with that", "refusal", attempts=1)
    assert (response.output, response.error.retryable) == (None, False)


@pytest.mark.parametrize("host", FILTERING, ids=lambda host: host.name)
def test_an_answer_that_the_filter_stopped_is_a_refusal(host: ChatHost) -> None:
    response = answered(host, who(), filtered(host, '{"name"'))
    assert response.error is not None
    assert (response.error.kind, response.output) == ("refusal", None)


@each_format
def test_an_invalid_answer_says_where_it_is_wrong_and_keeps_what_came(host: ChatHost) -> None:
    response = answered(host, who(), host.answer(WRONG_TEXT))
    assert response.error == LlmError(WRONG, "invalid_output", attempts=1)
    assert (response.output, response.text, response.error.retryable) == (None, WRONG_TEXT, False)
    assert response.usage is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "$: expected JSON, got an empty answer"),
        ("I do not know.", "$: expected JSON, got 'I do not know.' (str)"),
        ("[1, 2]", "$: expected object, got [1,2] (array)"),
        ('{"name": "Ada"}', "$.age: expected integer, got nothing"),
        ('{"name": "Ada", "age": -1}', "$.age: expected a number >= 0, got -1 (integer)"),
    ],
)
def test_what_does_not_fit_is_told_by_its_place(text: str, words: str) -> None:
    assert answered(OPENAI, who(), OPENAI.answer(text)).error == LlmError(words, "invalid_output", attempts=1)


@each_format
@both_ways
def test_a_repair_sends_the_answer_and_what_was_wrong_with_it(ask: Ask, host: ChatHost) -> None:
    request = who(OutputSchema.of(Person, mode="native", repairs=2))
    with serve(in_turn(*(Reply.of_json(host.answer(text)) for text in (WRONG_TEXT, ADA_TEXT)))) as server:
        response = ask(host.model, request, **host.options(server))
    again = json.dumps(server.requests[1].json())
    assert json.dumps(WRONG_TEXT)[1:-1].replace("\\", "") in again.replace("\\", "")
    assert "The answer does not fit: $.age: expected integer" in again
    assert (response.output, response.error) == (ADA, None)
    assert response.usage == Usage(24, 14)
    assert response.usage_metadata == {"input_tokens": 24, "output_tokens": 14}
    assert Notice("output", "asked again (1 of 2)", WRONG) in response.notices


def test_after_the_last_repair_the_error_stands() -> None:
    request = who(OutputSchema.of(Person, repairs=2))
    response = answered(OPENAI, request, *[OPENAI.answer(WRONG_TEXT)] * 3)
    assert response.error == LlmError(WRONG, "invalid_output", attempts=3)
    assert response.notices == tuple(Notice("output", f"asked again ({n} of 2)", WRONG) for n in (1, 2))
    assert response.usage == Usage(36, 21)


def test_a_repair_that_is_cut_off_is_truncated() -> None:
    request = who(OutputSchema.of(Person, repairs=3))
    response = answered(OPENAI, request, OPENAI.answer(WRONG_TEXT), cut_off(OPENAI, '{"na'))
    assert response.error is not None
    assert (response.error.kind, response.error.attempts) == ("truncated", 2)


def test_a_call_that_fails_is_its_own_error() -> None:
    with serve(Reply.of_json(OPENAI.error("no", "bad"), 400)) as server, OPENAI.client(server) as client:
        response = client.generate(who(OutputSchema.of(Person, repairs=3)))
    assert len(server.requests) == 1
    assert response.error is not None
    assert (response.error.kind, response.provider) == ("invalid_request", "openai")


@each_format
@both_ways
def test_by_a_tool_the_answer_is_the_arguments_of_its_call(ask: Ask, host: ChatHost) -> None:
    request = who(OutputSchema.of(Person, mode="tool"))
    response = answered(host, request, calling(host, ("Person", ADA_JSON)), ask=ask)
    assert (response.output, response.error) == (ADA, None)
    assert [(call.name, call.arguments) for call in response.tool_calls] == [("Person", ADA_JSON)]


@each_format
def test_by_a_tool_an_answer_in_words_is_read_too(host: ChatHost) -> None:
    assert answered(host, who(OutputSchema.of(Person, mode="tool")), host.answer(ADA_TEXT)).output == ADA


@each_format
def test_a_repair_by_a_tool_answers_its_call(host: ChatHost) -> None:
    request = who(OutputSchema.of(Person, mode="tool", repairs=1), tools=[WEATHER])
    wrong = calling(host, ("Person", {"name": "Ada"}), ("get_weather", {"city": "Oslo"}))
    with serve(in_turn(Reply.of_json(wrong), Reply.of_json(calling(host, ("Person", ADA_JSON))))) as server:
        with host.client(server) as client:
            response = client.generate(request)
        body = server.requests[1].json()
    assert response.output == ADA
    text = json.dumps(body)
    assert "$.age: expected integer, got nothing" in text
    assert "Not run" in text
    assert faults(host.name, body) == []


@each_format
def test_an_answer_that_calls_another_tool_first_is_not_at_its_end(host: ChatHost) -> None:
    for mode in ("native", "tool"):
        request = who(OutputSchema.of(Person, mode=mode, repairs=1), tools=[WEATHER])
        response = answered(host, request, calling(host, ("get_weather", {"city": "Oslo"}), text=""))
        assert (response.output, response.error) == (None, None)
        assert [call.name for call in response.tool_calls] == ["get_weather"]


@each_format
@pytest.mark.parametrize("mode", ["native", "tool", "prompted"])
@pytest.mark.parametrize("tools", [[], [WEATHER]], ids=["alone", "beside-a-tool"])
def test_every_mode_makes_a_body_that_the_api_takes(host: ChatHost, mode: Any, tools: list[BaseTool]) -> None:
    assert faults(host.name, sent(host, who(OutputSchema.of(Person, mode=mode), tools=tools))) == []


STRICT_PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "minimum": 0},
        "email": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["name", "age", "email"],
    "additionalProperties": False,
    "description": "A person.",
}


def test_the_schema_goes_out_as_the_api_takes_it_and_strict() -> None:
    """B065, B066."""
    form = {"name": "Person", "schema": STRICT_PERSON, "strict": True}
    assert sent(OPENAI, who())["response_format"] == {"type": "json_schema", "json_schema": form}
    assert sent(RESPONSES, who())["text"] == {"format": {"type": "json_schema", **form}}


def test_a_bare_schema_is_sent_as_it_is_unless_it_shall_be_strict() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "default": 1}}}
    said = sent(OPENAI, who(schema))["response_format"]["json_schema"]
    assert said == {"name": "output", "schema": schema}
    strict = sent(OPENAI, who(OutputSchema(schema, strict=True)))["response_format"]["json_schema"]
    assert strict == {
        "name": "output",
        "schema": {
            "type": "object",
            "properties": {"a": {"type": ["integer", "null"]}},
            "required": ["a"],
            "additionalProperties": False,
        },
        "strict": True,
    }


def test_a_strict_answer_leaves_the_tools_as_they_are() -> None:
    """B075."""
    body = sent(OPENAI, who(tools=[WEATHER]))
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["tools"] == [{"type": "function", "function": WEATHER.tool_definition}]
    by_tool = sent(OPENAI, who(OutputSchema.of(Person, mode="tool"), tools=[WEATHER]))["tools"]
    assert by_tool[0] == body["tools"][0]
    assert (by_tool[1]["function"]["name"], by_tool[1]["function"]["strict"]) == ("Person", True)


@pytest.mark.parametrize(
    ("choice", "tools", "said"),
    [
        (None, [], {"type": "function", "function": {"name": "Person"}}),
        (None, [WEATHER], "required"),
        ("auto", [WEATHER], "required"),
        ("required", [WEATHER], "required"),
        ("none", [WEATHER], {"type": "function", "function": {"name": "Person"}}),
        ("get_weather", [WEATHER], {"type": "function", "function": {"name": "get_weather"}}),
    ],
)
def test_by_a_tool_a_tool_must_be_called(choice: str | None, tools: list[BaseTool], said: Any) -> None:
    body = sent(OPENAI, who(OutputSchema.of(Person, mode="tool"), tools=tools, tool_choice=choice))
    assert body["tool_choice"] == said


def test_while_claude_thinks_within_a_budget_no_tool_is_forced() -> None:
    """B032."""
    request = who(OutputSchema.of(Person, mode="tool"))
    assert sent(ANTHROPIC, request)["tool_choice"] == {"type": "tool", "name": "Person"}
    body = sent(ANTHROPIC, request, reasoning=2000, max_tokens=4000)
    assert (body["thinking"]["type"], body["tool_choice"]) == ("enabled", {"type": "auto"})
    native = sent(ANTHROPIC, who(OutputSchema.of(Person)), reasoning=2000, max_tokens=4000)
    assert "tool_choice" not in native
    assert native["output_config"]["format"]["type"] == "json_schema"


def test_the_tool_of_the_answer_has_a_name_that_is_free() -> None:
    taken = [BaseTool("Person"), BaseTool("Person_2")]
    body = sent(OPENAI, who(OutputSchema.of(Person, mode="tool"), tools=taken))
    assert [tool["function"]["name"] for tool in body["tools"]] == ["Person", "Person_2", "Person_3"]
    odd = sent(OPENAI, who(OutputSchema({"type": "object"}, "a person!", mode="tool")))
    assert odd["tools"][0]["function"]["name"] == "a_person_"
    digits = sent(OPENAI, who(OutputSchema({"type": "object"}, "3d", mode="tool")))
    assert digits["tools"][0]["function"]["name"] == "answer_3d"
    bare = sent(OPENAI, who(OutputSchema({"type": "object"}, mode="tool")))
    assert bare["tools"][0]["function"]["name"] == "final_answer"


def test_prompted_the_instructions_show_the_schema_and_json_is_asked_for() -> None:
    body = sent(
        OPENAI, who(OutputSchema.of(Person, mode="prompted", description="Who it is."), instructions="Be brief.")
    )
    assert body["response_format"] == {"type": "json_object"}
    system = body["messages"][0]["content"] if len(body["messages"]) == 2 else json.dumps(body["messages"][:-1])
    assert "Be brief." in system
    assert "Who it is." in system
    assert "JSON Schema" in system


@pytest.mark.parametrize(
    ("host", "said"),
    [
        (RESPONSES, {"text": {"format": {"type": "json_object"}}}),
        (COHERE, {"response_format": {"type": "json_object"}}),
        (OLLAMA, {"format": "json"}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_prompted_each_format_asks_for_json_in_its_own_way(host: ChatHost, said: dict[str, Any]) -> None:
    body = sent(host, who(OutputSchema.of(Person, mode="prompted")))
    assert {name: body[name] for name in said} == said


def test_fields_of_the_callers_own_win_over_json_mode() -> None:
    request = who(OutputSchema.of(Person, mode="prompted"))
    extra = {"text": {"verbosity": "low"}, "store": False}
    assert sent(RESPONSES, request, extra_body=extra)["text"] == {
        "verbosity": "low",
        "format": {"type": "json_object"},
    }
    kept = {"response_format": {"type": "text"}}
    assert sent(OPENAI, request, extra_body=kept)["response_format"] == {"type": "text"}


def test_a_wrong_schema_is_told_before_anything_is_sent() -> None:
    with serve(Reply(500)) as server, OPENAI.client(server) as client:
        response = client.generate(who({"type": "objekt"}))
        stream = client.stream(who({"type": "objekt"})).response
    assert server.requests == []
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("invalid_request", "bad_schema")
    assert "objekt" in response.error.message
    assert stream.error == response.error


def test_what_the_schema_cannot_say_is_a_notice_and_with_strict_an_error() -> None:
    response = answered(ANTHROPIC, who(), ANTHROPIC.answer(ADA_TEXT))
    assert [notice.path for notice in response.notices] == ["output_type/properties/age"]
    with serve(Reply(500)) as server, ANTHROPIC.client(server, strict=True) as client:
        refusing = client.generate(who())
    assert server.requests == []
    assert refusing.error is not None
    assert refusing.error.kind == "unsupported"


@attrs.define
class Node:
    """A tree."""

    name: str
    children: list[Node] = attrs.field(factory=list)


def test_a_schema_that_the_api_cannot_say_is_asked_for_in_the_next_mode() -> None:
    """B069: Claude's schemas know no recursion, its tools that are not strict do."""
    tree = {"name": "a", "children": [{"name": "b", "children": []}]}
    response = answered(ANTHROPIC, who(Node), calling(ANTHROPIC, ("Node", tree)))
    assert response.output == Node("a", [Node("b")])
    assert (response.notices[0].path, response.notices[0].what) == (
        "output_type",
        "not asked for in the mode 'native'",
    )
    refusing = answered(ANTHROPIC, who(OutputSchema.of(Node, mode="native")))
    assert refusing.error is not None
    assert refusing.error.kind == "unsupported"


def test_a_fault_of_the_library_is_an_error_too(caplog: pytest.LogCaptureFixture) -> None:
    class Unlucky(dict[str, Any]):
        """A JSON value that cannot be looked at."""

    request = who(OutputSchema(Unlucky(type=object()), mode="native"))
    response = answered(OPENAI, request)
    assert response.error is not None
    assert response.error.kind == "internal"
    assert caplog.records


# --- Streams ---


def chunk(**delta: Any) -> bytes:
    """Return a chunk of OpenAI Chat with this delta."""
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return event({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice]})


def end(reason: str) -> bytes:
    """Return the last chunk of OpenAI Chat, and the marker after it."""
    choice = {"index": 0, "delta": {}, "finish_reason": reason}
    return event({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}) + b"data: [DONE]\n\n"


PIECES = ['{"name": "A', 'da", "age": 3', '6, "email": nu', "ll}"]
GROWN = [{"name": "A"}, {"name": "Ada"}, {"name": "Ada", "age": 36}, ADA_JSON]


def streaming(pieces: Iterable[bytes]) -> Reply:
    """Return a reply that streams these pieces."""
    return Reply(headers=EVENT_STREAM, body=pieces)


class Paced:
    """Pieces that a server sends one by one, each when it is let go.

    Args:
        pieces: The pieces; the first is sent at once.
    """

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = pieces
        self._gate = threading.Semaphore(1)

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            assert self._gate.acquire(timeout=20)
            yield piece

    def go_on(self) -> None:
        """Let the next piece go."""
        self._gate.release()


def test_a_stream_gives_the_value_as_it_grows() -> None:
    paced = Paced([*(chunk(content=piece) for piece in PIECES), end("stop")])
    with serve(streaming(paced)) as server, OPENAI.client(server) as client, client.stream(who()) as stream:
        assert stream.partial is None
        grown: list[Any] = []
        for _ in stream:
            grown.append(stream.partial)
            paced.go_on()
        assert grown[:4] == GROWN
        assert (stream.response.output, stream.response.error) == (ADA, None)


def test_a_stream_gives_the_arguments_of_the_answers_tool_as_they_grow() -> None:
    def call(arguments: str, **head: Any) -> bytes:
        named = {"name": "Person"} if head else {}
        return chunk(tool_calls=[{"index": 0, **head, "function": {**named, "arguments": arguments}}])

    first = call(PIECES[0], id="c1", type="function")
    paced = Paced([chunk(content="Here:"), first, *map(call, PIECES[1:]), end("tool_calls")])
    request = who(OutputSchema.of(Person, mode="tool"))
    with serve(streaming(paced)) as server, OPENAI.client(server) as client, client.stream(request) as stream:
        grown: list[Any] = []
        for happened in stream:
            if not isinstance(happened, ItemDone):
                grown.append(stream.partial)
                paced.go_on()
        assert grown == [None, *GROWN[:3], ADA_JSON]
        assert stream.response.output == ADA
        assert [type(item) for item in stream.response.content][-1] is ToolCall


@pytest.mark.parametrize(
    ("pieces", "kind"),
    [
        ([chunk(content='{"name": "A'), end("length")], "truncated"),
        ([chunk(refusal="No."), end("stop")], "refusal"),
        ([chunk(content=WRONG_TEXT), end("stop")], "invalid_output"),
        ([chunk(content=ADA_TEXT)], "stream_interrupted"),
    ],
)
def test_a_stream_that_brings_no_value_says_why_and_is_not_asked_again(pieces: list[bytes], kind: str) -> None:
    request = who(OutputSchema.of(Person, repairs=3))
    with serve(streaming(pieces)) as server, OPENAI.client(server) as client:
        response = client.stream(request).response
        assert len(server.requests) == 1
    assert response.error is not None
    assert (response.error.kind, response.error.attempts, response.output) == (kind, 1, None)


def test_an_awaited_stream_gives_the_value_too() -> None:
    async def ask(options: dict[str, Any]) -> tuple[list[Any], LlmResponse]:
        async with aio.LlmClient(OPENAI.model, **options) as client:
            stream = client.stream(who())
            grown: list[Any] = []
            async for _ in stream:
                grown.append(stream.partial)
                paced.go_on()
            return grown, await stream.collect()

    paced = Paced([*(chunk(content=piece) for piece in PIECES), end("stop")])
    with serve(streaming(paced)) as server:
        grown, response = asyncio.run(ask(OPENAI.options(server)))
    assert grown[:4] == GROWN
    assert response.output == ADA


def test_a_stream_of_no_output_has_no_partial() -> None:
    with serve(streaming([chunk(content="{}"), end("stop")])) as server, OPENAI.client(server) as client:
        stream = client.stream(LlmRequest(contents="q"))
        assert [stream.partial for _ in stream] == [None, None]
        assert stream.response.output is None


STREAMS: dict[str, tuple[Callable[[Any], st.SearchStrategy[list[Any]]], Wire, Callable[[Any], bytes]]] = {
    "openai_chat": (chat_splitter.streams, SSE, SSE.frame),
    "mistral_chat": (chat_splitter.streams, SSE, SSE.frame),
    "anthropic_messages": (messages_splitter.streams, SSE, SSE.frame),
    "openai_responses": (responses_splitter.streams, SSE, SSE.frame),
    "gemini_generate": (gemini_splitter.streams, SSE, SSE.frame),
    "cohere_chat": (cohere_splitter.streams, SSE, SSE.frame),
    "ollama_chat": (ollama_splitter.streams, LINES, LINES.frame),
    "bedrock_converse": (converse_splitter.streams, NAMED_FRAMES, named_frame),
}


@each_format
@pytest.mark.parametrize("mode", ["native", "tool"])
@settings(max_examples=8, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_streamed_answer_is_the_value_that_a_whole_one_is(host: ChatHost, mode: Any, data: st.DataObject) -> None:
    body = host.answer(ADA_TEXT) if mode == "native" else calling(host, ("Person", ADA_JSON))
    split, wire, frame = STREAMS[host.name]
    pieces = [b"data: [DONE]\n\n" if one == DONE else frame(one) for one in data.draw(split(body))]
    request = who(OutputSchema.of(Person, mode=mode))
    reply = Reply(headers=wire.headers, body=pieces)
    with serve(reply) as server, host.client(server) as client, client.stream(request) as stream:
        grown = [stream.partial for _ in stream]
    assert (stream.response.output, stream.response.error) == (ADA, None)
    assert grown[-1] in (ADA_JSON, {"name": "Ada", "age": 36})


# --- The table of providers ---

WAYS = {
    ("openai", "gpt-5-mini"): ("native", "lengths of texts"),
    ("openai", "gpt-4-turbo"): ("tool", "the schema"),
    ("openai-responses", "gpt-5-mini"): ("native", "lengths of texts"),
    ("anthropic", "claude-sonnet-4-5"): ("native", "bounds of numbers, lengths of texts, lengths of lists"),
    ("anthropic", "claude-3-5-haiku-20241022"): ("tool", "the schema"),
    ("anthropic", "claude-opus-4-1-20250805"): ("native", "bounds of numbers, lengths of texts, lengths of lists"),
    ("gemini", "gemini-3-flash-preview"): ("native", "lengths of texts, patterns"),
    ("vertex-anthropic", "claude-sonnet-4-6"): ("tool", "bounds of numbers, lengths of texts, lengths of lists"),
    ("bedrock", "amazon.nova-lite-v1:0"): ("tool", "the schema"),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"): (
        "native",
        "bounds of numbers, lengths of texts, lengths of lists",
    ),
    ("bedrock", "anthropic.claude-3-haiku-20240307-v1:0"): ("tool", "the schema"),
    ("bedrock", "us.meta.llama3-3-70b-instruct-v1:0"): ("prompted", "the schema, and that it is JSON"),
    ("bedrock-anthropic", "anthropic.claude-sonnet-4-5-20250929-v1:0"): (
        "native",
        "bounds of numbers, lengths of texts, lengths of lists",
    ),
    ("groq", "openai/gpt-oss-120b"): ("native", "lengths of texts"),
    ("groq", "moonshotai/kimi-k2-instruct-0905"): ("native", "the schema"),
    ("groq", "llama-3.3-70b-versatile"): ("tool", "the schema"),
    ("deepseek", "deepseek-chat"): ("prompted", "the schema"),
    ("mistral", "mistral-medium-latest"): ("native", ""),
    ("cohere", "command-a-03-2025"): ("native", "bounds of numbers, lengths of texts, lengths of lists"),
    ("ollama", "qwen3:4b"): ("native", "bounds of fractions"),
    ("perplexity", "sonar"): ("native", "lengths of texts"),
    ("dashscope", "qwen-plus"): ("prompted", "the schema"),
    ("zai", "glm-5.2"): ("prompted", "the schema"),
    ("llamacpp", "any"): ("native", "lengths of texts"),
}


@pytest.mark.parametrize(("host", "model"), WAYS)
def test_which_mode_a_model_is_asked_in_and_what_is_not_enforced(host: str, model: str) -> None:
    way = output_mode(host, model)
    assert (way.mode, way.not_enforced) == WAYS[host, model]


# What may be asked of a value, and a schema that asks it.
PROBES: dict[str, Any] = {
    "bounds of numbers": {"type": "integer", "minimum": 1},
    "bounds of fractions": {"type": "number", "minimum": 1},
    "lengths of texts": {"type": "string", "maxLength": 3},
    "lengths of lists": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    "patterns": {"type": "string", "pattern": "^[a-z]+$"},
    "patterns without anchors": {"type": "string", "pattern": "[a-z]+"},
}


@each_format
def test_what_the_table_says_of_a_schema_is_what_its_rules_say(host: ChatHost) -> None:
    left_open = []
    for name, schema in PROBES.items():
        probe = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
        request = who(OutputSchema(probe, strict=True, mode="native"))
        plan = make_plan(Call(request, host.wire_model), host.name, Quirks())
        left_open += [name] if plan.notices else []
    if "bounds of numbers" in left_open:
        left_open.remove("bounds of fractions")
    if "patterns" not in left_open or "patterns without anchors" not in left_open:  # some patterns are held
        left_open = [name for name in left_open if not name.startswith("patterns")]
    left_open = [name for name in left_open if name != "patterns without anchors"]
    way = output_mode("bedrock", "anthropic.claude-opus-4-6-v1") if host is BEDROCK else _way(host)
    assert way.not_enforced == ", ".join(left_open)


def _way(host: ChatHost) -> OutputWay:
    return output_mode(host.provider, host.wire_model)


@each_format
@settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_value_of_any_type_comes_back_through_what_each_api_takes(host: ChatHost, data: st.DataObject) -> None:
    drawn = data.draw(drawn_types())
    output = OutputSchema.of(drawn.type)
    plan = make_plan(Call(who(output), host.wire_model), host.name, Quirks())
    instance = data.draw(drawn.values)
    said = json.loads(msgspec.json.encode(instance))
    request = plan.call.request
    content: list[ContentItem]
    if plan.mode == "native":
        assert request.output_type is not None
        content = [Message("assistant", json.dumps(written(said, dict(request.output_type.schema))))]
    else:  # the API's schemas know no recursion
        tool = request.tools[-1]
        assert drawn.recursive
        assert isinstance(tool, BaseTool)
        assert plan.tool is not None
        assert tool.parameters is not None
        wrapped = said if output.schema.get("type") == "object" else {"value": said}
        content = [ToolCall("c1", plan.tool, wrapped)]
    response = finish(LlmResponse(content, finish_reason="stop"), plan)
    assert (response.output, response.error) == (instance, None)


@pytest.mark.parametrize(
    ("host", "model", "mode"),
    [
        ("gemini", "gemini-2.5-flash", "tool"),
        ("gemini", "gemini-3-flash-preview", "native"),
        ("groq", "openai/gpt-oss-120b", "tool"),
        ("cohere", "command-a-03-2025", "tool"),
        ("ollama", "qwen3:4b", "tool"),
        ("openai", "gpt-5-mini", "native"),
    ],
)
def test_beside_tools_a_schema_is_asked_for_only_where_the_api_takes_both(host: str, model: str, mode: str) -> None:
    assert output_mode(host, model, tools=True).mode == mode


def test_what_a_tool_that_cannot_be_forced_leaves_open_is_said() -> None:
    assert output_mode("ollama", "qwen3:4b", tools=True).not_enforced == "the schema, that the tool is called"


def test_the_answer_is_made_by_the_mode_that_the_table_names() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return Reply.of_json(OPENAI.answer(ADA_TEXT))

    with serve(answer) as server:
        for model in ("deepseek/deepseek-chat", "groq/llama-3.3-70b-versatile", "openai/gpt-5-mini"):
            with LlmClient(model, base_url=f"{server.url}/v1", api_key="k") as client:
                assert client.generate(who(Person)).output == ADA
    bodies = [request.json() for request in asked]
    assert [body.get("response_format", {}).get("type") for body in bodies] == ["json_object", None, "json_schema"]
    assert [("tools" in body) for body in bodies] == [False, True, False]


def test_a_request_without_an_output_type_loads_nothing_of_this() -> None:
    import subprocess
    import sys

    code = (
        "import sys, triptych.client; print([n for n in sys.modules if n.startswith('triptych.') and 'output_' in n])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_hosts_of_these_tests_are_of_every_format() -> None:
    assert len(HOSTS) == 8
    assert BEDROCK_ANTHROPIC not in HOSTS


def test_the_time_for_the_whole_call_holds_for_its_repairs_too(monkeypatch: pytest.MonkeyPatch) -> None:
    passed, real = [0.0], time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])

    def answer(request: Request) -> Reply:
        passed[0] += 1000
        return OPENAI.reply(WRONG_TEXT)

    with serve(answer) as server, OPENAI.client(server, timeout=500) as client:
        error = client.generate(who(OutputSchema.of(Person, mode="native", repairs=3))).error
        assert error is not None
        assert (error.kind, error.code, len(server.requests)) == ("timeout", "total_timeout", 1)
