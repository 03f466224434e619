"""What is right and wrong about the outcome of a question."""

from collections.abc import Collection, Iterator, Mapping

from attrs import field, frozen

from tests.soak.fates import Plan, Told
from tests.soak.ledger import EACH_ONCE, OWN_ANSWERS, STREAM_EVENTS, TRUE_ERRORS, Breach
from tests.soak.questions import MODEL, Answer, Question
from triptych import LlmError, LlmResponse, Message, Usage
from triptych.attempt import Attempt
from triptych.content import ContentItem
from triptych.events import ItemDone, StreamEvent, TextDelta


@frozen
class Outcome:
    """What came of a question.

    Args:
        response: The response.
        events: What the stream yielded.
        left: Whether the stream was left before its end.
        tries: What the client has told of each try.
    """

    response: LlmResponse
    tries: list[Attempt]
    events: list[StreamEvent] = field(factory=list)
    left: bool = False

    @property
    def heard(self) -> str:
        """The words of the stream, as they came."""
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def how(self) -> str:
        """How it ended, in a word."""
        error = self.response.error
        return "answered" if error is None else error.kind


def breaches(question: Question, outcome: Outcome, plan: Plan) -> Iterator[Breach]:
    """Yield what is wrong with an outcome.

    Args:
        question: What was asked.
        outcome: What came of it.
        plan: What was to come of it.
    """
    ending, answer, response = plan.ending(question), Answer.to(question.name), outcome.response
    error = response.error
    told = [(attempt.number, attempt.error and attempt.error.kind) for attempt in outcome.tries]
    if told != list(enumerate(ending.tries, 1)):
        yield Breach(EACH_ONCE, f"{question.name}: the tries are {ending.tries}, they are told as {told}")
    if outcome.left and error is not None and error.kind == "cancelled":
        yield from _left(question, outcome, ending.requests, answer)
        return
    if ending.told is None:
        if response != expected_answer(question):
            yield Breach(OWN_ANSWERS, f"{question.name}: {response}")
    else:
        spoken = "".join(answer.words[: answer.spoken]) if ending.spoken else ""
        due = (ending.told, ending.requests, [Message("assistant", spoken)] if spoken else [])
        if error is None or (_told(error), error.attempts, list(error.partial)) != due or response.content:
            yield Breach(TRUE_ERRORS, f"{question.name}: expected {due}, got {response}")
    if question.streamed:
        yield from _streamed(question, outcome)


def _left(question: Question, outcome: Outcome, requests: int, answer: Answer) -> Iterator[Breach]:
    """Yield what is wrong with a stream that was left in its middle."""
    error = outcome.response.error
    partial = [*outcome.response.content, *(error.partial if error is not None else ())]
    known = partial[0].text if partial and isinstance(partial[0], Message) else ""
    if not (answer.text.startswith(known) and known.startswith(outcome.heard) and outcome.heard):
        yield Breach(OWN_ANSWERS, f"{question.name}, left: heard {outcome.heard!r}, kept {partial}")
    if error is not None and error.attempts != requests:
        yield Breach(EACH_ONCE, f"{question.name}, left: {requests} requests are told as {error.attempts}")


def _streamed(question: Question, outcome: Outcome) -> Iterator[Breach]:
    """Yield where the events of a stream differ from its response."""
    response = outcome.response
    whole: list[ContentItem] = [*response.content, *(response.error.partial if response.error is not None else ())]
    text = "".join(item.text for item in whole if isinstance(item, Message))
    items = [event.item for event in outcome.events if isinstance(event, ItemDone)]
    # Whoever leaves early has not heard all, and not been told of the items.
    agree = text.startswith(outcome.heard) if outcome.left else (outcome.heard, items) == (text, response.content)
    if not agree:
        yield Breach(STREAM_EVENTS, f"{question.name}: {outcome}")


def miscounted(
    asked: Mapping[str, int], all_asked: Iterator[Question], cancelled: Collection[str], plan: Plan
) -> Iterator[Breach]:
    """Yield where the server got more or fewer requests than the calls have told of.

    Args:
        asked: How many requests the server got, by the name of the question.
        all_asked: All questions.
        cancelled: The names of those whose call was cancelled: less may have been sent for them.
        plan: What was to come of them.
    """
    strangers = set(asked)
    for question in all_asked:
        strangers.discard(question.name)
        got, due = asked.get(question.name, 0), plan.ending(question).requests
        if got != due and not (question.name in cancelled and got < due):
            yield Breach(EACH_ONCE, f"{question.name}: the server got {got} requests, {due} were due")
    for name in strangers:
        yield Breach(EACH_ONCE, f"{name!r} was asked by nobody")


def expected_answer(question: Question) -> LlmResponse:
    """Return the response that answers a question."""
    answer = Answer.to(question.name)
    return LlmResponse(
        content=[Message("assistant", answer.text)],
        usage=Usage(answer.input_tokens, answer.output_tokens),
        finish_reason="stop",
        raw_finish_reason="stop",
        model=MODEL,
        id=answer.id,
        provider="openai",
    )


def _told(error: LlmError) -> Told:
    return Told(error.kind, error.status, error.code, error.retryable, error.retry_after)
