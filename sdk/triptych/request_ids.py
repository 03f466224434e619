"""The id by which a provider knows a request: what to quote to its support."""

from __future__ import annotations

from collections.abc import Mapping

# The headers with one, of all providers: what a host says for itself goes before what a proxy adds.
_HEADERS = (
    "x-request-id",
    "request-id",
    "x-amzn-requestid",
    "mistral-correlation-id",
    "x-debug-trace-id",
    "x-ds-trace-id",
    "apim-request-id",
    "x-ms-request-id",
    "nvcf-reqid",
    "x-generation-id",
    "x-goog-request-id",
    "x-vercel-id",
    "cf-ray",
)


def request_id(headers: Mapping[str, str], first: str = "x-request-id") -> str | None:
    """Return the id of a request, or None where no header of its answer has one.

    Args:
        headers: The answer's headers, by name without regard to case.
        first: The header that the API documents.
    """
    ids = (headers.get(name) for name in (first, *_HEADERS))
    return next((each.strip() for each in ids if each and each.strip()), None)
