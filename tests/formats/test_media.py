"""Pictures, sounds, films and papers, in every format."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.formats.bodies import ALL, ANTHROPIC, OPENAI, body, messages, notices
from tests.formats.closed import faults
from triptych.content import Message, ToolCall, ToolResult
from triptych.errors import Notice
from triptych.parts import Audio, Document, Image, Part, Text, Video
from triptych.provider import Quirks
from triptych.providers import resolve

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
WEB = "https://h.example/x.png"
# APIs that fetch no picture from the web.
BYTES_ONLY = ("ollama_chat", "bedrock_converse")


def text_of(data: bytes) -> str:
    return base64.b64encode(data).decode()


def sent(name: str, part: Part) -> Any:
    """Return the wire form of a part of a user's message."""
    [_, block] = messages(name, [Message("user", [Text("see"), part])])[0]["content"]
    return block


@pytest.mark.parametrize(
    "image",
    [
        Image(JPEG, media_type="image/png"),
        Image(f"data:image/png;base64,{text_of(JPEG)}"),
        Image(f"data:;base64,{text_of(JPEG)}"),
    ],
    ids=["bytes", "data URL", "data URL without a label"],
)
def test_a_wrong_label_is_corrected_by_the_first_bytes(image: Image) -> None:
    """B186."""
    source = {"type": "base64", "media_type": "image/jpeg", "data": text_of(JPEG)}
    assert sent(ANTHROPIC, image) == {"type": "image", "source": source}
    url = f"data:image/jpeg;base64,{text_of(JPEG)}"
    assert sent(OPENAI, image) == {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_label_reaches_no_api(name: str) -> None:
    """B186."""
    said = str(body(name, [Message("user", ["see", Image(f"data:image/png;base64,{text_of(JPEG)}")])]))
    assert (text_of(JPEG) in said, "png" in said) == (True, False)
    assert ("jpeg" in said) is (name != "ollama_chat")  # there a picture is its bytes alone


def test_a_file_with_a_wrong_extension_is_sent_as_what_it_is(tmp_path: Path) -> None:
    """B186."""
    path = tmp_path / "x.jpg"
    path.write_bytes(PNG)
    assert sent(ANTHROPIC, Image.from_path(path))["source"]["media_type"] == "image/png"
    assert sent(OPENAI, Image.from_path(path))["image_url"]["url"].startswith("data:image/png;base64,")


@pytest.mark.parametrize("url", ["https://cdn.example/i/abc123", "https://cdn.example/a.png?sig=x.jpg"])
def test_the_type_of_a_url_is_not_guessed_from_its_path(url: str) -> None:
    """B187."""
    assert Image(url).mime_type is None
    assert sent(ANTHROPIC, Image(url)) == {"type": "image", "source": {"type": "url", "url": url}}
    assert sent(OPENAI, Image(url)) == {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("url", ["https://cdn.example/i/abc123", "https://cdn.example/a.png?sig=x.jpg"])
def test_a_url_goes_out_as_it_is_or_is_named_in_a_notice(name: str, url: str) -> None:
    """B187, B190."""
    history = [Message("user", ["see", Image(url)])]
    said = str(body(name, history))
    assert (said.count(url), "image/png" in said) == (int(name not in BYTES_ONLY), False)
    told = [(notice.path, notice.what) for notice in notices(name, history)]
    assert told == [("contents[0].content[1]", "Image left out")] * (name in BYTES_ONLY)


def test_data_and_web_urls_have_the_source_that_each_needs() -> None:
    """B190."""
    parts: list[Part] = [Text(""), Image("data:image/png;base64,AAAA"), Image(WEB)]
    [message] = messages(ANTHROPIC, [Message("user", parts)])
    assert message["content"] == [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
        {"type": "image", "source": {"type": "url", "url": WEB}},
    ]
    [message] = messages(OPENAI, [Message("user", parts[1:])])
    assert message["content"] == [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image_url", "image_url": {"url": WEB}},
    ]


@pytest.mark.parametrize("source", ["ftp://h/x", "x.png", "data:image/png", "data:image/png;base64,§§", ""])
def test_a_source_that_no_api_takes_is_refused_where_it_is_given(source: str) -> None:
    """B190."""
    with pytest.raises(ValueError, match=r"Image\.source"):
        Image(source)


def test_a_picture_in_a_tool_result_is_a_picture_where_the_api_takes_one() -> None:
    """B188."""
    history = [ToolCall("x", "shoot"), ToolResult("x", "shoot", content=[Text("shot"), Image(PNG)])]
    [_, _, turn] = messages(ANTHROPIC, [Message("user", "go"), *history])
    source = {"type": "base64", "media_type": "image/png", "data": text_of(PNG)}
    assert turn["content"] == [
        {
            "type": "tool_result",
            "tool_use_id": "x",
            "content": [{"type": "text", "text": "shot"}, {"type": "image", "source": source}],
        }
    ]


def test_a_picture_in_a_tool_result_goes_as_a_part_to_hosts_that_take_parts() -> None:
    """B188."""
    result = ToolResult("x", "shoot", content=["shot", Image(WEB)])
    sent = messages(OPENAI, [ToolCall("x", "shoot"), result], quirks=Quirks(tool_content_parts=True), known=False)[-1]
    assert sent["content"] == [{"type": "text", "text": "shot"}, {"type": "image_url", "image_url": {"url": WEB}}]


@pytest.mark.parametrize("name", ["openai_chat", "cohere_chat"])
def test_a_picture_in_a_tool_result_is_shown_after_the_results_where_these_hold_none(name: str) -> None:
    """B023, B188: never as base64 text."""
    history = [
        *(ToolCall(call, "shoot") for call in "xyz"),
        ToolResult("x", "shoot", content=["shot", Image(WEB)]),
        ToolResult("y", content=["dark"]),
        ToolResult("z", content=[Image(WEB), Image(WEB)]),
        Message("assistant", "Two."),
    ]
    picture = {"type": "image_url", "image_url": {"url": WEB}}
    sent = messages(name, history)
    assert [message["role"] for message in sent] == ["assistant", "tool", "tool", "tool", "user", "user", "assistant"]
    assert [message["content"] for message in sent[4:6]] == [
        [{"type": "text", "text": "Part of the result of shoot:"}, picture],
        [{"type": "text", "text": "Part of the result of z:"}, picture, picture],
    ]
    assert [(notice.path, notice.what) for notice in notices(name, history)] == [
        (f"contents[{index}].content[{place}]", "Image moved to a user's message after it")
        for index, place in ((3, 1), (5, 0), (5, 1))
    ]


@pytest.mark.parametrize("name", ["openai_chat", "openai_responses", "mistral_chat", "ollama_chat", "cohere_chat"])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (["no such city"], "Error: no such city"),
        (["ERROR 5: no such city"], "ERROR 5: no such city"),
        ([], "Error:"),
        ([{"code": 5}], 'Error:\n{"code":5}'),
    ],
)
def test_a_failed_result_says_so_in_words_where_no_field_does(name: str, content: list[Any], words: str) -> None:
    history = [ToolCall("x", "f"), ToolResult("x", "f", "error", content)]
    built = body(name, history)
    last = built["input"][-1]["output"] if "input" in built else built["messages"][-1]["content"]
    assert (last, notices(name, history)) == (words, [])


@pytest.mark.parametrize("part", [Audio(b"RIFF\x00\x00\x00\x00WAVE"), Video("https://h.example/v.mp4")])
def test_what_anthropic_does_not_take_is_named_in_a_notice(part: Part) -> None:
    history = [Message("user", [Text("hear"), part])]
    assert messages(ANTHROPIC, history) == [{"role": "user", "content": [{"type": "text", "text": "hear"}]}]
    [notice] = notices(ANTHROPIC, history)
    assert (notice.path, notice.what) == ("contents[0].content[1]", f"{type(part).__name__} left out")


def test_a_film_goes_to_hosts_that_take_films_and_to_others_not() -> None:
    film = Video("https://h.example/v.mp4")
    assert sent(OPENAI, film) == {"type": "video_url", "video_url": {"url": "https://h.example/v.mp4"}}
    history = [Message("user", ["see", film])]
    given: dict[str, Any] = {"quirks": Quirks(video=False)}
    assert messages(OPENAI, history, **given) == [{"role": "user", "content": [{"type": "text", "text": "see"}]}]
    assert notices(OPENAI, history, **given) == [
        Notice("contents[0].content[1]", "Video left out", "this host takes no films")
    ]


def test_openai_and_azure_take_no_films() -> None:
    hosts = ("openai", "azure", "azure-deployments", "openrouter", "vllm", "dashscope")
    assert [name for name in hosts if resolve("m", provider=name)[0].quirks.video] == list(hosts[3:])


@pytest.mark.parametrize("name", [name for name in ALL if name != "openai_responses"])
@pytest.mark.parametrize("role", ["system", "developer"])
def test_media_in_system_text_are_named_in_a_notice(name: str, role: Any) -> None:
    history = [Message(role, [Image(WEB), Text("rule")]), Message("user", "hi")]
    assert faults(name, body(name, history)) == []
    [notice] = notices(name, history)
    assert (notice.path, notice.what) == ("contents[0].content[0]", "Image left out")


def test_media_of_the_assistant_are_named_in_a_notice_where_the_api_has_none() -> None:
    history = [Message("user", "hi"), Message("assistant", [Text("see"), Image(WEB)])]
    assert messages(OPENAI, history)[1] == {"role": "assistant", "content": [{"type": "text", "text": "see"}]}
    [notice] = notices(OPENAI, history)
    assert (notice.path, notice.what) == ("contents[1].content[1]", "Image left out")


@pytest.mark.parametrize(
    ("part", "openai", "anthropic"),
    [
        (
            Document(b"%PDF-1.7", name="a.pdf"),
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,JVBERi0xLjc=", "filename": "a.pdf"}},
            {
                "type": "document",
                "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjc="},
                "title": "a.pdf",
            },
        ),
        (
            Document(text="words"),
            {"type": "text", "text": "words"},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "words"}},
        ),
        (
            Document(file_id="file_1"),
            {"type": "file", "file": {"file_id": "file_1"}},
            {"type": "document", "source": {"type": "file", "file_id": "file_1"}},
        ),
    ],
    ids=["bytes", "words", "file"],
)
def test_a_document_has_the_form_of_each_api(part: Document, openai: Any, anthropic: Any) -> None:
    assert sent(OPENAI, part) == openai
    assert sent(ANTHROPIC, part) == anthropic
