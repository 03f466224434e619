"""Why a candidate ends, or a prompt was blocked: names and numbers of the API to one name, and to the neutral reason.

The numbers of the two hosts differ from 6 on; they are in the packages google-ai-generativelanguage 0.12 and
google-cloud-aiplatform 2.7. Reference: https://ai.google.dev/api/generate-content#FinishReason
"""

from __future__ import annotations

from collections.abc import Mapping

from triptych.response import FinishReason

_REASONS: Mapping[str, FinishReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "CONTINUATION": "pause",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "MODEL_ARMOR": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "TOO_MANY_TOOL_CALLS": "error",
    "MISSING_THOUGHT_SIGNATURE": "error",
    "MALFORMED_RESPONSE": "error",
}
_FIRST = ("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")
_NUMBERS = (
    *_FIRST,
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "IMAGE_SAFETY",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "IMAGE_RECITATION",
)
_VERTEX_NUMBERS = (
    *_FIRST,
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "MODEL_ARMOR",
)
_BLOCKS = ("SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY")
_VERTEX_BLOCKS = ("SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "MODEL_ARMOR")


def reason_name(given: object, provider: str | None, *, blocked: bool = False) -> str | None:
    """Return the API's name of a reason, or None where it gives none.

    Args:
        given: A name, or a number that counts the names from 1.
        provider: Whose number it is.
        blocked: Whether it is the reason why a prompt was blocked.
    """
    if isinstance(given, int) and not isinstance(given, bool):
        tables = (_BLOCKS, _VERTEX_BLOCKS) if blocked else (_NUMBERS, _VERTEX_NUMBERS)
        names = tables[provider == "vertex"]
        if given == 0:
            return None
        return names[given - 1] if 0 < given <= len(names) else str(given)
    if not given or str(given).endswith("_UNSPECIFIED"):
        return None
    return str(given)


def finish_reason(name: str | None, calls: bool) -> FinishReason:
    """Return the neutral reason for the API's name; the API says that it stopped where it wishes to call tools, too."""
    if name is None:
        return "unknown"
    neutral = _REASONS.get(name, "other")
    return "tool_calls" if neutral == "stop" and calls else neutral
