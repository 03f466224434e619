"""Messages of Cohere: thoughts and words as blocks, the plan before the calls, documents beside the messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import body, issuer, messages, notices
from tests.formats.cohere_chat.recorded import COHERE
from tests.formats.strategies import PDF, PNG, WAVE
from triptych import formats
from triptych.content import ContentItem, Message, Opaque, Reasoning, Refusal, ToolCall, ToolResult
from triptych.errors import Notice
from triptych.parts import Audio, Document, Image, Text, Video
from triptych.provider import Quirks

OWN = issuer(COHERE)
IMAGE = Image(PNG, detail="low")
PLAN = Reasoning("I will add.", provider_data={"tool_plan": "I will add."}, issuer=OWN)
ADD = {"id": "a", "type": "function", "function": {"name": "add", "arguments": '{"x":1}'}}
FACT = {"id": "d1", "data": {"title": "facts.txt", "text": "Ruby is red."}}


def read(*wire: Any, **fields: Any) -> list[ContentItem]:
    """Return the items that wire messages are read into."""
    return formats.load(COHERE, "here").read_request({"model": "m", "messages": list(wire), **fields}).request.contents


def rebuilt(*wire: Any, **fields: Any) -> Any:
    """Return a request after it was read and built back."""
    format_ = formats.load(COHERE, "here")
    return format_.build_request(format_.read_request({"model": "m", "messages": list(wire), **fields})).body


def user(content: Any = "q") -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(**fields: Any) -> dict[str, Any]:
    return {"role": "assistant", **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thinking(words: str) -> dict[str, Any]:
    return {"type": "thinking", "thinking": words}


def test_words_and_pictures_are_blocks_of_a_users_message() -> None:
    wire = {"type": "image_url", "image_url": {"url": IMAGE.source, "detail": "low"}}
    assert messages(COHERE, [Message("user", ["See", IMAGE])]) == [user([text("See"), wire])]
    assert read(user([text("See"), wire])) == [Message("user", [Text("See"), IMAGE])]


@pytest.mark.parametrize(
    "document",
    [Document(text="facts"), Document("data:text/plain;base64,ZmFjdHM="), Document(b"facts", media_type="text/csv")],
)
def test_a_document_of_text_is_words_where_it_stands(document: Document) -> None:
    assert messages(COHERE, [Message("user", ["Read:", document])]) == [user([text("Read:"), text("facts")])]


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (Image(file_id="f"), "a file id has no form here: give a URL or bytes"),
        (Document(PDF), "this API takes documents as text only"),
        (Document("https://h.example/a.txt"), "this API takes documents as text only"),
        (Audio(WAVE), "this API takes neither sound nor film"),
        (Video("https://h.example/a.mp4"), "this API takes neither sound nor film"),
        (Opaque({"type": "novel"}, issuer=issuer("openai_chat")), "a block of another API has no form here"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_has_no_form_is_left_out_with_a_notice(part: Any, why: str) -> None:
    contents = [Message("user", ["a", part])]
    assert messages(COHERE, contents) == [user([text("a")])]
    assert notices(COHERE, contents) == [Notice("contents[0].content[1]", f"{type(part).__name__} left out", why)]


def test_a_name_is_left_out_with_a_notice() -> None:
    """B052."""
    contents = [Message("user", "a", name="Ann")]
    assert messages(COHERE, contents) == [user("a")]
    assert notices(COHERE, contents) == [Notice("contents[0].name", "name left out", "this host refuses it")]


def test_instructions_and_developers_speak_as_the_system_and_a_refusal_is_words() -> None:
    """B041, B042."""
    contents = [Message("developer", "Be kind."), Message("user", "q"), Refusal("No.")]
    assert messages(COHERE, contents, instructions=["Be brief."]) == [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": "Be kind."},
        user(),
        assistant(content="No."),
    ]


def test_thoughts_words_plan_and_calls_are_one_message_and_come_back_in_that_order() -> None:
    """B133: the plan and the thoughts go back as they came."""
    items = [
        Reasoning("hm", issuer=OWN),
        Message("assistant", [Text("Let me add.")]),
        PLAN,
        ToolCall("a", "add", {"x": 1}),
        ToolCall("b", "add", {"x": 2}),
    ]
    second = {"id": "b", "type": "function", "function": {"name": "add", "arguments": '{"x":2}'}}
    wire = assistant(content=[thinking("hm"), text("Let me add.")], tool_plan="I will add.", tool_calls=[ADD, second])
    assert messages(COHERE, [Message("user", "q"), *items])[1] == wire
    assert read(user(), wire)[1:] == items


def test_a_message_after_a_message_of_the_same_speaker_stays_apart() -> None:
    contents = [Message("user", "q"), Message("assistant", "a"), Message("assistant", "b")]
    assert messages(COHERE, contents)[1:] == [assistant(content="a"), assistant(content="b")]


@pytest.mark.parametrize(
    "wire",
    [
        [assistant(content="a"), assistant(tool_plan="p", tool_calls=[ADD])],
        [assistant(content=[thinking("a")]), assistant(content=[thinking("b"), text("c")])],
        [assistant(content=[thinking("a")]), assistant(content="b")],
        [assistant(tool_plan="p"), assistant(tool_calls=[ADD])],
        [assistant(tool_calls=[ADD]), assistant(tool_calls=[{**ADD, "id": "b"}])],
        [assistant(content="a"), assistant(content="b"), assistant(tool_calls=[ADD])],
    ],
    ids=["words, calls", "thoughts", "thought, words", "plan, calls", "calls, calls", "three"],
)
def test_messages_of_the_assistant_that_were_apart_stay_apart(wire: list[Any]) -> None:
    assert rebuilt(user(), *wire)["messages"] == [user(), *wire]


@pytest.mark.parametrize(
    "empty",
    [assistant(), assistant(content=""), assistant(content=None), assistant(content=[]), assistant(content=[text("")])],
    ids=lambda message: str(message.get("content", "absent")),
)
def test_an_empty_message_of_the_assistant_is_not_sent(empty: dict[str, Any]) -> None:
    """The API refuses an empty turn: docs.cohere.com/reference/errors."""
    assert rebuilt(user(), empty, user("go on"))["messages"] == [user(), user("go on")]
    assert messages(COHERE, [Message("user", "q"), Message("assistant", "")]) == [user()]


@pytest.mark.parametrize("content", [None, "", []], ids=["null", "empty text", "empty list"])
def test_nothing_beside_calls_is_absent(content: Any) -> None:
    wire = assistant(content=content, tool_calls=[ADD], tool_plan=None, citations=[])
    assert rebuilt(user(), wire)["messages"][1] == assistant(tool_calls=[ADD])
    assert read(user(), wire)[1:] == [ToolCall("a", "add", {"x": 1})]


def test_citations_and_fields_of_its_own_go_back_with_the_message() -> None:
    cited = [{"start": 0, "end": 4, "text": "Ruby", "sources": [{"type": "document", "id": "d1"}], "content_index": 0}]
    wire = assistant(content="Ruby", citations=cited, own={"deep": [1]})
    assert read(user(), wire)[1:] == [
        Message("assistant", "Ruby", provider_data={"citations": cited, "own": {"deep": [1]}}, issuer=OWN)
    ]
    assert rebuilt(user(), wire)["messages"][1] == wire
    elsewhere = formats.load(COHERE, "elsewhere")
    call = formats.load(COHERE, "here").read_request({"model": "m", "messages": [user(), wire]})
    assert elsewhere.build_request(call).body["messages"][1] == assistant(content="Ruby")


@pytest.mark.parametrize("provider", ["elsewhere", None])
def test_a_thought_or_plan_of_another_is_left_out_with_a_notice(provider: str | None) -> None:
    """B146."""
    foreign = issuer(COHERE, provider)
    plan = Reasoning("p", provider_data={"tool_plan": "p"}, issuer=foreign)
    contents = [Message("user", "q"), Reasoning("hm", issuer=foreign), plan, Reasoning("unknown"), Message("user", "r")]
    why = "reasoning goes back only to the API that issued it"
    assert messages(COHERE, contents) == [user(), user("r")]
    assert notices(COHERE, contents) == [Notice(f"contents[{at}]", "Reasoning left out", why) for at in (1, 2, 3)]


def test_a_host_that_takes_no_reasoning_back_gets_none() -> None:
    contents = [Message("user", "q"), Reasoning("hm", issuer=OWN), PLAN]
    assert messages(COHERE, contents, quirks=Quirks(reasoning_replay="never")) == [user()]


def test_the_documents_beside_the_messages_are_a_users_message_and_go_back_beside_them() -> None:
    others = [{"data": {"text": "a", "url": "https://h.example"}}, "words alone", {"id": "n", "data": {"n": 1}}]
    documents = [{"data": {"title": "t", "text": "plain"}}, FACT, *others]
    items = read(user(), documents=documents)
    assert isinstance(items[0], Message)
    assert [(part.text, part.name) for part in items[0].content if isinstance(part, Document)] == [
        ("plain", "t"),
        ("Ruby is red.", "facts.txt"),
        ('{"text":"a","url":"https://h.example"}', None),
        ("words alone", None),
        ('{"n":1}', None),
    ]
    assert items[1:] == [Message("user", "q")]
    assert rebuilt(user(), documents=documents) == {"model": "m", "messages": [user()], "documents": documents}


def test_a_document_of_another_host_is_not_sent_beside_the_messages() -> None:
    call = formats.load(COHERE, "elsewhere").read_request({"model": "m", "messages": [user()], "documents": [FACT]})
    sent = formats.load(COHERE, "here").build_request(call).body
    words = "Document facts.txt:\n\nRuby is red."
    assert sent == {"model": "m", "messages": [user([text(words)]), user()]}


def test_a_document_from_a_request_may_stand_among_words() -> None:
    [document] = [message for message in read(user(), documents=[FACT]) if isinstance(message, Message)][:1]
    content: Any = document.content
    sent = body(COHERE, [Message("user", ["Who?", *content])])
    assert (sent["documents"], sent["messages"]) == ([FACT], [user([text("Who?")])])


def result(content: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "a", "content": content}


@pytest.mark.parametrize(
    ("content", "wire"),
    [
        (["4"], "4"),
        ([], ""),
        ([{"sum": [1]}, "b", None], '{"sum":[1]}\nb\nnull'),
        (
            [Document(text="f", name="t"), {"n": 1}],
            [{"type": "document", "document": {"data": {"title": "t", "text": "f"}}}, text('{"n":1}')],
        ),
    ],
    ids=["text", "nothing", "JSON", "document"],
)
def test_a_result_is_text_and_documents(content: list[Any], wire: Any) -> None:
    """B023, B024."""
    contents = [Message("user", "q"), ToolCall("a", "add", {"x": 1}), ToolResult("a", "add", content=content)]
    assert messages(COHERE, contents)[1:] == [assistant(tool_calls=[ADD]), result(wire)]


def test_media_in_a_result_are_shown_after_it_if_a_user_can_show_them() -> None:
    contents = [ToolCall("a", "add", {"x": 1}), ToolResult("a", "add", content=["4", IMAGE, Audio(WAVE)])]
    assert messages(COHERE, contents)[1] == result([text("4")])
    why = "tool results are words and documents on this API"
    assert notices(COHERE, contents) == [
        Notice("contents[1].content[1]", "Image moved to a user's message after it", why),
        Notice("contents[1].content[2]", "Audio left out", "this API takes neither sound nor film"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "4",
        "",
        [],
        [text("4")],
        [text("a"), text("b")],
        [{"type": "document", "document": {"data": {"output": "60"}}}],
        [{"type": "document", "document": FACT}, text("b")],
        [{"type": "document", "document": FACT, "own": 1}],
        [{"type": "document", "document": {"data": {"text": "f"}}}],
        [{"type": "novel", "data": 1}],
        [{"type": "document"}],
    ],
    ids=str,
)
def test_a_result_goes_back_as_it_was_read(content: Any) -> None:
    wire = [user(), assistant(tool_calls=[ADD]), result(content)]
    assert rebuilt(*wire)["messages"] == wire


def test_a_result_that_came_late_moves_up_to_its_call() -> None:
    """B019."""
    contents = [ToolCall("a", "add", {"x": 1}), Message("user", "wait"), ToolResult("a", "add", content=["4"])]
    assert messages(COHERE, contents) == [assistant(tool_calls=[ADD]), result("4"), user("wait")]
    [notice] = notices(COHERE, contents)
    assert (notice.path, notice.what) == ("contents[2]", "tool result moved up to its call")


@pytest.mark.parametrize("raw", ['{"path": "a" "b"}', "not json", "[1]", '"text"'])
def test_arguments_that_are_no_object_go_back_as_they_came(raw: str) -> None:
    """B003, B005."""
    contents = [ToolCall("a", "f", raw_arguments=raw), ToolResult("a", "f", "error", ["bad"])]
    assert messages(COHERE, contents)[0]["tool_calls"][0]["function"] == {"name": "f", "arguments": raw}


@pytest.mark.parametrize(
    "message",
    [{"role": "critic", "content": "x"}, {"role": "user"}, {"role": "tool", "content": "x"}, {"content": "x"}],
    ids=str,
)
def test_a_message_that_the_api_would_refuse_is_kept_as_it_is(message: dict[str, Any]) -> None:
    assert read(user(), message)[1:] == [Opaque(message, issuer=OWN)]
    assert rebuilt(user(), message)["messages"] == [user(), message]
