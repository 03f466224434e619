"""The definition of a function, for the APIs that know no strictness."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.formats.function_tools import build_function, read_function
from triptych.parts import Issuer
from triptych.tools import BaseTool, ProviderTool

OWN = Issuer("cohere_chat", "here")
EMPTY = {"type": "object", "properties": {}}


@pytest.mark.parametrize("strict", [None, True, False])
def test_strictness_is_not_said(strict: bool | None) -> None:
    assert build_function(BaseTool("now", "Tells.", strict=strict), OWN) == {
        "type": "function",
        "function": {"name": "now", "description": "Tells.", "parameters": EMPTY},
    }


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": EMPTY}},
        {"type": "function", "function": {"name": "f"}},
        {"function": {"name": "f", "parameters": {"type": "object"}, "strict": True}, "own": 1},
    ],
    ids=["whole", "name alone", "fields of its own"],
)
def test_a_function_goes_back_as_it_was_read(wire: dict[str, Any]) -> None:
    tool = read_function(wire, OWN)
    assert isinstance(tool, BaseTool)
    built = build_function(tool, OWN)
    assert {name: built[name] for name in wire} == wire


@pytest.mark.parametrize("wire", [{"type": "web_search"}, {"function": {"name": ""}}, "f"], ids=str)
def test_what_is_no_function_is_the_providers_own(wire: Any) -> None:
    assert read_function(wire, OWN) == ProviderTool(wire if isinstance(wire, dict) else {"tool": wire}, OWN)
