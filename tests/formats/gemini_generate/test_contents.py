"""Contents of Gemini's: what a conversation becomes, and what is said where it cannot be said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats import bodies
from tests.formats.bodies import HERE
from tests.formats.gemini_generate.recorded import GEMINI
from triptych import formats
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import LlmError
from triptych.formats import Call
from triptych.parts import Audio, Document, Image, Issuer, Opaque, Text, Video
from triptych.request import LlmRequest

OWN = Issuer(GEMINI, HERE)
ELSEWHERE = Issuer(GEMINI, "vertex")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
PNG_PART = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgoAAAAAAAAAAA=="}}
USER = Message("user", "go")
WIRE_USER = {"role": "user", "parts": [{"text": "go"}]}


def contents(items: list[Any], **rest: Any) -> Any:
    return bodies.body(GEMINI, items, **rest)["contents"]


def notices(items: list[Any], **rest: Any) -> list[tuple[str, str]]:
    return [(notice.path, notice.what) for notice in bodies.notices(GEMINI, items, **rest)]


def call(name: str, args: Any = None, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, "args": args or {}}, **more}


def response(name: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": value, **more}}


def model(*parts: Any) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def user(*parts: Any) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def test_results_of_parallel_calls_are_one_turn_in_the_order_of_the_calls() -> None:
    """B016."""
    items = [USER, ToolCall("a", "f"), ToolCall("b", "g"), ToolResult("b", content=[2]), ToolResult("a", content=[1])]
    assert contents(items) == [
        WIRE_USER,
        model(call("f"), call("g")),
        user(response("f", {"output": 1}), response("g", {"output": 2})),
    ]


def test_calls_without_ids_get_their_own_results_back_in_any_order() -> None:
    """B009: two calls of one tool; ids that were made up here are not sent."""
    parts = [call("get_weather", {"city": "A"}), call("get_weather", {"city": "B"})]
    answer = bodies.parsed(GEMINI, {"candidates": [{"content": model(*parts), "finishReason": "STOP"}]})
    one, two = answer.tool_calls
    assert one.tool_call_id != two.tool_call_id
    results = [ToolResult(two.tool_call_id, content=["b"]), ToolResult(one.tool_call_id, content=["a"])]
    assert contents([USER, *answer.content, *results]) == [
        WIRE_USER,
        model(*parts),
        user(response("get_weather", {"output": "a"}), response("get_weather", {"output": "b"})),
    ]


def test_an_id_of_the_api_goes_back_with_the_call_and_its_result() -> None:
    part = {"functionCall": {"id": "x1", "name": "f", "args": {}}, "thoughtSignature": "c2ln"}
    answer = bodies.parsed(GEMINI, {"candidates": [{"content": model(part), "finishReason": "STOP"}]})
    assert [item.tool_call_id for item in answer.tool_calls] == ["x1"]
    history = [USER, *answer.content, ToolResult("x1", content=["done"])]
    assert contents(history) == [WIRE_USER, model(part), user(response("f", {"output": "done"}, id="x1"))]
    foreign = [USER, *answer.content, ToolResult("x1", content=["done"])]
    assert contents(foreign, provider="another") == [
        WIRE_USER,
        model(call("f")),
        user(response("f", {"output": "done"})),
    ]


@pytest.mark.parametrize(
    "seal", [{}, {"provider_data": {"thoughtSignature": "s"}, "issuer": ELSEWHERE}], ids=["none", "foreign"]
)
def test_a_call_of_the_current_turn_without_a_signature_gets_the_stand_in(seal: Any) -> None:
    """B139: only for models that demand one, only the first call of a step, never in earlier turns."""
    old: list[ContentItem] = [USER, ToolCall("o", "old"), ToolResult("o", content=[0])]
    now: list[ContentItem] = [USER, ToolCall("a", "f", **seal), ToolCall("b", "g")]
    items = [*old, *now, ToolResult("a", content=[1]), ToolResult("b", content=[2])]
    sealed = call("f", thoughtSignature="c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=")
    built = contents(items, model="gemini-3-pro-preview")
    assert built[1] == model(call("old"))
    assert built[4] == model(sealed, call("g"))
    what = "call of 'f' sent with a stand-in for its thought signature"
    assert notices(items, model="gemini-3-pro-preview") == [("contents", what)]
    for older in ("gemini-2.5-flash", None):
        assert contents(items, model=older)[4] == model(call("f"), call("g"))
        assert notices(items, model=older) == []


def test_parallel_calls_keep_one_turn_and_the_signature_its_place() -> None:
    """B140."""
    first = ToolCall("a", "f", provider_data={"thoughtSignature": "c2ln"}, issuer=OWN)
    items = [USER, first, ToolCall("b", "g"), ToolResult("a", content=[1]), ToolResult("b", content=[2])]
    assert contents(items, model="gemini-3-pro")[1] == model(call("f", thoughtSignature="c2ln"), call("g"))
    assert notices(items, model="gemini-3-pro") == []


def test_pictures_of_a_result_are_inside_it_or_for_older_models_in_a_turn_of_their_own() -> None:
    """B017: the turn that answers calls holds responses alone."""
    items = [
        USER,
        ToolCall("a", "f"),
        ToolCall("b", "g"),
        ToolResult("a", content=["seen", Image(PNG)]),
        ToolResult("b", content=[2]),
    ]
    calls = model(call("f"), call("g"))
    assert contents(items, model=None) == [
        WIRE_USER,
        calls,
        user(response("f", {"output": "seen"}, parts=[PNG_PART]), response("g", {"output": 2})),
    ]
    assert contents(items, model="gemini-2.5-pro") == [
        WIRE_USER,
        calls,
        user(response("f", {"output": "seen"}), response("g", {"output": 2})),
        user({"text": "Part of the result of f:"}, PNG_PART),
    ]


@pytest.mark.parametrize("raw", ["not json", '{"path": "a" "b"}', "", "null", "[1]"])
def test_arguments_are_an_object_whatever_the_model_wrote(raw: str) -> None:
    """B003, B005."""
    items = [USER, ToolCall("a", "edit", raw_arguments=raw), ToolResult("a", status="error", content=["bad"])]
    _, calls, results = contents(items)
    expected = {} if raw in ("", "null") else {"raw_arguments": raw}
    assert calls == model(call("edit", expected))
    assert results == user(response("edit", {"error": "bad"}))


@pytest.mark.parametrize(
    ("values", "status", "said"),
    [
        ([], "success", {}),
        ([""], "success", {"output": ""}),
        ([{"a": 1}], "success", {"a": 1}),
        ([{"output": 1}], "success", {"output": {"output": 1}}),
        ([{"error": 1}], "success", {"output": {"error": 1}}),
        ([[1, 2]], "success", {"output": [[1, 2]]}),
        ([1, Text("two")], "success", {"output": [1, "two"]}),
        ([None], "success", {"output": None}),
        ([], "error", {"error": ""}),
        ([{"a": 1}], "error", {"error": {"a": 1}}),
    ],
)
def test_a_result_is_an_object_and_is_read_back_as_it_was(values: list[Any], status: Any, said: Any) -> None:
    items = [USER, ToolCall("a", "f"), ToolResult("a", "f", status, values)]
    wire = contents(items)
    assert wire[2] == user(response("f", said))
    read = formats.load(GEMINI, HERE).read_request({"contents": wire}).request.contents[2]
    assert isinstance(read, ToolResult)
    plain = [value.text if isinstance(value, Text) else value for value in values]
    assert (read.status, read.content) == (status, plain or ([""] if status == "error" else []))


def test_a_torn_history_is_mended_and_every_change_is_named() -> None:
    items = [
        ToolResult("lost", "f", content=["old"]),
        USER,
        ToolCall("a", "f"),
        ToolCall("b", "g"),
        Message("user", "and?"),
        ToolResult("a", content=[1]),
    ]
    missing = {"error": "No result: this call was not answered."}
    assert contents(items) == [
        user({"text": "Result of an earlier tool call:"}, {"text": "old"}),
        WIRE_USER,
        model(call("f"), call("g")),
        user(response("f", {"output": 1}), response("g", missing)),
        user({"text": "and?"}),
    ]
    assert notices(items) == [
        ("contents[0]", "tool result 'lost' sent as text"),
        ("contents[5]", "tool result moved up to its call"),
        ("contents", "tool call 'b' answered with an error"),
    ]


def test_all_system_text_reaches_the_model_in_order() -> None:
    """B041, B043: and a picture there is named."""
    items = [
        Message("system", [Text("b"), Text("c"), Image(PNG)]),
        USER,
        Message("developer", "d"),
    ]
    body = bodies.body(GEMINI, items, instructions=["a", ""])
    assert body["systemInstruction"] == {"parts": [{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d"}]}
    assert body["contents"] == [WIRE_USER]
    assert notices(items) == [
        ("contents[0].content[2]", "Image left out"),
        ("contents[2]", "system message moved to the system text"),
    ]


@pytest.mark.parametrize("items", [[], [Message("system", "do X")], [Message("user", "")]], ids=["none", "system", ""])
def test_a_request_without_contents_is_refused_here(items: list[Any]) -> None:
    """B044."""
    with pytest.raises(LlmError) as refused:
        formats.load(GEMINI).build_request(Call(LlmRequest(contents=items)))
    assert refused.value.kind == "invalid_request"


@pytest.mark.parametrize("item", [Reasoning("plan"), Reasoning("plan", signature="s", issuer=ELSEWHERE)])
def test_a_thought_goes_to_no_api_but_its_own(item: Reasoning) -> None:
    """B146."""
    assert contents([USER, item]) == [WIRE_USER]
    assert notices([USER, item]) == [("contents[1]", "Reasoning left out")]


def test_thoughts_words_and_calls_are_one_turn_and_two_messages_are_two() -> None:
    items = [
        USER,
        Reasoning("plan", signature="c2ln", issuer=OWN),
        Message("assistant", [Text("a", provider_data={"thoughtSignature": "dHdv"}, issuer=OWN), Image(PNG)]),
        Message("assistant", "b"),
        Refusal("no"),
        Opaque({"executableCode": {"language": "PYTHON", "code": "1"}}, issuer=OWN),
        Opaque({"executableCode": {"code": "2"}}, issuer=ELSEWHERE),
    ]
    assert contents(items) == [
        WIRE_USER,
        model(
            {"text": "plan", "thought": True, "thoughtSignature": "c2ln"},
            {"text": "a", "thoughtSignature": "dHdv"},
            PNG_PART,
        ),
        model({"text": "b"}),
        model({"text": "no"}, {"executableCode": {"language": "PYTHON", "code": "1"}}),
    ]
    assert notices(items) == [("contents[6]", "Opaque left out")]


@pytest.mark.parametrize(
    ("part", "wire"),
    [
        (Image(PNG), PNG_PART),
        (Image("gs://b/a", media_type="image/jpeg"), {"fileData": {"mimeType": "image/jpeg", "fileUri": "gs://b/a"}}),
        (Image("https://h.example/a.png?sig=x.jpg"), {"fileData": {"fileUri": "https://h.example/a.png?sig=x.jpg"}}),
        (Audio("https://h.example/a"), {"fileData": {"fileUri": "https://h.example/a"}}),
        (
            Video(file_id="https://generativelanguage.googleapis.com/v1beta/files/f", media_type="video/mp4"),
            {
                "fileData": {
                    "mimeType": "video/mp4",
                    "fileUri": "https://generativelanguage.googleapis.com/v1beta/files/f",
                }
            },
        ),
        (Document(text="hé"), {"inlineData": {"mimeType": "text/plain", "data": "aMOp"}}),
        (
            Document("data:application/pdf;base64,JVBERi0x"),
            {"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0x"}},
        ),
    ],
)
def test_media_are_bytes_or_a_uri_and_their_type_is_never_guessed_from_a_name(part: Any, wire: Any) -> None:
    """B187."""
    assert contents([Message("user", [part])]) == [user(wire)]


@pytest.mark.parametrize("part", [Image("s3://b/k"), Image(file_id="file-abc"), Opaque({"type": "x"})])
def test_media_that_the_api_cannot_reach_are_named(part: Any) -> None:
    items = [Message("user", ["look", part])]
    assert contents(items) == [user({"text": "look"})]
    assert notices(items) == [("contents[0].content[1]", f"{type(part).__name__} left out")]


def test_what_was_kept_is_not_changed_by_the_next_request() -> None:
    kept = {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}], "novel": 1}
    bodies.body(GEMINI, [USER, Opaque(kept, issuer=OWN)], model="gemini-3-pro", known=False)
    assert kept == {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}], "novel": 1}


@pytest.mark.parametrize(
    "turn",
    [
        {"role": "invalid_role", "parts": [{"text": "a"}]},
        {"role": "model"},
        {"role": "user", "parts": "a"},
        {"role": "user", "parts": [5, {"text": ""}]},
        {"role": "model", "parts": [{"functionCall": {}}]},
        {"role": "user", "parts": [{"functionResponse": {"response": {}}}]},
        {"role": "user", "parts": [{"text": "a"}], "novel": 1},
        {"role": "model", "parts": [{"text": "", "thought": True, "thoughtSignature": "c2ln"}]},
        {"role": "model", "parts": [{"thoughtSignature": "c2ln"}]},
        {"role": "user", "parts": [{"inlineData": {"data": "AAAA"}}, {"inlineData": {"mimeType": "image/png"}}]},
        {"role": "user", "parts": [{"fileData": {"fileUri": "files/a"}, "videoMetadata": {"fps": 2}}]},
    ],
)
def test_a_turn_of_any_form_is_read_and_goes_back_as_it_was(turn: dict[str, Any]) -> None:
    wire = formats.load(GEMINI, HERE)
    assert wire.build_request(wire.read_request({"contents": [WIRE_USER, turn]})).body["contents"] == [WIRE_USER, turn]
