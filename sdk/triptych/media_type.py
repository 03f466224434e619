"""What a picture, a sound or a paper is: read from its first bytes, or from the label of its data URL."""

from __future__ import annotations

import base64
import binascii
import re

SCHEMES = ("http", "https", "gs", "s3")
_SNIFFED_BYTES = 48

# Patterns of the first bytes of each type, compiled when first used; the first match wins. Two letters alone would
# take a text for a picture.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF.{4}WEBP", "image/webp"),
    (rb"RIFF.{4}WAVE", "audio/wav"),
    (rb"RIFF.{4}AVI ", "video/x-msvideo"),
    (rb"\x00.{3}ftypavi[fs]", "image/avif"),
    (rb"\x00.{3}ftyphe(ic|ix|vc)", "image/heic"),
    (rb"\x00.{3}ftypm(if|sf)1", "image/heif"),
    (rb"\x00.{3}ftypM4A", "audio/mp4"),
    (rb"\x00.{3}ftypqt", "video/quicktime"),
    (rb"\x00.{3}ftyp", "video/mp4"),
    (rb"BM.{4}\x00{4}", "image/bmp"),
    (rb"II\*\x00|MM\x00\*", "image/tiff"),
    (rb"%PDF-", "application/pdf"),
    (rb"ID3[\x02-\x04]|\xff[\xf2\xf3\xfa\xfb]", "audio/mpeg"),
    (rb"\xff[\xf1\xf9]", "audio/aac"),
    (rb"fLaC", "audio/flac"),
    (rb"OggS", "audio/ogg"),
    (rb"\x1aE\xdf\xa3", "video/webm"),
)
# The bytes of these show a container only: sound alone, or another codec, may be in it, and a label tells.
_CONTAINERS = {"video/mp4", "video/webm", "audio/ogg"}
_CONTAINED = ("audio/", "video/")

_DATA_URL = r"(?i)data:(?P<type>[\w.+-]+/[\w.+-]+)?(?P<parameters>(?:;[^;,]+)*?)(?P<base64>;base64)?,"
_BASE64_START = r"[A-Za-z0-9+/=_\-\s]*\Z"


def sniff(data: bytes | bytearray) -> str | None:
    """Return the MIME type that the first bytes of `data` show, or None."""
    return next((media_type for pattern, media_type in _MAGIC if re.match(pattern, data, re.DOTALL)), None)


def settled(data: bytes | bytearray, label: str | None) -> str | None:
    """Return the MIME type of `data`: what its first bytes show, else `label`, else None.

    Args:
        data: The content, or the start of it.
        label: The type that somebody gave it; it stands where the bytes show only a container that may hold it.
    """
    shown = sniff(data)
    if shown in _CONTAINERS and label is not None and label.lower().startswith(_CONTAINED):
        return label
    return shown or label


def data_url(data: bytes, media_type: str) -> str:
    """Return `data` as a data URL of the given MIME type."""
    return f"data:{media_type};base64,{base64.b64encode(data).decode()}"


def split_data_url(url: str) -> tuple[str | None, str, bool] | None:
    """Return a data URL's declared type, its payload and whether that is base64, or None for another URL."""
    match = re.match(_DATA_URL, url)
    if match is None:
        return None
    return match["type"], url[match.end() :], match["base64"] is not None


def data_url_type(url: str) -> str | None:
    """Return the MIME type of a data URL's content: what its bytes show, else what its label says."""
    parts = split_data_url(url)
    if parts is None:
        return None
    label, payload, is_base64 = parts
    return settled(_first_bytes(payload), label) if is_base64 else label


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
        known = settled(value, media_type)
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
        if parts is None or (parts[2] and not re.match(_BASE64_START, parts[1][:64])):
            raise ValueError(f"{where}.source: malformed data URL {value[:40]!r}: expected data:<type>;base64,<data>")
    elif not colon or scheme.lower() not in SCHEMES:
        raise ValueError(
            f"{where}.source: expected a URL of scheme {', '.join(SCHEMES)} or data, got {value[:60]!r}; "
            f"for a file use {where}.from_path"
        )
    return value
