"""A URL in a request is the provider's to fetch: nothing of this library touches it unasked."""

import json
import subprocess
import sys

import pytest

from tests.chat_hosts import ChatHost, all_formats
from tests.servers.echo import echo
from tests.servers.script import Reply, serve
from triptych import (
    Audio,
    Document,
    Image,
    LlmRequest,
    LlmResponse,
    Message,
    Part,
    Text,
    ToolCall,
    ToolResult,
    Video,
    dumps,
    formats,
    loads,
)
from triptych.formats import Call

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
KINDS = (Image, Audio, Video, Document)


def looking_at(url: str) -> LlmRequest:
    """Return a request with every kind of part by URL, in a message and in a tool result."""
    parts: list[Part] = [kind(f"{url}/{kind.__name__}.png") for kind in KINDS]
    return LlmRequest(
        contents=[
            Message("user", [Text("What is this?"), *parts]),
            ToolCall("call_1", "shoot"),
            ToolResult("call_1", "shoot", content=["shot", *parts]),
            Message("user", "Well?"),
        ]
    )


@all_formats
def test_no_format_fetches_what_a_url_names(host: ChatHost) -> None:
    with serve(Reply(body=PNG)) as web, serve(echo()) as server:
        with host.client(server) as client:
            response: LlmResponse = client.generate(looking_at(web.url))
        assert (response.error, response.text) == (None, "You asked: Well?")
        told = [notice.what for notice in response.notices if notice.what == "Image left out"]
        assert (web.url in json.dumps(server.requests[0].json())) is (told == [])
        assert (web.accepted, web.requests) == (0, [])


@all_formats
def test_no_format_fetches_while_it_reads_a_request(host: ChatHost) -> None:
    with serve(Reply(body=PNG)) as web:
        wire = formats.load(host.name)
        body = wire.build_request(Call(looking_at(web.url), host.wire_model)).body
        wire.read_request(body)
        assert web.accepted == 0


def test_a_request_that_is_kept_and_read_again_fetches_nothing() -> None:
    with serve(Reply(body=PNG)) as web:
        request = looking_at(web.url)
        assert loads(dumps(request)) == request
        assert web.accepted == 0


@pytest.mark.parametrize("code", ["import triptych", "from triptych import Image; Image('https://h.example/x.png')"])
def test_what_fetches_is_loaded_only_by_those_who_fetch(code: str) -> None:
    shown = "; import sys; print([name for name in sys.modules if name.startswith('triptych.fetching')])"
    ran = subprocess.run([sys.executable, "-c", code + shown], check=True, capture_output=True, text=True, timeout=60)
    assert ran.stdout.strip() == "[]"
