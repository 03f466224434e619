"""Tests of the loop of a model with tools, over servers that speak each wire format."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NoReturn

import attrs
import pytest

from tests.chat_hosts import ALL_HOSTS, ANTHROPIC, GEMINI, OPENAI, ChatHost, all_formats
from tests.formats.bodies import OBJECTS, answer
from tests.formats.closed import faults
from tests.servers.script import Reply, Request, in_turn, serve
from triptych import LlmRequest, LlmResponse, Message, ToolCall, ToolResult, Usage, aio
from triptych.errors import LlmError
from triptych.function_tool import Injected, tool
from triptych.tool_loop import Step, run_tools

Ask = Callable[..., Any]


def run_blocking(host: ChatHost, server: Any, request: LlmRequest, **options: Any) -> Any:
    """Return a run that has come to its end."""
    with host.client(server) as client:
        run = run_tools(client, request, **options)
        assert list(run) == run.items
        return run


def run_awaiting(host: ChatHost, server: Any, request: LlmRequest, **options: Any) -> Any:
    """Return a run for asyncio that has come to its end."""

    async def ask() -> Any:
        async with aio.LlmClient(host.model, **host.options(server)) as client:
            run = aio.run_tools(client, request, **options)
            assert [item async for item in run] == run.items
            assert await run.collect() is run.response
            return run

    return asyncio.run(ask())


both_ways = pytest.mark.parametrize("run", [run_blocking, run_awaiting], ids=["sync", "async"])


@tool
def add(a: int, b: int = 1) -> int:
    """Add."""
    return a + b


@tool
def broken(a: int) -> NoReturn:
    """Fail."""
    raise KeyError(a)


@pytest.fixture
def hang() -> Iterator[Callable[[int], None]]:
    """A tool that hangs until the test is over."""
    over, ended = threading.Event(), threading.Event()

    def hang(a: int) -> None:
        over.wait()
        ended.set()

    yield hang
    over.set()
    assert ended.wait(20)


def calling(host: ChatHost, *calls: tuple[str, str, dict[str, Any]], text: str | None = None) -> Reply:
    """Return the reply of a host that calls tools: id, name and arguments of each call."""
    wire = [(i, name, a if host.name in OBJECTS else _json(a)) for i, name, a in calls]
    return Reply.of_json(answer(host.name, text, wire))


def _json(arguments: dict[str, Any]) -> str:
    return "{" + ", ".join(f'"{name}": {value}' for name, value in arguments.items()) + "}"


def contents_of(body: Any) -> Any:
    """Return the conversation of a request's body."""
    return next(body[name] for name in ("messages", "contents", "input") if name in body)


@both_ways
@all_formats
def test_calls_are_run_at_once_and_told_to_the_model_until_it_is_done(host: ChatHost, run: Ask, hang: Any) -> None:
    calls = [("call_1", "add", {"a": 2}), ("call_2", "broken", {"a": 5}), ("call_3", "hang", {"a": 7})]
    request = LlmRequest(contents="Add.", tools=[add, broken, hang], tool_choice="required")
    with serve(in_turn(calling(host, *calls, text="Let me see."), host.reply("Three."))) as server:
        done = run(host, server, request, timeout=0.5)
        bodies = [sent.json() for sent in server.requests]
    assert [(item.name, item.arguments) for item in done.items if isinstance(item, ToolCall)] == [
        (name, arguments) for _, name, arguments in calls
    ]
    results = [item for item in done.items if isinstance(item, ToolResult)]
    assert [(result.status, result.content) for result in results] == [
        ("success", [3]),
        ("error", ["KeyError: 5"]),
        ("error", ["The tool did not finish within 0.5 seconds."]),
    ]
    assert [result.tool_call_id for result in results] == [
        call.tool_call_id for call in done.items if isinstance(call, ToolCall)
    ]
    assert (done.response.text, done.response.error, done.exhausted) == ("Three.", None, False)
    assert [type(item) for item in done.items] == [Message, *[ToolCall] * 3, *[ToolResult] * 3, Message]
    assert [len(step.results) for step in done.steps] == [3, 0]
    # What went out is what the API takes, the history that came about among it.
    assert [wrong(host, body) for body in bodies] == [[], []]
    assert len(contents_of(bodies[1])) > len(contents_of(bodies[0]))


def wrong(host: ChatHost, body: Any) -> list[str]:
    """Return what a provider's validator finds wrong with a body."""
    # On Bedrock a Claude's request has the version in the body and the model in the URL: the rest is Anthropic's own.
    rest = {name: value for name, value in body.items() if name != "anthropic_version"}
    return faults(host.name, rest if rest == body else {**rest, "model": host.wire_model})


@pytest.mark.parametrize("host", ALL_HOSTS, ids=lambda host: host.provider)
def test_a_history_that_came_about_so_goes_on_with_any_other_provider(host: ChatHost) -> None:
    request = LlmRequest(contents="Add.", tools=[add, broken])
    calls = [("call_1", "add", {"a": 2}), ("call_2", "add", {"a": 3}), ("call_3", "broken", {"a": 3})]
    with serve(in_turn(calling(host, *calls), host.reply("Done."))) as server:
        whole = run_blocking(host, server, request).request
    for other in ALL_HOSTS:
        with serve(other.reply("Fine.")) as server, other.client(server) as client:
            goes_on = attrs.evolve(whole, contents=[*whole.contents, Message("user", "And now?")])
            assert client.generate(goes_on).text == "Fine."
            assert wrong(other, server.requests[0].json()) == []


def choices(host: ChatHost, request: LlmRequest, **options: Any) -> list[Any]:
    """Return the choice of a tool that each request of a run makes."""
    with serve(in_turn(calling(host, ("c", "add", {"a": 1})), host.reply("2"))) as server:
        run_blocking(host, server, request, **options)
        return [sent.json().get("tool_choice") for sent in server.requests]


def test_a_choice_that_demands_a_call_holds_for_the_first_answer() -> None:
    named = {"type": "function", "function": {"name": "add"}}
    assert choices(OPENAI, LlmRequest("", "hi", [add], "required")) == ["required", "auto"]
    assert choices(OPENAI, LlmRequest("", "hi", [add], add)) == [named, "auto"]
    assert choices(OPENAI, LlmRequest("", "hi", [add], "auto")) == ["auto", "auto"]
    assert choices(OPENAI, LlmRequest("", "hi", [add])) == [None, None]


def test_nothing_is_sent_before_the_run_is_asked_and_each_item_comes_when_it_is_made() -> None:
    ran: list[int] = []

    def note(a: int) -> int:
        ran.append(a)
        return a

    replies = in_turn(calling(OPENAI, ("c", "note", {"a": 4}), text="Wait."), OPENAI.reply("4"))
    with serve(replies) as server, OPENAI.client(server) as client:
        run = run_tools(client, LlmRequest(contents="hi", tools=[note]))
        assert len(server.requests) == 0
        items = iter(run)
        assert (next(items), len(server.requests), ran) == (Message("assistant", "Wait."), 1, [])
        assert (type(next(items)), ran) == (ToolCall, [])
        assert (type(next(items)), ran, len(server.requests)) == (ToolResult, [4], 1)
        assert (next(items), len(server.requests)) == (Message("assistant", "4"), 2)
        assert next(items, None) is None
        assert list(run) == run.items
        assert len(server.requests) == 2


def test_the_whole_is_there_without_iterating() -> None:
    replies = in_turn(calling(OPENAI, ("c", "add", {"a": 4})), OPENAI.reply("5"))
    with serve(replies) as server, OPENAI.client(server) as client:
        run = run_tools(client, LlmRequest(contents="hi", tools=[add]), temperature=0.5)
        assert run.response.text == "5"
        assert [sent.json()["temperature"] for sent in server.requests] == [0.5, 0.5]
    assert run.request.contents == [Message("user", "hi"), *run.items]


class Scripted:
    """A client that answers from a list, and keeps what it was asked."""

    def __init__(self, *responses: LlmResponse) -> None:
        self.asked: list[LlmRequest] = []
        self._responses = iter(responses)

    def generate(self, request: LlmRequest, **settings: Any) -> LlmResponse:
        """Return the next answer."""
        self.asked.append(request)
        return next(self._responses)


def calls(*names: str, **more: Any) -> LlmResponse:
    """Return an answer that calls tools."""
    items: list[Any] = [ToolCall(f"c{number}", name, {"a": number}) for number, name in enumerate(names)]
    return LlmResponse(items, finish_reason="tool_calls", **more)


SAYS = LlmResponse([Message("assistant", "done")], usage=Usage(10, 1), finish_reason="stop")
REQUEST = LlmRequest(contents="hi", tools=[add, broken])


def test_the_usage_is_the_sum_of_all_answers() -> None:
    client = Scripted(calls("add", usage=Usage(5, 2, reasoning_tokens=1)), calls("add"), SAYS)
    assert run_tools(client, REQUEST).usage == Usage(15, 3, reasoning_tokens=1)


def test_it_ends_after_the_most_steps_with_every_call_answered() -> None:
    client = Scripted(calls("add"), calls("add"))
    run = run_tools(client, REQUEST, max_steps=2)
    assert (run.exhausted, len(run.steps), run.response) == (True, 2, run.steps[-1].response)
    assert [type(item) for item in run.items] == [ToolCall, ToolResult] * 2
    assert [len(request.contents) for request in client.asked] == [1, 3]


def test_an_end_at_the_last_step_is_no_exhaustion() -> None:
    assert run_tools(Scripted(calls("add"), SAYS), REQUEST, max_steps=2).exhausted is False


def test_a_failed_call_of_the_api_ends_the_run_and_is_a_value() -> None:
    error = LlmError("no", "server")
    run = run_tools(Scripted(calls("add"), LlmResponse(error=error)), REQUEST)
    assert (run.response.error, run.exhausted, len(run.items)) == (error, False, 2)


def test_calls_of_a_broken_answer_are_answered_and_not_executed() -> None:
    """B089."""
    error = LlmError("cut", "stream_interrupted")
    run = run_tools(Scripted(calls("add", error=error)), REQUEST)
    [_, result] = run.items
    assert result == ToolResult("c0", "add", "error", ["Not executed: the answer is not whole."])
    assert run.steps == [Step(run.response, [result])]


def test_a_call_that_gemini_rejects_is_not_executed() -> None:
    """B089."""
    ran: list[int] = []

    def note(a: int) -> None:
        ran.append(a)

    wire = answer(GEMINI.name, None, [("c", "note", {"a": 1})])
    wire["candidates"][0]["finishReason"] = "MALFORMED_FUNCTION_CALL"
    with serve(Reply.of_json(wire)) as server, GEMINI.client(server) as client:
        run = run_tools(client, LlmRequest(contents="hi", tools=[note]))
        assert run.response.error is not None
    assert (run.response.error.kind, run.items, ran) == ("malformed_response", [], [])


def test_a_provider_that_pauses_is_asked_to_go_on() -> None:
    paused = LlmResponse([Message("assistant", "searching")], finish_reason="pause")
    client = Scripted(paused, SAYS)
    run = run_tools(client, REQUEST)
    assert [item.text for item in run.items if isinstance(item, Message)] == ["searching", "done"]
    assert client.asked[1].contents == [Message("user", "hi"), Message("assistant", "searching")]


def test_a_provider_that_pauses_for_ever_ends_at_the_most_steps() -> None:
    paused = LlmResponse([Message("assistant", "searching")], finish_reason="pause")
    assert run_tools(Scripted(paused, paused), REQUEST, max_steps=2).exhausted is True


def test_a_call_that_is_the_output_is_not_run() -> None:
    final = calls("final_answer", output={"a": 0})
    run = run_tools(Scripted(final), REQUEST)
    assert (run.items, run.response.output) == (final.content, {"a": 0})


def test_options_of_running_reach_the_tools() -> None:
    @tool
    def find(a: int, db: Annotated[list[int], Injected]) -> int:
        return db[a]

    request = LlmRequest(contents="hi", tools=[find, broken])
    run = run_tools(Scripted(calls("find", "broken"), SAYS), request, inject={"db": [7]}, errors="hidden")
    assert [result.content for result in run.steps[0].results] == [[7], ["The tool failed."]]


def test_an_interrupt_leaves_the_run_where_it_was() -> None:
    moods = iter([KeyboardInterrupt(), None])

    def moody(a: int) -> str:
        mood = next(moods)
        if mood:
            raise mood
        return "fine"

    run = run_tools(Scripted(calls("moody"), SAYS), LlmRequest(contents="hi", tools=[moody]))
    with pytest.raises(KeyboardInterrupt):
        list(run)
    assert [result.content for result in run.steps[0].results] == [["fine"]]


@tool
def needy(db: Annotated[Any, Injected]) -> None:
    """Need."""


@pytest.mark.parametrize(
    ("request_", "options", "error", "words"),
    [
        ("hi", {}, TypeError, "run_tools: expected an LlmRequest, got 'hi' (str)"),
        (REQUEST, {"max_steps": 0}, ValueError, "run_tools.max_steps: expected a number from 1, got 0 (int)"),
        (REQUEST, {"timeout": -1}, ValueError, "timeout: expected more than 0 seconds, got -1"),
        (LlmRequest(tools=[needy]), {}, TypeError, "the tool 'needy' needs inject= with a value for 'db'"),
    ],
    ids=["request", "steps", "timeout", "inject"],
)
def test_a_mistake_of_the_caller_is_raised_at_once(
    request_: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    for made in (lambda: run_tools(Scripted(), request_, **options), lambda: _awaiting(request_, options)):
        with pytest.raises(error) as caught:
            made()
        assert str(caught.value) == words


def _awaiting(request: Any, options: dict[str, Any]) -> Any:
    return aio.run_tools(aio.LlmClient(ANTHROPIC.model, api_key="k"), request, **options)


def test_an_unknown_setting_is_raised_with_the_nearest() -> None:
    with pytest.raises(TypeError, match=r"unknown setting 'max_step' = 3 .*did you mean 'max_steps'"):
        run_tools(Scripted(), REQUEST, max_step=3)


def test_a_run_for_asyncio_has_its_response_at_the_end_only() -> None:
    def reply(request: Request) -> Reply:
        return OPENAI.reply("hi")

    async def ask() -> tuple[str, Usage]:
        async with aio.LlmClient(OPENAI.model, **OPENAI.options(server)) as client:
            run = aio.run_tools(client, REQUEST)
            with pytest.raises(RuntimeError, match=r"await run\.collect\(\)"):
                run.response  # noqa: B018  # that it cannot be read is the point
            response = await run.collect()
            return response.text, run.usage

    with serve(reply) as server:
        assert asyncio.run(ask()) == ("hi", Usage(12, 7))
