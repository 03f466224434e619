"""Calls and results as Anthropic Messages says them, for the room that pairs them."""

from __future__ import annotations

from typing import Any

from triptych.formats.block_turns import BlockShapes


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _call_id(block: Any) -> str | None:
    return str(block.get("id")) if block.get("type") == "tool_use" else None


def _result_id(block: Any) -> str | None:
    return block.get("tool_use_id") if block.get("type") == "tool_result" else None


def _failed(tool_use_id: str, words: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": words, "is_error": True}


def _shown(result: Any) -> list[Any]:
    content = result.get("content")
    return [_text(content)] if content and isinstance(content, str) else list(content or [])


SHAPES = BlockShapes(_call_id, _result_id, _failed, _shown, _text)
