"""Messages of Ollama: one text and pictures a message, calls with object arguments, results by name and order."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, messages, notices
from tests.formats.ollama_chat.recorded import OLLAMA
from tests.formats.strategies import PDF, PNG, WAVE
from triptych import formats
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.parts import Audio, Document, Image, Text, Video
from triptych.request import LlmRequest

OWN = issuer(OLLAMA)
IMAGE = Image(PNG)


def read(*wire: Any) -> list[ContentItem]:
    """Return the items that wire messages are read into."""
    return formats.load(OLLAMA, "here").read_request({"model": "m", "messages": list(wire)}).request.contents


def rebuilt(*wire: Any) -> list[Any]:
    """Return wire messages after they were read and built back."""
    format_ = formats.load(OLLAMA, "here")
    return list(format_.build_request(format_.read_request({"model": "m", "messages": list(wire)})).body["messages"])


def called(name: str, **arguments: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}}


def test_words_and_pictures_are_fields_of_one_message() -> None:
    contents = [Message("user", [Text("What is"), IMAGE, Text("this?")])]
    assert messages(OLLAMA, contents) == [{"role": "user", "content": "What is\nthis?", "images": [IMAGE.base64]}]


def test_the_texts_of_an_answer_are_joined_without_a_gap() -> None:
    contents = [Message("user", "q"), Message("assistant", ["It is ", "", "4."])]
    assert messages(OLLAMA, contents)[1] == {"role": "assistant", "content": "It is 4."}


@pytest.mark.parametrize(
    "document",
    [Document(text="facts"), Document("data:text/plain;base64,ZmFjdHM="), Document(b"facts", media_type="text/csv")],
)
def test_a_document_of_text_is_words(document: Document) -> None:
    assert messages(OLLAMA, [Message("user", ["Read:", document])]) == [{"role": "user", "content": "Read:\nfacts"}]


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (Image("https://h.example/a.png"), "this API takes pictures as bytes only"),
        (Image(file_id="f"), "this API takes pictures as bytes only"),
        (Document(PDF), "this API takes documents as text only"),
        (Audio(WAVE), "this API takes words and pictures only"),
        (Video("https://h.example/a.mp4"), "this API takes words and pictures only"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_has_no_form_is_left_out_with_a_notice(part: Any, why: str) -> None:
    contents = [Message("user", ["a", part])]
    assert messages(OLLAMA, contents) == [{"role": "user", "content": "a"}]
    assert notices(OLLAMA, contents) == [Notice("contents[0].content[1]", f"{type(part).__name__} left out", why)]


def test_a_name_and_a_block_of_another_api_are_left_out_with_a_notice() -> None:
    contents = [Message("user", "a", name="Ann"), Opaque({"type": "novel"}, issuer=issuer("openai_chat"))]
    assert messages(OLLAMA, contents) == [{"role": "user", "content": "a"}]
    assert [notice.path for notice in notices(OLLAMA, contents)] == ["contents[0].name", "contents[1]"]


def test_every_instruction_is_a_system_message_and_a_developer_speaks_as_the_system() -> None:
    """B041, B042."""
    contents = [Message("user", "q"), Message("developer", "now")]
    assert messages(OLLAMA, contents, instructions=["a", "b"]) == [
        {"role": "system", "content": "a"},
        {"role": "system", "content": "b"},
        {"role": "user", "content": "q"},
        {"role": "system", "content": "now"},
    ]


def test_a_thought_words_and_calls_are_one_message_in_that_order() -> None:
    contents = [
        Reasoning("hm", issuer=OWN),
        Message("assistant", "Let me see."),
        ToolCall("c1", "f", {"a": 1}),
        ToolCall("c2", "g"),
        Message("assistant", "more"),
    ]
    assert messages(OLLAMA, contents) == [
        {
            "role": "assistant",
            "thinking": "hm",
            "content": "Let me see.",
            "tool_calls": [called("f", a=1), called("g")],
        },
        {"role": "assistant", "content": "more"},
    ]


def test_a_thought_goes_back_only_to_the_api_that_issued_it() -> None:
    contents = [Message("user", "q"), Reasoning("hm", issuer=issuer(OLLAMA, "elsewhere")), Reasoning("own")]
    assert messages(OLLAMA, contents) == [{"role": "user", "content": "q"}]
    assert [notice.path for notice in notices(OLLAMA, contents)] == ["contents[1]", "contents[2]"]


def test_a_refusal_is_said_in_words() -> None:
    assert messages(OLLAMA, [Refusal("I will not.")]) == [{"role": "assistant", "content": "I will not."}]


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (ToolCall("c", "get_weather", raw_arguments=""), {}),
        (ToolCall("c", "get_weather", raw_arguments="   "), {}),
        (ToolCall("c", "get_weather"), {}),
        (ToolCall("c", "get_weather", raw_arguments="{bad"), {"raw_arguments": "{bad"}),
        (ToolCall("c", "get_weather", raw_arguments='{"path": "a" "b"}'), {"raw_arguments": '{"path": "a" "b"}'}),
        (ToolCall("c", "get_weather", {"cmd": "ls"}), {"cmd": "ls"}),
        (ToolCall("c", "get_weather", raw_arguments='{"cmd": "ls"}'), {"cmd": "ls"}),
    ],
    ids=lambda value: repr(value.raw_arguments) if isinstance(value, ToolCall) else "",
)
def test_arguments_are_an_object_whatever_the_model_wrote(call: ToolCall, arguments: dict[str, Any]) -> None:
    """B002, B003, B015: what is no object is said as the text it was, with a notice."""
    contents = [call, ToolResult("c", content=["4"])]
    assert messages(OLLAMA, contents)[0]["tool_calls"] == [called("get_weather", **arguments)]
    what = 'text that is no JSON object sent as {"raw_arguments": …}'
    expected = [Notice("contents[0].arguments", what, "the API takes a JSON object only")] * call.malformed
    assert notices(OLLAMA, contents) == expected


def test_a_result_says_the_name_of_its_tool_and_all_that_it_holds() -> None:
    contents = [ToolCall("c", "f"), ToolResult("c", None, "error", ["no", {"unit": "m"}, IMAGE, Document(text="d")])]
    result = {"role": "tool", "content": 'Error: no\n{"unit":"m"}\nd', "images": [IMAGE.base64], "tool_name": "f"}
    assert messages(OLLAMA, contents)[1] == result
    assert notices(OLLAMA, contents) == []


def test_results_of_one_tool_come_in_the_order_of_their_calls() -> None:
    contents = [ToolCall("c1", "f"), ToolCall("c2", "g"), ToolCall("c3", "f")]
    results = [ToolResult("c3", content=["3"]), ToolResult("c2", content=["2"]), ToolResult("c1", content=["1"])]
    sent = messages(OLLAMA, [*contents, *results])[1:]
    assert [(message["tool_name"], message["content"]) for message in sent] == [("f", "1"), ("f", "3"), ("g", "2")]


def test_a_result_that_comes_late_moves_up_to_its_call() -> None:
    contents = [ToolCall("c", "f"), Message("user", "and?"), ToolResult("c", content=["1"])]
    assert [message["role"] for message in messages(OLLAMA, contents)] == ["assistant", "tool", "user"]
    assert notices(OLLAMA, contents) == [
        Notice("contents[2]", "tool result moved up to its call", "the API looks for it nowhere else")
    ]


def test_a_call_that_is_used_again_gets_its_own_result() -> None:
    """B012."""
    one = [ToolCall("same", "f", {"a": 1}), ToolResult("same", content=["1"])]
    two = [ToolCall("same", "f", {"a": 2}), ToolResult("same", content=["2"])]
    sent = messages(OLLAMA, [*one, *two])
    assert [message["content"] for message in sent] == ["", "1", "", "2"]


def test_a_call_without_a_result_is_noted_and_a_result_without_a_call_is_sent() -> None:
    contents = [ToolCall("c", "f"), Message("user", "q"), ToolResult("other", "g", content=["1"])]
    assert messages(OLLAMA, contents)[2] == {"role": "tool", "content": "1", "tool_name": "g"}
    why = "results find their calls by name and order, so that another's may be taken for its own"
    assert notices(OLLAMA, contents) == [
        Notice("contents", "tool call 'c' has no result", why),
        Notice("contents", "tool result 'other' has no call", why),
    ]


def test_a_request_without_contents_is_refused() -> None:
    """B044."""
    with pytest.raises(LlmError, match="no contents"):
        formats.load(OLLAMA).build_request(Call(LlmRequest()))


def test_results_are_paired_by_id_by_name_and_by_order() -> None:
    calls = {"role": "assistant", "content": "", "tool_calls": [called("f"), called("g"), {"id": "x", **called("f")}]}
    results = [
        {"role": "tool", "content": "x", "tool_call_id": "x", "tool_name": "f"},
        {"role": "tool", "content": "g", "tool_name": "g"},
        {"role": "tool", "content": "first"},
        {"role": "tool", "content": "orphan", "tool_name": "f"},
    ]
    items = read(calls, *results)
    ids = [item.tool_call_id for item in items if isinstance(item, ToolCall)]
    paired = [(item.tool_call_id, item.name, item.text) for item in items if isinstance(item, ToolResult)]
    assert paired == [
        (ids[2], "f", "x"),
        (ids[1], "g", "g"),
        (ids[0], None, "first"),
        ("result_6", "f", "orphan"),
    ]


@pytest.mark.parametrize(
    "wire",
    [
        [{"role": "user", "content": ""}],
        [{"role": "user", "content": "a", "images": [IMAGE.base64]}],
        [{"role": "user", "content": "", "images": ["AAAA", "not base64 at all: a path"]}],
        [{"role": "user", "content": "a", "own": 1}],
        [{"role": "user", "content": None}],
        [{"role": "user", "content": ["a"]}],
        [{"role": "control", "content": "high"}],
        [{"role": "assistant", "content": ""}],
        [{"role": "assistant", "content": "", "thinking": "hm"}, {"role": "assistant", "content": "b"}],
        [{"role": "assistant", "content": "", "thinking": ""}],
        [{"role": "assistant", "content": "a"}, {"role": "assistant", "content": "", "tool_calls": [called("f")]}],
        [{"role": "assistant", "content": None, "tool_calls": [called("f")]}],
        [{"role": "assistant", "content": "", "own": 1, "tool_calls": [called("f")]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"type": "function", **called("f", a=1)}]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"id": "x", "function": {"index": 0, "name": "f"}}]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "f", "arguments": "{bad"}}]}],
        [{"role": "assistant", "content": "", "tool_calls": [{"novel": 1}]}],
        [{"role": "tool", "content": "4"}],
        [{"role": "tool", "content": "4", "tool_name": "f", "tool_call_id": "x", "own": 1}],
        [{"role": "tool", "content": "4", "images": [IMAGE.base64]}],
    ],
    ids=str,
)
def test_messages_of_every_form_are_built_back_as_they_were(wire: list[Any]) -> None:
    assert rebuilt(*wire) == wire


def test_a_message_without_words_is_built_back_with_an_empty_text() -> None:
    wire = {"role": "assistant", "tool_calls": [called("f")]}
    assert rebuilt(wire) == [{**wire, "content": ""}]
