"""A plain reading of wire JSON, written apart from the library: what its results are compared with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import asdict, field, frozen

from triptych.content import ContentItem

# Strings of an answer that say what something is, rather than something.
_LABELS = frozenset({"type", "role", "object", "format"})
_THINKING = frozenset({"thinking", "redacted_thinking"})
_REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")


@frozen
class Answer:
    """What an answer says, in the provider's words.

    Args:
        texts: The words, one a text block or choice.
        calls: Id (None where the wire has none), name and decoded arguments of each tool call.
        thoughts: The words of reasoning.
        refusals: The words of refusals.
        transcripts: What is said in sounds.
        blocks: Blocks that must go back to the same API as they came.
        seals: Signatures and encrypted texts, which no other API may get.
    """

    texts: list[str] = field(factory=list)
    calls: list[tuple[str | None, str, Any]] = field(factory=list)
    thoughts: list[str] = field(factory=list)
    refusals: list[str] = field(factory=list)
    transcripts: list[str] = field(factory=list)
    blocks: list[Any] = field(factory=list)
    seals: list[str] = field(factory=list)


def read_answer(name: str, body: Mapping[str, Any]) -> Answer:
    """Return what the body of an answer in a wire format says."""
    answer = Answer()
    if name == "anthropic_messages":
        for block in body["content"]:
            _read_block(answer, block)
    else:
        for choice in body["choices"]:
            _read_message(answer, choice["message"])
    return answer


def _read_block(answer: Answer, block: Any) -> None:
    kind = block["type"]
    if kind == "text":
        if block["text"]:
            answer.texts.append(block["text"])
    elif kind == "tool_use":
        answer.calls.append((block["id"], block["name"], block["input"]))
    else:
        answer.blocks.append(block)
    if kind in _THINKING:
        answer.thoughts.extend(text for text in [block.get("thinking")] if text)
    answer.seals.extend(_sealed(block))


def _read_message(answer: Answer, message: Any) -> None:
    content = message.get("content")
    if isinstance(content, list):  # chunks of Mistral's
        answer.thoughts.extend(part["text"] for block in content for part in block.get("thinking", []))
        answer.texts.extend(block["text"] for block in content if block["type"] == "text")
        answer.blocks.extend(block for block in content if block["type"] != "text")
    elif content:
        answer.texts.append(content if isinstance(content, str) else json.dumps(content, separators=(",", ":")))
    for call in message.get("tool_calls") or []:
        said = call.get("function") or call["custom"]
        arguments = json.loads(said["arguments"] or "{}") or {} if "arguments" in said else {"input": said["input"]}
        answer.calls.append((call["id"], said["name"], arguments))
    old = message.get("function_call")
    if old and old["name"]:
        answer.calls.append((None, old["name"], json.loads(old["arguments"])))
    if message.get("refusal"):
        answer.refusals.append(message["refusal"])
    audio = message.get("audio")
    if audio and audio["id"]:
        answer.transcripts.append(audio["transcript"])
    for name in _REASONING_FIELDS:
        value = message.get(name)
        if value:
            answer.blocks.append({name: value})
            answer.thoughts.extend([value] if isinstance(value, str) else [])
    answer.seals.extend(_sealed(message.get("reasoning_details")))


def _sealed(value: Any) -> Iterator[str]:
    """Yield the signatures and encrypted texts in a JSON value, at any depth."""
    if isinstance(value, list):
        for inner in value:
            yield from _sealed(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            hidden = key in ("signature", "encrypted_content", "encrypted_index")
            hidden = hidden or (
                key == "data" and str(value.get("type")) in ("redacted_thinking", "reasoning.encrypted")
            )
            if hidden and isinstance(inner, str):
                yield inner
            else:
                yield from _sealed(inner)


def words_in(value: Any) -> set[str]:
    """Return the texts in a JSON value, at any depth, but for those that are labels."""
    if isinstance(value, str):
        return {value} if value and not value.isspace() else set()
    if isinstance(value, Mapping):
        return set().union(*(words_in(inner) for key, inner in value.items() if key not in _LABELS))
    if isinstance(value, (list, tuple)):
        return set().union(*map(words_in, value))
    return set()


def words_of_items(items: Iterable[ContentItem]) -> set[str]:
    """Return the texts in items, at any depth."""
    return set().union(*(words_in(asdict(item)) for item in items))


def blocks_in(value: Any) -> Iterator[Any]:
    """Yield every JSON object in a value, at any depth."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for inner in value:
            yield from blocks_in(inner)


def texts_in_body(body: Mapping[str, Any]) -> list[str]:
    """Return the words of a request in the order in which a model reads them: system text, then the messages."""
    if "contents" in body:
        return list(_texts_of_parts([*body.get("systemInstruction", {}).get("parts", []), *_parts(body)]))
    if "input" in body:
        said = [body.get("instructions"), *(item.get("content", item.get("output")) for item in body["input"])]
        return [text for content in said for text in _texts(content)]
    system = [{"content": body["system"]}] if "system" in body else []
    return [text for message in [*system, *body["messages"]] for text in _texts(message.get("content"))]


def _parts(body: Mapping[str, Any]) -> list[Any]:
    return [part for content in body["contents"] for part in content["parts"]]


def _texts_of_parts(parts: Iterable[Any]) -> Iterator[str]:
    for part in parts:
        if "text" in part and not part.get("thought"):
            yield part["text"]
        elif "functionResponse" in part:
            said = part["functionResponse"]["response"]
            yield from [value for value in said.values() if isinstance(value, str)]


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else []:
        kind = block["type"] if "type" in block else next(iter(block))  # Bedrock's blocks have their kind for a key
        if kind in ("text", "input_text", "output_text"):
            yield block["text"]
        elif kind == "tool_result":
            yield from _texts(block.get("content"))
        elif kind in ("toolResult", "citationsContent"):
            yield from _texts(block[kind].get("content"))


def calls_in_body(body: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
    """Return id (None where the API has none), name and arguments (as on the wire) of the calls in a request."""
    if "contents" in body:
        said = [part["functionCall"] for part in _parts(body) if "functionCall" in part]
        return [(call.get("id"), call["name"], call["args"]) for call in said]
    if "input" in body:
        items = [item for item in body["input"] if item.get("type") == "function_call"]
        return [(item["call_id"], item["name"], item["arguments"]) for item in items]
    calls = []
    for block in blocks_in(body["messages"]):
        if block.get("type") == "tool_use":
            calls.append((block["id"], block["name"], block["input"]))
        elif "toolUse" in block and "type" not in block["toolUse"]:  # a type is that of the service's own tools
            calls.append((block["toolUse"]["toolUseId"], block["toolUse"]["name"], block["toolUse"]["input"]))
        elif isinstance(block.get("function"), Mapping):
            calls.append((block.get("id"), block["function"]["name"], block["function"]["arguments"]))
    return calls


def results_in_body(body: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return id and content of the tool results in a request; the id is None where the API has none."""
    if "contents" in body:
        said = [part["functionResponse"] for part in _parts(body) if "functionResponse" in part]
        return [(one.get("id"), one["response"].get("output", one["response"])) for one in said]
    if "input" in body:
        outputs = [item for item in body["input"] if item.get("type", "").endswith("_call_output")]
        return [(item["call_id"], item["output"]) for item in outputs]
    results = []
    for block in blocks_in(body["messages"]):
        if block.get("type") == "tool_result":
            results.append((block["tool_use_id"], block.get("content")))
        elif "toolResult" in block and "type" not in block["toolResult"]:
            content = block["toolResult"]["content"]
            plain = len(content) == 1 and content[0].keys() == {"text"}
            results.append((block["toolResult"]["toolUseId"], content[0]["text"] if plain else content))
        elif block.get("role") == "tool":
            results.append((block.get("tool_call_id"), block["content"]))
    return results
