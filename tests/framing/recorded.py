"""The recorded streams of every provider, as the bytes that came or that the recording stands for."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from attrs import frozen

from tests.formats.corpus import FOLDER, VARIABLE


@frozen
class Stream:
    """One recorded stream.

    Args:
        id: Its name in the corpus.
        framing: "sse", "ndjson", "json_array" or "aws_eventstream".
        body: Its bytes.
        recorded: What the recording holds beside or instead of the bytes.
    """

    id: str
    framing: str
    body: bytes
    recorded: Any


@cache
def streams() -> tuple[Stream, ...]:
    """Return all recorded streams; none where the corpus is absent."""
    recordings = (json.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*/*.json")))
    return tuple(_stream(recording) for recording in recordings if recording["stream"])


def _stream(recording: dict[str, Any]) -> Stream:
    response = recording["response"]
    if "response_b64" in recording:
        body = base64.b64decode(recording["response_b64"])
    elif isinstance(response, list):
        # Arrays were stored parsed: written again as the API writes them, each element on lines of its own.
        body = ("[" + "\n,\r\n".join(json.dumps(element, indent=2) for element in response) + "\n]\n").encode()
    else:
        body = response.encode()
    return Stream(recording["id"], recording["stream_format"], body, response)


def each(*framings: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that runs a test for each stream in these framings, or skips it where there is no corpus."""
    params = [pytest.param(stream, id=stream.id) for stream in streams() if stream.framing in framings]
    if not params:
        absent = pytest.mark.skip(reason=f"no recorded streams in {FOLDER}; {VARIABLE} names another folder")
        params = [pytest.param(None, id="no-corpus", marks=absent)]
    return pytest.mark.parametrize("stream", params)
