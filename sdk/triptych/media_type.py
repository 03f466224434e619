"""What a picture, a sound or a paper is: read from its first bytes, or from the label of its data URL."""

from __future__ import annotations

import base64
import binascii
import re

SCHEMES = ("http", "https", "gs", "s3")
_SNIFFED_BYTES = 48

# (offset, magic bytes, type); the first match wins.
_MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (8, b"AVI ", "video/x-msvideo"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftyp", "video/mp4"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)

_DATA_URL = re.compile(r"data:(?P<type>[\w.+-]+/[\w.+-]+)?(?P<parameters>(?:;[^;,]+)*?)(?P<base64>;base64)?,", re.I)
_BASE64_START = re.compile(r"[A-Za-z0-9+/=_\-\s]*\Z")


def sniff(data: bytes | bytearray) -> str | None:
    """Return the MIME type that the first bytes of `data` show, or None."""
    for offset, magic, media_type in _MAGIC:
        if data.startswith(magic, offset):
            return media_type
    return None


def data_url(data: bytes, media_type: str) -> str:
    """Return `data` as a data URL of the given MIME type."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def split_data_url(url: str) -> tuple[str | None, str, bool] | None:
    """Return a data URL's declared type, its payload and whether that is base64, or None for another URL."""
    match = _DATA_URL.match(url)
    if match is None:
        return None
    return match["type"], url[match.end() :], match["base64"] is not None


def data_url_type(url: str) -> str | None:
    """Return the MIME type of a data URL's content: what its bytes show, else what its label says."""
    parts = split_data_url(url)
    if parts is None:
        return None
    label, payload, is_base64 = parts
    return (sniff(_first_bytes(payload)) if is_base64 else None) or label


def _first_bytes(payload: str) -> bytes:
    start = payload[: _SNIFFED_BYTES * 4 // 3]
    try:
        return base64.b64decode(start[: len(start) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def checked_source(value: object, media_type: str | None, where: str) -> str:
    """Return a media source as a URL: bytes become a data URL, a URL is looked at and passed.

    Args:
        value: bytes, or a URL as a str.
        media_type: The MIME type for bytes; read from them when None.
        where: Whose source it is, for the message.

    Raises:
        TypeError: neither str nor bytes.
        ValueError: an unknown scheme, a malformed data URL, or bytes of a type that is neither given nor recognisable.
    """
    if isinstance(value, (bytes, bytearray)):
        known = sniff(value) or media_type
        if known is None:
            raise ValueError(
                f"{where}.source: the type of these {len(value)} bytes is not recognisable: give media_type"
            )
        return data_url(bytes(value), known)
    if not isinstance(value, str):
        raise TypeError(f"{where}.source: expected a URL or bytes, got {type(value).__name__}")
    scheme, colon, _ = value.partition(":")
    if colon and scheme.lower() == "data":
        parts = split_data_url(value)
        if parts is None or (parts[2] and not _BASE64_START.match(parts[1][:64])):
            raise ValueError(f"{where}.source: malformed data URL {value[:40]!r}: expected data:<type>;base64,<data>")
    elif not colon or scheme.lower() not in SCHEMES:
        raise ValueError(
            f"{where}.source: expected a URL of scheme {', '.join(SCHEMES)} or data, got {value[:60]!r}; "
            f"for a file use {where}.from_path"
        )
    return value
