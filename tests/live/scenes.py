"""The scenes: short conversations with a real model, and what must hold of them whoever plays the model.

A scene is written once. The same one is recorded from a server, replayed offline by the blocking and by the async
client, and played live; so its steps are a generator that asks and is told, and knows of no client.
"""

import json
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any

from attrs import asdict, field, frozen

from triptych import LlmRequest, LlmResponse, Message

OPENAI_CHAT = "openai_chat"
ANTHROPIC_MESSAGES = "anthropic_messages"

ASSISTANT = "You are a helpful assistant."
# Some 1,100 tokens: just over what the local engine takes.
TOO_LONG = "word " * 1100

CITY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "country": {"type": "string"}},
    "required": ["city", "country"],
    "additionalProperties": False,
}


@frozen
class Ask:
    """One call of a scene: the request, the settings of this call, and a key when it is not to be the right one."""

    request: LlmRequest
    settings: Mapping[str, Any] = field(factory=dict)
    api_key: str | None = field(default=None, repr=False)


Steps = Generator[Ask, LlmResponse, None]
Player = Callable[[Ask], LlmResponse]
AsyncPlayer = Callable[[Ask], Awaitable[LlmResponse]]


@frozen
class Scene:
    """A named conversation.

    Attributes:
        name: the stem of its cassette.
        steps: starts the conversation: yields what to ask and is sent the answer.
        check: raises AssertionError when the answers are not what they must be.
        formats: the wire formats that can play it.
        engine_only: True when it leans on a limit of the local engine and is not played to a provider.
    """

    name: str
    steps: Callable[[], Steps]
    check: Callable[[list[LlmResponse]], None]
    formats: tuple[str, ...] = (OPENAI_CHAT, ANTHROPIC_MESSAGES)
    engine_only: bool = False


def play(scene: Scene, player: Player) -> list[LlmResponse]:
    """Play a scene to its end and return the answers in order."""
    steps, responses = scene.steps(), []
    ask = next(steps, None)
    while ask is not None:
        responses.append(player(ask))
        ask = _next_ask(steps, responses[-1])
    return responses


async def play_async(scene: Scene, player: AsyncPlayer) -> list[LlmResponse]:
    """Play a scene to its end through an async client and return the answers in order."""
    steps, responses = scene.steps(), []
    ask = next(steps, None)
    while ask is not None:
        responses.append(await player(ask))
        ask = _next_ask(steps, responses[-1])
    return responses


def values(responses: list[LlmResponse]) -> list[dict[str, Any]]:
    """Return answers as plain data that compares by value, errors included: those are exceptions."""
    return [asdict(response) for response in responses]


def _next_ask(steps: Steps, response: LlmResponse) -> Ask | None:
    """Tell a scene the answer; return what it asks next, or None when it is over."""
    try:
        return steps.send(response)
    except StopIteration:
        return None


def _user(text: str) -> Message:
    return Message(role="user", content=text)


def _chat() -> Steps:
    yield Ask(LlmRequest(instructions=[ASSISTANT], contents=[_user("What is 2 + 2?")]))


def _check_chat(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert "4" in response.text
    assert response.finish_reason == "stop"


def _multi_turn() -> Steps:
    first = _user("What is the capital of France?")
    answer = yield Ask(LlmRequest(instructions=[ASSISTANT], contents=[first]))
    # What came back goes back as it is: the answer's items are the history's items.
    contents = [first, *answer.content, _user("And of Italy?")]
    yield Ask(LlmRequest(instructions=[ASSISTANT], contents=contents))


def _check_multi_turn(responses: list[LlmResponse]) -> None:
    first, second = responses
    for response, city in ((first, "Paris"), (second, "Rome")):
        _check_answer(response)
        assert city in response.text
        assert response.finish_reason == "stop"
    assert first.usage is not None
    assert second.usage is not None
    # Everything the model read counts, whatever part of it came from a cache.
    assert second.usage.input_tokens > first.usage.input_tokens


def _system_text() -> Steps:
    instructions = ["You are Bob, a baker.", "You bake bread in Lyon."]
    request = LlmRequest(instructions=instructions, contents=[_user("Who are you?")])
    yield Ask(request, {"max_tokens": 60})


def _check_system_text(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    # Each of the two instructions has reached the model.
    assert "baker" in response.text
    assert "Lyon" in response.text


def _json_schema() -> Steps:
    # The engine holds the model to the schema on the OpenAI format and takes no notice of it on Anthropic's. Asking for
    # the shape in words, and stopping at the fence that a small model closes with, has it answered in JSON on both.
    example = '{"city": "...", "country": "..."}'
    request = LlmRequest(
        contents=[_user(f"Give the capital of France as a JSON object like {example}.")], output_type=CITY_SCHEMA
    )
    yield Ask(request, {"max_tokens": 60, "stop": ["```"]})


def _check_json_schema(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    answer = json.loads(response.text)
    assert sorted(answer) == ["city", "country"]
    assert answer["city"] == "Paris"
    assert answer["country"].title() == "France"


def _max_tokens() -> Steps:
    request = LlmRequest(instructions=[ASSISTANT], contents=[_user("Tell me about the sea.")])
    yield Ask(request, {"max_tokens": 5})


def _check_max_tokens(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert response.finish_reason == "length"
    assert response.usage is not None
    assert response.usage.output_tokens == 5


def _stop_sequence() -> Steps:
    yield Ask(LlmRequest(contents=[_user("Count from 1 to 10.")]), {"stop": ["5"], "max_tokens": 60})


def _check_stop_sequence(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert "4" in response.text
    assert "5" not in response.text
    assert response.finish_reason == "stop"


def _logprobs() -> Steps:
    request = LlmRequest(instructions=[ASSISTANT], contents=[_user("What is 2 + 2?")])
    yield Ask(request, {"logprobs": True, "top_logprobs": 2, "max_tokens": 3})


def _check_logprobs(responses: list[LlmResponse]) -> None:
    (response,) = responses
    _check_answer(response)
    assert response.raw is not None
    assert response.usage is not None
    tokens = response.raw["choices"][0]["logprobs"]["content"]
    assert "".join(token["token"] for token in tokens) == response.text
    assert [len(token["top_logprobs"]) for token in tokens] == [2] * response.usage.output_tokens


def _error_400() -> Steps:
    # A field of the wrong type is refused by every server; only extra_body lets one through.
    yield Ask(LlmRequest(contents=[_user("What is 2 + 2?")]), {"max_tokens": 5, "extra_body": {"top_p": "high"}})


def _check_error_400(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="invalid_request", status=400)


def _context_length() -> Steps:
    yield Ask(LlmRequest(contents=[_user(TOO_LONG)]), {"max_tokens": 5})


def _check_context_length(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="context_length", status=400)


def _error_401() -> Steps:
    yield Ask(LlmRequest(contents=[_user("What is 2 + 2?")]), {"max_tokens": 5}, api_key="not-the-key")


def _check_error_401(responses: list[LlmResponse]) -> None:
    _check_failure(responses, kind="authentication", status=401)


def _check_answer(response: LlmResponse) -> None:
    """Check what holds of every answer: no failure, one assistant message of some text, counted tokens."""
    assert response.error is None, response.error_message
    assert [(type(item), getattr(item, "role", None)) for item in response.content] == [(Message, "assistant")]
    assert response.text
    assert response.usage is not None
    assert response.usage.input_tokens > 0
    assert response.usage.output_tokens > 0


def _check_failure(responses: list[LlmResponse], *, kind: str, status: int) -> None:
    """Check that the only answer is a failure of the given kind, that says something, and was not tried again."""
    (response,) = responses
    assert response.error is not None, response.text
    assert (response.error.kind, response.error.status) == (kind, status)
    assert response.error.attempts == 1
    assert not response.error.retryable
    assert response.error_message
    assert response.content == []


SCENES: tuple[Scene, ...] = (
    Scene("chat", _chat, _check_chat),
    Scene("multi_turn", _multi_turn, _check_multi_turn),
    Scene("system_text", _system_text, _check_system_text),
    Scene("json_schema", _json_schema, _check_json_schema),
    Scene("max_tokens", _max_tokens, _check_max_tokens),
    Scene("stop_sequence", _stop_sequence, _check_stop_sequence),
    Scene("logprobs", _logprobs, _check_logprobs, formats=(OPENAI_CHAT,)),
    Scene("error_400", _error_400, _check_error_400),
    Scene("context_length", _context_length, _check_context_length, engine_only=True),
    Scene("error_401", _error_401, _check_error_401),
)
