"""Every public object goes through a pickle, a copy and a deep copy, and compares equal after; what cannot, says so."""

import copy
import inspect
import multiprocessing
import pickle
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

import triptych
from triptych import (
    Attempt,
    Audio,
    BaseTool,
    ClientContext,
    CompressionFiller,
    Deleted,
    Document,
    ErrorItem,
    Event,
    ExecutionContext,
    FetchError,
    Image,
    Issuer,
    ItemDone,
    Limits,
    LlmClient,
    LlmError,
    LlmRequest,
    LlmResponse,
    LlmStream,
    Message,
    Notice,
    Opaque,
    OutputSchema,
    Provider,
    ProviderError,
    ProviderEvent,
    ProviderTool,
    Quirks,
    Reasoning,
    ReasoningDelta,
    Refusal,
    RefusalDelta,
    Retries,
    Secret,
    Settings,
    Store,
    StoreError,
    Text,
    TextDelta,
    Thread,
    Timeout,
    ToolCall,
    ToolCallDelta,
    ToolResult,
    Turn,
    Usage,
    Video,
    aio,
    tool,
)
from triptych.replay import CassetteError, ReplayMiss, Tape

CASSETTE = Path("cassettes/openai_chat/chat.yaml")


@frozen
class City:
    """A city, as an output type."""

    name: str


@tool
def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return city


def told(_: Attempt) -> None:
    """Hear of a try."""


ITEMS: list[Any] = [
    Message("user", [Text("q"), Image(b"\x89PNG\r\n\x1a\n"), Audio(b"RIFF0000WAVE"), Video("https://h/v")]),
    Reasoning(text="hm", signature="s", issuer=Issuer("anthropic_messages", "anthropic")),
    ToolCall("c1", "get_weather", {"city": "Oslo", "deep": {"list": [1, None, "x"]}}),
    ToolResult("c1", "get_weather", "success", ["4 degrees", {"t": 4}, Document(b"%PDF-1.7")]),
    Refusal("no"),
    ErrorItem("cut", "cancelled"),
    Opaque({"type": "web_search"}, issuer=Issuer("openai_responses", "openai")),
]
ERROR = LlmError(
    "slow down",
    "rate_limit",
    status=429,
    code="c",
    request_id="r",
    retry_after=7.0,
    attempts=3,
    body="b",
    partial=ITEMS,
)
RESPONSE = LlmResponse(
    content=ITEMS,
    error=ERROR,
    usage=Usage(3, 4, 1, 1, 2, raw={"prompt_tokens": 3}, attempts=3),
    finish_reason="error",
    raw_finish_reason="x",
    model="m",
    id="i",
    provider="openai",
    notices=(Notice("seed", "left out", "not taken"),),
    output=City("Oslo"),
    raw={"id": "i"},
)
# An object of each public class; those in place of which there is an exception are in `REFUSED`.
MADE: dict[type, Callable[[], Any]] = {
    Attempt: lambda: Attempt(1, ERROR, 0.5, 7.0),
    Audio: lambda: Audio(b"RIFF0000WAVE"),
    BaseTool: lambda: BaseTool("f", "does", {"type": "object"}),
    ClientContext: lambda: ClientContext({"page": "/x"}),
    CompressionFiller: lambda: CompressionFiller("user"),
    Deleted: Deleted,
    Document: lambda: Document(b"%PDF-1.7", name="d"),
    ErrorItem: lambda: ITEMS[5],
    Event: lambda: Event("user", ITEMS[:1]),
    ExecutionContext: ExecutionContext,
    type(get_weather): lambda: get_weather,
    FetchError: lambda: FetchError("https://h/i.png?k=1", "it is empty"),
    Image: lambda: Image("https://h/i.png"),
    Issuer: lambda: Issuer("openai_chat", "openai"),
    ItemDone: lambda: ItemDone(ITEMS[0]),
    Limits: lambda: Limits(items=3),
    LlmClient: lambda: LlmClient(
        "openai/gpt-5-mini",
        base_url="https://h/v1",
        api_key="sk-planted",
        timeout=Timeout(total=5),
        retries=Retries(3, longest_wait=9),
        on_attempt=told,
        limits=Limits(depth=9),
        cassette=CASSETTE,
        headers={"X-Team": "blue", "X-Api-Key": "sk-planted"},
        verify="/a/bundle",
        temperature=0.5,
    ),
    aio.LlmClient: lambda: aio.LlmClient("openai/gpt-5-mini", api_key="sk-planted", temperature=0.5),
    LlmError: lambda: ERROR,
    LlmRequest: lambda: LlmRequest(
        instructions=["be kind"], contents=ITEMS[:4], tools=[get_weather], tool_choice="auto", output_type=City
    ),
    LlmResponse: lambda: RESPONSE,
    Message: lambda: ITEMS[0],
    Notice: lambda: Notice("seed", "left out", "not taken"),
    Opaque: lambda: ITEMS[6],
    OutputSchema: lambda: OutputSchema.of(City),
    Provider: lambda: Provider(name="h", base_url="http://h", headers={"X-Team": "blue"}),
    ProviderError: lambda: ProviderError("no such provider"),
    ProviderEvent: lambda: ProviderEvent({"type": "ping"}),
    ProviderTool: lambda: ProviderTool({"type": "web_search"}),
    Quirks: lambda: Quirks(seed_field="random_seed"),
    Reasoning: lambda: ITEMS[1],
    ReasoningDelta: lambda: ReasoningDelta("hm"),
    Refusal: lambda: ITEMS[4],
    RefusalDelta: lambda: RefusalDelta("no"),
    Retries: lambda: Retries(5),
    Settings: lambda: Settings(temperature=0.5, stop=["x"]),
    StoreError: lambda: StoreError("a.sqlite", "it is damaged"),
    Text: lambda: Text("q"),
    TextDelta: lambda: TextDelta("q"),
    Thread: lambda: Thread.of(ITEMS),
    Timeout: lambda: Timeout(total=3),
    ToolCall: lambda: ITEMS[2],
    ToolCallDelta: lambda: ToolCallDelta("c1", "f", "{}", 0),
    ToolResult: lambda: ITEMS[3],
    Turn: lambda: Thread.of(ITEMS).turns[0],
    Usage: lambda: Usage(3, 4),
    Video: lambda: Video("https://h/v"),
    Tape: lambda: Tape(CASSETTE),
    CassetteError: lambda: CassetteError("a.yaml", "it is not valid YAML", 3),
}
# What is no value: open connections and files, work under way, and the secret itself.
NO_VALUES = {LlmStream, Store, Secret, triptych.ToolRun}
CLASSES = {
    value
    for name in triptych.__all__
    if inspect.isclass(value := getattr(triptych, name)) and value.__module__.startswith("triptych")
}
WAYS: dict[str, Callable[[Any], Any]] = {
    **{f"pickle-{n}": lambda value, n=n: pickle.loads(pickle.dumps(value, n)) for n in range(2, 6)},  # type: ignore[misc]  # of a default
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


def test_every_public_class_is_here() -> None:
    assert CLASSES - NO_VALUES - set(MADE) - {triptych.Injected} == set()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("kind", MADE, ids=lambda kind: f"{kind.__module__}.{kind.__name__}")
def test_a_public_object_is_equal_after(kind: Any, way: Callable[[Any], Any]) -> None:
    value: Any = MADE[kind]()
    back: Any = way(value)
    assert type(back) is type(value) is kind
    if isinstance(value, Exception) and not isinstance(value, LlmError):
        assert (back.args, str(back), vars(back)) == (value.args, str(value), vars(value))
    elif kind is Tape:
        assert repr(back) == repr(value)
    else:
        assert back == value
        assert repr(back) == repr(value)


def test_what_is_not_compared_is_not_lost_either() -> None:
    back = pickle.loads(pickle.dumps(RESPONSE))
    assert (back.raw, back.usage.raw, back.usage.attempts) == ({"id": "i"}, {"prompt_tokens": 3}, 3)
    assert back.error.partial == tuple(ITEMS)


@pytest.mark.parametrize("kind", [LlmClient, aio.LlmClient])
def test_clients_are_equal_when_they_ask_alike(kind: Any) -> None:
    made = kind("openai/gpt-5-mini", api_key="one", temperature=0)
    same = kind("openai/gpt-5-mini", api_key="two", temperature=0)
    assert made == same
    assert hash(made) == hash(same)
    for other in (
        kind("openai/gpt-5", temperature=0),
        kind("openai/gpt-5-mini", temperature=1),
        kind("openai/gpt-5-mini", temperature=0, base_url="https://h"),
        kind("openai/gpt-5-mini", temperature=0, retries=0),
        kind("openai/gpt-5-mini", temperature=0, timeout=1),
        kind("openai/gpt-5-mini", temperature=0, limits=Limits(items=1)),
        kind("openai/gpt-5-mini", temperature=0, headers={"X-Team": "red"}),
        kind("openai/gpt-5-mini", temperature=0, proxy=""),
        kind("openai/gpt-5-mini", temperature=0, cassette=CASSETTE),
        kind("openai/gpt-5-mini", temperature=0, strict=True),
        (aio.LlmClient if kind is LlmClient else LlmClient)("openai/gpt-5-mini", temperature=0),
        "openai/gpt-5-mini",
    ):
        assert made != other


def test_a_secret_and_a_stream_say_that_they_cannot_be_pickled() -> None:
    with LlmClient("openai/gpt-5-mini", api_key="k") as client:
        stream = client.stream(LlmRequest(contents="q"))
        for value in (Secret("sk-planted"), stream):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(value)
        stream.close()


def test_a_store_comes_out_of_a_pickle_with_the_same_file(tmp_path: Path) -> None:
    with Store(tmp_path / "s.sqlite") as store:
        store.append("t", ITEMS)
        with pickle.loads(pickle.dumps(store)) as back:
            assert back.items("t") == ITEMS


def test_an_error_is_the_same_in_another_process() -> None:
    """B192."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(copy.copy, RESPONSE).result(timeout=60) == RESPONSE
        with pytest.raises(LlmError) as raised:
            pool.submit(RESPONSE.raise_for_error).result(timeout=60)
    assert raised.value == ERROR


def test_a_miss_is_told_the_same_after_a_pickle() -> None:
    miss = ReplayMiss("no recording")
    assert str(pickle.loads(pickle.dumps(miss))) == str(miss)
