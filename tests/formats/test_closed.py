"""The closed schemas catch what an open one lets pass."""

from __future__ import annotations

from typing import Any

import pytest

from tests.formats.closed import faults

SOUND: dict[str, dict[str, Any]] = {
    "openai_chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "mistral_chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
    "anthropic_messages": {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]},
    "ollama_chat": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_body_has_no_fault(name: str) -> None:
    assert faults(name, SOUND[name]) == []


@pytest.mark.parametrize("name", SOUND)
def test_a_misspelt_field_is_a_fault_that_is_named(name: str) -> None:
    assert "temprature" in faults(name, {**SOUND[name], "temprature": 0})[0]


@pytest.mark.parametrize("name", SOUND)
def test_a_stray_field_of_a_message_is_a_fault_with_its_place(name: str) -> None:
    [fault] = faults(name, {**SOUND[name], "messages": [{"role": "user", "content": "hi", "stray": 1}]})
    assert fault.startswith("$.messages[0]")


@pytest.mark.parametrize("name", SOUND)
def test_the_arguments_and_schemas_of_tools_stay_open(name: str) -> None:
    parameters = {"type": "object", "x-own": True}
    tool = {"type": "function", "function": {"name": "f", "parameters": parameters}}
    tools = [tool if name != "anthropic_messages" else {"name": "f", "input_schema": parameters}]
    assert faults(name, {**SOUND[name], "tools": tools}) == []
