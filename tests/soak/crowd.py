"""Those who ask: threads with a blocking client, or tasks with an asyncio client, all of them with the same one."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from attrs import field, frozen

from tests.soak.fates import Plan
from tests.soak.gauges import Gauges
from tests.soak.ledger import NOTHING_RAISED, Breach, Ledger
from tests.soak.questions import Question
from tests.soak.verdict import Outcome, breaches
from triptych import LlmClient, LlmRequest, aio
from triptych.attempt import Attempt
from triptych.events import StreamEvent, TextDelta


@frozen
class Errand:
    """What is to be asked, and where the findings go.

    Args:
        plan: What is to come of it.
        workers: How many ask at once.
        ledger: For what is found.
        gauges: For how far it is.
        cancelled: The names of the questions whose call was cancelled.
    """

    plan: Plan
    workers: int
    ledger: Ledger
    gauges: Gauges
    cancelled: set[str] = field(factory=set)

    def judge(self, question: Question, outcome: Outcome) -> None:
        """Note what came of a question."""
        how = "left" if outcome.left else outcome.how
        self.ledger.ended(how, breaches(question, outcome, self.plan))
        self.gauges.step()

    def blame(self, question: Question, fault: BaseException) -> None:
        """Note that a call has raised."""
        self.ledger.ended("raised", [Breach(NOTHING_RAISED, f"{question.name}: {fault!r}")])
        self.gauges.step()

    def give_up(self, question: Question) -> None:
        """Note that a call was cancelled."""
        self.cancelled.add(question.name)
        self.ledger.ended("cancelled")
        self.gauges.step()


# What the client tells of the tries of the call that is under way here.
_tries: ContextVar[list[Attempt]] = ContextVar("tries")


def note_try(attempt: Attempt) -> None:
    """Note a try of a call, in the thread of that call: for `LlmClient(on_attempt=…)`."""
    _tries.get().append(attempt)


def ask_in_threads(client: LlmClient, errand: Errand, asked: Iterator[Question]) -> None:
    """Ask everything with as many threads as there are workers.

    Args:
        client: Shared by all of them.
        errand: Where the findings go.
        asked: What to ask.
    """
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                question = next(asked, None)
            if question is None:
                return
            try:
                outcome = _ask(client, errand.plan, question)
            except Exception as fault:
                errand.blame(question, fault)
            else:
                errand.judge(question, outcome)

    threads = [threading.Thread(target=work, name=f"soak-{number}") for number in range(errand.workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _ask(client: LlmClient, plan: Plan, question: Question) -> Outcome:
    request, tries = LlmRequest(contents=question.prompt), list[Attempt]()
    _tries.set(tries)
    if not question.streamed:
        return Outcome(client.generate(request), tries)
    events: list[StreamEvent] = []
    left = False
    with client.stream(request) as stream:
        for event in stream:
            events.append(event)
            if left := isinstance(event, TextDelta) and plan.leaves(question):
                break
    return Outcome(stream.response, tries, events, left)


def ask_in_tasks(client: aio.LlmClient, errand: Errand, asked: Iterator[Question]) -> None:
    """Do as `ask_in_threads`, with tasks of one event loop; some calls are cancelled in their middle."""

    async def work() -> None:
        for question in asked:
            task = asyncio.ensure_future(_await(client, errand.plan, question))
            patience = errand.plan.patience(question)
            timer = None if patience is None else asyncio.get_running_loop().call_later(patience, task.cancel)
            await asyncio.wait([task])
            if timer is not None:
                timer.cancel()
            if task.cancelled():
                errand.give_up(question)
            elif (fault := task.exception()) is not None:
                errand.blame(question, fault)
            else:
                errand.judge(question, task.result())

    async def all_of_them() -> None:
        await asyncio.gather(*(work() for _ in range(errand.workers)))

    asyncio.run(all_of_them())


async def _await(client: aio.LlmClient, plan: Plan, question: Question) -> Outcome:
    request, tries = LlmRequest(contents=question.prompt), list[Attempt]()
    _tries.set(tries)
    if not question.streamed:
        return Outcome(await client.generate(request), tries)
    events: list[StreamEvent] = []
    left = False
    async with client.stream(request) as stream:
        async for event in stream:
            events.append(event)
            if left := isinstance(event, TextDelta) and plan.leaves(question):
                break
    return Outcome(stream.response, tries, events, left)


@frozen
class Form:
    """A form of the client.

    Args:
        make: Makes one.
        ask: Asks it everything.
    """

    make: Callable[..., Any]
    ask: Callable[[Any, Errand, Iterator[Question]], None]


FORMS = {"sync": Form(LlmClient, ask_in_threads), "async": Form(aio.LlmClient, ask_in_tasks)}
