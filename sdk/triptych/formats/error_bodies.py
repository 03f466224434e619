"""The error that a provider's answer is: of an HTTP status, or in the body or an event of a successful answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from triptych.errors import LlmError
from triptych.formats.error_kinds import ErrorTable, is_lasting, told_wait
from triptych.formats.error_words import Said, decoded, page_title, read_body, snippet
from triptych.hints import hint_for
from triptych.request_ids import request_id


def http_error(
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    table: ErrorTable,
    *,
    host: str | None = None,
    named: str | None = None,
) -> LlmError:
    """Return the error that an HTTP answer says.

    Args:
        status: The HTTP status.
        headers: The answer's headers, by name without regard to case.
        body: The answer's body as received.
        table: What the errors of the API mean.
        host: Whose answer it is.
        named: The provider's own type of the error, where the body does not say it.
    """
    content_type = headers.get("content-type") or ""
    value, text = decoded(body, content_type) if body.strip() else (None, "")
    said = read_body(value)
    names = said.names if named is None else (named, *said.names)
    error = LlmError(
        message=said.message or _unreadable(status, content_type, text),
        kind=table.kind(status, names, said.message, host),
        status=status,
        code=named or said.name,
        request_id=said.request_id or request_id(headers, table.id_header),
        body=None if said.message else snippet(text) or None,
    )
    return _finished(error, table, said, host)


def _unreadable(status: int, content_type: str, text: str) -> str:
    if not text:
        return f"HTTP {status} with an empty body"
    title = page_title(text)
    if title is not None:
        return f"HTTP {status} with an HTML page: {title}"
    return f"HTTP {status} with a body that is no error object ({content_type or 'no content type'}): {snippet(text)}"


def body_error(body: Mapping[str, Any], table: ErrorTable, *, host: str | None = None) -> LlmError:
    """Return the error that the body of an HTTP 200 holds; a numeric code in it counts as the status.

    Args:
        body: The body, or an event of a stream.
        table: What the errors of the API mean.
        host: Whose answer it is.
    """
    said = read_body(body)
    told = said.error.get("status_code") if said.error is not None else None  # Groq says it beside a code in words
    status = next((int(n) for n in (said.code or "", str(told)) if n.isascii() and n.isdigit() and _is_status(n)), None)
    message = said.message or "the provider returned an error without words"
    error = LlmError(
        message=message,
        kind=table.kind(status, said.names, message, host),
        status=status,
        code=said.name,
        request_id=said.request_id,
    )
    return _finished(error, table, said, host)


def _is_status(number: str) -> bool:
    return len(number) == len("400") and 400 <= int(number) <= 599


def _finished(error: LlmError, table: ErrorTable, said: Said, host: str | None) -> LlmError:
    """Return an error with what else is known of it: how long it lasts, and what the user can do."""
    if said.error is not None and said.type is not None and said.type.isupper():
        from triptych.formats.google_errors import refined  # only for what looks like Google's

        error = refined(error, said.error)
    words = f"{error.code} {' '.join(said.names)} {error.message}"
    if said.message and error.retryable:
        wait = error.retry_after
        if wait is None and error.kind in ("rate_limit", "overloaded"):
            wait = told_wait(error.message)
        error = error.evolve(retry_after=wait, retryable=wait is not None or not is_lasting(error.kind, words))
    return error.evolve(hint=hint_for(error, words, table.api, host))


__all__ = ["ErrorTable", "body_error", "http_error"]
