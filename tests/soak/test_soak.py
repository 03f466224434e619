"""A small soak, with the same code as the large one; and that what a soak is there to find is found by it."""

import contextlib
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.sockets import open_sockets
from tests.soak.__main__ import main
from tests.soak.crowd import FORMS
from tests.soak.fates import FATES, Plan
from tests.soak.gauges import Gauges, grown, newcomers
from tests.soak.ledger import EACH_ONCE, FLAT, NOTHING_LEFT, OWN_ANSWERS, STREAM_EVENTS, TRUE_ERRORS, Breach, Ledger
from tests.soak.questions import Question, questions
from tests.soak.report import table
from tests.soak.run import Size, Soaked, left_behind, soak
from tests.soak.verdict import Outcome, breaches, expected_answer, miscounted
from triptych import Attempt, LlmError, LlmResponse, Message
from triptych.events import TextDelta

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc, and holds packets back")
every_form = pytest.mark.parametrize("form", FORMS)

FAIR = Plan(seed=7, faults=0.0, cancelled=0.0, left=0.0)
CALL, STREAM = Question("q-1", streamed=False), Question("q-2", streamed=True)


@every_form
def test_a_client_shared_by_many_keeps_every_promise_while_much_goes_wrong(form: str) -> None:
    soaked = soak(form, Size(calls=1500, streams=150, workers=8), Plan(seed=7))
    assert (soaked.ledger.examples, soaked.breaches) == ([], {})
    assert soaked.ledger.endings.total() == 1650


@every_form
def test_a_client_keeps_every_promise_where_hardly_anything_goes_right(form: str) -> None:
    soaked = soak(form, Size(calls=100, streams=100, workers=16), Plan(seed=7, faults=0.9, cancelled=0.1, left=0.2))
    found = [breach for breach in soaked.ledger.examples if breach.promise != FLAT]  # too few to become flat
    assert (found, soaked.ledger.endings.total()) == ([], 200)


def test_the_plan_has_every_fate_meet_calls_and_streams() -> None:
    plan = Plan(seed=7)
    met = {
        (plan.fate(question.name, attempt).name, question.streamed)
        for question in questions("sync", 60_000, 6_000)
        for attempt in range(1, plan.ending(question).requests + 1)
    }
    assert met == {(name, streamed) for name in ["answered", *(f.name for f in FATES)] for streamed in (False, True)}


def test_a_server_that_does_other_than_planned_is_found_out() -> None:
    soaked = soak("sync", Size(calls=150, streams=50, workers=8), FAIR, played=Plan(seed=7, faults=0.3))
    assert set(soaked.breaches) == {OWN_ANSWERS, EACH_ONCE}


def told(number: int = 1, error: LlmError | None = None) -> Attempt:
    """Return what a client tells of one try."""
    return Attempt(number, error, 0.1, None)


_OVER = LlmError("too much", "overloaded", attempts=1)
_DONE = Outcome(expected_answer(CALL), [told()])


@pytest.mark.parametrize(
    ("question", "outcome", "promises"),
    [
        (CALL, _DONE, []),
        (CALL, Outcome(expected_answer(STREAM), [told()]), [OWN_ANSWERS]),
        (CALL, Outcome(LlmResponse(error=_OVER), [told(error=_OVER)]), [EACH_ONCE, OWN_ANSWERS]),
        (CALL, Outcome(expected_answer(CALL), []), [EACH_ONCE]),
        (CALL, Outcome(expected_answer(CALL), [told(), told(2)]), [EACH_ONCE]),
        (STREAM, Outcome(expected_answer(STREAM), [told()], [TextDelta("q-1:0 ")]), [STREAM_EVENTS]),
    ],
    ids=["right", "another's answer", "unforeseen error", "untold try", "a try too many", "another's words"],
)
def test_what_is_wrong_with_an_outcome_is_named(question: Question, outcome: Outcome, promises: list[str]) -> None:
    assert [breach.promise for breach in breaches(question, outcome, FAIR)] == promises


def test_an_error_that_is_told_as_another_is_named() -> None:
    plan = next(
        plan for plan in (Plan(seed, 1.0, retries=0) for seed in range(99)) if plan.fate("q-1", 1).name == "busy"
    )
    true = LlmError("slow down", "rate_limit", 429, "rate_limit_exceeded", retry_after=0.001, attempts=1)
    found = []
    for error in (true, true.evolve(status=430), true.evolve(attempts=2), true.evolve(partial=[Message("user", "x")])):
        outcome = Outcome(LlmResponse(error=error), [told(error=true)])
        found.append([breach.promise for breach in breaches(CALL, outcome, plan)])
    assert found == [[], [TRUE_ERRORS], [TRUE_ERRORS], [TRUE_ERRORS]]


def test_requests_too_many_too_few_and_of_nobody_are_named() -> None:
    asked = {"q-0": 1, "q-1": 2, "q-3": 1, "x": 1}
    names = ("q-0", "q-1", "q-2", "q-3", "q-4")
    found = miscounted(asked, (Question(name, False) for name in names), {"q-4"}, FAIR)
    assert list(found) == [
        Breach(EACH_ONCE, "q-1: the server got 2 requests, 1 were due"),
        Breach(EACH_ONCE, "q-2: the server got 0 requests, 1 were due"),
        Breach(EACH_ONCE, "'x' was asked by nobody"),
    ]


def _open_socket(stack: contextlib.ExitStack) -> None:
    stack.enter_context(socket.socket())


def _start_thread(stack: contextlib.ExitStack) -> None:
    over = threading.Event()
    thread = threading.Thread(target=over.wait, name="left")
    thread.start()
    stack.callback(thread.join)
    stack.callback(over.set)


def _keep_memory(stack: contextlib.ExitStack) -> None:
    stack.callback(id, b"x" * (1 << 20))


def _keep_objects(stack: contextlib.ExitStack) -> None:
    stack.callback(id, [[] for _ in range(100)])


_LEAKS: dict[str, Callable[[contextlib.ExitStack], Any]] = {
    "sockets": _open_socket,
    "threads": _start_thread,
    "memory": _keep_memory,
    "objects": _keep_objects,
}


@pytest.mark.parametrize("figure", _LEAKS)
def test_what_grows_after_the_warm_up_is_named(figure: str) -> None:
    gauges = Gauges(60)
    with contextlib.ExitStack() as stack, newcomers():
        for _ in range(60):
            _LEAKS[figure](stack)
            gauges.step()
    found = {(breach.promise, breach.words.split(":")[0]) for breach in grown(gauges.trends())}
    assert (FLAT, figure) in found  # a thread is made of objects, too


def test_a_socket_that_is_left_open_is_named() -> None:
    before, threads = open_sockets(), set(threading.enumerate())
    with socket.socket():
        assert list(left_behind(before, threads)) == [Breach(NOTHING_LEFT, "1 sockets")]


def test_the_report_has_a_column_a_form_and_every_breach() -> None:
    ledger = Ledger()
    ledger.ended("answered", [Breach(OWN_ANSWERS, "q-1: what it said")])
    lines = table({"sync": Soaked(2.0, 3, ledger, []), "async": Soaked(1.0, 1, Ledger(), [])}).splitlines()
    assert [" ".join(line.split()) for line in lines] == [
        "sync async",
        "questions 1 0",
        "requests 3 1",
        "seconds 2.0 1.0",
        "questions a second 0 0",
        "ended: answered 1 0",
        "every answer belongs to its question BROKEN 1 times kept",
        "every failure is told as what it was kept kept",
        "the events of a stream are what its response holds kept kept",
        "no failure is raised kept kept",
        "no call is lost or doubled, and every try is told kept kept",
        "sockets, threads, memory and objects are flat after the warm-up kept kept",
        "a closed client leaves no socket and no thread kept kept",
        "",
        "sync: broken: every answer belongs to its question",
        "q-1: what it said",
    ]


def test_the_command_prints_the_table_and_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--calls", "120", "--streams", "12", "--threads", "4", "--form", "sync"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert (printed[0].split(), printed[1].split()) == (["sync"], ["questions", "132"])
