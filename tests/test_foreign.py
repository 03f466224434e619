"""B164: what comes from outside in the middle of a call, a time limit or a signal, passes unchanged."""

import functools
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.chat_hosts import OPENAI, Ask, ChatHost, all_formats, ask_blocking, ask_streaming, both_ways
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmError, LlmRequest, LlmResponse, Timeout
from triptych.foreign import HookFailure, pass_foreign, pass_interruption

QUESTION = LlmRequest(contents="q")


class OverTime(Exception):
    """The time limit of a task, as task queues raise it."""


class LateTimeout(TimeoutError):
    """The same, of those who derive it from what the network raises."""


@pytest.fixture
def alarm() -> Iterator[Callable[[Any], None]]:
    """Sets the handler of a signal that the main thread gets when `interrupt` says so."""
    before = signal.getsignal(signal.SIGUSR1)

    def handle(handler: Any) -> None:
        signal.signal(signal.SIGUSR1, handler)

    yield handle
    signal.signal(signal.SIGUSR1, before)


def interrupt(reply: Reply | None = None) -> Callable[[Request], Reply]:
    """Return a handler that signals the main thread, and answers so or not at all."""
    main = threading.main_thread().ident or 0

    def answer(_: Request) -> Reply:
        signal.pthread_kill(main, signal.SIGUSR1)
        return reply or Reply(body=b"{}", stall_after=0)

    return answer


class Limit:
    """A time limit as a callable object."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *_: object) -> None:
        raise self.error


def raised_by(error: Exception) -> Callable[..., None]:
    """Return a handler that raises the error through a function of its own."""

    def raise_it(*_: object) -> None:
        raise error

    return lambda *_: raise_it()


HANDLERS: dict[str, Callable[[Exception], Any]] = {
    "function": raised_by,
    "object": Limit,
    "partial": lambda error: functools.partial(raised_by(error)),
    "method": lambda error: Limit(error).__call__,
}
ERRORS = [OverTime("mine"), LateTimeout("mine"), TimeoutError("mine"), OSError("mine"), ValueError("mine")]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only POSIX can signal one thread")
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("ask", [ask_blocking, ask_streaming], ids=["generate", "stream"])
@all_formats
def test_what_a_signal_handler_raises_in_a_wait_passes_at_once(
    host: ChatHost, ask: Ask, error: Exception, alarm: Callable[[Any], None]
) -> None:
    alarm(raised_by(error))
    with serve(interrupt()) as server:
        with pytest.raises(type(error)) as raised:
            ask(host.model, QUESTION, **host.options(server) | {"retries": 5, "timeout": Timeout(idle=20)})
        assert server.wait_until_closed()
        assert len(server.requests) == 1
    assert raised.value is error


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="only POSIX can signal one thread")
@pytest.mark.parametrize("handler", HANDLERS.values(), ids=HANDLERS)
def test_a_handler_of_any_form_is_known(handler: Callable[[Exception], Any], alarm: Callable[[Any], None]) -> None:
    error = TimeoutError("mine")
    alarm(handler(error))
    with serve(interrupt()) as server, OPENAI.client(server, retries=5, timeout=Timeout(idle=20)) as client:
        with pytest.raises(TimeoutError) as raised:
            client.generate(QUESTION)
        assert len(server.requests) == 1
    assert raised.value is error


def test_what_the_network_raises_while_the_caller_handles_an_error_is_a_failure_of_the_call() -> None:
    def ask_again(error: Exception) -> LlmResponse:
        try:
            raise error
        except Exception:
            with OPENAI.client(server, retries=0) as client:
                return client.generate(QUESTION)

    with serve(Reply(hang_up=True)) as server:
        kinds = [ask_again(error).error for error in (OverTime("before"), OSError("before"))]
    assert [error and error.kind for error in kinds] == ["connection", "connection"]


class Recording:
    """A recorder of somebody else's, which fails."""

    offline = False

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.calls = 0

    def send(self, *_: object) -> Any:
        """Fail."""
        self.calls += 1
        raise self.error


@pytest.mark.parametrize("error", [OverTime("mine"), KeyboardInterrupt(), SystemExit(3), GeneratorExit()], ids=repr)
@both_ways
def test_what_is_no_failure_of_the_call_passes_unchanged_on_its_first_occurrence(
    ask: Ask, error: BaseException, waits: list[float]
) -> None:
    if isinstance(error, KeyboardInterrupt | SystemExit) and ask is not ask_blocking:
        pytest.skip("asyncio ends its loop on these by itself")
    transport = Recording(error)
    with pytest.raises(type(error)) as raised:
        ask(OPENAI.model, QUESTION, api_key="k", cassette=transport, retries=5)
    assert (raised.value is error, transport.calls, waits) == (True, 1, [])


def test_an_exception_from_outside_in_a_key_function_is_a_value_unless_a_signal_raised_it(
    alarm: Callable[[Any], None],
) -> None:
    def failing() -> str:
        raise OverTime("the vault is shut")

    def interrupted() -> str:
        signal.raise_signal(signal.SIGUSR1)
        return "k"

    response = LlmClient(OPENAI.model, api_key=failing).generate(QUESTION)
    assert response.error is not None
    assert (response.error.kind, response.error.code) == ("authentication", "token_failed")
    alarm(raised_by(OverTime("mine")))
    with pytest.raises(OverTime, match="mine"):
        LlmClient(OPENAI.model, api_key=interrupted).generate(QUESTION)


def test_an_exception_keeps_its_cause_and_its_traceback() -> None:
    cause = KeyError("why")
    try:
        raise OverTime("mine") from cause
    except OverTime as error:
        with pytest.raises(OverTime) as raised:
            pass_foreign(error)
    assert raised.value.__cause__ is cause
    assert raised.traceback[-1].name == "test_an_exception_keeps_its_cause_and_its_traceback"


def test_failures_of_a_call_and_faults_of_the_library_do_not_pass() -> None:
    for fault in (OSError("net"), ValueError("ours"), LlmError("told", "server"), RecursionError()):
        pass_foreign(fault)
        pass_interruption(fault)
    pass_interruption(OverTime("of the caller's own code"))


def test_what_a_hook_raised_passes_whatever_it_is() -> None:
    fault = ValueError("mine")
    with pytest.raises(ValueError, match="mine") as raised:
        pass_foreign(HookFailure(fault))
    assert raised.value is fault
