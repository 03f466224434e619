"""The bytes of the server's answers, in the format of OpenAI Chat Completions."""

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.soak.questions import MODEL, Answer

_CREATED = 1764460800
GARBAGE = b"\x16\x03\x01 220 ready\r\n\x00\xff\xfe"
LAST_CHUNK = b"0\r\n\r\n"


def head(status: int = 200, **headers: object) -> bytes:
    """Return the head of an answer; `_` in the name of a header stands for `-`."""
    lines = [f"HTTP/1.1 {status} {http.client.responses[status]}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def whole(body: bytes, status: int = 200, **headers: object) -> bytes:
    """Return an answer with a body and its length."""
    return head(status, Content_Type="application/json", Content_Length=len(body), **headers) + body


def completion(answer: Answer) -> bytes:
    """Return the body that holds an answer."""
    message = {"role": "assistant", "content": answer.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    return _json(_object(answer, "chat.completion", choices=[choice], usage=_counts(answer)))


def error(message: str, code: str) -> bytes:
    """Return the body of an error."""
    return _json({"error": {"message": message, "type": code, "param": None, "code": code}})


def stream_head() -> bytes:
    """Return the head of a stream."""
    return head(Content_Type="text/event-stream", Transfer_Encoding="chunked")


def first_event(answer: Answer) -> bytes:
    """Return the event that comes before the words."""
    return _event(answer, {"role": "assistant", "content": ""})


def word_events(answer: Answer) -> list[bytes]:
    """Return an event for each of the words."""
    return [_event(answer, {"content": word}) for word in answer.words]


def last_events(answer: Answer) -> list[bytes]:
    """Return the events that come after the words."""
    counts = event(_json(_object(answer, "chat.completion.chunk", choices=[], usage=_counts(answer))))
    return [_event(answer, {}, "stop"), counts, event(b"[DONE]")]


def event(data: bytes) -> bytes:
    """Return an event with this data."""
    return b"data: " + data + b"\n\n"


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    """Yield data as HTTP chunks of a size, wherever that cuts the events."""
    for start in range(0, len(data), size):
        piece = data[start : start + size]
        yield b"%x\r\n%b\r\n" % (len(piece), piece)


def _event(answer: Answer, delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    return event(_json(_object(answer, "chat.completion.chunk", choices=[choice], usage=None)))


def _object(answer: Answer, kind: str, **rest: Any) -> dict[str, Any]:
    return {"id": answer.id, "object": kind, "created": _CREATED, "model": MODEL, **rest}


def _counts(answer: Answer) -> dict[str, int]:
    read, wrote = answer.input_tokens, answer.output_tokens
    return {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
