"""Answers of Ollama: calls without ids, arguments of every form, counts that are not there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import issuer, parsed
from tests.formats.ollama_chat.recorded import OLLAMA
from triptych import formats
from triptych.content import Message, Opaque, Reasoning, ToolCall
from triptych.formats import Call
from triptych.parts import Image, Text
from triptych.request import LlmRequest
from triptych.usage import Usage

OWN = issuer(OLLAMA)


def answer(message: dict[str, Any], **top: Any) -> dict[str, Any]:
    """Return a whole answer."""
    return {"model": "m", "message": {"role": "assistant", "content": "", **message}, "done": True, **top}


def calls_of(*functions: dict[str, Any]) -> list[ToolCall]:
    """Return the calls of an answer with these functions."""
    return parsed(OLLAMA, answer({"tool_calls": [{"function": function} for function in functions]})).tool_calls


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"sql": "select 1"}, ToolCall("call_0_0", "q", {"sql": "select 1"})),
        ('{"sql": "select 1"}', ToolCall("call_0_0", "q", {"sql": "select 1"})),
        ('"{\\"sql\\": \\"select 1\\"}"', ToolCall("call_0_0", "q", {"sql": "select 1"})),
        (None, ToolCall("call_0_0", "q", {})),
        ("", ToolCall("call_0_0", "q", {})),
        ([1], ToolCall("call_0_0", "q", raw_arguments="[1]")),
        (5, ToolCall("call_0_0", "q", raw_arguments="5")),
        ("{bad", ToolCall("call_0_0", "q", raw_arguments="{bad")),
    ],
    ids=str,
)
def test_arguments_of_every_form_are_read(arguments: Any, expected: ToolCall) -> None:
    """B001, B008."""
    [call] = calls_of({"name": "q", "arguments": arguments})
    assert call == expected
    assert call.malformed is (arguments in ([1], 5, "{bad"))


def test_arguments_that_are_not_there_are_none() -> None:
    assert calls_of({"name": "q"}) == [ToolCall("call_0_0", "q", {})]


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ((None, None), ["call_1_0", "call_1_1"]),
        (("", "call_1_0"), ["call_1_0", "call_1_0_2"]),
        (("a", "a"), ["a", "a_2"]),
        (("a", "b"), ["a", "b"]),
    ],
)
def test_every_call_has_an_id_of_its_own(given: tuple[str | None, ...], ids: list[str]) -> None:
    """B009, B010, B012: made up where none comes, and unlike those of the conversation before."""
    function = {"name": "f", "arguments": {}}
    wires = [{"function": function} if one is None else {"id": one, "function": function} for one in given]
    response = formats.load(OLLAMA).parse_response(answer({"tool_calls": wires}), Call(LlmRequest(contents="q")))
    assert [call.tool_call_id for call in response.tool_calls] == ids


def test_items_come_in_the_order_in_which_the_model_wrote_them() -> None:
    wire = {"thinking": "hm", "content": "So.", "images": ["AAAA"], "tool_calls": [{"novel": 1}], "own": ["kept"]}
    response = parsed(OLLAMA, answer(wire))
    words = [Text("So."), Image("data:application/octet-stream;base64,AAAA")]
    assert response.content == [
        Reasoning("hm", issuer=OWN),
        Message("assistant", words, provider_data={"own": ["kept"]}, issuer=OWN),
        Opaque({"novel": 1}, issuer=OWN),
    ]


def test_an_empty_answer_has_no_items() -> None:
    assert parsed(OLLAMA, answer({"content": None, "thinking": "", "tool_calls": None})).content == []


@pytest.mark.parametrize(
    ("reason", "calls", "neutral"),
    [
        ("stop", False, "stop"),
        ("stop", True, "tool_calls"),
        ("length", True, "length"),
        ("length", False, "length"),
        ("load", False, "other"),
        (None, False, "unknown"),
        ("", False, "unknown"),
    ],
)
def test_the_finish_reason_is_the_neutral_one(reason: Any, calls: bool, neutral: str) -> None:
    """The API says that it stopped where the model waits for results of tools, too."""
    wire = {"tool_calls": [{"function": {"name": "f", "arguments": {}}}]} if calls else {"content": "hi"}
    response = parsed(OLLAMA, answer(wire, done_reason=reason))
    assert (response.finish_reason, response.raw_finish_reason) == (neutral, reason or None)


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({}, None),
        ({"total_duration": 5}, None),
        ({"eval_count": 5}, Usage(0, 5)),
        ({"prompt_eval_count": 3, "eval_count": 5}, Usage(3, 5)),
        ({"prompt_eval_count": None, "eval_count": "x"}, Usage(0, 0)),
    ],
    ids=str,
)
def test_counts_that_are_not_there_are_none(counts: dict[str, Any], usage: Usage | None) -> None:
    """B127: a prompt that was cached is not counted."""
    response = parsed(OLLAMA, answer({"content": "hi"}, **counts))
    assert response.usage == usage
    if response.usage is not None:
        assert response.usage.raw == counts


def test_an_answer_of_counts_alone_is_empty() -> None:
    """B127."""
    response = parsed(OLLAMA, {"done": True, "done_reason": "stop", "eval_count": 5})
    assert (response.error, response.content, response.finish_reason) == (None, [], "stop")
    assert response.usage == Usage(0, 5)


def test_an_error_in_an_answer_that_is_no_failure_is_an_error() -> None:
    """B081."""
    response = parsed(OLLAMA, {"error": "model requires more system memory"})
    assert response.error is not None
    assert (response.error.kind, response.error_message) == ("server", "model requires more system memory")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"id": 5}, "expected the fields message"),
        ({"message": {"role": "assistant", "content": 5}}, "at message.content"),
        ({"message": {"role": "assistant", "tool_calls": [5]}}, "at message.tool_calls[0]"),
        ({"message": "hi"}, "at message"),
        ([], "at the top"),
    ],
    ids=str,
)
def test_an_answer_of_a_wrong_form_says_where(body: Any, words: str) -> None:
    response = parsed(OLLAMA, body)
    assert response.error is not None
    assert response.error.kind == "malformed_response"
    assert words in response.error.message
