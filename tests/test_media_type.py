"""Tests of media types: what the first bytes show, what a label may still say, and which sources are taken."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triptych.media_type import checked_source, data_url, data_url_type, settled, sniff, split_data_url

SAMPLES = {
    "image/png": [b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"],
    "image/jpeg": [b"\xff\xd8\xff\xe0\x00\x10JFIF", b"\xff\xd8\xff\xe1\x00\x10Exif", b"\xff\xd8\xff\xdb"],
    "image/gif": [b"GIF87a\x01\x00", b"GIF89a\x01\x00"],
    "image/webp": [b"RIFF\x24\x00\x00\x00WEBPVP8 "],
    "image/bmp": [b"BM\x36\x00\x0c\x00\x00\x00\x00\x00\x36\x00"],
    "image/tiff": [b"II*\x00\x08\x00", b"MM\x00*\x00\x08"],
    "image/avif": [b"\x00\x00\x00\x20ftypavif", b"\x00\x00\x00\x20ftypavis"],
    "image/heic": [b"\x00\x00\x00\x18ftypheic", b"\x00\x00\x00\x18ftypheix", b"\x00\x00\x00\x18ftyphevc"],
    "image/heif": [b"\x00\x00\x00\x18ftypmif1", b"\x00\x00\x00\x18ftypmsf1"],
    "audio/wav": [b"RIFF\x24\x00\x00\x00WAVEfmt "],
    "audio/mpeg": [b"ID3\x03\x00\x00", b"\xff\xfb\x90\x00", b"\xff\xf3\x40\xc0", b"\xff\xfa\x90\x00", b"\xff\xf2\x40"],
    "audio/aac": [b"\xff\xf1\x50\x80", b"\xff\xf9\x50\x80"],
    "audio/flac": [b"fLaC\x00\x00\x00\x22"],
    "audio/ogg": [b"OggS\x00\x02"],
    "audio/mp4": [b"\x00\x00\x00\x20ftypM4A \x00"],
    "video/mp4": [b"\x00\x00\x00\x18ftypmp42", b"\x00\x00\x00\x20ftypisom", b"\x00\x00\x00\x14ftyp3gp5"],
    "video/quicktime": [b"\x00\x00\x00\x14ftypqt  "],
    "video/webm": [b"\x1aE\xdf\xa3\x9f\x42\x86\x81"],
    "video/x-msvideo": [b"RIFF\x24\x00\x00\x00AVI LIST"],
    "application/pdf": [b"%PDF-1.7\n%"],
}
CASES = [(start, media_type) for media_type, starts in SAMPLES.items() for start in starts]
PNG = SAMPLES["image/png"][0]
JPEG = SAMPLES["image/jpeg"][0]


@pytest.mark.parametrize(("start", "media_type"), CASES)
def test_the_first_bytes_show_the_type(start: bytes, media_type: str) -> None:
    assert sniff(start) == media_type
    assert sniff(bytearray(start) + b"\x00" * 1000) == media_type


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"BMW makes cars, and this is a text",
        b"ID3 is a learning algorithm",
        b"RIFF of the year",
        b"12345678WEBP",
        b"1234ftyp is a box",
        b"\xff\xfe\x00h\x00i",
        b"\xef\xbb\xbfhello",
        b"{}",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"PK\x03\x04",
        b"\x89PNG",
    ],
)
def test_a_text_is_not_taken_for_a_picture_or_a_sound(data: bytes) -> None:
    assert sniff(data) is None


@pytest.mark.parametrize(
    ("data", "label", "media_type"),
    [
        (JPEG, "image/png", "image/jpeg"),
        (PNG, None, "image/png"),
        (b"hello", "text/plain", "text/plain"),
        (b"hello", None, None),
        (SAMPLES["video/webm"][0], "audio/webm", "audio/webm"),
        (SAMPLES["video/webm"][0], "video/x-matroska", "video/x-matroska"),
        (SAMPLES["video/webm"][0], None, "video/webm"),
        (SAMPLES["video/webm"][0], "image/png", "video/webm"),
        (SAMPLES["video/mp4"][1], "audio/mp4", "audio/mp4"),
        (SAMPLES["video/mp4"][1], "AUDIO/MP4", "AUDIO/MP4"),
        (SAMPLES["video/mp4"][1], "application/octet-stream", "video/mp4"),
        (SAMPLES["audio/ogg"][0], "audio/opus", "audio/opus"),
        (SAMPLES["audio/ogg"][0], "video/ogg", "video/ogg"),
        (SAMPLES["audio/wav"][0], "audio/mpeg", "audio/wav"),
    ],
)
def test_a_wrong_label_is_corrected_and_one_that_says_more_than_the_container_stands(
    data: bytes, label: str | None, media_type: str | None
) -> None:
    """B186."""
    assert settled(data, label) == media_type


@pytest.mark.parametrize(
    ("url", "parts"),
    [
        ("data:image/png;base64,AAAA", ("image/png", "AAAA", True)),
        ("DATA:image/png;BASE64,AAAA", ("image/png", "AAAA", True)),
        ("data:text/plain;charset=utf-8,a%20b", ("text/plain", "a%20b", False)),
        ("data:text/plain;charset=utf-8;base64,YQ==", ("text/plain", "YQ==", True)),
        ("data:image/svg+xml,<svg/>", ("image/svg+xml", "<svg/>", False)),
        ("data:;base64,YQ==", (None, "YQ==", True)),
        ("data:,hello,world", (None, "hello,world", False)),
        ("data:image/png;base64", None),
        ("data:image/png", None),
        ("data:nonsense;base64,AAAA", None),
        ("https://h/x.png", None),
        ("", None),
    ],
)
def test_a_data_url_is_taken_apart(url: str, parts: tuple[str | None, str, bool] | None) -> None:
    assert split_data_url(url) == parts


@pytest.mark.parametrize(("start", "media_type"), CASES)
@pytest.mark.parametrize("tail", [b"", b"\x00" * 500])
def test_the_type_of_a_data_url_is_what_its_bytes_show(start: bytes, media_type: str, tail: bytes) -> None:
    """B186."""
    assert data_url_type(data_url(start + tail, "application/octet-stream")) == media_type


def test_the_type_of_a_data_url_without_a_sign_is_its_label() -> None:
    assert data_url_type("data:text/csv,a") == "text/csv"
    assert data_url_type("data:text/csv;base64,YSxi") == "text/csv"
    assert data_url_type("data:;base64,YSxi") is None
    assert data_url_type("https://h/x.png") is None


def test_wrapped_base64_shows_its_type_too() -> None:
    wrapped = base64.encodebytes(PNG + b"\x00" * 200).decode()
    assert data_url_type(f"data:image/jpeg;base64,{wrapped}") == "image/png"


@settings(deadline=None)
@given(st.binary(max_size=300))
def test_bytes_come_back_from_their_data_url(data: bytes) -> None:
    parts = split_data_url(data_url(data, "application/octet-stream"))
    assert parts is not None
    assert base64.b64decode(parts[1]) == data


@pytest.mark.parametrize(
    "url",
    [
        "https://cdn.example/i/abc123",
        "http://h/x.png?sig=x.jpg",
        "HTTPS://H/X",
        "gs://bucket/x",
        "s3://bucket/x",
        "data:image/png;base64,AAAA",
        "data:,hello",
    ],
)
def test_a_url_of_a_known_scheme_passes_as_it_is(url: str) -> None:
    assert checked_source(url, None, "Image") == url


@pytest.mark.parametrize(
    ("value", "media_type", "error", "words"),
    [
        (
            "ftp://h/x",
            None,
            ValueError,
            "Image.source: expected a URL of scheme http, https, gs, s3 or data, got 'ftp://h/x'; "
            "for a file use Image.from_path",
        ),
        (
            "cat.png",
            "image/png",
            ValueError,
            "Image.source: expected a URL of scheme http, https, gs, s3 or data, got 'cat.png'; "
            "for a file use Image.from_path",
        ),
        (
            "",
            None,
            ValueError,
            "Image.source: expected a URL of scheme http, https, gs, s3 or data, got ''; "
            "for a file use Image.from_path",
        ),
        (
            "data:image/png;base64",
            None,
            ValueError,
            "Image.source: malformed data URL 'data:image/png;base64': expected data:<type>;base64,<data>",
        ),
        (
            "data:image/png;base64,%%%%",
            None,
            ValueError,
            "Image.source: malformed data URL 'data:image/png;base64,%%%%': expected data:<type>;base64,<data>",
        ),
        (b"abc", None, ValueError, "Image.source: the type of these 3 bytes is not recognisable: give media_type"),
        (b"", None, ValueError, "Image.source: the type of these 0 bytes is not recognisable: give media_type"),
        (5, None, TypeError, "Image.source: expected a URL or bytes, got int"),
        (["https://h/x"], None, TypeError, "Image.source: expected a URL or bytes, got list"),
    ],
)
def test_another_source_is_refused_and_the_way_out_is_told(
    value: object, media_type: str | None, error: type[Exception], words: str
) -> None:
    """B190."""
    with pytest.raises(error) as caught:
        checked_source(value, media_type, "Image")
    assert str(caught.value) == words


@pytest.mark.parametrize("kind", [bytes, bytearray])
def test_bytes_become_a_data_url_of_their_own_type(kind: type[bytes] | type[bytearray]) -> None:
    """B186."""
    encoded = base64.b64encode(JPEG).decode()
    assert checked_source(kind(JPEG), "image/png", "Image") == f"data:image/jpeg;base64,{encoded}"
    assert checked_source(kind(b"hi"), "text/plain", "Document") == "data:text/plain;base64,aGk="
