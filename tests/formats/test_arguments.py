"""Arguments of a tool call in every form that hosts send."""

from __future__ import annotations

from typing import Any

import pytest

from triptych.content import ToolCall
from triptych.formats.arguments import called


@pytest.mark.parametrize(
    ("given", "call"),
    [
        ({"a": 1}, ToolCall("c", "f", {"a": 1})),
        ({}, ToolCall("c", "f", {})),
        (None, ToolCall("c", "f", {})),
        ("", ToolCall("c", "f", {})),
        ('{"a": 1}', ToolCall("c", "f", {"a": 1})),
        ("{bad", ToolCall("c", "f", raw_arguments="{bad")),
        ([1, "é"], ToolCall("c", "f", raw_arguments='[1,"é"]')),
        (False, ToolCall("c", "f", raw_arguments="false")),
    ],
    ids=repr,
)
def test_what_is_no_object_is_kept_as_text(given: Any, call: ToolCall) -> None:
    assert called("c", "f", given) == call
    assert called("c", "f", given).malformed is call.malformed
