"""The loop of a model with tools: ask, run what it calls, tell it the results, and ask again until it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from attrs import evolve, field, frozen

from triptych.checks import shown
from triptych.content import ContentItem, ToolCall, ToolResult
from triptych.request import LlmRequest
from triptych.response import LlmResponse
from triptych.running import Errors, checked_errors, checked_seconds, run_calls, tool_table
from triptych.settings import check_names
from triptych.tool_results import failure
from triptych.usage import Usage


class Asked(Protocol):
    """What `run_tools` asks: an `LlmClient`, or anything that answers as one."""

    def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:
        """Return the answer to a request; a failure is in its `error`."""


@frozen
class Step:
    """One turn of the loop.

    Args:
        response: What the model answered.
        results: What its calls came to.
    """

    response: LlmResponse
    results: list[ToolResult] = field(factory=list)


def run_tools(
    client: Asked,
    request: LlmRequest,
    *,
    max_steps: int = 8,
    inject: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    errors: Errors = "message",
    **settings: Any,
) -> ToolRun:
    """Return a run of a model with its tools: the request is sent, what the model calls is run, the results are sent…

    It ends when the model calls nothing more, when a call of the API fails, or after `max_steps`. Nothing is sent
    before the run is first asked for something. A `tool_choice` that demands a call holds for the first answer; then
    it is "auto", else the model could never end.

    Args:
        client: The client that is asked.
        request: The conversation, and the tools.
        max_steps: How often the model is asked at most.
        inject: The values of injected parameters by name, for all tools.
        timeout: Seconds for each call of a tool; None is for ever.
        errors: How an exception of a tool is told to the model; see `run_calls`.
        settings: Settings that differ from the client's.

    Raises:
        TypeError, ValueError: a mistake of the caller. Failures of the API are in `run.response.error`, those of tools
            in their results.
    """
    if not isinstance(request, LlmRequest):
        raise TypeError(f"run_tools: expected an LlmRequest, got {shown(request)}")
    if not isinstance(max_steps, int) or isinstance(max_steps, bool) or max_steps < 1:
        raise ValueError(f"run_tools.max_steps: expected a number from 1, got {shown(max_steps)}")
    check_names(settings, ("max_steps", "inject", "timeout", "errors"))
    tool_table(request.tools, inject)
    options = {"inject": inject, "timeout": checked_seconds(timeout), "errors": checked_errors(errors)}
    return ToolRun(client, request, max_steps, options, settings)


class ToolRun:
    """A run of a model with its tools; iterate it for its items as they are made, or ask for the whole.

    Each of `response`, `items`, `steps`, `usage`, `request` and `exhausted` runs it to its end first. It may be
    iterated more than once: the items are kept. One thread uses it.

    Args:
        client: The client that is asked.
        request: What to begin with.
        max_steps: How often it is asked at most.
        options: The arguments of `run_calls`.
        settings: The settings of each call.
    """

    def __init__(
        self,
        client: Asked,
        request: LlmRequest,
        max_steps: int,
        options: Mapping[str, Any],
        settings: Mapping[str, Any],
    ) -> None:
        self._client = client
        self._request = request
        self._max_steps = max_steps
        self._options = options
        self._settings = settings
        self._items: list[ContentItem] = []
        self._steps: list[Step] = []
        self._calls: list[ToolCall] = []  # those that wait to be run
        self._finished = False
        self._exhausted = False

    def __iter__(self) -> Iterator[ContentItem]:
        """Yield the model's items and the results of its calls, each when it is made."""
        told = 0
        while True:
            while told < len(self._items):
                yield self._items[told]
                told += 1
            if self._finished:
                return
            self.advance()

    @property
    def finished(self) -> bool:
        """Whether it has come to its end."""
        return self._finished

    @property
    def made(self) -> list[ContentItem]:
        """The items that are there already."""
        return self._items

    def advance(self) -> None:
        """Ask the model once more, or run the calls of its last answer; do nothing at the end."""
        if self._finished:
            return
        if self._calls:
            self._run_calls()
        else:
            self._ask()
        if not self._finished and not self._calls and len(self._steps) == self._max_steps:
            self._finished = self._exhausted = True

    def _ask(self) -> None:
        response = self._client.generate(self._request, **self._settings)
        self._steps.append(Step(response))
        self._say(response.content)
        calls = response.tool_calls
        if response.error is not None:
            self._answer([failure(call, "Not executed: the answer is not whole.") for call in calls])
        elif calls and not self._is_answer(response):
            self._calls = calls
            return
        # A provider that pauses its own tools wants to be asked again with what it said.
        self._finished = response.error is not None or response.finish_reason != "pause"

    def _is_answer(self, response: LlmResponse) -> bool:
        """Return whether what the model calls is not one of the tools but the way in which it gives the output."""
        names = {tool.name for tool in self._request.tools}
        return response.output is not None and not any(call.name in names for call in response.tool_calls)

    def _run_calls(self) -> None:
        results = run_calls(self._calls, self._request.tools, **self._options)
        self._calls = []
        self._answer(results)
        if self._request.tool_choice not in (None, "auto", "none"):
            self._request = evolve(self._request, tool_choice="auto")

    def _answer(self, results: list[ToolResult]) -> None:
        self._steps[-1] = evolve(self._steps[-1], results=results)
        self._say(results)

    def _say(self, items: list[Any]) -> None:
        self._items.extend(items)
        self._request = evolve(self._request, contents=[*self._request.contents, *items])

    def _whole(self) -> None:
        while not self._finished:
            self.advance()

    @property
    def response(self) -> LlmResponse:
        """The last answer."""
        self._whole()
        return self._steps[-1].response

    @property
    def items(self) -> list[ContentItem]:
        """All that was said since the request, in order: the model's items and the results of its calls."""
        self._whole()
        return list(self._items)

    @property
    def steps(self) -> list[Step]:
        """Each answer with the results of its calls."""
        self._whole()
        return list(self._steps)

    @property
    def usage(self) -> Usage:
        """What all answers cost together, as far as the provider said."""
        self._whole()
        return sum((step.response.usage for step in self._steps if step.response.usage is not None), Usage())

    @property
    def exhausted(self) -> bool:
        """Whether it ended because of `max_steps` while the model wanted to go on."""
        self._whole()
        return self._exhausted

    @property
    def request(self) -> LlmRequest:
        """The request with all that was said since: what to go on from."""
        self._whole()
        return self._request
