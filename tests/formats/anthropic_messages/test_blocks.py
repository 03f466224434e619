"""Content blocks of Anthropic Messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import ANTHROPIC, issuer
from triptych.content import Reasoning, ToolCall
from triptych.formats.anthropic_messages.blocks import (
    build_call,
    build_part,
    build_reasoning,
    read_call,
    read_part,
    read_reasoning,
)
from triptych.formats.verbatim import Inexpressible
from triptych.parts import Audio, Document, Image, Opaque, Part, Text, Video

OWN = issuer(ANTHROPIC)
OTHER = issuer(ANTHROPIC, "elsewhere")


def image(**source: Any) -> dict[str, Any]:
    return {"type": "image", "source": source}


def document(**source: Any) -> dict[str, Any]:
    return {"type": "document", "source": source}


@pytest.mark.parametrize(
    ("part", "wire"),
    [
        (Text("a"), {"type": "text", "text": "a"}),
        (Image("https://h/x"), image(type="url", url="https://h/x")),
        (Image("data:image/png;base64,AAAA"), image(type="base64", media_type="image/png", data="AAAA")),
        (Image(file_id="f"), image(type="file", file_id="f")),
        (Document("https://h/x"), document(type="url", url="https://h/x")),
        (
            Document("data:application/pdf;base64,AAAA"),
            document(type="base64", media_type="application/pdf", data="AAAA"),
        ),
        (Document(file_id="f"), document(type="file", file_id="f")),
        (Document(text="w"), document(type="text", media_type="text/plain", data="w")),
        (Document(text="w", name="n"), {**document(type="text", media_type="text/plain", data="w"), "title": "n"}),
    ],
)
def test_a_part_is_built_and_read_back(part: Part, wire: dict[str, Any]) -> None:
    assert build_part(part, OWN) == wire
    assert read_part(wire, OWN) == part


@pytest.mark.parametrize("mime", ["text/markdown", "application/json", "application/atom+xml"])
def test_a_text_file_is_sent_as_its_words(mime: str) -> None:
    wire = document(type="text", media_type="text/plain", data="é")
    assert build_part(Document("é".encode(), media_type=mime), OWN) == wire


@pytest.mark.parametrize(
    "part",
    [
        Audio("https://h/x.wav"),
        Video("https://h/x.mp4"),
        Image("s3://bucket/x"),
        Document("gs://bucket/x"),
        Document("data:application/msword;base64,AAAA"),
        Document("data:audio/wav;base64,AAAA"),
        Document("https://h/x", media_type="application/msword"),
        Opaque({"type": "novel"}, issuer=OTHER),
        Opaque({"type": "novel"}),
    ],
)
def test_a_part_that_the_api_has_no_form_for_is_refused(part: Part) -> None:
    with pytest.raises(Inexpressible):
        build_part(part, OWN)


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "a", "citations": None},
        {**image(type="url", url="https://h/x"), "cache_control": None},
        {**document(type="url", url="https://h/x"), "context": "c", "citations": {"enabled": True}},
    ],
    ids=str,
)
def test_what_a_part_does_not_say_is_kept_beside_it(wire: dict[str, Any]) -> None:
    part = read_part(wire, OWN)
    assert not isinstance(part, Opaque)
    assert build_part(part, OWN) == wire
    assert build_part(part, OTHER).keys() < wire.keys()


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "novel"},
        {"type": "text"},
        image(type="novel"),
        image(type="url", url="blob:0"),
        document(type="content", content=[]),
        document(type="base64", media_type="application/msword", data="AAAA"),
        {"type": "search_result", "content": []},
        {"text": "a"},
    ],
    ids=str,
)
def test_a_block_of_another_form_is_kept_whole(wire: dict[str, Any]) -> None:
    part = read_part(wire, OWN)
    assert part == Opaque(wire, issuer=OWN)
    assert build_part(part, OWN) == wire


def test_a_block_that_is_no_object_is_kept_too() -> None:
    assert read_part("text", OWN) == Opaque({"part": "text"}, issuer=OWN)


@pytest.mark.parametrize("given", [{"a": 1}, {}, None, '{"a":1}', [1]], ids=str)
def test_a_call_of_a_request_goes_back_as_it_came(given: Any) -> None:
    wire = {"type": "tool_use", "id": "a", "name": "f", "input": given}
    assert build_call(read_call(wire, OWN), OWN) == wire


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"a": 1}, {"a": 1}),
        (None, {}),
        ('{"a":1}', {"a": 1}),
        ([1], {"raw_arguments": "[1]"}),
        ("{bad", {"raw_arguments": "{bad"}),
    ],
    ids=str,
)
def test_a_call_of_an_answer_goes_back_in_a_form_that_the_api_takes(given: Any, sent: Any) -> None:
    wire = {"type": "tool_use", "id": "a", "name": "f", "input": given, "caller": {"type": "direct"}}
    call = read_call(wire, OWN, "b")
    assert build_call(call, OWN) == {**wire, "id": "b", "input": sent}
    assert build_call(call, OTHER) == {"type": "tool_use", "id": "b", "name": "f", "input": sent}


def test_a_call_that_another_api_made_goes_out_with_a_safe_id() -> None:
    wire: Any = build_call(ToolCall("functions.f:0", "f", {"a": 1}), OWN)
    assert (wire["name"], wire["input"]) == ("f", {"a": 1})
    assert wire["id"].startswith("functions_f_0_")


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "thinking", "thinking": "t", "signature": "s", "own": 1},
        {"type": "redacted_thinking", "data": "RW5j"},
    ],
    ids=str,
)
def test_thinking_goes_back_to_its_issuer_alone(wire: dict[str, Any]) -> None:
    item = read_reasoning(wire, OWN)
    assert build_reasoning(item, OWN) == wire
    with pytest.raises(Inexpressible, match="only to the API that issued it"):
        build_reasoning(item, OTHER)


def test_thinking_without_a_signature_is_refused() -> None:
    with pytest.raises(Inexpressible, match="without a signature"):
        build_reasoning(Reasoning("t", issuer=OWN), OWN)
