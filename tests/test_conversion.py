"""Requests that others wrote: read from any form, and turned into any other's."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from triptych import BaseTool, LlmError, Message, Reasoning, Settings, ToolCall, ToolResult, convert, read_request

BODY: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Weather in Oslo?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "3 C"},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "Weather now.",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ],
    "max_tokens": 50,
    "store": True,
}
KEPT = "model: 'gpt-4o' kept: it is the source's name: give model="


def test_a_body_is_read_into_a_call() -> None:
    call = read_request(BODY, source="openai_chat")
    assert (call.model, call.stream) == ("gpt-4o", False)
    assert call.settings == Settings(max_tokens=50, extra_body={"store": True})
    assert call.request.contents == [
        Message("system", "Be brief."),
        Message("user", "Weather in Oslo?"),
        ToolCall("call_1", "weather", {"city": "Oslo"}),
        ToolResult("call_1", content=["3 C"]),
    ] or call.request.instructions == ["Be brief."]
    assert call.request.tools == [
        BaseTool("weather", "Weather now.", {"type": "object", "properties": {"city": {"type": "string"}}})
    ]


def test_a_body_is_turned_into_another_providers_and_what_that_cannot_say_is_told() -> None:
    before = copy.deepcopy(BODY)
    built = convert(BODY, source="openai_chat", target="anthropic_messages")
    assert built.body == {
        "model": "gpt-4o",
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": "Weather in Oslo?"},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": "3 C"}]},
        ],
        "tools": [
            {
                "name": "weather",
                "description": "Weather now.",
                "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
            }
        ],
        "max_tokens": 50,
    }
    assert list(map(str, built.notices)) == ["store: left out: it is a field of openai_chat", KEPT]
    assert before == BODY


def test_the_targets_model_may_be_given() -> None:
    built = convert(BODY, source="openai", target="anthropic", model="claude-haiku-4-5")
    assert built.body["model"] == "claude-haiku-4-5"
    assert KEPT not in map(str, built.notices)


@pytest.mark.parametrize("target", ["openai_responses", "anthropic", "mistral", "gemini", "bedrock"])
def test_the_name_of_a_service_tier_stays_where_it_has_a_meaning(target: str) -> None:
    body = {**BODY, "service_tier": "on_demand"}
    built, without = (convert(given, source="groq", target=target, model="m") for given in (body, BODY))
    assert built.body == without.body
    assert "settings.service_tier: 'on_demand' left out: it is a tier of openai_chat" in map(str, built.notices)
    assert convert(body, source="groq", target="openai_chat").body["service_tier"] == "on_demand"


def test_ids_are_mapped_where_they_are_restricted_for_call_and_result_alike() -> None:
    messages = convert(BODY, source="openai_chat", target="mistral_chat").body["messages"]
    call_id = messages[2]["tool_calls"][0]["id"]
    assert (len(call_id), messages[3]["tool_call_id"]) == (9, call_id)


def test_between_two_hosts_of_one_format_its_fields_are_kept_in_the_targets_dialect() -> None:
    built = convert(BODY, source="openai", target="groq")
    assert built.body == {**{k: v for k, v in BODY.items() if k != "max_tokens"}, "max_completion_tokens": 50}
    assert built.notices == ()


def test_a_body_turned_into_its_own_form_is_itself() -> None:
    assert convert(BODY, source="openai_chat", target="openai_chat").body == BODY


def signed(signature: str) -> dict[str, Any]:
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": signature}, {"type": "text", "text": "Hello."}]
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": "And?"},
    ]
    return {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": messages}


@pytest.mark.parametrize("target", ["openai_chat", "mistral_chat", "ollama_chat", "vertex-anthropic"])
def test_a_signature_goes_to_its_issuer_alone(target: str) -> None:
    built = convert(signed("seal-of-anthropic"), source="anthropic", target=target, model="m")
    assert "seal-of-anthropic" not in repr(built.body)
    assert built.notices != ()
    back = convert(signed("seal-of-anthropic"), source="anthropic", target="anthropic")
    assert (back.body, back.notices) == (signed("seal-of-anthropic"), ())


def test_what_a_provider_keeps_beside_an_item_stays_and_is_told() -> None:
    body = signed("seal")
    body["messages"][0]["content"] = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    told = map(str, convert(body, source="anthropic", target="openai", model="m").notices)
    assert "contents[0].content[0]: provider data left out: cache_control: it goes to its issuer alone" in told


def test_strict_makes_an_error_of_what_cannot_be_said() -> None:
    with pytest.raises(LlmError) as raised:
        convert(BODY, source="openai_chat", target="anthropic_messages", strict=True)
    assert raised.value.kind == "unsupported"
    assert "store: left out" in raised.value.message


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "the body does not have the form of openai_chat: at the top: expected the fields messages, got {} (dict)"),
        ({"messages": 5}, "the body does not have the form of openai_chat: at messages: expected array, got 5 (int)"),
        ([], "the body does not have the form of openai_chat: at the top: expected object, got [] (list)"),
        (
            {"messages": [{"role": "user", "content": 5}]},
            "the body does not have the form of openai_chat: at messages[0].content: no form of anyOf fits, got 5",
        ),
    ],
)
def test_a_body_of_a_wrong_form_says_where(body: Any, words: str) -> None:
    with pytest.raises(LlmError) as raised:
        convert(body, source="openai_chat", target="anthropic_messages")
    assert raised.value.kind == "invalid_request"
    assert words in raised.value.message


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        ValueError, match=r"unknown wire format or provider 'openai_chats' \(str\) \(did you mean 'openai_chat'"
    ):
        convert(BODY, source="openai_chats", target="anthropic")


def test_a_call_that_was_read_can_be_sent_elsewhere() -> None:
    call = read_request(signed("seal"), source="anthropic")
    assert call.request.contents[1] == Reasoning("Hm.", signature="seal", issuer=call.request.contents[1].issuer)
    assert call.settings == Settings(max_tokens=9)
