"""Chunks of content on Mistral's API: what parts become, and what chunks are read as."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, messages, notices
from triptych.content import Message
from triptych.errors import Notice
from triptych.formats.mistral_chat.chunks import build_part, read_content, read_part
from triptych.parts import Audio, Document, Image, Opaque, Part, Text, Video

MISTRAL = "mistral_chat"
HERE = issuer(MISTRAL)
PDF = b"%PDF-1.7\n"
PDF_URL = "data:application/pdf;base64,JVBERi0xLjcK"
MP3 = b"ID3\x03\x00\x00"


@pytest.mark.parametrize(
    ("part", "chunk"),
    [
        (Text("a"), {"type": "text", "text": "a"}),
        (Image("https://h.example/a.png"), {"type": "image_url", "image_url": {"url": "https://h.example/a.png"}}),
        (
            Image("https://h.example/a.png", detail="low"),
            {"type": "image_url", "image_url": {"url": "https://h.example/a.png", "detail": "low"}},
        ),
        (Document(PDF), {"type": "document_url", "document_url": PDF_URL}),
        (
            Document("https://h.example/a.pdf", name="a.pdf"),
            {"type": "document_url", "document_url": "https://h.example/a.pdf", "document_name": "a.pdf"},
        ),
        (Document(file_id="f1"), {"type": "file", "file_id": "f1"}),
        (Audio(MP3), {"type": "input_audio", "input_audio": "SUQzAwAA"}),
        (Audio("https://h.example/a.mp3"), {"type": "input_audio", "input_audio": "https://h.example/a.mp3"}),
    ],
)
def test_a_part_has_a_chunk_and_is_read_from_it(part: Part, chunk: Any) -> None:
    assert build_part(part, HERE) == chunk
    assert read_part(chunk, HERE) == part


def test_a_picture_that_was_uploaded_and_the_words_of_a_document_have_forms_too() -> None:
    assert build_part(Image(file_id="f1"), HERE) == {"type": "file", "file_id": "f1"}
    assert build_part(Document(text="words"), HERE) == {"type": "text", "text": "words"}


@pytest.mark.parametrize(
    "chunk",
    [
        {"type": "image_url", "image_url": "https://h.example/a.png"},
        {"type": "input_audio", "input_audio": {"data": "SUQzAwAA", "format": "mp3"}},
        {"type": "input_audio", "input_audio": "data:audio/mpeg;base64,SUQzAwAA"},
        {"type": "reference", "reference_ids": [1, "b"]},
        {"type": "resource_link", "uri": "r:1", "metadata": {"a": 1}},
        {"type": "document_url", "document_url": "file-without-scheme"},
        {"type": "novel"},
        {"type": "text"},
    ],
)
def test_another_form_or_type_goes_back_as_it_came(chunk: Any) -> None:
    assert build_part(read_part(chunk, HERE), HERE) == chunk


def test_a_picture_and_a_sound_of_another_form_are_read_all_the_same() -> None:
    picture = read_part({"type": "image_url", "image_url": "https://h.example/a.png"}, HERE)
    sound = read_part({"type": "input_audio", "input_audio": {"data": "SUQzAwAA", "format": "mp3"}}, HERE)
    assert isinstance(picture, Image)
    assert picture.source == "https://h.example/a.png"
    assert isinstance(sound, Audio)
    assert sound.data == MP3


def test_what_the_api_has_no_form_for_is_left_out_with_a_notice() -> None:
    parts = [Text("a"), Video("https://h.example/a.mp4"), Audio(file_id="f"), Opaque({"type": "x"}, issuer=None)]
    assert messages(MISTRAL, [Message("user", parts)])[0]["content"] == [{"type": "text", "text": "a"}]
    assert notices(MISTRAL, [Message("user", parts)]) == [
        Notice("contents[0].content[1]", "Video left out", "this API takes no films"),
        Notice(
            "contents[0].content[2]",
            "Audio left out",
            "a sound is taken as bytes or by its URL, not by a file id",
        ),
        Notice("contents[0].content[3]", "Opaque left out", "a block of another API has no form here"),
    ]


def test_content_that_says_nothing_is_no_item() -> None:
    nothing: list[Any] = [None, "", []]
    assert [read_content(content, HERE) for content in nothing] == [[], [], []]
