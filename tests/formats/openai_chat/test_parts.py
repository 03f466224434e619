"""Content parts of OpenAI Chat Completions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import OPENAI, issuer, messages, notices
from triptych.content import Message
from triptych.formats.openai_chat.parts import build_part, read_part
from triptych.parts import Audio, Document, Image, Issuer, Opaque, Part, Text, Video

OWN = issuer(OPENAI)

PARTS: list[tuple[Part, dict[str, Any]]] = [
    (Text("a"), {"type": "text", "text": "a"}),
    (Image("https://h/x"), {"type": "image_url", "image_url": {"url": "https://h/x"}}),
    (Image("https://h/x", detail="low"), {"type": "image_url", "image_url": {"url": "https://h/x", "detail": "low"}}),
    (
        Audio("data:audio/wav;base64,AAAA", media_type="audio/wav"),
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ),
    (
        Audio("data:audio/mpeg;base64,AAAA", media_type="audio/mpeg"),
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    ),
    (
        Audio("data:audio/flac;base64,AAAA", media_type="audio/flac"),
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "flac"}},
    ),
    (Video("https://h/x.mp4"), {"type": "video_url", "video_url": {"url": "https://h/x.mp4"}}),
    (Document(file_id="f", name="n"), {"type": "file", "file": {"file_id": "f", "filename": "n"}}),
    (
        Document("data:application/pdf;base64,AAAA"),
        {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}},
    ),
]


@pytest.mark.parametrize(("part", "wire"), PARTS)
def test_a_part_is_built_and_read_back(part: Part, wire: dict[str, Any]) -> None:
    assert build_part(part, OWN) == wire
    assert read_part(wire, OWN) == part


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
        {"type": "image_url", "image_url": "https://h/x"},
        {"type": "image_url", "image_url": {"url": "https://h/x", "own": 1}},
        {"type": "file", "file": {"file_id": "f", "own": 1}},
    ],
    ids=str,
)
def test_what_a_part_does_not_say_is_kept_beside_it(wire: dict[str, Any]) -> None:
    part = read_part(wire, OWN)
    assert not isinstance(part, Opaque)
    assert build_part(part, OWN) == wire
    assert build_part(part, Issuer(OPENAI, "elsewhere")) != wire


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "novel", "x": 1},
        {"type": "text"},
        {"type": "text", "text": 7},
        {"type": "image_url", "image_url": {}},
        {"type": "image_url", "image_url": {"url": "blob:0"}},
        {"text": "a"},
        {"type": ["text"]},
    ],
    ids=str,
)
def test_a_part_of_another_form_is_kept_whole_and_sent_to_its_issuer_alone(wire: dict[str, Any]) -> None:
    part = read_part(wire, OWN)
    assert part == Opaque(wire, issuer=OWN)
    assert messages(OPENAI, [Message("user", [part])], known=False)[0]["content"] == [wire]
    assert messages(OPENAI, [Message("user", [Text("a"), part])], provider="elsewhere")[0]["content"] == [
        {"type": "text", "text": "a"}
    ]


def test_a_part_that_is_no_object_is_kept_too() -> None:
    assert read_part("text", OWN) == Opaque({"part": "text"}, issuer=OWN)


@pytest.mark.parametrize("part", [Image(file_id="f"), Video(file_id="f"), Audio("https://h/x.wav"), Audio(file_id="f")])
def test_a_part_that_the_api_has_no_form_for_is_named_in_a_notice(part: Part) -> None:
    history = [Message("user", [Text("a"), part])]
    assert messages(OPENAI, history)[0]["content"] == [{"type": "text", "text": "a"}]
    [notice] = notices(OPENAI, history)
    assert (notice.path, notice.what) == ("contents[0].content[1]", f"{type(part).__name__} left out")
