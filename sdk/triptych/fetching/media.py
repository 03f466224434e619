"""Media by URL made media in bytes: one part, or all those of a request, each checked to be what it should."""

from __future__ import annotations

import re
from email.message import Message as Headers
from ssl import SSLContext
from typing import Any, TypedDict, TypeVar, Unpack
from urllib.parse import unquote, urlsplit

from attrs import evolve

from triptych.content import ContentItem, Message, ToolResult
from triptych.fetching.download import Download, download
from triptych.fetching.rules import MOST_BYTES, SECONDS, FetchError, Rules
from triptych.media_type import settled, sniff
from triptych.parts import Audio, Image, Media, Video
from triptych.request import LlmRequest

MediaPart = TypeVar("MediaPart", bound=Media)

_WEB = re.compile(r"https?:", re.IGNORECASE)
# What each kind of part may be, by the start of its MIME type, and how a refusal calls it. A document is none of these.
_KINDS = ((Image, "image/", "a picture"), (Audio, "audio/", "a sound"), (Video, "video/", "a film"))
_NO_DOCUMENTS = tuple(start for _, start, _ in _KINDS)
# What hosts call a file of a type that they do not know.
_VAGUE = (None, "application/octet-stream", "binary/octet-stream", "application/x-download", "text/plain")
# Types whose files always show them: a word alone makes no file one of these.
_ALWAYS_SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
_PAGES = ("text/html", "application/xhtml+xml")
# Each comment is matched in one way only: a row of them would take for ever to be no page.
_PAGE = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(!doctype\s+html|html|head|body)\b", re.I | re.S
)
# Charsets of texts. Python knows more codecs, of which some are slow without bounds.
_CHARSET = re.compile(
    r"utf-?(16|32)(-?[lb]e)?|iso[-_]?8859[-_]?\d+|latin-?\d+|windows-?\d+|cp\d+|koi8-[ru]|macintosh"
    r"|shift[-_]jis|iso-2022-(jp|kr)|euc-(jp|kr)|gb(2312|k|18030)|big5",
    re.IGNORECASE,
)


class FetchOptions(TypedDict, total=False):
    """The options of `fetch`, to be passed on."""

    max_bytes: int
    timeout: float
    redirects: int
    allow_http: bool
    allow_private: bool
    proxy: str | None
    verify: str | SSLContext | None


def fetch(
    part: MediaPart,
    *,
    max_bytes: int = MOST_BYTES,
    timeout: float = SECONDS,
    redirects: int = 0,
    allow_http: bool = False,
    allow_private: bool = False,
    proxy: str | None = None,
    verify: str | SSLContext | None = None,
) -> MediaPart:
    """Return a part whose source is a URL with the bytes behind it; any other part as it is.

    This library fetches nothing of its own accord: a URL goes to the provider. This is for a provider that takes bytes
    only, and for a URL that only this machine can reach. It blocks; in asyncio use `asyncio.to_thread`.

    The media type is what the first bytes show, else what the host says, else, where that is vague, the part's own. A
    web page or anything else that is no such part is refused; a `Document` may be a page where its media_type says so.
    Text in another charset is brought to UTF-8. A part without a name gets that of the file.

    Args:
        part: An Image, Audio, Video or Document.
        max_bytes: The size of the largest file, decompressed.
        timeout: Seconds for all of it together: looking up names, connecting, redirects, reading.
        redirects: How many are followed; each leads to a URL that is checked like the first.
        allow_http: Whether http is taken, where anybody on the way may read and change the file.
        allow_private: Whether the host may be this machine or on a private network; its addresses are not checked then.
        proxy: The URL of an HTTP proxy, which is asked for a tunnel to an address that was checked here; with
            `allow_private`, to the host by name. The environment's proxies are never used.
        verify: Whose certificates are trusted, as for a client; they are always checked.

    Raises:
        FetchError: the URL is refused, its host did not give the file, or it is not what it should be.
        TypeError, ValueError: an option that cannot be meant, or a value that is no such part.
    """
    if not isinstance(part, Media):
        raise TypeError(f"fetch: expected an Image, Audio, Video or Document, got {type(part).__name__}")
    rules = Rules(
        max_bytes=max_bytes,
        timeout=timeout,
        redirects=redirects,
        allow_http=allow_http,
        allow_private=allow_private,
        proxy=proxy,
        verify=verify,
    )
    if part.source is None or part.source[:5].lower() == "data:":
        return part
    return _filled(part, part.source, download(part.source, rules))


def fetch_media(request: LlmRequest, **options: Unpack[FetchOptions]) -> LlmRequest:
    """Return a request with the bytes of all media that it has by http or https URL, in messages and tool results.

    A URL that occurs several times is fetched once. Those of gs and s3, which only their providers can read, stay.

    Args:
        request: The request; it is not changed.
        options: As for `fetch`; size and time are those of each URL by itself.

    Raises:
        FetchError: one of them was not fetched; see `fetch`.
    """
    rules, found = Rules(**options), dict[str, Download]()

    def with_bytes(value: Any) -> Any:
        if not isinstance(value, Media) or value.source is None or not _WEB.match(value.source):
            return value
        if value.source not in found:
            found[value.source] = download(value.source, rules)
        return _filled(value, value.source, found[value.source])

    def whole(item: ContentItem) -> ContentItem:
        if isinstance(item, Message | ToolResult) and isinstance(item.content, list):
            return evolve(item, content=[with_bytes(value) for value in item.content])
        return item

    return evolve(request, contents=[whole(item) for item in request.contents])


def _filled(part: MediaPart, url: str, found: Download) -> MediaPart:
    """Return a part with the bytes that came for it."""
    label, charset = _said(found.content_type)
    try:
        media_type = _media_type(part, found.data, label)
    except ValueError as fault:
        raise FetchError(url, str(fault)) from None
    data = _in_utf8(found.data, charset) if media_type.startswith("text/") else found.data
    return evolve(part, source=data, media_type=media_type, name=part.name or _file_name(url))


def _media_type(part: Media, data: bytes, label: str | None) -> str:
    """Return the MIME type of what came for a part.

    Args:
        part: The part.
        data: What came.
        label: What its host calls it, without parameters.

    Raises:
        ValueError: it is not what the part should be; the message says what it is.
    """
    start, place = next(
        ((start, words) for kind, start, words in _KINDS if isinstance(part, kind)), (None, "a document")
    )
    given = None if part.media_type is None else part.media_type.partition(";")[0].strip().lower()
    shown = sniff(data)
    if shown is None and (label in _PAGES or _PAGE.match(data[:4096])):
        if given in _PAGES and start is None:
            return given
        hint = ": media_type='text/html' takes it" if start is None else ""
        raise ValueError(f"a web page came in place of {place}{hint}")
    found = settled(data, given if label in _VAGUE and given is not None else label)
    if found is None or (shown is None and found in _VAGUE and found != "text/plain"):
        raise ValueError(f"neither its bytes nor its host say what came in place of {place}: give media_type")
    if shown is not None and start is not None:
        found = settled(data, start + found.partition("/")[2]) or found  # sounds and films have containers in common
    if not _fits(found, start):
        raise ValueError(f"{found} came in place of {place}")
    if shown is None and (found in _ALWAYS_SHOWN or _is_no_pdf(found, data)):
        raise ValueError(f"what came is called {found}, and its bytes are not that")
    return found


def _fits(media_type: str, start: str | None) -> bool:
    return media_type.startswith(start) if start is not None else not media_type.startswith(_NO_DOCUMENTS)


def _is_no_pdf(media_type: str, data: bytes) -> bool:
    return media_type == "application/pdf" and b"%PDF-" not in data[:1024]  # readers allow some bytes before it


def _said(content_type: str | None) -> tuple[str | None, str | None]:
    """Return the MIME type and the charset that a header says."""
    if content_type is None:
        return None, None
    headers = Headers()
    headers["content-type"] = content_type[:200]  # a refusal quotes it
    return headers.get_content_type(), headers.get_content_charset()


def _in_utf8(data: bytes, charset: str | None) -> bytes:
    try:
        return data.decode(charset).encode() if charset is not None and _CHARSET.fullmatch(charset) else data
    except (LookupError, UnicodeError):  # the host errs: the bytes as they are say more
        return data


def _file_name(url: str) -> str | None:
    name = re.split(r"[/\\]", unquote(urlsplit(url).path))[-1]
    return name if "." in name.strip(".") else None
