"""Words that JSON or an API has trouble with, in every format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.formats.bodies import ALL, ANTHROPIC, OBJECTS, OPENAI, body, messages
from tests.formats.plain import calls_in_body, results_in_body, texts_in_body
from triptych import jsontext
from triptych.content import Message, ToolCall, ToolResult
from triptych.parts import Text
from triptych.tools import BaseTool

each = pytest.mark.parametrize("name", ALL)
# On the others a result has values of JSON.
as_text = pytest.mark.parametrize("name", [name for name in ALL if name not in ("gemini_generate", "bedrock_converse")])


def wire(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return a body as it reaches the provider, read by a parser that takes strict JSON alone."""

    def refused(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(jsontext.encode(body(name, *args, **kwargs)).decode("utf-8"), parse_constant=refused)


@each
def test_a_lone_surrogate_is_replaced_wherever_it_is(name: str) -> None:
    """B054."""
    tool = BaseTool("f", "tool \ud83c")
    history = [
        Message("user", "hi \ud83c there"),
        ToolCall("x", "f", {"key \ud83c": "v \udf00"}),
        ToolResult("x", "f", content=["r \ud83c", {"k \ud83c": 1}]),
    ]
    text = json.dumps(wire(name, history, tools=[tool]), ensure_ascii=False)
    for expected in ("hi \ufffd there", "key \ufffd", "v \ufffd", "r \ufffd", "k \ufffd", "tool \ufffd"):
        assert expected in text


@each
def test_a_pair_of_surrogates_is_joined_and_an_emoji_is_untouched(name: str) -> None:
    """B054."""
    assert texts_in_body(wire(name, [Message("user", "\ud83d\ude00 and 😀 \ud83c")])) == ["😀 and 😀 \ufffd"]


@each
@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_json_lacks_goes_out_as_null(name: str, number: float) -> None:
    """B055."""
    tool = BaseTool("f", parameters={"type": "object", "properties": {"a": {"type": "number", "default": number}}})
    history = [Message("user", "hi"), ToolCall("x", "f", {"a": number}), ToolResult("x", "f", content=[{"b": number}])]
    sent = wire(name, history, tools=[tool])
    [(_, _, arguments)] = calls_in_body(sent)
    assert arguments == ({"a": None} if name in OBJECTS else '{"a":null}')
    assert '"b":null' in json.dumps(sent, separators=(",", ":")).replace("\\", "")
    assert '"default": null' in json.dumps(sent)


@as_text
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1}, '{"a":1}'),
        ([1, "é"], '[1,"é"]'),
        (3, "3"),
        (None, "null"),
        (True, "true"),
        ("as it is", "as it is"),
    ],
)
def test_every_value_of_a_tool_goes_out_as_text(name: str, value: Any, text: str) -> None:
    """B024."""
    history = [Message("user", "go"), ToolCall("x", "f"), ToolResult("x", "f", content=[value])]
    assert list(filter(None, texts_in_body(body(name, history)))) == ["go", text]


@as_text
def test_all_values_of_a_result_go_out_in_order(name: str) -> None:
    history = [Message("user", "go"), ToolCall("x", "f"), ToolResult("x", "f", content=["a", {"b": 1}, Text("c")])]
    assert "\n".join(filter(None, texts_in_body(body(name, history)))) == 'go\na\n{"b":1}\nc'


def test_a_result_of_words_alone_is_a_plain_text_on_openai() -> None:
    """B023."""
    history = [Message("user", "go"), ToolCall("x", "f"), ToolResult("x", "f", content=[Text("20"), "21"])]
    assert messages(OPENAI, history)[-1] == {"role": "tool", "tool_call_id": "x", "content": "20\n21"}


@each
@pytest.mark.parametrize("content", [[], [""], [" "], [Text("")]])
def test_an_empty_result_is_no_empty_list_and_no_blank_block(name: str, content: list[Any]) -> None:
    """B021, B023, B038."""
    history = [Message("user", "go"), ToolCall("x", "f"), ToolResult("x", "f", content=content)]
    [(_, result)] = results_in_body(body(name, history))
    if name in ("anthropic_messages", "bedrock_converse"):
        assert result == (None if name == ANTHROPIC else "(empty)")
    elif name == "gemini_generate" and not content:
        assert result == {}
    else:
        assert result in ("", " ", [{"type": "input_text", "text": ""}])


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_a_blank_text_is_left_out_where_the_api_refuses_it(blank: str) -> None:
    """B038."""
    history = [
        Message("user", [Text("go"), Text("")]),
        Message("assistant", blank),
        ToolCall("x", "f"),
        ToolResult("x", "f", content=["1"]),
        Message("user", blank),
    ]
    assert messages(ANTHROPIC, history, instructions=[blank]) == [
        {"role": "user", "content": [{"type": "text", "text": "go"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "x", "name": "f", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x", "content": "1"}]},
    ]
    assert "system" not in body(ANTHROPIC, history, instructions=[blank])


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Answer: ", "Answer:"),
        ("a \n b \n", "a \n b"),
        ([Text("a "), Text("b ")], [{"type": "text", "text": "a "}, {"type": "text", "text": "b"}]),
        ([Text("a"), Text(" ")], [{"type": "text", "text": "a"}]),
    ],
)
def test_only_the_last_text_of_a_last_turn_of_the_assistant_is_stripped(content: Any, expected: Any) -> None:
    """B039."""
    earlier = [Message("user", "hi "), Message("assistant", "kept "), Message("user", "more ")]
    sent = messages(ANTHROPIC, [*earlier, Message("assistant", content)])
    assert [message["content"] for message in sent] == ["hi ", "kept ", "more ", expected]


def test_a_last_turn_of_the_assistant_is_not_stripped_where_the_api_takes_it() -> None:
    """B039."""
    assert messages(OPENAI, [Message("user", "hi"), Message("assistant", "Answer: ")])[-1]["content"] == "Answer: "
