"""Anthropic Messages by way of the clouds: another URL, the model's name in it, and on Bedrock another framing."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.chat_hosts import KEY, anthropic_message
from tests.formats.corpus import FOLDER, VARIABLE
from tests.framing.aws_frames import frame
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmRequest, TextDelta, formats
from triptych.formats import Call
from triptych.providers import resolve

QUESTION = LlmRequest(contents="q")
FRAMES = {"Content-Type": "application/vnd.amazon.eventstream"}
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**anthropic_message(""), "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Good "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "day"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}},
    {"type": "message_stop"},
]


def chunk(event: dict[str, Any]) -> bytes:
    payload = json.dumps({"bytes": base64.b64encode(json.dumps(event).encode()).decode(), "p": "abcdef"}).encode()
    return frame({":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}, payload)


def exception(name: str, message: str) -> bytes:
    return frame({":exception-type": name, ":message-type": "exception"}, json.dumps({"message": message}).encode())


def recordings() -> list[Any]:
    """Return the recorded streams of InvokeModel, or one test that is skipped where there are none."""
    paths = sorted((FOLDER / "anthropic").glob("*.json"))
    read = [json.loads(path.read_bytes()) for path in paths]
    chosen = [each for each in read if "bedrock" in each["url"] and each.get("response_b64")]
    absent = pytest.mark.skip(reason=f"no recorded exchanges in {FOLDER}; {VARIABLE} names another folder")
    return [pytest.param(each, id=each["id"]) for each in chosen] or [pytest.param(None, marks=absent)]


@pytest.mark.parametrize(
    "model", ["bedrock-anthropic/anthropic.claude-3-haiku-20240307-v1:0", "vertex/claude-opus-4-1@20250805"]
)
@pytest.mark.parametrize("stream", [False, True])
def test_the_body_names_the_version_and_not_the_model(model: str, stream: bool) -> None:
    host, name = resolve(model)
    wire = formats.load(host.format, host.name, host.quirks_for(name))
    body = wire.build_request(Call(QUESTION, name, stream=stream)).body
    version = {"bedrock-anthropic": "bedrock-2023-05-31", "vertex-anthropic": "vertex-2023-10-16"}[host.name]
    expected: dict[str, Any] = {
        "anthropic_version": version,
        "messages": [{"role": "user", "content": "q"}],
        "max_tokens": 4096,
    }
    if stream and host.name == "vertex-anthropic":  # Bedrock's URL alone says so
        expected["stream"] = True
    assert body == expected
    call = wire.read_request(body)
    assert (call.model, call.settings.extra_body) == (None, None)
    assert wire.build_request(call).body == body


def test_a_stream_comes_out_of_its_frames() -> None:
    with (
        serve(lambda request: Reply(headers=FRAMES, body=map(chunk, EVENTS))) as server,
        LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=KEY) as client,
        client.stream(QUESTION) as stream,
    ):
        assert [event.text for event in stream if isinstance(event, TextDelta)] == ["Good ", "day"]
        assert (stream.response.text, stream.response.error) == ("Good day", None)
        assert server.requests[0].path == "/model/m/invoke-with-response-stream"


@pytest.mark.parametrize(
    ("name", "kind", "retryable"),
    [("throttlingException", "rate_limit", True), ("validationException", "invalid_request", False)],
)
def test_an_exception_among_the_frames_ends_the_stream_with_its_kind(name: str, kind: str, retryable: bool) -> None:
    """B129."""
    frames = [*map(chunk, EVENTS[:4]), exception(name, "no more")]
    with (
        serve(lambda request: Reply(headers=FRAMES, body=frames)) as server,
        LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=KEY, retries=0) as client,
    ):
        error = client.stream(QUESTION).response.error
        assert error is not None
        assert (error.kind, error.message, error.retryable) == (kind, "no more", retryable)
        assert [item.text for item in error.partial if hasattr(item, "text")] == ["Good day"]


def test_a_refused_call_has_the_kind_that_awss_header_says() -> None:
    headers = {"x-amzn-ErrorType": "ThrottlingException:http://internal.amazon.com/coral/", "x-amzn-RequestId": "r1"}

    def refuse(request: Request) -> Reply:
        return Reply.of_json({"message": "Too many requests, please wait."}, 429, headers)

    with (
        serve(refuse) as server,
        LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=KEY, retries=0) as client,
    ):
        for error in (client.generate(QUESTION).error, client.stream(QUESTION).response.error):
            assert error is not None
            assert (error.kind, error.code, error.request_id) == ("rate_limit", "ThrottlingException", "r1")


@pytest.mark.parametrize("recorded", recordings())
def test_a_recorded_stream_of_invoke_model_reads_whole(recorded: dict[str, Any]) -> None:
    body = base64.b64decode(recorded["response_b64"])
    with (
        serve(
            lambda request: Reply(headers=FRAMES, body=[body[i : i + 100] for i in range(0, len(body), 100)])
        ) as server,
        LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=KEY) as client,
    ):
        response = client.stream(QUESTION).response
    frames = [json.loads(line) for line in recorded["response"].splitlines() if line]
    events = [each["payload"]["bytes_decoded"] for each in frames if "bytes_decoded" in each["payload"]]
    texts = [each["delta"]["text"] for each in events if each.get("delta", {}).get("type") == "text_delta"]
    stops = [each["delta"]["stop_reason"] for each in events if each["type"] == "message_delta"]
    assert (response.error, response.text, [response.raw_finish_reason]) == (None, "".join(texts), stops)
