"""What hosts answer, by wire format: the body of an answer from its text, of an error from its words and its code."""

from typing import Any

_MODEL = "gpt-4.1-mini-2025-04-14"


def chat_completion(text: str) -> dict[str, Any]:
    """Return the body of an OpenAI answer."""
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764460800,
        "model": _MODEL,
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
    }


def anthropic_message(text: str) -> dict[str, Any]:
    """Return the body of an Anthropic answer."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 12, "output_tokens": 7},
    }


def response_object(text: str) -> dict[str, Any]:
    """Return the body of an answer of OpenAI Responses."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1764460800,
        "model": _MODEL,
        "status": "completed",
        "output": [message],
        "error": None,
        "incomplete_details": None,
        "usage": {"input_tokens": 12, "output_tokens": 7, "total_tokens": 19},
    }


def gemini_answer(text: str) -> dict[str, Any]:
    """Return the body of a Gemini answer."""
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 7, "totalTokenCount": 19},
        "modelVersion": "gemini-3-flash-preview",
        "responseId": "r1",
    }


def converse_answer(text: str) -> dict[str, Any]:
    """Return the body of an answer of Bedrock Converse."""
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": text}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 12, "outputTokens": 7, "totalTokens": 19},
        "metrics": {"latencyMs": 5},
    }


def mistral_completion(text: str) -> dict[str, Any]:
    """Return the body of a Mistral answer."""
    message = {"role": "assistant", "content": text, "tool_calls": None, "prefix": False}
    return {
        "id": "m1",
        "object": "chat.completion",
        "created": 1764460800,
        "model": "mistral-medium-2508",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
    }


def ollama_answer(text: str) -> dict[str, Any]:
    """Return the body of an Ollama answer."""
    return {
        "model": "qwen3:4b",
        "created_at": "2025-11-30T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 12,
        "eval_count": 7,
    }


def cohere_answer(text: str) -> dict[str, Any]:
    """Return the body of a Cohere answer."""
    tokens = {"input_tokens": 12, "output_tokens": 7}
    return {
        "id": "c1",
        "message": {"role": "assistant", "content": [{"type": "text", "text": text}]},
        "finish_reason": "COMPLETE",
        "usage": {"billed_units": {"input_tokens": 2, "output_tokens": 7}, "tokens": tokens},
    }


def openai_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of OpenAI, on either of its APIs."""
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def anthropic_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Anthropic."""
    return {"type": "error", "error": {"type": code, "message": message}, "request_id": "req_1"}


def gemini_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Google."""
    return {"error": {"message": message, "status": code}}


def aws_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Amazon that names its type there and not in a header."""
    return {"message": message, "code": code}


def mistral_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Mistral."""
    return {"object": "error", "message": message, "type": code, "param": None, "code": None}


def ollama_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Ollama, which has no codes."""
    return {"error": message}


def cohere_error(message: str, code: str) -> dict[str, Any]:
    """Return the body of an error of Cohere, which has no codes."""
    return {"id": "c1", "message": message}
