"""Pictures, sounds, films and papers, in either format."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, BOTH, OPENAI, body, messages, notices
from tests.formats.closed import faults
from triptych.content import Message, ToolCall, ToolResult
from triptych.parts import Audio, Document, Image, Part, Text, Video
from triptych.provider import Quirks

both = pytest.mark.parametrize("name", BOTH)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
WEB = "https://h.example/x.png"


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


def test_a_picture_in_a_tool_result_is_named_in_a_notice_where_results_are_text() -> None:
    """B023, B188: never as base64 text."""
    history = [ToolCall("x", "shoot"), ToolResult("x", "shoot", content=["shot", Image(PNG)])]
    assert messages(OPENAI, history)[-1]["content"] == "shot"
    assert [(n.path, n.what) for n in notices(OPENAI, history)] == [("contents[1].content[1]", "Image left out")]


@pytest.mark.parametrize("part", [Audio(b"RIFF\x00\x00\x00\x00WAVE"), Video("https://h.example/v.mp4")])
def test_what_anthropic_does_not_take_is_named_in_a_notice(part: Part) -> None:
    history = [Message("user", [Text("hear"), part])]
    assert messages(ANTHROPIC, history) == [{"role": "user", "content": [{"type": "text", "text": "hear"}]}]
    [notice] = notices(ANTHROPIC, history)
    assert (notice.path, notice.what) == ("contents[0].content[1]", f"{type(part).__name__} left out")


@both
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
