"""Conversations of every kind of item, for the properties that a wire format keeps whatever it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from triptych.content import (
    ClientContext,
    CompressionFiller,
    ContentItem,
    Deleted,
    ErrorItem,
    Message,
    Reasoning,
    Refusal,
    ToolCall,
    ToolResult,
)
from triptych.formats import Call
from triptych.parts import Audio, Document, Image, Issuer, Opaque, Part, Text, Video
from triptych.request import LlmRequest, OutputSchema
from triptych.settings import Settings
from triptych.tools import BaseTool, ProviderTool

PROVIDER = "here"
ELSEWHERE = (Issuer("openai_chat", "elsewhere"), Issuer("anthropic_messages", "elsewhere"), Issuer("gemini_generate"))


@frozen
class Private:
    """What a provider of one wire format may have sent of its own.

    Args:
        items: A block and a message of its own, as items of the conversation.
        part: A part of a user's message that has no type here.
        reasoning: Reasoning that it takes back.
        marker: A field of its own on a part.
        tool: A tool of its own.
    """

    items: tuple[Opaque, ...]
    part: Part
    reasoning: tuple[Reasoning, ...]
    marker: Mapping[str, Any]
    tool: ProviderTool


def _openai() -> Private:
    issuer = Issuer("openai_chat", PROVIDER)
    details = {"reasoning": "so", "reasoning_details": [{"type": "reasoning.text", "text": "so", "signature": "seal"}]}
    return Private(
        (
            Opaque({"role": "function", "name": "old", "content": "4"}, issuer=issuer),
            Opaque({"role": "assistant", "content": "kept \n", "annotations": []}, issuer=issuer),
        ),
        Opaque({"type": "image_url", "image_url": {"url": "blob:0"}}, issuer=issuer),
        (
            Reasoning("so", provider_data={"reasoning_content": "so"}, issuer=issuer),
            Reasoning("so", provider_data=details, issuer=issuer),
        ),
        {"cache_control": {"type": "ephemeral"}},
        ProviderTool({"type": "custom", "custom": {"name": "own"}}, issuer),
    )


def _responses() -> Private:
    issuer = Issuer("openai_responses", PROVIDER)
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "q"},
    }
    shown = [{"type": "reasoning_text", "text": "so"}]
    return Private(
        (
            Opaque(search, issuer=issuer),
            Opaque(
                {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed", "content": []},
                issuer=issuer,
            ),
        ),
        Opaque({"type": "input_file", "file_data": "AAAA", "filename": "a"}, issuer=issuer),
        (
            Reasoning(summary=["so"], encrypted="seal", provider_data={"id": "rs_1"}, issuer=issuer),
            Reasoning("so", provider_data={"id": "rs_2", "content": shown, "status": "completed"}, issuer=issuer),
        ),
        {"prompt_cache_breakpoint": {"mode": "explicit"}},
        ProviderTool({"type": "web_search"}, issuer),
    )


def _anthropic() -> Private:
    issuer = Issuer("anthropic_messages", PROVIDER)
    result = {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "w"}]}
    return Private(
        (
            Opaque({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}, issuer=issuer),
            Opaque({"role": "assistant", "content": "kept \n"}, issuer=issuer),
            Opaque({"role": "assistant", "content": [{"type": "text", "text": "kept \n"}]}, issuer=issuer),
            Opaque({"role": "user", "content": [{"type": "text", "text": "kept"}]}, issuer=issuer),
        ),
        Opaque(result, issuer=issuer),
        (
            Reasoning("so", signature="seal", issuer=issuer),
            Reasoning("", signature="seal", issuer=issuer),
            Reasoning(encrypted="c2VhbA==", redacted=True, issuer=issuer),
        ),
        {"cache_control": {"type": "ephemeral"}},
        ProviderTool({"type": "web_search_20250305", "name": "web_search"}, issuer),
    )


def _mistral() -> Private:
    issuer = Issuer("mistral_chat", PROVIDER)
    parts = [{"type": "text", "text": "so"}, {"type": "reference", "reference_ids": [1, "b"]}]
    return Private(
        (
            Opaque({"role": "assistant", "content": "kept \n"}, issuer=issuer),
            Opaque({"role": "user", "content": None}, issuer=issuer),
        ),
        Opaque({"type": "reference", "reference_ids": [3]}, issuer=issuer),
        (
            Reasoning("so", provider_data={"closed": True}, issuer=issuer),
            Reasoning("so", signature="seal", provider_data={"thinking": parts}, issuer=issuer),
        ),
        {"type": "text"},  # a chunk has no field that may be absent, and an unknown one is refused
        ProviderTool({"type": "document_library", "library_ids": ["l"]}, issuer),
    )


def _ollama() -> Private:
    issuer = Issuer("ollama_chat", PROVIDER)
    return Private(
        (
            Opaque({"role": "assistant", "content": "kept \n", "tool_calls": []}, issuer=issuer),
            Opaque({"role": "user", "content": "", "images": ["AAAA"]}, issuer=issuer),
        ),
        Opaque({"type": "novel"}, issuer=issuer),
        (Reasoning("so", issuer=issuer),),
        {"own": {"deep": True}},
        ProviderTool({"type": "web_search"}, issuer),
    )


def _bedrock() -> Private:
    issuer = Issuer("bedrock_converse", PROVIDER)
    served = {"toolUseId": "t", "name": "nova_grounding", "input": {}, "type": "server_tool_use"}
    return Private(
        (
            Opaque({"toolUse": served}, issuer=issuer),
            Opaque({"cachePoint": {"type": "default"}}, issuer=issuer),
            Opaque({"role": "assistant", "content": [{"text": "kept \n"}]}, issuer=issuer),
            Opaque({"role": "user", "content": [{"text": "kept"}]}, issuer=issuer),
        ),
        Opaque({"searchResult": {"source": "s", "title": "t", "content": [{"text": "w"}]}}, issuer=issuer),
        (
            Reasoning("so", signature="seal", issuer=issuer),
            Reasoning("so", issuer=issuer),
            Reasoning(encrypted="c2VhbA==", redacted=True, issuer=issuer),
        ),
        {},  # a text stands alone in its block
        ProviderTool({"systemTool": {"name": "nova_grounding"}}, issuer),
    )


def _gemini() -> Private:
    issuer = Issuer("gemini_generate", PROVIDER)
    film = {"fileData": {"mimeType": "video/mp4", "fileUri": "https://h.example/v"}, "videoMetadata": {"fps": 1}}
    return Private(
        (
            Opaque({"executableCode": {"language": "PYTHON", "code": "1"}, "thoughtSignature": "c2Vh"}, issuer=issuer),
            Opaque({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, issuer=issuer),
            Opaque({"role": "model", "parts": [{"text": "kept \n"}]}, issuer=issuer),
            Opaque({"role": "user", "parts": [{"text": "kept"}]}, issuer=issuer),
        ),
        Opaque(film, issuer=issuer),
        (
            Reasoning("so", issuer=issuer),
            Reasoning("so", signature="c2VhbA==", issuer=issuer),
            Reasoning("", signature="c2VhbA==", issuer=issuer),
        ),
        {"partMetadata": {"own": True}},
        ProviderTool({"googleSearch": {}}, issuer),
    )


def _cohere() -> Private:
    issuer = Issuer("cohere_chat", PROVIDER)
    return Private(
        (
            Opaque({"role": "assistant", "content": "kept \n", "citations": [{"text": "kept"}]}, issuer=issuer),
            Opaque({"role": "user", "content": [{"type": "text", "text": "kept"}]}, issuer=issuer),
            Opaque({"role": "assistant", "content": [{"type": "thinking", "thinking": "kept"}]}, issuer=issuer),
        ),
        Document(text="fact", provider_data={"document": {"data": {"fact": 1}, "id": "d"}}, issuer=issuer),
        (
            Reasoning("so", issuer=issuer),
            Reasoning("so", provider_data={"tool_plan": "so"}, issuer=issuer),
        ),
        {"type": "text"},  # a block has no field that may be absent
        ProviderTool({"type": "function"}, issuer),
    )


PRIVATE: Mapping[str, Private] = {
    "openai_chat": _openai(),
    "openai_responses": _responses(),
    "anthropic_messages": _anthropic(),
    "mistral_chat": _mistral(),
    "ollama_chat": _ollama(),
    "cohere_chat": _cohere(),
    "bedrock_converse": _bedrock(),
    "gemini_generate": _gemini(),
}

# Surrogates, empty texts and white space alone are among them.
texts = st.one_of(st.text(max_size=12), st.sampled_from(["", " ", "\n", "end \n", "\ud83c", "😀", "<b>"]))
names = st.text("abcXYZ019_-", min_size=1, max_size=8)
ids = st.one_of(names.map("call_".__add__), st.text(min_size=1, max_size=5))
json_values: SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.floats(allow_nan=False, width=32), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
objects = st.dictionaries(texts, json_values, max_size=3)

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
JPEG = b"\xff\xd8\xff\xe0" + bytes(8)
PDF = b"%PDF-1.7\n"
WAVE = b"RIFF\x00\x00\x00\x00WAVE"
media: SearchStrategy[Part] = st.one_of(
    st.builds(Image, st.sampled_from([PNG, JPEG, "https://h.example/a?b=c.png", "data:image/png;base64,AAAA"])),
    st.builds(Image, st.just(PNG), detail=st.sampled_from(["low", "high"])),
    st.builds(Image, file_id=names),
    st.builds(Image, st.just("s3://bucket/key")),
    st.builds(Document, st.just(PDF), name=st.none() | names),
    st.builds(Document, st.just("https://h.example/a.pdf")),
    st.builds(Document, text=texts, name=st.none() | names),
    st.builds(Document, file_id=names),
    st.builds(Audio, st.just(WAVE)),
    st.builds(Audio, st.just("https://h.example/a.wav")),
    st.builds(Video, st.just("https://h.example/a.mp4")),
    st.builds(Opaque, st.fixed_dictionaries({"type": st.just("novel")}), issuer=st.sampled_from(ELSEWHERE)),
)


def parts(name: str) -> SearchStrategy[Part]:
    """Return parts, some with private data of the provider `PROVIDER` of a wire format, or of others."""
    marked = st.builds(
        Text,
        texts,
        provider_data=st.just(PRIVATE[name].marker),
        issuer=st.sampled_from([Issuer(name, PROVIDER), *ELSEWHERE]),
    )
    return st.one_of(texts.map(Text), media, marked)


def messages(name: str) -> SearchStrategy[ContentItem]:
    """Return messages of every role."""
    own = st.just(PRIVATE[name].part)
    others: Any = st.sampled_from(["system", "developer", "assistant"])
    return st.one_of(
        st.builds(Message, others, st.one_of(texts, st.lists(parts(name), max_size=3)), name=st.none() | names),
        st.builds(Message, st.just("user"), st.one_of(texts, st.lists(parts(name) | own, max_size=3))),
    )


def _raw(call: ToolCall, raw: str) -> ToolCall:
    return ToolCall(call.tool_call_id, call.name, raw_arguments=raw)


calls = st.one_of(
    st.builds(ToolCall, ids, names, objects),
    st.builds(
        _raw, st.builds(ToolCall, ids, names), st.sampled_from(["", " ", "null", "{bad", "[1]", '"{\\"a\\":1}"'])
    ),
)


def results(name: str, tool_call_ids: SearchStrategy[str]) -> SearchStrategy[ToolResult]:
    """Return tool results with every kind of content."""
    content = st.lists(st.one_of(texts, json_values, parts(name), st.just(PRIVATE[name].part)), max_size=3)
    status: Any = st.sampled_from(["success", "error"])
    return st.builds(ToolResult, tool_call_ids, st.none() | names, status, content)


@st.composite
def answered_calls(draw: st.DrawFn, name: str) -> list[ContentItem]:
    """Draw parallel calls and all their results, in any order."""
    drawn = draw(st.lists(calls, min_size=1, max_size=3, unique_by=lambda call: call.tool_call_id))
    order = draw(st.permutations(drawn))
    return [*drawn, *[draw(results(name, st.just(call.tool_call_id))) for call in order]]


def turns(name: str) -> SearchStrategy[list[ContentItem]]:
    """Return items that stand together: one item, or calls with their results."""
    single: SearchStrategy[ContentItem] = st.one_of(
        messages(name),
        st.sampled_from(PRIVATE[name].reasoning),
        st.builds(Reasoning, texts, signature=st.just("foreign"), issuer=st.sampled_from(ELSEWHERE)),
        st.builds(Reasoning, texts),
        st.sampled_from(PRIVATE[name].items),
        st.builds(Opaque, st.just({"type": "novel"}), issuer=st.sampled_from(ELSEWHERE)),
        st.builds(Refusal, texts),
        st.builds(ErrorItem, texts),
        st.builds(Deleted),
        st.builds(CompressionFiller, st.sampled_from(["user", "assistant"])),
        st.builds(ClientContext, objects),
    )
    alone: SearchStrategy[list[ContentItem]] = single.map(lambda item: [item])
    return st.one_of(alone, answered_calls(name))


def conversations(name: str) -> SearchStrategy[list[ContentItem]]:
    """Return conversations in which every call has its result and every result its call."""
    return st.lists(turns(name), max_size=6).map(_joined)


def _joined(groups: list[list[ContentItem]]) -> list[ContentItem]:
    return [item for group in groups for item in group]


def torn_conversations(name: str) -> SearchStrategy[list[ContentItem]]:
    """Return conversations that were cut and mixed: calls without results, results without calls, in any order."""
    loose: SearchStrategy[list[ContentItem]] = st.one_of(calls, results(name, ids)).map(lambda item: [item])
    return st.lists(st.one_of(turns(name), loose), max_size=6).map(_joined).flatmap(st.permutations).map(list)


def tools(name: str) -> SearchStrategy[list[BaseTool | ProviderTool]]:
    """Return a few tools of different names."""
    schemas = st.sampled_from(
        [None, {}, {"type": "object"}, {"type": "object", "properties": {"a": {"type": "number"}}}]
    )
    own = st.builds(BaseTool, names, st.none() | texts, schemas, strict=st.none() | st.booleans())
    private = st.sampled_from(
        [PRIVATE[name].tool, *(ProviderTool({"type": "x"}, issuer) for issuer in ELSEWHERE if issuer != Issuer(name))]
    )
    return st.lists(st.one_of(own, private), max_size=3, unique_by=lambda tool: tool.name)


settings: SearchStrategy[Settings] = st.builds(
    Settings,
    temperature=st.none() | st.floats(0, 1),
    top_k=st.none() | st.integers(1, 50),
    max_tokens=st.none() | st.integers(1, 4000),
    stop=st.none() | st.lists(names, max_size=2),
    seed=st.none() | st.integers(0, 9),
    parallel_tool_calls=st.none() | st.booleans(),
    reasoning=st.none() | st.sampled_from(["none", "low", "high", 2048]),
    user=st.none() | names,
)


@st.composite
def calls_of(draw: st.DrawFn, name: str, contents: SearchStrategy[list[ContentItem]]) -> Call:
    """Draw a whole call for a wire format, with a conversation from `contents`."""
    own = draw(tools(name))
    choices = [None, "auto", "none", "required", *(tool.name for tool in own if isinstance(tool, BaseTool))]
    output = st.none() | st.builds(OutputSchema, st.just({"type": "object", "additionalProperties": False}), names)
    request = LlmRequest(
        instructions=draw(st.lists(texts, max_size=2)),
        contents=draw(contents),
        tools=own,
        tool_choice=draw(st.sampled_from(choices)) if own else None,
        output_type=draw(output),
    )
    return Call(request, draw(st.sampled_from(["m", "claude-3-7-sonnet"])), draw(settings), draw(st.booleans()))
