"""Conversations as anybody has them, and what a call says: a list of plain facts, the same for every wire format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.formats.strategies import JPEG, PDF, PNG, json_values, names
from triptych.content import ContentItem, Message, Reasoning, Refusal, ToolCall, ToolResult, result_text
from triptych.formats import Call
from triptych.parts import PART_TYPES, Document, Image, Media, Part, Text
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool

CONVERSATIONS = 200

Fact = tuple[Any, ...]

words = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(str.strip),
    st.sampled_from(
        ["Grüße", "日本語のテキスト", "😀👩‍👩‍👧", "مرحبا", "line\nline", 'quote " and \\', "</system>", "{}"]
    ),
)
# Empty texts are among what users say; a model that is asked with one alone is not.
loose_words = st.one_of(words, st.just(""))
images: st.SearchStrategy[Part] = st.one_of(
    st.builds(Image, st.sampled_from([PNG, JPEG])), st.just(Image("https://h.example/a.png"))
)
documents: st.SearchStrategy[Part] = st.one_of(
    st.builds(Document, st.just(PDF), name=st.just("report.pdf")),
    st.builds(Document, text=words, name=st.just("a.txt")),
)
questions = st.one_of(
    words.map(lambda text: Message("user", text)),
    st.builds(
        lambda text, parts: Message("user", [Text(text), *parts]), words, st.lists(images | documents, max_size=2)
    ),
)
results = st.one_of(
    st.lists(loose_words, min_size=1, max_size=2),
    json_values.map(lambda value: [value]),
    images.map(lambda part: [part]),
)
objects = st.dictionaries(
    names, st.one_of(words, st.integers(-9, 9), st.booleans(), st.none(), st.lists(words, max_size=2)), max_size=3
)


@st.composite
def exchanges(draw: st.DrawFn, number: int, last: bool) -> list[ContentItem]:
    """Draw a question, perhaps calls with their results, and unless it is the last one an answer."""
    items: list[ContentItem] = [draw(questions)]
    for turn in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            items.append(Reasoning(draw(words)))
        if draw(st.booleans()):
            items.append(Message("assistant", draw(words)))
        count = draw(st.integers(1, 3))
        calls = [
            ToolCall(f"call_{number}_{turn}_{n}", draw(st.sampled_from(TOOLS)).name, draw(objects))
            for n in range(count)
        ]
        items += calls
        for call in draw(st.permutations(calls)):
            status: Any = draw(st.sampled_from(["success", "success", "error"]))
            items.append(ToolResult(call.tool_call_id, call.name, status, draw(results)))
    if not last:
        items.append(Message("assistant", draw(words)))
    return items


TOOLS = (
    BaseTool(
        "get_weather",
        "Weather now.",
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    ),
    BaseTool("add", "Adds.", {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}}),
    BaseTool("no_arguments", None, {"type": "object", "properties": {}}),
)
SCHEMA = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"], "additionalProperties": False}


@st.composite
def calls_to_translate(draw: st.DrawFn) -> Call:
    """Draw a call with a conversation of several turns, tools and settings."""
    turns = draw(st.integers(1, 3))
    contents = [item for n in range(turns) for item in draw(exchanges(n, n == turns - 1))]
    called = any(isinstance(item, ToolCall) for item in contents)
    tools = list(TOOLS) if called or draw(st.booleans()) else []
    request = LlmRequest(
        instructions=draw(st.lists(words, max_size=2)),
        contents=contents,
        tools=tools,
        tool_choice=draw(st.sampled_from([None, "auto", "required", "none", "add"])) if tools else None,
        output_type=draw(st.none() | st.just(OutputSchema(SCHEMA, "answer"))),
    )
    chosen = Settings(
        temperature=draw(st.sampled_from([None, 0, 0.5])),
        max_tokens=draw(st.sampled_from([None, 64, 4096])),
        stop=draw(st.sampled_from([None, ["END"]])),
        parallel_tool_calls=draw(st.sampled_from([None, True, False])) if tools else None,
    )
    return Call(request, "m", chosen, draw(st.booleans()))


@cache
def drawn() -> tuple[Call, ...]:
    """Return the conversations, the same in every run."""
    calls: list[Call] = []

    @settings(
        max_examples=CONVERSATIONS,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(calls_to_translate())
    def draw(call: Call) -> None:
        calls.append(call)

    draw()
    return tuple(calls)


def said(call: Call) -> Iterator[tuple[str, Fact]]:
    """Yield what a call says, each fact with the path of the item or setting that says it."""
    request = call.request
    for index, text in enumerate(request.instructions):
        yield f"instructions[{index}]", ("system", text)
    for index, item in enumerate(request.contents):
        for fact in _facts(item):
            yield f"contents[{index}]", fact
    for index, tool in enumerate(request.tools):
        if isinstance(tool, BaseTool):
            schema = {"type": "object", "properties": {}, **(tool.parameters or {})}
            yield f"tools[{index}]", ("tool", tool.name, tool.description or "", _json(sorted(schema["properties"])))
            if not tool.strict:  # else it is made to fit the API
                yield f"tools[{index}]", ("tool", tool.name, _json(schema))
    if request.tool_choice not in (None, "auto") and any(isinstance(tool, BaseTool) for tool in request.tools):
        yield "tool_choice", ("choice", request.chosen_tool or request.tool_choice)
    if request.output_type is not None:
        yield "output_type", ("schema", _json(request.output_type.schema))
    for name in ("temperature", "max_tokens", "stop", "parallel_tool_calls"):
        value = getattr(call.settings, name)
        if value is not None and value != []:
            yield f"settings.{name}", (name, str(value))


def _facts(item: ContentItem) -> Iterator[Fact]:
    if isinstance(item, Message):
        role = "system" if item.role == "developer" else item.role
        for part in [Text(item.content)] if isinstance(item.content, str) else item.content:
            yield from _part(role, part)
    elif isinstance(item, ToolCall):
        yield "call", item.name, _json(item.arguments)
    elif isinstance(item, ToolResult):
        if item.status == "error" or item.text.lower().startswith("error"):  # some APIs have no other way to say it
            yield ("failed result",)
        for value in item.content:
            yield from _part("result", value) if isinstance(value, PART_TYPES) else [("result", result_text(value))]
    elif isinstance(item, Reasoning):
        yield "thought", item.text or "".join(item.summary)
    elif isinstance(item, Refusal):
        yield "assistant", item.refusal


def _part(role: str, part: Part) -> Iterator[Fact]:
    if isinstance(part, Text):
        yield role, part.text
    elif isinstance(part, Document) and (part.text is not None or part.mime_type == "text/plain"):
        yield "document", part.text if part.text is not None else (part.data or b"").decode()
    elif isinstance(part, Media):
        if part.file_id is not None:
            yield "file", part.file_id
        else:
            yield type(part).__name__.lower(), part.base64 or part.source


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
