"""Tool calls and their results, which the API pairs by the tool's name and by order: not all servers know ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, field

from triptych.content import ToolCall
from triptych.formats.turns import WaitingCalls

_LAST = 1 << 30  # after every call


@define
class _Place:
    """Where the result of a call belongs.

    Args:
        name: The tool's name.
        turn: The wire message that holds the call.
        order: Which of all calls it is.
    """

    name: str
    turn: Any
    order: int


@define
class ResultPlaces:
    """The places of the results of one request."""

    _waiting: WaitingCalls[_Place] = field(factory=WaitingCalls)
    _names: dict[str, str] = field(factory=dict)
    _orders: dict[int, int] = field(factory=dict)  # of the results that were placed, by the identity of their message
    _count: int = 0

    def called(self, call: ToolCall, turn: Mapping[str, Any]) -> None:
        """Note a call and the wire message that holds it."""
        self._waiting.called(call.tool_call_id, _Place(call.name, turn, self._count))
        self._names[call.tool_call_id] = call.name
        self._count += 1

    def spoken(self) -> None:
        """Note that somebody else than the model speaks."""
        self._waiting.spoken()

    def name_of(self, tool_call_id: str) -> str | None:
        """Return the name of the tool that a call called, or None where no such call came."""
        return self._names.get(tool_call_id)

    def of_result(self, tool_call_id: str, message: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> int:
        """Return the index at which a result is put in: after its call, behind the results that are there already.

        Results of one tool come in the order of their calls. A result without a call that waits for it comes last.

        Args:
            tool_call_id: The id of its call.
            message: The result as a wire message, which the caller puts in.
            messages: The messages so far.
        """
        place = self._waiting.answered(tool_call_id)
        self._orders[id(message)] = _LAST if place is None else place.order
        if place is None:
            return len(messages)
        at = next(index for index in range(len(messages) - 1, -1, -1) if messages[index] is place.turn) + 1
        while at < len(messages) and messages[at].get("role") == "tool":
            other = messages[at]
            if other.get("tool_name") == message.get("tool_name") and self._orders.get(id(other), _LAST) > place.order:
                break
            at += 1
        return at
