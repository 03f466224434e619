"""Tests of what comes of a fetched file: its type, its name, the parts of a whole request."""

from typing import Any

import pytest

from tests.servers.script import Reply, Request, serve
from triptych.content import Message, ToolCall, ToolResult
from triptych.fetching.media import fetch, fetch_media
from triptych.fetching.rules import FetchError
from triptych.parts import Audio, Document, Image, Issuer, Media, Text, Video
from triptych.request import LlmRequest

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
PDF = b"%PDF-1.7\n%"
WEBM = b"\x1aE\xdf\xa3\x9f\x42\x86\x81"
OGG = b"OggS\x00\x02"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'/>"
PAGE = b"\n<!DOCTYPE html><html><body>Please log in</body></html>"
OCTETS = "application/octet-stream"


def came(kind: type[Media], data: bytes, label: str | None, **fields: Any) -> Media:
    """Return the part that is made of a file, with what its host calls it."""
    headers = {} if label is None else {"Content-Type": label}
    with serve(Reply(headers=headers, body=data)) as server:
        return fetch(kind(f"{server.url}/f", **fields), allow_http=True, allow_private=True)


@pytest.mark.parametrize(
    ("kind", "data", "label", "given", "found"),
    [
        (Image, PNG, "image/png", None, "image/png"),
        (Image, JPEG, "image/png", "image/png", "image/jpeg"),
        (Image, PNG, "text/html", None, "image/png"),
        (Image, PNG, None, None, "image/png"),
        (Image, SVG, "image/svg+xml; charset=utf-8", None, "image/svg+xml"),
        (Image, SVG, "text/plain", "image/svg+xml", "image/svg+xml"),
        (Audio, OGG, OCTETS, None, "audio/ogg"),
        (Audio, WEBM, "video/webm", None, "audio/webm"),
        (Audio, WEBM, None, None, "audio/webm"),
        (Audio, b"\x01\x02", "audio/L16;rate=8000", None, "audio/l16"),
        (Audio, b"\x01\x02", OCTETS, "audio/pcm", "audio/pcm"),
        (Video, OGG, "audio/ogg", None, "video/ogg"),
        (Video, WEBM, "video/x-matroska", None, "video/x-matroska"),
        (Document, PDF, OCTETS, None, "application/pdf"),
        (Document, b"\n\n" + PDF, "application/pdf", None, "application/pdf"),
        (Document, b"a,b", "text/csv", None, "text/csv"),
        (Document, b"# a", "text/plain", "text/markdown", "text/markdown"),
        (Document, b"words", "text/plain", None, "text/plain"),
        (Document, PAGE, "text/html", "text/html", "text/html"),
        (Document, PAGE, "text/plain", "text/html; charset=utf-8", "text/html"),
    ],
)
def test_the_type_is_what_the_bytes_show_then_what_the_host_says_then_what_was_given(
    kind: type[Media], data: bytes, label: str | None, given: str | None, found: str
) -> None:
    assert came(kind, data, label, media_type=given) == kind(data, media_type=found)


@pytest.mark.parametrize(
    ("kind", "data", "label", "given", "reason"),
    [
        (Image, PAGE, "text/html", None, "a web page came in place of a picture"),
        (Image, PAGE, "image/png", "image/png", "a web page came in place of a picture"),
        (Image, b"Please log in", "text/html; charset=utf-8", None, "a web page came in place of a picture"),
        (Audio, PAGE, None, "audio/mpeg", "a web page came in place of a sound"),
        (Video, PAGE, OCTETS, None, "a web page came in place of a film"),
        (Document, PAGE, "text/html", None, "a web page came in place of a document: media_type='text/html' takes it"),
        (
            Document,
            b"\xef\xbb\xbf<?xml version='1.0'?>\n<!-- x -->\n<html xmlns='y'>",
            "application/pdf",
            "application/pdf",
            "a web page came in place of a document: media_type='text/html' takes it",
        ),
        (Image, PDF, "image/png", None, "application/pdf came in place of a picture"),
        (Image, b'{"error": 1}', "application/json", None, "application/json came in place of a picture"),
        (Image, b"words", "text/plain", None, "text/plain came in place of a picture"),
        (Image, b"words", "image/png", None, "what came is called image/png, and its bytes are not that"),
        (Image, b"words", "text/plain", "image/gif", "what came is called image/gif, and its bytes are not that"),
        (Audio, PNG, "audio/mpeg", None, "image/png came in place of a sound"),
        (Video, PNG, "video/mp4", "video/mp4", "image/png came in place of a film"),
        (Document, PNG, "application/pdf", None, "image/png came in place of a document"),
        (Document, b"no", "application/pdf", None, "what came is called application/pdf, and its bytes are not that"),
        (
            Document,
            b"\x00\x01",
            OCTETS,
            None,
            "neither its bytes nor its host say what came in place of a document: give media_type",
        ),
        (
            Image,
            b"\x00\x01",
            None,
            None,
            "neither its bytes nor its host say what came in place of a picture: give media_type",
        ),
    ],
)
def test_what_is_no_such_part_is_refused(
    kind: type[Media], data: bytes, label: str | None, given: str | None, reason: str
) -> None:
    with pytest.raises(FetchError) as caught:
        came(kind, data, label, media_type=given)
    assert caught.value.reason == reason


def test_text_in_another_charset_is_brought_to_utf_8() -> None:
    assert came(Document, "Grüße".encode("latin-1"), "text/plain; charset=ISO-8859-1").data == "Grüße".encode()
    assert came(Document, "Grüße".encode("utf-16"), "text/plain; charset=utf-16").data == "Grüße".encode()
    for wrong in ("utf-8", "no-such-charset", "cp99999", "hex", "punycode"):
        assert came(Document, b"Gr\xfc", f"text/plain; charset={wrong}").data == b"Gr\xfc"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/a/b%20c.png?x=y.z", "b c.png"),
        ("/a/b", None),
        ("/", None),
        ("/.", None),
        ("/%2e%2e%2fetc.png", "etc.png"),
        ("/a%5Cb.png", "b.png"),
    ],
)
def test_a_part_without_a_name_gets_that_of_the_file(path: str, name: str | None) -> None:
    with serve(Reply(body=PNG)) as server:
        part = fetch(Image(server.url + path), allow_http=True, allow_private=True)
        assert part == Image(PNG, media_type="image/png", name=name)
        named = fetch(Image(server.url + path, name="mine"), allow_http=True, allow_private=True)
        assert named == Image(PNG, media_type="image/png", name="mine")


def test_a_row_of_comments_is_soon_seen_to_be_no_page() -> None:
    assert came(Document, b"<!---->" * 500 + b"x", "text/plain") == Document(
        b"<!---->" * 500 + b"x", media_type="text/plain"
    )


def test_all_else_that_a_part_carries_stays() -> None:
    own: dict[str, Any] = {"provider_data": {"a": 1}, "issuer": Issuer("f", "p"), "file_id": "id", "name": "n"}
    assert came(Image, PNG, None, detail="low", **own) == Image(PNG, media_type="image/png", detail="low", **own)
    assert came(Audio, OGG, None, transcript="t", **own) == Audio(OGG, media_type="audio/ogg", transcript="t", **own)


@pytest.mark.parametrize(
    "part", [Image(PNG), Document(file_id="f"), Document(text="t"), Image("DATA:image/png;base64,AA==")]
)
def test_a_part_that_is_not_behind_a_url_is_returned_as_it_is(part: Media) -> None:
    assert fetch(part) is part


def files(request: Request) -> Reply:
    """Answer with a picture, or with words."""
    return Reply(body=PNG) if request.path.endswith(".png") else Reply(headers={"Content-Type": "text/csv"}, body=b"a")


def test_all_media_of_a_request_are_fetched_and_each_url_once() -> None:
    with serve(files) as server:
        shot, table = Image(f"{server.url}/a.png"), Document(f"{server.url}/t.csv")
        stays = [Image(PNG), Image("gs://bucket/x.png"), Image("s3://bucket/x.png"), Document(text="t"), Text("words")]
        request = LlmRequest(
            instructions="Look.",
            contents=[
                Message("user", "a str"),
                Message("user", [shot, table, *stays], name="me"),
                ToolCall("c", "shoot"),
                ToolResult("c", "shoot", content=["words", {"a": 1}, shot]),
            ],
        )
        full = fetch_media(request, allow_http=True, allow_private=True)
    png = Image(PNG, media_type="image/png", name="a.png")
    csv = Document(b"a", media_type="text/csv", name="t.csv")
    assert full == LlmRequest(
        instructions="Look.",
        contents=[
            Message("user", "a str"),
            Message("user", [png, csv, *stays], name="me"),
            ToolCall("c", "shoot"),
            ToolResult("c", "shoot", content=["words", {"a": 1}, png]),
        ],
    )
    assert isinstance(request.contents[1], Message)
    assert request.contents[1].content[0] is shot
    assert sorted(request.path for request in server.requests) == ["/a.png", "/t.csv"]


def test_a_request_is_fetched_under_the_same_rules() -> None:
    with serve(Reply(body=PNG)) as server:
        request = LlmRequest([], [Message("user", [Image(f"{server.url}/a.png")])])
        with pytest.raises(FetchError, match="expected the scheme https, got 'http'"):
            fetch_media(request)
        with pytest.raises(FetchError, match="a loopback address"):
            fetch_media(request, allow_http=True)
        assert server.accepted == 0
