"""Calls whose answer is a value: planned, read, asked again where the answer does not fit, and read as they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import evolve

from triptych.content import ContentItem, Message, ToolResult
from triptych.errors import LlmError, Notice, internal
from triptych.events import StreamEvent, TextDelta, ToolCallDelta
from triptych.formats import Call
from triptych.json_answers import partial_json
from triptych.output_answer import finish, own_call
from triptych.output_plan import Plan, make_plan
from triptych.provider import Quirks
from triptych.response import LlmResponse

Ask = Callable[[Call, tuple[Notice, ...]], LlmResponse]
_AGAIN = "The answer does not fit: {fault}\nGive the whole answer again, corrected."
_NOT_RUN = "Not run: the answer that was given together with this call is being corrected."


def generate(ask: Ask, call: Call, format_name: str, quirks: Quirks) -> LlmResponse:
    """Return the answer to a call with its output, or with the error that says why it has none.

    Each round in which the model was asked again is a notice of the response; the usage is that of all rounds.

    Args:
        ask: Sends a call, with the notices that it has already.
        call: The call; its request has an `output_type`.
        format_name: The wire format.
        quirks: What the model has.
    """
    try:
        plan = make_plan(call, format_name, quirks)
        return _mended(ask, finish(ask(plan.call, plan.notices), plan), plan)
    except LlmError as error:
        return LlmResponse(error=error.evolve())
    except Exception as fault:
        return LlmResponse(error=internal(fault))


def _mended(ask: Ask, response: LlmResponse, plan: Plan) -> LlmResponse:
    """Return a response after the repairs that it needs and that it may have."""
    wish, notices, usage = plan.output.repairs, list(response.notices), response.usage
    for number in range(1, wish + 1):
        fault = response.error
        if fault is None or fault.kind != "invalid_output":
            break
        notices.append(Notice("output", f"asked again ({number} of {wish})", fault.message))
        plan = _again(plan, response, fault)
        response = finish(ask(plan.call, ()), plan)
        if usage is not None and response.usage is not None:
            usage = usage + response.usage
        response.usage = usage = usage or response.usage
        if usage is not None:
            response.usage_metadata = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
        if response.error is not None:
            response.error = response.error.evolve(attempts=response.error.attempts + number)
    response.notices = tuple(notices)
    return response


def _again(plan: Plan, response: LlmResponse, fault: LlmError) -> Plan:
    """Return the plan of the next round: the answer and what was wrong with it are in the conversation."""
    words = _AGAIN.format(fault=fault.message)
    own = own_call(response, plan)
    said: list[ContentItem] = [
        ToolResult(call.tool_call_id, call.name, "error", [words if call is own else _NOT_RUN])
        for call in response.tool_calls
    ]
    request = plan.call.request
    contents = [*request.contents, *response.content, *(said or [Message("user", words)])]
    return evolve(plan, call=evolve(plan.call, request=evolve(request, contents=contents)))


class GrowingOutput:
    """The output of a stream, as it grows; a stream is not asked again.

    Args:
        plan: How the call was brought to its output.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._text: list[str] = []
        self._arguments: list[str] = []

    def take(self, events: Iterable[StreamEvent]) -> None:
        """Take the events of a piece of the answer."""
        for event in events:
            if isinstance(event, TextDelta) and event.choice == 0:
                self._text.append(event.text)
            elif isinstance(event, ToolCallDelta) and event.name == self._plan.tool:
                self._arguments.append(event.arguments)

    @property
    def value(self) -> Any:
        """What has come of it, as a JSON value; None before it begins."""
        text = "".join(self._arguments or self._text)
        grown = partial_json(text)
        return None if grown is None else self._plan.restore(grown)

    def finish(self, response: LlmResponse) -> None:
        """Give the whole response its output, or the error that says why it has none."""
        finish(response, self._plan)
