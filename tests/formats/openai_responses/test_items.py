"""Input of the Responses API: what each item becomes, and what goes back to the API as it came."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.formats.bodies import body, issuer, notices
from tests.formats.openai_responses.recorded import RESPONSES
from triptych import formats
from triptych.content import (
    ContentItem,
    Message,
    Opaque,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.parts import Audio, Document, Image, Issuer, Text, Video

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
PDF = b"%PDF-1.7\n"
OWN = issuer(RESPONSES)
ELSEWHERE = Issuer("anthropic_messages", "elsewhere")
WIRE = formats.load(RESPONSES, "here")
MESSAGE = {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "phase": "commentary"}
CITED = {"type": "output_text", "text": "a", "annotations": [{"type": "file_path", "file_id": "f", "index": 0}]}
PLAIN = {"type": "output_text", "text": "b", "annotations": [], "logprobs": []}
DECLINED = {"type": "refusal", "refusal": "no"}


def sent(*items: Any, **rest: Any) -> Any:
    """Return the input that a conversation becomes."""
    return body(RESPONSES, list(items), **rest)["input"]


def read(*items: Any) -> list[ContentItem]:
    """Return the conversation that an input says, after a look that it is built back as it was."""
    given = {"model": "m", "input": copy.deepcopy(list(items))}
    call = WIRE.read_request(given)
    assert given["input"] == list(items)
    assert WIRE.build_request(call).body["input"] == list(items)
    return call.request.contents


@pytest.mark.parametrize("role", ["user", "system", "developer", "assistant"])
def test_words_are_a_message_of_their_role_in_its_place(role: Any) -> None:
    items = [Message("user", "hi"), Message(role, "so \n"), Message("user", "")]
    wire = [{"role": item.role, "content": item.content} for item in items]
    assert sent(*items) == wire
    assert read(*wire) == items


def test_parts_of_the_callers_are_texts_pictures_and_papers() -> None:
    parts = [
        Text("t"),
        Image(PNG, detail="low"),
        Image("https://h.example/a.png"),
        Image(file_id="file_1"),
        Document(PDF, name="a.pdf"),
        Document("https://h.example/a.pdf"),
        Document(file_id="file_2"),
    ]
    [message] = sent(Message("user", parts))
    assert message["content"] == [
        {"type": "input_text", "text": "t"},
        {"type": "input_image", "detail": "low", "image_url": "data:image/png;base64,iVBORw0KGgoAAAAAAAAAAA=="},
        {"type": "input_image", "detail": "auto", "image_url": "https://h.example/a.png"},
        {"type": "input_image", "detail": "auto", "file_id": "file_1"},
        {"type": "input_file", "file_data": "data:application/pdf;base64,JVBERi0xLjcK", "filename": "a.pdf"},
        {"type": "input_file", "file_url": "https://h.example/a.pdf"},
        {"type": "input_file", "file_id": "file_2"},
    ]
    assert [type(part) for part in read(message)[0].content] == [type(part) for part in parts]  # type: ignore[union-attr]  # a message


def test_a_picture_without_a_detail_has_the_one_that_the_api_takes_for_it() -> None:
    wire = {"role": "user", "content": [{"type": "input_image", "image_url": "https://h.example/a.png"}]}
    call = WIRE.read_request({"model": "m", "input": [wire]})
    assert call.request.contents == [Message("user", [Image("https://h.example/a.png", detail="auto")])]
    assert WIRE.build_request(call).body["input"] == [{**wire, "content": [{"detail": "auto", **wire["content"][0]}]}]  # type: ignore[dict-item]  # the part


@pytest.mark.parametrize(
    "part",
    [
        Audio(b"RIFF\x00\x00\x00\x00WAVE"),
        Video("https://h.example/a.mp4"),
        Image("s3://bucket/key"),
        Document("gs://bucket/key"),
        Opaque({"type": "novel"}, issuer=ELSEWHERE),
    ],
)
def test_a_part_that_the_api_does_not_take_is_left_out_with_a_notice(part: Any) -> None:
    items = [Message("user", [Text("t"), part])]
    assert sent(*items) == [{"role": "user", "content": [{"type": "input_text", "text": "t"}]}]
    assert [notice.path for notice in notices(RESPONSES, items)] == ["contents[0].content[1]"]
    assert sent(Message("user", [part]), Message("user", "hi")) == [{"role": "user", "content": "hi"}]


def test_a_papers_words_are_a_text() -> None:
    assert sent(Message("user", [Document(text="w")]))[0]["content"] == [{"type": "input_text", "text": "w"}]


def test_the_models_words_of_another_origin_are_one_text() -> None:
    """B144: and where nothing is left of them, there is no message."""
    items = [Message("assistant", [Text("a"), Image(PNG), Text("b")]), Message("assistant", [Image(PNG)])]
    assert sent(*items) == [{"role": "assistant", "content": "ab"}]
    assert [notice.path for notice in notices(RESPONSES, items)] == ["contents[0].content[1]", "contents[1].content[0]"]


def test_a_name_is_left_out_with_a_notice() -> None:
    assert [notice.path for notice in notices(RESPONSES, [Message("user", "hi", name="Al")])] == ["contents[0].name"]


@pytest.mark.parametrize(
    ("content", "items"),
    [
        ([PLAIN], [Message("assistant", "b", provider_data={}, issuer=OWN)]),
        ([CITED], [Message("assistant", [Text("a", provider_data={}, issuer=OWN)], provider_data={}, issuer=OWN)]),
        ([DECLINED], [Refusal("no", provider_data={}, issuer=OWN)]),
        ([], [Opaque({}, issuer=OWN)]),
    ],
    ids=["plain", "cited", "declined", "empty"],
)
def test_a_message_of_the_apis_goes_back_whole_to_it_alone(content: list[Any], items: list[ContentItem]) -> None:
    wire = {**MESSAGE, "content": content}
    assert [type(item) for item in read(wire)] == [type(item) for item in items]
    words = [{"role": "assistant", "content": "".join(part.get("text", part.get("refusal")) for part in content)}]
    assert sent(*read(wire), Message("user", "?"), provider="elsewhere")[:-1] == (words if content else [])


def test_words_and_a_refusal_of_one_message_are_items_and_go_back_as_one() -> None:
    rest = {key: value for key, value in MESSAGE.items() if key != "role"}
    cited = {"annotations": CITED["annotations"]}
    plain: dict[str, Any] = {"annotations": [], "logprobs": []}
    assert read({**MESSAGE, "content": [CITED, PLAIN, DECLINED]}) == [
        Message(
            "assistant",
            [Text("a", provider_data=cited, issuer=OWN), Text("b", provider_data=plain, issuer=OWN)],
            provider_data=rest,
            issuer=OWN,
        ),
        Refusal("no", provider_data=rest, issuer=OWN),
    ]


@pytest.mark.parametrize(
    "wire",
    [
        {"role": "assistant", "content": [{"type": "output_text", "text": "a"}]},
        {"role": "assistant", "content": [CITED, {"type": "novel"}]},
        {"role": "assistant", "content": "a", "phase": "final_answer"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}], "status": None},
    ],
)
def test_a_short_message_goes_back_in_its_own_form(wire: Any) -> None:
    [item] = read(wire)
    assert isinstance(item, Message)
    assert item.text == "a"


@pytest.mark.parametrize(
    "wire",
    [
        {"role": "tool", "content": "x"},
        {"role": "user"},
        {"role": "user", "content": None},
        {"role": "assistant", "content": [DECLINED, CITED]},
        {"type": "function_call", "name": "f"},
        {"type": "function_call_output", "call_id": "c"},
        {"type": "item_reference", "id": "msg_1"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "compaction", "encrypted_content": "seal"},
        {"type": "novel"},
        {},
    ],
)
def test_an_item_of_another_kind_or_form_is_kept_as_it_came(wire: Any) -> None:
    assert read(wire) == [Opaque(wire, issuer=OWN)]
    assert sent(Opaque(wire, issuer=OWN), Message("user", "?"), provider="elsewhere") == [
        {"role": "user", "content": "?"}
    ]


def test_a_text_moved_to_the_other_side_leaves_the_fields_of_its_own_side_behind() -> None:
    caller = Text("a", provider_data={"prompt_cache_breakpoint": {"mode": "explicit"}}, issuer=OWN)
    model = Text("b", provider_data={"type": "output_text", "annotations": [{"type": "novel"}]}, issuer=OWN)
    [user, assistant] = sent(Message("user", [model]), Message("assistant", [caller]), known=False)
    assert user["content"] == [{"type": "input_text", "text": "b"}]
    assert assistant["content"] == [{"type": "output_text", "text": "a"}]


def test_calls_and_results_stand_in_the_order_of_the_conversation() -> None:
    """B143: reasoning, words and calls of one turn are not moved."""
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "seal"}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"a": 1}', "id": "fc_1"}
    result = {"type": "function_call_output", "call_id": "c", "output": "4"}
    assert read(thought, {**MESSAGE, "content": [PLAIN]}, call, result) == [
        Reasoning(encrypted="seal", provider_data={"id": "rs_1"}, issuer=OWN),
        Message("assistant", "b", provider_data={k: v for k, v in MESSAGE.items() if k != "role"}, issuer=OWN),
        ToolCall("c", "f", raw_arguments='{"a": 1}', provider_data={"id": "fc_1"}, issuer=OWN),
        ToolResult("c", "f", content=["4"]),
    ]


def test_a_call_of_another_origin_says_its_arguments_as_json() -> None:
    items = [ToolCall("c", "f", {"a": "é"}), ToolCall("d", "g", raw_arguments="{bad"), ToolCall("e", "h")]
    assert [item["arguments"] for item in sent(*items)] == ['{"a":"é"}', "{bad", "{}"]


@pytest.mark.parametrize("tool_call_id", ["", "x" * 65])
def test_an_id_that_the_api_refuses_is_mapped_alike_for_the_call_and_its_result(tool_call_id: str) -> None:
    [call, result] = sent(ToolCall(tool_call_id, "f"), ToolResult(tool_call_id, "f", content=["4"]))
    assert call["call_id"] == result["call_id"]
    assert 0 < len(call["call_id"]) <= 64


def test_a_custom_tools_call_and_its_result_keep_their_kind() -> None:
    call = {"type": "custom_tool_call", "call_id": "c", "name": "sh", "input": "ls -l", "id": "ctc_1"}
    items = read(call, {"type": "custom_tool_call_output", "call_id": "c", "output": "."})
    assert isinstance(items[0], ToolCall)
    assert items[0].arguments == {"input": "ls -l"}
    [_, result] = sent(items[0], ToolResult("c", "sh", content=["."]))
    assert result == {"type": "custom_tool_call_output", "call_id": "c", "output": "."}
    [foreign] = sent(items[0], provider="elsewhere")
    assert foreign == {"type": "function_call", "call_id": "c", "name": "sh", "arguments": '{"input":"ls -l"}'}


@pytest.mark.parametrize(
    ("content", "output"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", {"b": 1}], 'a\n{"b":1}'),
        ([[1]], "[1]"),
        ([Text("a")], [{"type": "input_text", "text": "a"}]),
        (
            [{"b": 1}, Image("https://h.example/a.png")],
            [
                {"type": "input_text", "text": '{"b":1}'},
                {"type": "input_image", "detail": "auto", "image_url": "https://h.example/a.png"},
            ],
        ),
    ],
)
def test_a_result_is_a_text_or_parts_where_it_has_them(content: list[Any], output: Any) -> None:
    [_, result] = sent(ToolCall("c", "f"), ToolResult("c", "f", content=content))
    assert result == {"type": "function_call_output", "call_id": "c", "output": output}


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "s"}], "status": "completed"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None, "content": None},
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": [],
            "content": [{"type": "reasoning_text", "text": "a"}, {"type": "reasoning_text", "text": "b"}],
        },
        {
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "s"}],
            "encrypted_content": "xAI's thoughts have no id",
        },
    ],
)
def test_reasoning_goes_back_as_it_came_to_the_api_that_issued_it(wire: Any) -> None:
    assert [type(item) for item in read(wire)] == [Reasoning]
    assert sent(*read(wire), Message("user", "?"), provider="elsewhere") == [{"role": "user", "content": "?"}]


@pytest.mark.parametrize(
    "item",
    [
        Reasoning("t", signature="seal", issuer=ELSEWHERE),
        Reasoning("t"),
        Reasoning("t", issuer=OWN),
    ],
    ids=["foreign", "nobody's", "without an id"],
)
def test_reasoning_that_the_api_cannot_know_is_left_out_with_a_notice(item: Reasoning) -> None:
    assert sent(item, Message("user", "?")) == [{"role": "user", "content": "?"}]
    [notice] = notices(RESPONSES, [item, Message("user", "?")])
    assert (notice.path, notice.what) == ("contents[0]", "Reasoning left out")


def test_a_thought_that_the_api_did_not_store_goes_back_only_with_its_content() -> None:
    bare = Reasoning(summary=["s"], provider_data={"id": "rs_1"}, issuer=OWN)
    sealed = Reasoning(encrypted="seal", provider_data={"id": "rs_2"}, issuer=OWN)
    shown = Reasoning("t", provider_data={"id": "rs_3"}, issuer=OWN)
    unstored = {"extra_body": {"store": False}}
    items = [bare, sealed, shown]
    assert [item["id"] for item in sent(*items, settings=unstored)] == ["rs_2", "rs_3"]
    assert [item["id"] for item in sent(*items)] == ["rs_1", "rs_2", "rs_3"]
    assert [notice.path for notice in notices(RESPONSES, items, settings=unstored)] == ["contents[0]"]


def test_a_refusal_of_another_origin_is_words_of_the_model() -> None:
    assert sent(Refusal("no")) == [{"role": "assistant", "content": "no"}]


def test_a_call_without_a_result_is_named_in_a_notice() -> None:
    """B019."""
    [notice] = notices(RESPONSES, [Message("user", "go"), ToolCall("x", "f")])
    assert notice.what == "tool call 'x' has no result"
