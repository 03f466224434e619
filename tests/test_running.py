"""Tests of running tool calls: all at once, each answered, whatever happens."""

from __future__ import annotations

import asyncio
import contextvars
import datetime
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

import attrs
import pytest

from triptych import BaseTool, Document, Image, ProviderTool, Text, ToolCall, ToolResult, aio
from triptych.function_tool import Injected, tool
from triptych.running import run_calls

PIXEL = Image(b"\x89PNG\r\n\x1a\n")
Run = Callable[..., list[ToolResult]]


def run_awaiting(calls: Any, tools: Any, **options: Any) -> list[ToolResult]:
    """Return what the asyncio counterpart gives."""
    return asyncio.run(aio.run_calls(calls, tools, **options))


both_ways = pytest.mark.parametrize("run", [run_calls, run_awaiting], ids=["sync", "async"])


def call(name: str, number: int = 0, /, **arguments: Any) -> ToolCall:
    """Return a call of a tool."""
    return ToolCall(f"call_{number}", name, arguments)


def outcome(result: ToolResult) -> tuple[str, list[Any]]:
    """Return what a result says, without the time that it took."""
    return result.status, result.content


@tool
def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


@tool
def broken() -> NoReturn:
    raise KeyError("secret")


@tool
async def later(city: str) -> str:
    await asyncio.sleep(0)
    return city


@pytest.fixture
def hanging() -> Iterator[Callable[[], None]]:
    """A tool that hangs until the test is over."""
    over = threading.Event()
    ended = threading.Event()

    def hang() -> None:
        over.wait()
        ended.set()

    yield hang
    over.set()
    assert ended.wait(20)


@both_ways
def test_results_come_in_the_order_of_the_calls(run: Run) -> None:
    first, second = threading.Event(), threading.Event()

    def slow() -> str:
        assert second.wait(20)
        first.set()
        return "slow"

    def quick() -> str:
        second.set()
        assert first.wait(20)
        return "quick"

    results = run([call("slow", 1), call("quick", 2), call("add", 3, a=2)], [slow, quick, add])
    assert [attrs.evolve(result, runtime_ms=None) for result in results] == [
        ToolResult("call_1", "slow", "success", ["slow"], payload="slow"),
        ToolResult("call_2", "quick", "success", ["quick"], payload="quick"),
        ToolResult("call_3", "add", "success", [3], payload=3),
    ]
    assert all(result.runtime_ms is not None and result.runtime_ms > 0 for result in results)


@both_ways
def test_no_calls_have_no_results(run: Run) -> None:
    assert run([], [add]) == []


@both_ways
def test_one_that_fails_and_one_that_hangs_keep_no_other_from_its_result(run: Run, hanging: Any) -> None:
    results = run(
        [call("broken"), call("hang"), call("add", a=1), call("later", city="Oslo")],
        [broken, hanging, add, later],
        timeout=1,
    )
    assert [outcome(result) for result in results] == [
        ("error", ["KeyError: 'secret'"]),
        ("error", ["The tool did not finish within 1 seconds."]),
        ("success", [2]),
        ("success", ["Oslo"]),
    ]
    assert (results[1].runtime_ms or 0) >= 1000


@both_ways
def test_an_async_tool_that_hangs_is_cancelled(run: Run) -> None:
    cancelled = threading.Event()

    async def hang() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cancelled.set()

    [result] = run([call("hang")], [hang], timeout=0.05)
    assert outcome(result) == ("error", ["The tool did not finish within 0.05 seconds."])
    assert cancelled.wait(20)


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (
            call("ad", a=1),
            "There is no tool 'ad' (did you mean 'add'?); the tools are: add, broken.",
        ),
        (call("add"), "The arguments do not fit:\n$.a: expected integer, got nothing"),
        (call("add", a="1"), 'The arguments do not fit:\n$.a: expected integer, got "1" (string)'),
        (
            call("add", a=1, c=2),
            "The arguments do not fit:\n$.c: expected no such field: the fields are a, b",
        ),
        (
            ToolCall("i", "add", raw_arguments='{"a": 1'),
            "The arguments are not a JSON object: Expecting ',' delimiter: line 1 column 8 (char 7), in '{\"a\": 1'.",
        ),
        (ToolCall("i", "add", raw_arguments="[1]"), "The arguments are not a JSON object: got [1] (list)."),
    ],
    ids=["unknown", "missing", "wrong", "invented", "cut", "no object"],
)
def test_a_call_that_cannot_be_executed_is_answered(wanted: ToolCall, words: str) -> None:
    [result] = run_calls([wanted], [add, broken])
    assert outcome(result) == ("error", [words])
    assert (result.tool_call_id, result.name) == (wanted.tool_call_id, wanted.name)


def test_a_call_where_there_are_no_tools_is_answered() -> None:
    [result] = run_calls([call("add")], [ProviderTool({"type": "web_search", "name": "add"})])
    assert outcome(result) == ("error", ["There is no tool 'add'; there are none."])


def test_a_definition_alone_is_answered() -> None:
    [result] = run_calls([call("f")], [BaseTool("f")])
    assert outcome(result) == (
        "error",
        [
            "NotImplementedError: the tool 'f' is a definition that nothing runs: "
            "give call=, override execute, or use @tool"
        ],
    )


def test_a_tool_of_a_schema_is_run() -> None:
    made = BaseTool.from_schema({"name": "f", "inputSchema": {"required": ["a"]}}, lambda **arguments: arguments)
    results = run_calls([call("f", a=1), call("f")], [made])
    assert [outcome(result) for result in results] == [
        ("success", [{"a": 1}]),
        ("error", ["The arguments do not fit:\n$.a: expected a value, got nothing"]),
    ]


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ("message", "KeyError: 'secret'"),
        ("hidden", "The tool failed."),
        (lambda fault: f"sorry: {type(fault).__name__}", "sorry: KeyError"),
        (lambda fault: 1 / 0, "The tool failed."),
    ],
    ids=["message", "hidden", "function", "function that fails"],
)
@both_ways
def test_a_policy_says_how_an_exception_is_told(run: Run, errors: Any, words: str) -> None:
    assert [outcome(result) for result in run([call("broken")], [broken], errors=errors)] == [("error", [words])]


def test_a_hidden_exception_hides_no_wrong_argument() -> None:
    [result] = run_calls([call("add")], [add], errors="hidden")
    assert outcome(result) == ("error", ["The arguments do not fit:\n$.a: expected integer, got nothing"])


def test_words_of_an_exception_that_are_a_book_are_cut_short() -> None:
    def wordy() -> None:
        raise ValueError("x" * 100_000)

    [result] = run_calls([call("wordy")], [wordy])
    assert result.content == [("ValueError: " + "x" * 100_000)[:4000]]


def test_an_exception_without_words_is_answered() -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    def silent() -> None:
        raise Silent

    [result] = run_calls([call("silent")], [silent])
    assert outcome(result) == ("error", ["The tool failed."])


@pytest.mark.parametrize("fault", [SystemExit(3), GeneratorExit(), asyncio.CancelledError()], ids=repr)
@both_ways
def test_a_tool_that_ends_the_program_ends_its_call_alone(run: Run, fault: BaseException) -> None:
    def ends() -> None:
        raise fault

    [ended, added] = run([call("ends"), call("add", a=1)], [ends, add])
    assert (ended.status, added.content) == ("error", [2])
    assert ended.content[0].startswith(type(fault).__name__)


def test_sys_exit_in_an_async_tool_ends_its_call_alone() -> None:
    async def leave() -> None:
        sys.exit("bye")

    assert [outcome(result) for result in run_calls([call("leave")], [leave])] == [("error", ["SystemExit: bye"])]


def test_the_interrupt_key_passes() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_calls([call("interrupted")], [interrupted])


@attrs.define
class Weather:
    """What the sky does."""

    city: str
    at: datetime.date | None = None


@dataclass
class Point:
    x: int


class Looped(list[Any]):
    """A list that may hold itself."""


def looped() -> Looped:
    """Return a list that holds itself."""
    made = Looped()
    made.append(made)
    return made


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("words", ["words"]),
        ("", [""]),
        (None, ["null"]),
        (5, [5]),
        (True, [True]),
        (["a", "b"], [["a", "b"]]),
        ({"a": {1: 2}}, [{"a": {"1": 2}}]),
        (Weather("Oslo", datetime.date(2026, 11, 30)), [{"city": "Oslo", "at": "2026-11-30"}]),
        ([Point(1), Point(2)], [[{"x": 1}, {"x": 2}]]),
        ({1}, [[1]]),
        (float("nan"), [None]),
        ({"a": float("inf")}, [{"a": None}]),
        (10**30, [10**30]),
        (b"hi", ["aGk="]),
        ("\ud83d", ["\ud83d"]),
        ("x" * 1_000_000, ["x" * 1_000_000]),
        (PIXEL, [PIXEL]),
        (Text("hi"), [Text("hi")]),
        (["see:", PIXEL, Document(text="paper"), Point(1)], ["see:", PIXEL, Document(text="paper"), {"x": 1}]),
        ((PIXEL,), [PIXEL]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_a_tool_returns_is_the_content_and_the_payload(value: Any, content: list[Any]) -> None:
    def give() -> Any:
        return value

    [result] = run_calls([call("give")], [give])
    assert outcome(result) == ("success", content)
    assert result.payload is value


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (object(), "TypeError: a value of type object has no JSON form"),
        ({"a": [print]}, "TypeError: a value of type builtin_function_or_method has no JSON form"),
        (looped(), "ValueError: the tool returned a value that is nested too deeply for JSON, or holds itself"),
    ],
    ids=["object", "function inside", "loop"],
)
def test_what_has_no_json_form_is_an_error(value: Any, words: str) -> None:
    [result] = run_calls([call("give")], [BaseTool("give", call=lambda: value)])
    assert outcome(result) == ("error", [words])


def test_a_pydantic_model_is_json_at_any_depth() -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Model", day=(datetime.date, ...))
    value = [model(day=datetime.date(2026, 11, 30))]
    [result] = run_calls([call("give")], [BaseTool("give", call=lambda: value)])
    assert outcome(result) == ("success", [[{"day": "2026-11-30"}]])


def test_a_result_of_the_tools_own_gets_the_id_and_name_of_the_call() -> None:
    def give() -> ToolResult:
        return ToolResult("mine", status="error", content=["no"], payload=5, runtime_ms=7)

    assert run_calls([call("give", 3)], [give]) == [
        ToolResult("call_3", "give", "error", ["no"], payload=5, runtime_ms=7)
    ]


@both_ways
def test_injected_values_reach_the_tools_that_ask_for_them(run: Run) -> None:
    @tool
    def find(query: str, db: Annotated[dict[str, int], Injected]) -> int:
        return db[query]

    results = run([call("find", query="a"), call("add", a=1)], [find, add], inject={"db": {"a": 7}})
    assert [result.content for result in results] == [[7], [2]]
    [stolen] = run([call("find", query="a", db={"a": 8})], [find], inject={"db": {"a": 7}})
    assert outcome(stolen)[0] == "error"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([call("add")], [add, BaseTool("add")], {}), ValueError, "two tools have the name 'add'"),
        ((["add"], [add], {}), TypeError, "run_calls: expected ToolCalls, got 'add' (str)"),
        (
            ([call("add")], ["add"], {}),
            TypeError,
            "FunctionTool.function: expected a function or method, got 'add' (str)",
        ),
        (([call("add")], [add], {"timeout": 0}), ValueError, "timeout: expected more than 0 seconds, got 0"),
        (([call("add")], [add], {"timeout": "1"}), TypeError, "timeout: expected seconds or None, got '1' (str)"),
        (
            ([call("add")], [add], {"errors": "hide"}),
            ValueError,
            "errors: expected 'message', 'hidden' or a function from an exception to a str, got 'hide' (str)",
        ),
        (
            ([call("add")], [add], {"threads": 0}),
            ValueError,
            "run_calls.threads: expected a number from 1 or None, got 0 (int)",
        ),
    ],
    ids=["two of a name", "no call", "no tool", "no time", "no number", "no policy", "no threads"],
)
@both_ways
def test_a_mistake_of_the_caller_is_raised(run: Run, arguments: Any, error: type[Exception], words: str) -> None:
    calls, tools, options = arguments
    with pytest.raises(error) as caught:
        run(calls, tools, **options)
    assert str(caught.value) == words


def test_a_missing_injection_is_raised_before_anything_runs() -> None:
    @tool
    def find(db: Annotated[Any, Injected]) -> None: ...

    with pytest.raises(TypeError) as caught:
        run_calls([call("add", a=1)], [add, find])
    assert str(caught.value) == "the tool 'find' needs inject= with a value for 'db'"


@both_ways
def test_two_hundred_calls_of_one_tool_all_run_at_once(run: Run) -> None:
    all_there = threading.Barrier(200, timeout=60)

    def meet(number: int) -> int:
        all_there.wait()
        return number

    results = run([call("meet", number, number=number) for number in range(200)], [meet])
    assert [(result.tool_call_id, result.content) for result in results] == [
        (f"call_{number}", [number]) for number in range(200)
    ]


def test_no_more_calls_run_at_once_than_threads_are_given() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def count() -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        with lock:
            now[0] -= 1

    assert len(run_calls([call("count")] * 50, [count], threads=2)) == 50
    assert most[0] <= 2


def test_a_call_left_behind_makes_room_for_the_next(hanging: Any) -> None:
    results = run_calls([call("hang"), call("add", a=1)], [hanging, add], threads=1, timeout=0.05)
    assert [result.status for result in results] == ["error", "success"]


@both_ways
def test_a_tool_may_run_calls_itself(run: Run) -> None:
    @tool
    def outer(depth: int) -> Any:
        if depth == 0:
            return "bottom"
        [result] = run_calls([call("outer", depth=depth - 1)], [outer])
        return result.content[0]

    @tool
    async def awaiting() -> Any:
        [result] = run_calls([call("later", city="Oslo")], [later])  # blocks its loop, and must not wait for it
        return result.content[0]

    results = run([call("outer", depth=5), call("awaiting")], [outer, awaiting])
    assert [result.content for result in results] == [["bottom"], ["Oslo"]]


def test_async_tools_run_on_the_loop_that_awaits_them() -> None:
    loops: list[Any] = []

    async def here() -> None:
        loops.append(asyncio.get_running_loop())

    async def both() -> Any:
        await aio.run_calls([call("here"), call("here")], [here])
        return asyncio.get_running_loop()

    mine = asyncio.run(both())
    assert loops == [mine, mine]


def test_the_loop_runs_on_while_tools_run() -> None:
    released = threading.Event()

    async def ask() -> list[ToolResult]:
        task: Awaitable[list[ToolResult]] = asyncio.ensure_future(aio.run_calls([call("wait")], [wait]))
        await asyncio.sleep(0)
        released.set()  # only a loop that is free gets here
        return await task

    def wait() -> bool:
        return released.wait(20)

    assert [result.content for result in asyncio.run(ask())] == [[True]]


def test_a_cancelled_run_does_not_keep_the_loop_from_ending(hanging: Any) -> None:
    async def ask() -> None:
        task = asyncio.ensure_future(aio.run_calls([call("hang")], [hanging]))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(ask())


def test_the_context_of_the_caller_holds_in_the_tools() -> None:
    variable = contextvars.ContextVar("variable", default="none")

    def read() -> str:
        return variable.get()

    variable.set("caller's")
    assert [result.content for result in run_calls([call("read")], [read])] == [["caller's"]]


def test_the_threads_of_tools_do_not_keep_the_program_from_ending() -> None:
    def who() -> bool:
        return threading.current_thread().daemon

    assert [result.content for result in run_calls([call("who")], [who])] == [[True]]


def test_a_failure_is_logged_whatever_the_model_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "triptych"):
        run_calls([call("broken")], [broken], errors="hidden")
    [record] = caplog.records
    assert record.getMessage() == "the tool 'broken' failed"
    assert record.exc_info is not None
    assert record.exc_info[0] is KeyError
