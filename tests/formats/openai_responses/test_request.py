"""Requests of the Responses API: settings, tools, the form of the answer, and what travels verbatim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, issuer, notices
from tests.formats.openai_responses.recorded import RESPONSES
from triptych import formats
from triptych.content import Message, ToolResult
from triptych.errors import LlmError, Notice
from triptych.formats import Call
from triptych.provider import Quirks
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
WIRE = formats.load(RESPONSES, "here")
SEARCH = {"type": "web_search"}


def read(**fields: Any) -> Call:
    """Return the call that a request with these fields says, after a look that it is built back as it was."""
    whole = {"model": "m", "input": [{"role": "user", "content": "hi"}], **fields}
    call = WIRE.read_request(whole)
    assert WIRE.build_request(call).body == whole
    return call


def test_a_plain_request_is_a_model_and_items() -> None:
    plain = {"model": "m", "input": [{"role": "user", "content": "hi"}]}
    assert body(RESPONSES) == plain
    assert body(RESPONSES, stream=True) == {**plain, "stream": True}


def test_instructions_are_one_text_with_a_blank_line_between() -> None:
    assert body(RESPONSES, instructions=["Be brief.", "Be kind."])["instructions"] == "Be brief.\n\nBe kind."
    assert read(instructions="Be brief.").request.instructions == ["Be brief."]


def test_a_text_alone_is_what_the_user_says() -> None:
    assert WIRE.read_request({"model": "m", "input": "hi"}).request.contents == [Message("user", "hi")]


def test_every_setting_that_the_api_has_goes_under_its_field() -> None:
    """B048: the limit of tokens has one name here."""
    same: dict[str, Any] = {"temperature": 0, "top_p": 0.5, "top_logprobs": 2, "user": "u", "metadata": {"k": "v"}}
    settings: dict[str, Any] = {**same, "service_tier": "flex", "max_tokens": 9, "reasoning": "low", "logprobs": True}
    sent = body(RESPONSES, settings=settings)
    assert sent == {
        **body(RESPONSES),
        **same,
        "service_tier": "flex",
        "max_output_tokens": 9,
        "reasoning": {"effort": "low"},
        "include": ["message.output_text.logprobs"],
    }
    assert WIRE.read_request(sent).settings == Settings(**settings)


@pytest.mark.parametrize(
    ("name", "value"),
    [("top_k", 3), ("stop", ["x"]), ("seed", 7), ("frequency_penalty", 1), ("presence_penalty", 1)],
)
def test_a_setting_that_the_api_lacks_is_left_out_with_a_notice(name: str, value: Any) -> None:
    assert body(RESPONSES, settings={name: value}) == body(RESPONSES)
    expected = [Notice(f"settings.{name}", "left out", "this API has no such setting")]
    assert notices(RESPONSES, settings={name: value}) == expected


def test_a_number_of_tokens_to_think_is_left_out_with_a_notice() -> None:
    assert body(RESPONSES, settings={"reasoning": 2048}) == body(RESPONSES)
    [notice] = notices(RESPONSES, settings={"reasoning": 2048})
    assert (notice.path, notice.what) == ("settings.reasoning", "2048 left out")


def test_a_setting_that_the_model_refuses_is_left_out_with_a_notice() -> None:
    quirks = Quirks(unsupported_settings=("temperature", "reasoning"))
    given: dict[str, Any] = {"settings": {"temperature": 1, "reasoning": "low"}, "quirks": quirks}
    assert body(RESPONSES, **given) == body(RESPONSES)
    assert [notice.path for notice in notices(RESPONSES, **given)] == ["settings.temperature", "settings.reasoning"]


def test_empty_settings_are_not_sent() -> None:
    assert body(RESPONSES, settings={"stop": [], "metadata": {}, "logprobs": False}) == body(RESPONSES)
    assert notices(RESPONSES, settings={"stop": []}) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"store": False, "include": ["reasoning.encrypted_content"]},
        {"previous_response_id": "resp_1", "truncation": "auto", "background": True},
        {"conversation": {"id": "conv_1"}, "prompt_cache_key": "k", "safety_identifier": "s"},
        {"max_tool_calls": 3, "stream_options": {"include_obfuscation": False}, "novel": {"deep": [1]}},
        {"text": {"verbosity": "low"}, "instructions": None, "temperature": "hot"},
    ],
)
def test_a_field_without_a_setting_travels_verbatim(fields: dict[str, Any]) -> None:
    assert read(**fields).settings == Settings(extra_body=fields)


def test_a_field_that_a_setting_says_in_part_is_read_and_kept_whole() -> None:
    fields = {
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content", "message.output_text.logprobs"],
        "text": {"format": {"type": "json_schema", "name": "n", "schema": SCHEMA}, "verbosity": "low"},
    }
    call = read(**fields)
    assert call.settings == Settings(reasoning="low", logprobs=True, extra_body=fields)
    assert call.request.output_type == OutputSchema(SCHEMA, "n")


def test_the_schema_of_the_answer_is_the_form_of_its_text() -> None:
    output = OutputSchema(SCHEMA, "n", description="d", strict=True)
    form = {"type": "json_schema", "name": "n", "schema": SCHEMA, "description": "d", "strict": True}
    assert body(RESPONSES, output_type=output)["text"] == {"format": form}
    assert read(text={"format": form}).request.output_type == output
    named = body(RESPONSES, output_type={**SCHEMA, "title": "A b"})["text"]["format"]["name"]
    assert (named, body(RESPONSES, output_type=SCHEMA)["text"]["format"]["name"]) == ("A_b", "output")


def test_a_tool_says_all_at_one_level_and_one_without_arguments_has_an_empty_schema() -> None:
    """B033."""
    tools = [BaseTool("f", "Does.", SCHEMA), BaseTool("now", strict=True), BaseTool("g", parameters={"type": "object"})]
    empty = {"type": "object", "properties": {}}
    sent = body(RESPONSES, tools=tools)["tools"]
    assert sent == [
        {"type": "function", "name": "f", "description": "Does.", "parameters": SCHEMA, "strict": False},
        {
            "type": "function",
            "name": "now",
            "parameters": {**empty, "additionalProperties": False, "required": []},
            "strict": True,
        },
        {"type": "function", "name": "g", "parameters": empty, "strict": False},
    ]


def test_fields_of_a_tools_own_go_back_with_it() -> None:
    wire = {"type": "function", "name": "f", "parameters": None, "strict": False, "defer_loading": True}
    [tool] = read(tools=[wire]).request.tools
    own = {"parameters": None, "defer_loading": True}
    assert tool == BaseTool("f", strict=False, provider_data=own, issuer=issuer(RESPONSES))


@pytest.mark.parametrize("wire", [SEARCH, {"type": "custom", "name": "c"}, {"type": "mcp", "server_label": "s"}, {}])
def test_a_tool_of_the_apis_own_is_kept_and_goes_to_this_api_alone(wire: dict[str, Any]) -> None:
    [tool] = read(tools=[wire]).request.tools
    assert tool == ProviderTool(wire, issuer(RESPONSES))
    assert "tools" not in body(RESPONSES, tools=[tool], provider="elsewhere")
    [notice] = notices(RESPONSES, tools=[tool], provider="elsewhere")
    assert notice.what == "provider tool left out"


@pytest.mark.parametrize(
    ("choice", "wire"),
    [
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("f", {"type": "function", "name": "f"}),
        ("c", {"type": "custom", "name": "c"}),
    ],
)
def test_a_choice_is_a_word_or_a_tool_by_its_kind(choice: str, wire: Any) -> None:
    tools = [BaseTool("f", parameters=SCHEMA), ProviderTool({"type": "custom", "name": "c"}, issuer(RESPONSES))]
    sent = body(RESPONSES, tools=tools, tool_choice=choice, settings={"parallel_tool_calls": False})
    assert (sent["tool_choice"], sent["parallel_tool_calls"]) == (wire, False)
    call = WIRE.read_request(sent)
    assert (call.request.tool_choice, call.settings) == (choice, Settings(parallel_tool_calls=False))


@pytest.mark.parametrize(
    "choice",
    [
        {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "f"}]},
        {"type": "web_search_preview"},
        {"type": "mcp", "server_label": "s", "name": "f"},
        "novel",
    ],
)
def test_a_choice_of_the_apis_own_travels_verbatim(choice: Any) -> None:
    call = read(tools=[SEARCH], tool_choice=choice)
    assert (call.request.tool_choice, call.settings.extra_body) == (None, {"tool_choice": choice})


def test_without_contents_there_is_nothing_to_send_unless_the_api_has_the_conversation() -> None:
    with pytest.raises(LlmError, match="no contents") as refused:
        body(RESPONSES, [])
    assert refused.value.kind == "invalid_request"
    extra = {"previous_response_id": "resp_1"}
    assert body(RESPONSES, [], settings={"extra_body": extra}) == {"model": "m", **extra}


def test_a_result_for_a_call_that_the_api_has_is_no_orphan() -> None:
    result = ToolResult("call_1", content=["4"])
    extra = {"extra_body": {"previous_response_id": "resp_1"}}
    assert notices(RESPONSES, [result], settings=extra) == []
    [notice] = notices(RESPONSES, [result])
    assert notice.what == "tool result 'call_1' has no call"


def test_a_model_that_the_address_names_is_not_in_the_body() -> None:
    assert "model" not in WIRE.build_request(Call(LlmRequest(contents="hi"))).body


def test_what_is_said_verbatim_wins() -> None:
    sent = body(RESPONSES, settings={"max_tokens": 9, "extra_body": {"max_output_tokens": 7, "own": 1}}, known=False)
    assert sent == {**body(RESPONSES), "max_output_tokens": 7, "own": 1}
