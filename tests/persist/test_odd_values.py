"""Values that JSON has no form for, or hardly one: each has a defined form, and none stops what is being saved."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import uuid
from collections import OrderedDict
from types import MappingProxyType
from typing import Any

import attrs
import pytest

from triptych.agent import Event
from triptych.content import Message, ToolCall, ToolResult
from triptych.parts import Image, Text
from triptych.persist import FormError, dumps, loads
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.tools import BaseTool, ProviderTool


@attrs.frozen
class Point:
    """A value of the program's own."""

    x: int
    when: datetime.date


@dataclasses.dataclass
class Pair:
    """Another."""

    left: Any
    right: Any


class Colour(enum.Enum):
    """A third."""

    RED = "red"


class Strange:
    """Its repr fails, and so does its comparison."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]  # as of any class that defines equality alone


class Shouted(str):
    """A str of the program's own."""


def _cyclic() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


NOON = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
STRANGE = {"content_type": "unserialisable", "type": f"{__name__}.Strange", "repr": "…"}
PAYLOADS: dict[str, tuple[Any, Any]] = {
    "bytes": (b"\x00\xff", "AP8="),
    "a date and time": (NOON, "2026-11-30T12:00:00Z"),
    "a date": (NOON.date(), "2026-11-30"),
    "a decimal": (decimal.Decimal("1.10"), "1.10"),
    "a uuid": (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
    "an enum": (Colour.RED, "red"),
    "a tuple": ((1, (2,)), [1, [2]]),
    "an attrs value": (Point(1, NOON.date()), {"x": 1, "when": "2026-11-30"}),
    "a dataclass": ([Pair(1, b"a")], [{"left": 1, "right": "YQ=="}]),
    "another mapping": (MappingProxyType({"a": OrderedDict(b=1)}), {"a": {"b": 1}}),
    "a str of another class": ({"a": Shouted("b")}, {"a": "b"}),
    "keys that are no texts": ({1: 2, 2.5: 3}, {"1": 2, "2.5": 3}),
    "keys that JSON has no text for": ({(1, 2): 3, None: 4}, {"(1, 2)": 3, "null": 4}),
    "nan and infinities": ([float("nan"), {"a": float("inf")}], [None, {"a": None}]),
    "a huge integer": (2**4000, 2**4000),
    "an integer that Python cannot read": (
        [10**5000],
        [{"content_type": "unserialisable", "type": "builtins.int", "repr": hex(10**5000)}],
    ),
    "an object": (Strange(), STRANGE),
    "objects deep within": ({"a": [1, {"b": Strange()}]}, {"a": [1, {"b": STRANGE}]}),
    "an object as a key's neighbour": ({(1,): Strange()}, {"(1,)": STRANGE}),
    "a function": (
        [json.dumps],
        [{"content_type": "unserialisable", "type": "builtins.function", "repr": repr(json.dumps)}],
    ),
    "an object with the tag's key": ({"content_type": "text", "text": 1}, {"content_type": "text", "text": 1}),
    "objects with the tag's key": ([{"content_type": None}], [{"content_type": None}]),
    "zero": (0, 0),
    "false": (False, False),
    "an empty list": ([], []),
}


@pytest.mark.parametrize(("payload", "read"), PAYLOADS.values(), ids=PAYLOADS)
def test_a_payload_has_a_form_that_is_read_and_written_again_alike(payload: Any, read: Any) -> None:
    text = dumps(ToolResult("a", payload=payload))
    again = loads(text)
    assert (type(again.payload), again.payload) == (type(read), read)
    assert dumps(again) == text


def test_a_payload_of_parts_is_read_as_parts() -> None:
    result = ToolResult("a", payload=[Image("https://h.example/a.png"), "b"])
    assert loads(dumps(result)) == result


def test_a_payload_that_holds_itself_or_nests_without_end_does_not_stop_the_saving() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for payload in (_cyclic(), deep):
        saved = [Message("user", "before"), ToolResult("a", payload=payload), Message("user", "after")]
        again = loads(dumps(saved))
        assert [again[0], again[2]] == [saved[0], saved[2]]
        assert "unserialisable" in dumps(again[1])
    while deep:  # freed level by level: Python's own way may go too deep
        [deep] = deep


def test_what_was_cut_off_where_it_nests_too_deeply_is_not_described_again_when_it_is_saved_again() -> None:
    deep: Any = "\udcd5"  # what the codec itself does not write
    for _ in range(250):
        deep = {"a": deep}
    text = dumps(ToolResult("a", payload=deep))
    assert "unserialisable" in text
    assert dumps(loads(text)) == text


def test_objects_of_a_result_are_not_taken_for_parts() -> None:
    content = [{"content_type": "text", "text": "a"}, Text("a"), {"content_type": "json", "value": 1}, {"a": 1}]
    result = ToolResult("a", content=content)
    assert loads(dumps(result)) == result


@pytest.mark.parametrize("text", ["\ud83c", "a\udc00b", "é\ud83c", "\x00\x1f\u2028"])
def test_a_lone_surrogate_is_kept(text: str) -> None:
    call = ToolCall("a", "f", {text: text}, provider_data={"b": text})
    assert loads(dumps([Message("user", text), call])) == [Message("user", text), call]
    dumps([Message("user", text), call]).encode()


def test_a_pair_of_surrogates_is_joined() -> None:
    assert loads(dumps(Message("user", "\ud83d\ude00"))) == Message("user", "😀")


def test_nan_among_surrogates_is_null() -> None:
    assert loads(dumps(ToolCall("a", "f", {"b": float("nan"), "c": "\ud83c"}))).arguments == {"b": None, "c": "\ud83c"}


def test_integers_keep_all_their_digits() -> None:
    call = ToolCall("a", "f", {"n": 123456789012345678901234567890, "m": -(2**64)})
    assert loads(dumps(call)) == call


def test_a_moment_is_written_as_rfc_3339_and_is_the_same_moment() -> None:
    odd = datetime.timezone(datetime.timedelta(hours=5, minutes=30, seconds=15))
    east = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    for zone, written in ((odd, "2026-11-30T06:29:45Z"), (east, "2026-11-30T12:00:00+05:30")):
        event = Event("user", "a", NOON.replace(tzinfo=zone))
        assert json.loads(dumps(event))["timestamp"] == written
        assert loads(dumps(event)) == event
    with pytest.raises(FormError, match=r"\$: Event.timestamp: expected a datetime with a time zone"):
        loads('{"content_type":"event","author":"a","content":[],"timestamp":"2026-11-30T12:00:00"}')


def test_raw_arguments_are_kept_as_they_came() -> None:
    """B003, B005: what is no JSON object is kept too."""
    raws = ['{"path": "a" "b"}', "not json", '{ "a" : 1.0 }', '"{\\"a\\":1}"', ""]
    calls = [ToolCall("a", "f", raw_arguments=raw) for raw in raws]
    assert [call.raw_arguments for call in loads(dumps(calls))] == raws
    assert loads(dumps(calls)) == calls


def test_a_tool_is_kept_as_its_definition() -> None:
    from triptych import tool

    @tool
    def add(a: int, b: int = 0) -> int:
        """Add two numbers."""
        return a + b

    own = ProviderTool({"type": "web_search"})
    again = loads(dumps(LlmRequest(contents="hi", tools=[add, own], tool_choice=add)))
    assert again.tools == [BaseTool("add", "Add two numbers.", add.parameters), own]
    assert again.chosen_tool == "add"


def test_an_outputs_type_is_kept_as_its_schema() -> None:
    request = LlmRequest(contents="hi", output_type=Point)
    assert request.output_type is not None
    assert loads(dumps(request)).output_type == attrs.evolve(request.output_type, type=None)
    assert loads(dumps(LlmResponse(output=Point(1, NOON.date())))).output == {"x": 1, "when": "2026-11-30"}
