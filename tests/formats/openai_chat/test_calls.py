"""Tool calls of OpenAI Chat Completions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.bodies import OPENAI, issuer, messages, openai_answer, parsed
from triptych.content import ToolCall
from triptych.formats.openai_chat.calls import build_call, read_calls
from triptych.formats.turns import DistinctIds
from triptych.parts import Issuer

OWN = issuer(OPENAI)
CUSTOM = {"id": "c", "type": "custom", "custom": {"name": "shell", "input": "ls"}}


def calls_of(wires: list[dict[str, Any]], owner: Issuer, seed: str, **how: bool) -> list[ToolCall]:
    """Read calls of kinds that are known."""
    calls = [call for call in read_calls(wires, owner, DistinctIds(seed), **how) if isinstance(call, ToolCall)]
    assert len(calls) == len(wires)
    return calls


def function(arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}, **more}


@pytest.mark.parametrize("raw", ['{"b": 1, "a":2}', '{"a":1}', "not json", "[1]", '{"a": 1'])
def test_arguments_go_back_as_the_text_that_came(raw: str) -> None:
    [call] = calls_of([function(raw)], OWN, "s")
    assert build_call(call, OWN) == function(raw)


def test_arguments_that_were_given_go_out_as_compact_json() -> None:
    assert build_call(ToolCall("c", "f", {"a": [1], "b": "é"}), OWN) == function('{"a":[1],"b":"é"}')


@pytest.mark.parametrize("raw", ["", "  "])
def test_arguments_that_say_nothing_go_out_as_an_empty_object(raw: str) -> None:
    assert build_call(ToolCall("c", "f", raw_arguments=raw), OWN) == function("{}")


def test_a_call_with_free_text_is_read_and_goes_back_to_its_issuer_as_it_was() -> None:
    [call] = calls_of([CUSTOM], OWN, "s")
    assert (call.tool_call_id, call.name, call.arguments) == ("c", "shell", {"input": "ls"})
    assert build_call(call, OWN) == CUSTOM
    assert build_call(call, issuer(OPENAI, "elsewhere")) == {
        "id": "c",
        "type": "function",
        "function": {"name": "shell", "arguments": '{"input":"ls"}'},
    }


def test_an_empty_kind_of_call_beside_the_filled_one_counts_as_absent() -> None:
    both = function('{"a":1}', custom={"name": "", "input": ""})
    [call] = parsed(OPENAI, openai_answer({"tool_calls": [both]})).tool_calls
    assert call == ToolCall("c", "f", {"a": 1})
    assert messages(OPENAI, [call])[0]["tool_calls"] == [function('{"a":1}')]


@pytest.mark.parametrize("more", [{"index": 0}, {"type": None}, {}])
def test_the_place_of_a_call_in_an_answer_is_not_kept(more: dict[str, Any]) -> None:
    assert calls_of([function("{}", **more)], OWN, "s") == [ToolCall("c", "f")]


def test_what_a_host_adds_to_a_call_goes_back_to_it_alone() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    [call] = calls_of([function("{}", **extra)], OWN, "s")
    assert call == ToolCall("c", "f", {}, provider_data=extra, issuer=OWN)
    assert build_call(call, OWN) == function("{}", **extra)
    assert build_call(call, issuer(OPENAI, "elsewhere")) == function("{}")


def test_a_call_of_a_request_goes_back_with_every_field_as_it_came() -> None:
    wires = [function({"a": 1}, index=3), function(None)]
    calls = calls_of(wires, OWN, "s", verbatim=True)
    assert [call.tool_call_id for call in calls] == ["c", "c_2"]
    assert [build_call(call, OWN) for call in calls] == wires
