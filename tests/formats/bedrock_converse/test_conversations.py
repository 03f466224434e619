"""What Bedrock's format keeps, whatever conversation it is given; see `tests.formats.test_conversations` for more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.formats import strategies
from tests.formats.bedrock_converse.recorded import BEDROCK
from triptych import formats, jsontext
from triptych.errors import LlmError
from triptych.formats import Call

WIRE = formats.load(BEDROCK, strategies.PROVIDER)
quick = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
any_call = strategies.calls_of(BEDROCK, strategies.torn_conversations(BEDROCK))


def built(call: Call) -> Mapping[str, Any]:
    """Return the body; one without turns where the call was refused for having none."""
    try:
        decoded: Mapping[str, Any] = jsontext.decode(jsontext.encode(WIRE.build_request(call).body))
    except LlmError as refused:
        if refused.kind == "invalid_request":
            return {"messages": []}
        raise
    return decoded


def blocks_of(body: Mapping[str, Any]) -> list[Any]:
    return [block for message in body["messages"] for block in message["content"]]


@quick
@given(any_call)
def test_turns_alternate_and_none_is_empty(call: Call) -> None:
    messages = built(call)["messages"]
    assert [message["role"] for message in messages] == (["user", "assistant"] * len(messages))[: len(messages)]
    assert [message for message in messages if not message["content"]] == []


@quick
@given(any_call)
def test_no_text_is_empty_and_no_result(call: Call) -> None:
    body = built(call)
    results = [block["toolResult"]["content"] for block in blocks_of(body) if "toolResult" in block]
    texts = [block["text"] for block in [*blocks_of(body), *body.get("system", [])] if "text" in block]
    inner = [part["text"] for content in results for part in content if "text" in part]
    assert [text for text in texts if not text] == [text for text in inner if not text.strip()] == []
    assert [content for content in results if not content] == []


@quick
@given(any_call)
def test_calls_never_go_without_a_declaration_of_tools_nor_documents_without_words(call: Call) -> None:
    body = built(call)
    kinds = [kind for block in blocks_of(body) for kind in block]
    assert "toolConfig" in body or not {"toolUse", "toolResult"} & set(kinds) or all_served(body)
    assert body.get("toolConfig", {"tools": [1]})["tools"]
    for message in body["messages"]:
        within = {kind for block in message["content"] for kind in block}
        assert "document" not in within or "text" in within or message["role"] == "assistant"
    names = [block["document"]["name"] for block in blocks_of(body) if "document" in block]
    assert len(set(names)) == len(names)


def all_served(body: Mapping[str, Any]) -> bool:
    """Return whether the service has executed all calls itself."""
    return all("type" in block["toolUse"] for block in blocks_of(body) if "toolUse" in block)


@quick
@given(any_call)
def test_arguments_are_always_an_object(call: Call) -> None:
    """B002, B003, B015: whatever text the model wrote, and wherever the history comes from."""
    uses = [block["toolUse"] for block in blocks_of(built(call)) if "toolUse" in block]
    assert [use for use in uses if not isinstance(use["input"], dict)] == []
