"""Conversations for Bedrock Converse: turns that alternate, calls and results that find each other, names it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.formats.bedrock_converse.recorded import BEDROCK
from tests.formats.bodies import HERE, body, issuer, messages, notices
from triptych import formats
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats.turns import safe_id
from triptych.parts import Audio, Document, Image, Issuer, Text

OWN = issuer(BEDROCK)
PNG = "data:image/png;base64,iVBORw0KGgo="
HI = Message("user", "hi")


def user(*blocks: Any) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def text(words: str) -> dict[str, Any]:
    return {"text": words}


def use(tool_use_id: str, name: str = "f", **arguments: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": tool_use_id, "name": name, "input": arguments}}


def result(tool_use_id: str, *content: Any, **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": tool_use_id, "content": list(content), **more}}


def whats(contents: Sequence[ContentItem], **rest: Any) -> list[str]:
    return [notice.what for notice in notices(BEDROCK, contents, **rest)]


def test_neighbours_of_one_role_are_one_turn() -> None:
    history: list[ContentItem] = [HI, Message("user", ["a", Image(PNG)]), Message("assistant", "b"), Refusal("no")]
    picture = {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}
    assert messages(BEDROCK, [*history, HI]) == [
        user(text("hi"), text("a"), picture),
        assistant(text("b"), text("no")),
        user(text("hi")),
    ]


def test_a_conversation_that_the_assistant_begins_gets_a_turn_of_the_users_first() -> None:
    history: list[ContentItem] = [Message("assistant", "hello"), HI]
    assert messages(BEDROCK, history) == [
        user(text("(The conversation begins with the assistant.)")),
        assistant(text("hello")),
        user(text("hi")),
    ]
    assert whats(history) == ["a turn of the user's put first"]


def test_results_of_parallel_calls_and_the_words_after_them_are_one_turn() -> None:
    """B046."""
    history: list[ContentItem] = [HI, ToolCall("a", "f", {"x": 1}), ToolCall("b", "f"), ToolResult("b", content=["2"])]
    sent = messages(BEDROCK, [*history, ToolResult("a", content=["1"]), Message("user", "next")])
    assert sent == [
        user(text("hi")),
        assistant(use("a", x=1), use("b")),
        user(result("b", text("2")), result("a", text("1")), text("next")),
    ]


def test_a_call_without_a_result_is_answered_and_a_result_without_a_call_is_told() -> None:
    history: list[ContentItem] = [HI, ToolCall("a", "f"), Message("user", "go on"), ToolResult("x", content=[{"n": 1}])]
    assert messages(BEDROCK, history) == [
        user(text("hi")),
        assistant(use("a")),
        user(
            result("a", text("No result: this call was not answered."), status="error"),
            text("Result of an earlier tool call:"),
            text('{"n":1}'),
            text("go on"),
        ),
    ]
    told = ["tool call 'a' answered with an error", "tool result 'x' sent as text"]
    assert [what for what in whats(history) if "declared" not in what] == told


@pytest.mark.parametrize(
    ("content", "blocks"),
    [
        ([], [text("(empty)")]),
        ([""], [text("(empty)")]),
        ([" \n"], [text("(empty)")]),
        (["", "a"], [text("a")]),
        ([{"n": 1}], [{"json": {"n": 1}}]),
        ([{}], [{"json": {}}]),
        ([[1, 2]], [{"json": {"items": [1, 2]}}]),
        ([[]], [{"json": {"items": []}}]),
        ([None, 5, True], [text("null"), text("5"), text("true")]),
        ([Text("a"), Image(PNG)], [text("a"), {"image": {"format": "png", "source": {"bytes": "iVBORw0KGgo="}}}]),
    ],
)
def test_a_result_is_text_or_an_object_and_never_empty(content: list[Any], blocks: list[Any]) -> None:
    """B021."""
    sent = messages(BEDROCK, [HI, ToolCall("a", "f"), ToolResult("a", content=content)])
    assert sent[-1] == user(result("a", *blocks))


def test_a_failed_result_says_so_and_what_has_no_form_in_it_is_left_out() -> None:
    sound = Audio("data:audio/wav;base64,UklGRgAAAABXQVZF")
    history: list[ContentItem] = [HI, ToolCall("a", "f"), ToolResult("a", "f", "error", ["bad", sound])]
    assert messages(BEDROCK, history)[-1] == user(result("a", text("bad"), status="error"))
    assert whats(history)[0] == "Audio left out"


@pytest.mark.parametrize("raw", ['{"path": "a" "b"}', "not json", "[1]", "3"])
def test_arguments_that_are_no_object_go_as_an_object_that_quotes_them(raw: str) -> None:
    """B003, B005."""
    history: list[ContentItem] = [HI, ToolCall("x", "f", raw_arguments=raw), ToolResult("x", "f", "error", ["bad"])]
    assert messages(BEDROCK, history)[1] == assistant(use("x", raw_arguments=raw))
    assert whats(history)[0] == 'text that is no JSON object sent as {"raw_arguments": …}'


def test_ids_and_names_that_the_api_refuses_are_mapped_in_call_result_and_tool_alike() -> None:
    history: list[ContentItem] = [HI, ToolCall("id|1", "my.tool"), ToolResult("id|1", content=["1"])]
    sent = body(BEDROCK, history)
    name = "my_tool"
    assert sent["messages"][1:] == [assistant(use(safe_id("id|1"), name)), user(result(safe_id("id|1"), text("1")))]
    assert sent["toolConfig"]["tools"][0]["toolSpec"]["name"] == name


def test_a_document_has_a_name_of_its_own_in_letters_that_the_api_takes_and_words_beside_it() -> None:
    papers = [Document(text="a", name="q_3/report.v2.pdf"), Document(text="b"), Document(text="c"), Document(text="d")]
    sent = messages(BEDROCK, [Message("user", list(papers)), Message("assistant", "ok"), Message("user", [papers[0]])])
    names = [block["document"]["name"] for turn in sent for block in turn["content"] if "document" in block]
    assert names == ["q-3-report-v2-pdf", "Document", "Document 2", "Document 3", "q-3-report-v2-pdf 2"]
    assert [turn["content"][-1] for turn in sent] == [text("(A document.)"), text("ok"), text("(A document.)")]
    assert whats([Message("user", [papers[0]])]) == ["words put beside a document"]
    assert whats([Message("user", ["read", papers[0]])]) == []


@pytest.mark.parametrize("words", ["", " ", "\n\t"])
def test_no_text_is_blank(words: str) -> None:
    with pytest.raises(LlmError, match="no contents"):
        messages(BEDROCK, [Message("user", words)])
    sent = body(
        BEDROCK, [Message("user", ["a", words, Text(words)]), Message("assistant", words)], instructions=[words]
    )
    assert sent == {"messages": [user(*[text(said) for said in ["a", words, words] if said])]}


def test_white_space_at_the_end_of_a_prefilled_answer_is_stripped() -> None:
    assert messages(BEDROCK, [HI, Message("assistant", "So: \n")])[-1] == assistant(text("So:"))


def test_system_text_is_instructions_and_system_messages_wherever_they_stand() -> None:
    history: list[ContentItem] = [Message("system", "b"), HI, Message("developer", ["c", Image(PNG)])]
    assert body(BEDROCK, history, instructions=["a"])["system"] == [text("a"), text("b"), text("c")]
    assert whats(history) == ["Image left out", "system message moved to the system text"]


def test_reasoning_goes_back_to_its_issuer_with_its_seal_and_to_nobody_else() -> None:
    """B146."""
    mine = Reasoning("so", signature="seal", issuer=OWN)
    hidden = Reasoning(encrypted="c2VhbA==", redacted=True, issuer=OWN)
    elsewhere = Reasoning("so", signature="s", issuer=Issuer("anthropic_messages", "anthropic"))
    host = Reasoning("so", signature="s", issuer=issuer(BEDROCK, "other"))
    history: list[ContentItem] = [HI, mine, hidden, elsewhere, host, Message("assistant", "4"), HI]
    assert messages(BEDROCK, history)[1] == assistant(
        {"reasoningContent": {"reasoningText": {"text": "so", "signature": "seal"}}},
        {"reasoningContent": {"redactedContent": "c2VhbA=="}},
        text("4"),
    )
    assert whats(history) == ["Reasoning left out", "Reasoning left out"]


@pytest.mark.parametrize(
    ("model", "sent"), [("us.anthropic.claude-sonnet-5", False), ("deepseek.r1", False), ("minimax.minimax-m2", True)]
)
def test_reasoning_without_a_seal_goes_to_models_that_have_none(model: str, sent: bool) -> None:
    history: list[ContentItem] = [HI, Reasoning("so", issuer=OWN), Message("assistant", "4"), HI]
    blocks = messages(BEDROCK, history, model=model)[1]["content"]
    assert blocks == [*[{"reasoningContent": {"reasoningText": {"text": "so"}}}] * sent, text("4")]
    assert whats(history, model=model) == ["Reasoning left out"] * (not sent)


def test_blocks_of_the_service_go_back_as_they_came_and_to_nobody_else() -> None:
    served = {"toolUse": {"toolUseId": "t", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}}
    history: list[ContentItem] = [HI, Opaque(served, issuer=OWN), Opaque({"type": "novel"}, issuer=Issuer("x")), HI]
    assert messages(BEDROCK, history)[1] == assistant(served)
    assert whats(history) == ["Opaque left out"]


def test_a_name_of_a_message_is_left_out_with_a_notice() -> None:
    assert whats([Message("user", "hi", name="eve")]) == ["name left out"]


def test_a_list_that_was_put_into_an_object_for_the_api_is_a_list_again_when_it_is_read() -> None:
    history = [HI, ToolCall("a", "add"), ToolResult("a", "add", content=[[1, {"b": 2}]])]
    sent = body(BEDROCK, history)
    wire = formats.load(BEDROCK, HERE)
    back = wire.read_request(sent)
    assert [item.content for item in back.request.contents if isinstance(item, ToolResult)] == [[[1, {"b": 2}]]]
    assert wire.build_request(back).body == sent
