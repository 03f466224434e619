"""Tests of the parts of a message: text, media, and what only one provider knows."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from attrs.exceptions import FrozenInstanceError
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych import Audio, Document, Image, Issuer, Opaque, Text, Video
from triptych.parts import PART_TYPES, Media

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF"
PNG_URL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="
ISSUER = Issuer("openai_chat", "openai")
MEDIA = [Image, Audio, Video, Document]

PARTS = [
    Text("hi"),
    Text("hi", provider_data={"cache_control": {"type": "ephemeral"}}, issuer=ISSUER),
    Image("https://h/x.png", detail="low", media_type="image/png", name="x.png"),
    Image(PNG),
    Audio(b"OggS", transcript="hello"),
    Audio(file_id="audio_1"),
    Video("gs://bucket/film.mp4", media_type="video/mp4"),
    Document(b"%PDF-1.7", name="paper.pdf"),
    Document(text="words"),
    Opaque({"type": "novel", "deep": {"list": [1, None]}}, issuer=ISSUER),
]


@pytest.mark.parametrize("part", PARTS, ids=repr)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, evolve, lambda part: pickle.loads(pickle.dumps(part))])
def test_a_copy_is_equal(part: Any, duplicate: Callable[[Any], Any]) -> None:
    again = duplicate(part)
    assert again == part
    assert type(again) is type(part)
    assert repr(again) == repr(part)


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_its_repr_is_the_call_that_makes_it(part: Any) -> None:
    assert eval(repr(part), {kind.__name__: kind for kind in (*PART_TYPES, Issuer)}) == part


@pytest.mark.parametrize("part", PARTS, ids=repr)
def test_it_cannot_be_changed(part: Any) -> None:
    with pytest.raises(FrozenInstanceError):
        part.provider_data = {}
    with pytest.raises((AttributeError, TypeError)):
        part.unknown = 1


def test_parts_without_mappings_are_hashable() -> None:
    assert len({Text("a"), Text("a"), Text("b"), Image(PNG), Image(PNG), Issuer("f"), Issuer("f", "p")}) == 5


def test_parts_of_two_kinds_are_never_equal() -> None:
    assert len({kind("https://h/x") for kind in MEDIA}) == 4


@pytest.mark.parametrize("kind", MEDIA)
def test_bytes_are_kept_as_a_data_url_and_come_back(kind: type[Media]) -> None:
    part = kind(PNG)
    assert part.source == PNG_URL
    assert part.mime_type == "image/png"
    assert part.base64 == "iVBORw0KGgoAAAANSUhEUg=="
    assert part.data == PNG


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_with_a_type_come_back(data: bytes) -> None:
    assert Document(data, media_type="application/octet-stream").data == data


def test_a_label_that_the_bytes_contradict_is_corrected() -> None:
    """B186."""
    assert Image(JPEG, media_type="image/png").mime_type == "image/jpeg"
    assert Image("data:image/png;base64,/9j/4AAQSkZJRg==").mime_type == "image/jpeg"
    assert Image("data:image/png;base64,/9j/4AAQSkZJRg==", media_type="image/png").mime_type == "image/jpeg"


def test_a_recording_keeps_the_label_of_its_sound() -> None:
    """B186: the bytes of a browser's recording show a film's container."""
    assert Audio(b"\x1aE\xdf\xa3", media_type="audio/webm").mime_type == "audio/webm"


@pytest.mark.parametrize("url", ["https://cdn.example/i/abc123", "https://cdn.example/a.png?sig=x.jpg", "s3://b/a.png"])
def test_the_type_of_a_url_is_what_was_given_and_never_guessed_from_its_end(url: str) -> None:
    """B187."""
    assert Image(url).mime_type is None
    assert Image(url, media_type="image/webp").mime_type == "image/webp"
    assert Image(url).base64 is None
    assert Image(url).data is None
    assert Image(url).source == url


def test_an_uploaded_file_has_neither_type_nor_bytes() -> None:
    part = Document(file_id="file-1")
    assert (part.mime_type, part.base64, part.data) == (None, None, None)


@pytest.mark.parametrize(
    ("url", "data"),
    [
        ("data:text/plain;charset=utf-8,hello%20world", b"hello world"),
        ("data:,a+b", b"a+b"),
        ("data:text/plain;base64,aGk=", b"hi"),
        ("data:text/plain;base64,aGk", b"hi"),
        ("data:text/plain;base64,aG\nk=", b"hi"),
        ("data:application/octet-stream;base64,-_-_", b"\xfb\xff\xbf"),
        ("data:application/octet-stream;base64,+/+/", b"\xfb\xff\xbf"),
        ("data:image/png;base64,", b""),
    ],
)
def test_the_bytes_of_a_data_url(url: str, data: bytes) -> None:
    assert Document(url).data == data


@pytest.mark.parametrize(
    "url", ["ftp://h/x", "file:///etc/passwd", "x.png", "data:image/png;base64,!!!!", "data:image"]
)
@pytest.mark.parametrize("kind", MEDIA)
def test_an_unknown_scheme_or_a_malformed_data_url_is_refused_at_once(kind: type[Media], url: str) -> None:
    """B190."""
    with pytest.raises(ValueError, match=rf"^{kind.__name__}\.source: (expected a URL|malformed data URL)"):
        kind(url)


@pytest.mark.parametrize(
    ("name", "content", "given", "media_type"),
    [
        ("photo.png", PNG, None, "image/png"),
        ("photo.jpg", PNG, None, "image/png"),
        ("photo.jpg", PNG, "image/gif", "image/png"),
        ("no_suffix", JPEG, None, "image/jpeg"),
        ("notes.txt", b"BMW makes cars", None, "text/plain"),
        ("table.csv", b"a,b", "text/x-table", "text/x-table"),
        ("sound.m4a", b"\x00\x00\x00\x20ftypisom", "audio/mp4", "audio/mp4"),
    ],
)
def test_a_file_has_the_type_of_its_bytes_then_the_given_one_then_that_of_its_name(
    tmp_path: Path, name: str, content: bytes, given: str | None, media_type: str
) -> None:
    """B186."""
    path = tmp_path / name
    path.write_bytes(content)
    part = Document.from_path(path, media_type=given)
    assert (part.mime_type, part.data, part.name) == (media_type, content, name)
    assert Document.from_path(str(path), media_type=given) == part


def test_a_file_takes_the_other_fields_of_its_part(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(PNG)
    part = Image.from_path(tmp_path / "x.png", detail="high", name="cat")
    assert part == Image(PNG, media_type="image/png", detail="high", name="cat")


def test_a_file_of_an_unknown_type_asks_for_it(tmp_path: Path) -> None:
    (tmp_path / "thing").write_bytes(b"??")
    with pytest.raises(
        ValueError, match=r"^Document\.source: the type of these 2 bytes is not recognisable: give media_t"
    ):
        Document.from_path(tmp_path / "thing")


def test_a_missing_file_is_the_error_of_open(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Image.from_path(tmp_path / "none.png")


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (Text, {"text": 5}, "Text.text: expected str, got 5 (int)"),
        (Text, {"text": None}, "Text.text: expected str, got None (NoneType)"),
        (Text, {"text": "a", "provider_data": [1]}, "Text.provider_data: expected dict or None, got [1] (list)"),
        (Text, {"text": "a", "issuer": "openai"}, "Text.issuer: expected Issuer or None, got 'openai' (str)"),
        (Opaque, {"data": "x"}, "Opaque.data: expected dict, got 'x' (str)"),
        (Issuer, {"format": None}, "Issuer.format: expected str, got None (NoneType)"),
        (Issuer, {"format": "f", "provider": 1}, "Issuer.provider: expected str or None, got 1 (int)"),
        (Image, {"source": 5}, "Image.source: expected a URL or bytes, got int"),
        (Image, {"detail": 5}, "Image.detail: expected str or None, got 5 (int)"),
        (Audio, {"transcript": 5}, "Audio.transcript: expected str or None, got 5 (int)"),
        (Video, {"media_type": 5}, "Video.media_type: expected str or None, got 5 (int)"),
        (Document, {"name": 5}, "Document.name: expected str or None, got 5 (int)"),
        (Document, {"file_id": 5}, "Document.file_id: expected str or None, got 5 (int)"),
        (Document, {"text": 5}, "Document.text: expected str or None, got 5 (int)"),
    ],
)
def test_a_wrong_field_is_named(kind: type[Any], fields: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError) as caught:
        kind(**fields)
    assert str(caught.value) == words


@pytest.mark.parametrize("kind", [Image, Audio, Video, Document])
def test_media_without_a_source_or_a_file_id_are_refused(kind: type[Image | Audio | Video | Document]) -> None:
    with pytest.raises(ValueError, match=rf"^{kind.__name__}: expected a source \(a URL or bytes\) or a file_id$"):
        kind()
