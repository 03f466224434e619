"""Running the calls of a model: every call at once in a thread of its own, each answered, whatever happens."""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from queue import Empty, SimpleQueue
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from attrs import define

from triptych import jsontext
from triptych.checks import did_you_mean, shown
from triptych.content import ToolCall, ToolResult
from triptych.function_tool import FunctionTool, tool_of
from triptych.tool_results import failure, result_of
from triptych.tools import ArgumentError, BaseTool, ProviderTool

if TYPE_CHECKING:
    import asyncio

Errors: TypeAlias = Literal["message", "hidden"] | Callable[[BaseException], str]
Tool: TypeAlias = BaseTool | ProviderTool | Callable[..., Any]

_HIDDEN = "The tool failed."
_MOST_WORDS = 4000  # characters of an exception's text: some hold a whole page
_logger = logging.getLogger("triptych")

# The loop that async tools shall run on; without one each runs on a loop of its own, in its thread.
home_loop: contextvars.ContextVar[asyncio.AbstractEventLoop | None] = contextvars.ContextVar("home_loop", default=None)


def run_calls(
    calls: Iterable[ToolCall],
    tools: Iterable[Tool],
    *,
    inject: Mapping[str, Any] | None = None,
    timeout: float | None = None,
    errors: Errors = "message",
    threads: int | None = None,
) -> list[ToolResult]:
    """Return the results of tool calls, in the order of the calls, which run at once.

    A failure is an error result that tells the model what went wrong: an unknown tool, arguments that are no JSON
    object or do not fit (with path, what was expected and what was given), an exception of the tool, a time limit.
    Only the interrupt key passes. A call whose time is over is left behind in its thread, which does not keep the
    program from ending; an async tool is cancelled.

    Args:
        calls: The calls, such as `response.tool_calls`.
        tools: The tools: `@tool` functions, `BaseTool` instances, plain functions.
        inject: The values of injected parameters by name, for all tools.
        timeout: Seconds for each call; None is for ever.
        errors: How an exception of a tool is told to the model: "message" (its type and words), "hidden" (that it
            failed), or a function from the exception to the words. It is logged in any case.
        threads: How many calls run at once at most; None is all.

    Raises:
        TypeError, ValueError: a mistake of the caller: a wrong argument, two tools of one name, a tool with an injected
            parameter that `inject` does not give.
    """
    waiting = deque(_Job(call) for call in calls)
    run = _Run(tool_table(tools, inject), inject or {}, checked_seconds(timeout), checked_errors(errors))
    jobs = list(waiting)
    for job in jobs:
        if not isinstance(job.call, ToolCall):
            raise TypeError(f"run_calls: expected ToolCalls, got {shown(job.call)}")
    most = len(jobs) if threads is None else threads
    if jobs and (not isinstance(most, int) or most < 1):
        raise ValueError(f"run_calls.threads: expected a number from 1 or None, got {shown(threads)}")
    running: list[_Job] = []
    while waiting or running:
        while waiting and len(running) < most:
            job = waiting.popleft()
            if run.begin(job):
                running.append(job)
        run.wait(running)
        running = [job for job in running if job.result is None]
    return [job.result for job in jobs if job.result is not None]


def tool_table(tools: Iterable[Tool], inject: Mapping[str, Any] | None) -> dict[str, BaseTool]:
    """Return the tools that can be run, by name; a provider's own are run by the provider.

    Raises:
        TypeError, ValueError: what is no tool, two of one name, or a parameter that is not injected.
    """
    table: dict[str, BaseTool] = {}
    for given in tools:
        if isinstance(given, ProviderTool):
            continue
        one = given if isinstance(given, BaseTool) else tool_of(given)
        if one.name in table:
            raise ValueError(f"two tools have the name {one.name!r}")
        missing = one.injected - (inject or {}).keys() if isinstance(one, FunctionTool) else ()
        if missing:
            names = ", ".join(sorted(map(repr, missing)))
            raise TypeError(f"the tool {one.name!r} needs inject= with a value for {names}")
        table[one.name] = one
    return table


def checked_errors(errors: Errors) -> Errors:
    """Return a policy for errors.

    Raises:
        TypeError, ValueError: it is none.
    """
    if not callable(errors) and errors not in ("message", "hidden"):
        fault = ValueError if isinstance(errors, str) else TypeError
        raise fault(
            f"errors: expected 'message', 'hidden' or a function from an exception to a str, got {shown(errors)}"
        )
    return errors


def checked_seconds(timeout: float | None) -> float | None:
    """Return a time limit.

    Raises:
        TypeError, ValueError: it is none.
    """
    if timeout is None:
        return None
    if not isinstance(timeout, int | float) or isinstance(timeout, bool):
        raise TypeError(f"timeout: expected seconds or None, got {shown(timeout)}")
    if not timeout > 0:
        raise ValueError(f"timeout: expected more than 0 seconds, got {timeout!r}")
    return timeout


@define(eq=False)
class _Job:
    """A call, and what has become of it.

    Args:
        call: The call.
        began: When it began, by the monotonic clock.
        result: Its result, once there is one.
        cancel: Stops it, where it can be stopped.
    """

    call: ToolCall
    began: float = 0.0
    result: ToolResult | None = None
    cancel: Callable[[], object] | None = None


class _Run:
    """What the calls of one run have in common.

    Args:
        tools: The tools by name.
        inject: The values of injected parameters.
        seconds: The time limit of a call.
        errors: How exceptions are told.
    """

    def __init__(self, tools: Mapping[str, BaseTool], inject: Mapping[str, Any], seconds: float | None, errors: Errors):
        self._tools = tools
        self._inject = inject
        self._seconds = seconds
        self._errors = errors
        self._ended: SimpleQueue[tuple[_Job, ToolResult | KeyboardInterrupt]] = SimpleQueue()

    def begin(self, job: _Job) -> bool:
        """Start a call in a thread of its own; return False where it is answered without."""
        words = self._refusal(job.call)
        if words is not None:
            job.result = failure(job.call, words)
            return False
        job.began = monotonic()
        context = contextvars.copy_context()  # so that a cassette block of the caller holds in the thread
        context.run(_leave_own_loop)
        work = partial(context.run, self._work, job)
        thread = threading.Thread(target=work, name=f"triptych-{job.call.name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as fault:  # the machine has no more threads
            job.result = failure(job.call, f"The tool could not be started: {fault}")
            return False
        return True

    def wait(self, running: Sequence[_Job]) -> None:
        """Wait until one of the running calls has a result, or its time is over."""
        if not running:
            return
        left = None if self._seconds is None else min(job.began for job in running) + self._seconds - monotonic()
        with contextlib.suppress(Empty):
            job, outcome = self._ended.get(timeout=None if left is None else max(left, 0))
            if isinstance(outcome, KeyboardInterrupt):
                raise outcome
            if job.result is None:
                job.result = outcome
        for job in running:
            if self._seconds is not None and job.result is None and monotonic() - job.began >= self._seconds:
                self._give_up(job)

    def _give_up(self, job: _Job) -> None:
        words = f"The tool did not finish within {self._seconds:g} seconds."
        job.result = failure(job.call, words, (monotonic() - job.began) * 1000)
        if job.cancel is not None:
            with contextlib.suppress(RuntimeError):  # its loop has ended meanwhile
                job.cancel()

    def _refusal(self, call: ToolCall) -> str | None:
        """Return why a call cannot be executed, in words for the model."""
        if call.name not in self._tools:
            hint, known = did_you_mean(call.name, self._tools), ", ".join(self._tools)
            return f"There is no tool {call.name!r}{hint}; {f'the tools are: {known}' if known else 'there are none'}."
        if call.malformed:
            return f"The arguments are not a JSON object: {_fault_of(call.raw_arguments or '')}."
        return None

    def _work(self, job: _Job) -> None:
        self._ended.put((job, self._outcome(job)))

    def _outcome(self, job: _Job) -> ToolResult | KeyboardInterrupt:
        call, began = job.call, perf_counter()

        def spent() -> float:
            return (perf_counter() - began) * 1000

        try:
            value = _awaited(self._tools[call.name].invoke(call.arguments, self._inject), job)
            runtime = spent()
            return result_of(call, value, runtime)
        except ArgumentError as fault:
            return failure(call, f"The arguments do not fit:\n{fault}", spent())
        except KeyboardInterrupt as interrupt:
            return interrupt
        except BaseException as fault:  # a tool that ends the program ends its own call alone
            return failure(call, self._told(fault, call.name), spent())

    def _told(self, fault: BaseException, name: str) -> str:
        _logger.info("the tool %r failed", name, exc_info=fault)
        if self._errors == "hidden":
            return _HIDDEN
        try:
            words = f"{type(fault).__name__}: {fault}" if isinstance(self._errors, str) else self._errors(fault)
            return str(words)[:_MOST_WORDS]
        except Exception:  # words that cannot be had must not keep the call from being answered
            _logger.warning("the error of the tool %r could not be put into words", name, exc_info=True)
            return _HIDDEN


def _fault_of(raw: str) -> str:
    try:
        value = jsontext.decode(raw)
    except ValueError as fault:
        return f"{fault}, in {raw[:200]!r}"
    return f"got {shown(value)}"


def _leave_own_loop() -> None:
    """Forget the loop for async tools where this very thread runs it: it would wait for itself."""
    loop = home_loop.get()
    if loop is None:
        return
    import asyncio

    with contextlib.suppress(RuntimeError):  # no loop runs here
        if asyncio.get_running_loop() is loop:
            home_loop.set(None)


def _awaited(value: Any, job: _Job) -> Any:
    """Return what an async tool comes to; of any other tool the value is there already."""
    if not inspect.isawaitable(value):
        return value
    import asyncio  # only for async tools

    async def wait() -> Any:
        task = asyncio.current_task()
        if task is not None:
            job.cancel = partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel)
        return await value

    loop = home_loop.get()
    if loop is not None and loop.is_running():
        return asyncio.run_coroutine_threadsafe(wait(), loop).result()
    return asyncio.run(wait())
