"""Answers of Bedrock Converse in one piece."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bodies import HERE, issuer, parsed
from triptych import formats
from triptych.content import Image, Message, Opaque, Reasoning, Text, ToolCall
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.tools import BaseTool
from triptych.usage import Usage

OWN = issuer(BEDROCK)


def answer(*blocks: Any, stop: Any = "end_turn", **top: Any) -> dict[str, Any]:
    """Return an answer with these blocks."""
    return {"output": {"message": {"role": "assistant", "content": list(blocks)}}, "stopReason": stop, **top}


def use(tool_use_id: Any, name: str = "f", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": tool_use_id, "name": name, "input": {}, **more}}


def test_an_answer_is_read_whole() -> None:
    served = use("t", "nova_grounding", type="server_tool_use")
    result = {"toolResult": {"toolUseId": "t", "content": [{"text": "r"}], "type": "nova_grounding_result"}}
    cited = {"citationsContent": {"content": [{"text": "w"}], "citations": [{"title": "t"}]}}
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    hidden = {"reasoningContent": {"redactedContent": "c2VhbA=="}}
    picture = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
    body = answer(
        thought,
        hidden,
        served,
        result,
        {"text": "a"},
        cited,
        picture,
        use("c", input={"x": 1}),
        stop="tool_use",
        usage={"inputTokens": 3, "outputTokens": 4, "totalTokens": 12, "cacheReadInputTokens": 5},
        trace={"promptRouter": {"invokedModelId": "arn:m"}},
    )
    assert parsed(BEDROCK, body) == LlmResponse(
        content=[
            Reasoning("hm", signature="s", issuer=OWN),
            Reasoning(encrypted="c2VhbA==", redacted=True, issuer=OWN),
            Opaque(served, issuer=OWN),
            Opaque(result, issuer=OWN),
            Message(
                "assistant",
                [Text("a"), Text("w", provider_data=cited, issuer=OWN), Image("data:image/png;base64,iVBORw0KGgo=")],
            ),
            ToolCall("c", "f", {"x": 1}),
        ],
        usage=Usage(8, 4, 5),
        finish_reason="tool_calls",
        raw_finish_reason="tool_use",
        model="arn:m",
        provider=HERE,
    )
    assert parsed(BEDROCK, body).text == "aw"


@pytest.mark.parametrize(
    ("raw", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "tool_calls"),
        ("guardrail_intervened", "content_filter"),
        ("content_filtered", "content_filter"),
        ("malformed_model_output", "error"),
        ("malformed_tool_use", "error"),
        ("novel", "other"),
    ],
)
def test_every_stop_reason_has_its_meaning_and_is_kept(raw: str, finish: str) -> None:
    """B087."""
    response = parsed(BEDROCK, answer({"text": "a"}, stop=raw))
    assert (response.finish_reason, response.raw_finish_reason) == (finish, raw)


def test_an_answer_without_a_stop_reason_and_without_counts_is_read() -> None:
    response = parsed(BEDROCK, answer({"text": ""}, stop=None))
    assert (response.content, response.finish_reason, response.usage) == ([], "unknown", None)


@pytest.mark.parametrize(
    ("given", "arguments"), [({"x": 1}, {"x": 1}), ({}, {}), (None, {}), ('{"x": 1}', {"x": 1}), ("", {})]
)
def test_arguments_are_an_object_whatever_form_they_have(given: Any, arguments: dict[str, Any]) -> None:
    [call] = parsed(BEDROCK, answer(use("a", input=given))).tool_calls
    assert (call.arguments, call.malformed) == (arguments, False)


def test_calls_have_distinct_ids_though_the_service_repeats_or_forgets_them() -> None:
    response = parsed(BEDROCK, answer(use("a"), use("a"), use("")))
    assert [call.tool_call_id for call in response.tool_calls] == ["a", "a_2", "call_0_2"]


def test_a_tool_is_called_by_its_own_name_though_the_api_has_another_for_it() -> None:
    call = Call(LlmRequest("", "hi", [BaseTool("my.tool"), BaseTool("plain")]))
    body = answer(use("a", "my_tool"), use("b", "plain"))
    wire = formats.load(BEDROCK, HERE)
    assert [item.name for item in wire.parse_response(body, call).tool_calls] == ["my.tool", "plain"]


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"message": "Too many requests"}, LlmError("Too many requests", "server")),
        ({"Message": "no"}, LlmError("no", "server")),
    ],
)
def test_an_error_under_a_good_status_is_an_error(body: dict[str, Any], error: LlmError) -> None:
    assert parsed(BEDROCK, body).error == error


@pytest.mark.parametrize("body", [{}, {"output": {}}, {"output": {"message": {"content": 5}}}, [], None])
def test_an_answer_of_a_wrong_form_is_malformed_and_says_where(body: Any) -> None:
    error = parsed(BEDROCK, body).error
    assert error is not None
    assert (error.kind, "bedrock_converse" in error.message) == ("malformed_response", True)
