"""What the model said, in OpenAI Responses: its messages and refusals, the builder beside the reader.

One wire message holds words and refusals; a conversation holds them as items. A message that came from this API has
an id and goes back whole; one of another origin goes in the short form, as plain words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from triptych.content import ContentItem, Message, Opaque, Refusal
from triptych.formats.openai_responses.parts import (
    build_output_part,
    is_own,
    plain_text,
    read_output_part,
)
from triptych.formats.verbatim import Inexpressible, with_provider_data
from triptych.parts import Issuer, Part


def build_message(item: Message, issuer: Issuer) -> tuple[dict[str, Any] | None, list[tuple[int, Part, Inexpressible]]]:
    """Return the wire form of what the model said, and the parts that have none; no form where nothing is left."""
    own = item.issuer == issuer and item.provider_data is not None
    if isinstance(item.content, str):
        whole = own and "id" in (item.provider_data or {})
        return _message([plain_text(item.content)] if whole else item.content, item, issuer), []
    wires, left = _parts(item.content, issuer)
    if own or any(is_own(part, issuer) for part in item.content):
        return _message(wires, item, issuer), left
    if not wires:
        return None, left
    return _message("".join(wire["text"] for wire in wires), item, issuer), left


def _message(content: Any, item: Message | Refusal, issuer: Issuer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    return with_provider_data(message, item, issuer)


def _parts(parts: Sequence[Part], issuer: Issuer) -> tuple[list[Any], list[tuple[int, Part, Inexpressible]]]:
    wires: list[Any] = []
    left = []
    for index, part in enumerate(parts):
        try:
            wires.append(build_output_part(part, issuer))
        except Inexpressible as why:
            left.append((index, part, why))
    return wires, left


def build_refusal(item: Refusal, issuer: Issuer) -> dict[str, Any]:
    """Return the wire form of a refusal: as it came, else as plain words of the model."""
    own = item.issuer == issuer and item.provider_data is not None
    return _message([{"type": "refusal", "refusal": item.refusal}] if own else item.refusal, item, issuer)


def joins(before: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Return whether a wire message is a further part of the one before: they came as one, under one id."""
    one = before.get("role") == "assistant" and before.get("id") is not None and before["id"] == message.get("id")
    return one and isinstance(before.get("content"), list) and isinstance(message["content"], list)


def read_message(wire: Mapping[str, Any], issuer: Issuer) -> list[ContentItem]:
    """Return the items that a wire message of the model's says; one without any part stays as it is."""
    rest = {key: value for key, value in wire.items() if key not in ("role", "content")}
    content = wire["content"]
    if isinstance(content, str):
        item = Message("assistant", content)
        return [evolve(item, provider_data=rest, issuer=issuer) if rest else item]
    if not content:
        return [Opaque(dict(wire), issuer=issuer)]
    if len(content) == 1 and "id" in rest and content[0] == plain_text(content[0].get("text")):
        return [Message("assistant", content[0]["text"], provider_data=rest, issuer=issuer)]
    items: list[ContentItem] = []
    for part in content:
        if isinstance(part, dict) and part.keys() == {"type", "refusal"} and isinstance(part["refusal"], str):
            items.append(Refusal(part["refusal"], provider_data=rest, issuer=issuer))
        elif items and isinstance(items[-1], Message) and isinstance(items[-1].content, list):
            items[-1].content.append(read_output_part(part, issuer))
        else:
            parts = [read_output_part(part, issuer)]
            items.append(Message("assistant", parts, provider_data=rest or None, issuer=issuer if rest else None))
    return items
