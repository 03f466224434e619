"""What the mocks' errors are to be told as: by their status, and where a body says something else, why.

A mock that is at odds with the provider it plays is named here with what it does: the kind is then what the body says.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

from triptych.errors import Kind, LlmError

# What a status alone says.
KINDS: Mapping[int, Kind] = {
    400: "invalid_request",
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    408: "timeout",
    409: "overloaded",
    413: "invalid_request",
    418: "invalid_request",
    422: "invalid_request",
    429: "rate_limit",
    500: "server",
    502: "server",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
MAY_PASS: frozenset[Kind] = frozenset({"rate_limit", "overloaded", "server", "timeout", "connection"})
FIRST_WINDOW = 0.5


@frozen
class Odd:
    """An error that is told as another than its status says.

    Args:
        kind: As what.
        why: What the body says, and, where that is not so, what the provider would say.
    """

    kind: Kind
    why: str


Oddities = Mapping[tuple[str, int], Odd]

# What llmock says, by the form of the body and the status.
LLMOCK_ODD: Oddities = {
    ("anthropic", 413): Odd("context_length", "request_too_large is Anthropic's own type for it"),
    ("gemini", 413): Odd("rate_limit", "RESOURCE_EXHAUSTED; Google answers a large body with 400, INVALID_ARGUMENT"),
    ("gemini", 502): Odd("overloaded", "UNAVAILABLE; Google has it with 503, and a 502 comes from a proxy"),
}
# What aimock says where the fixture gives it the provider's own type.
AIMOCK_ODD: Oddities = {
    ("anthropic", 413): LLMOCK_ODD["anthropic", 413],
}
# What stands for the error in each form of body: OpenAI's code, the type of the others.
_OPENAI_CODES = {
    400: "bad_request",
    401: "invalid_api_key",
    402: "billing_required",
    403: "forbidden",
    404: "not_found",
    408: "request_timeout",
    409: "conflict",
    413: "request_too_large",
    418: "http_418",
    422: "unprocessable_entity",
    429: "rate_limit_exceeded",
    500: "internal_error",
    502: "bad_gateway",
    503: "service_unavailable",
    504: "gateway_timeout",
    529: "overloaded",
}
LLMOCK_CODES: Mapping[str, Mapping[int, str]] = {
    "openai": _OPENAI_CODES,
    "mistral": _OPENAI_CODES,  # Mistral's own are numbers
    "anthropic": {
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        408: "api_error",
        409: "api_error",
        413: "request_too_large",
        418: "invalid_request_error",
        422: "invalid_request_error",
        429: "rate_limit_error",
        500: "api_error",
        502: "api_error",
        503: "overloaded_error",
        504: "api_error",
        529: "overloaded_error",
    },
    "gemini": {
        400: "INVALID_ARGUMENT",
        401: "UNAUTHENTICATED",
        402: "FAILED_PRECONDITION",
        403: "PERMISSION_DENIED",
        404: "NOT_FOUND",
        408: "DEADLINE_EXCEEDED",
        409: "ABORTED",
        413: "RESOURCE_EXHAUSTED",
        418: "INVALID_ARGUMENT",
        422: "FAILED_PRECONDITION",
        429: "RESOURCE_EXHAUSTED",
        500: "INTERNAL",
        502: "UNAVAILABLE",
        503: "UNAVAILABLE",
        504: "DEADLINE_EXCEEDED",
        529: "UNAVAILABLE",
    },
    "cohere": {  # Cohere's own bodies have a message and no type
        400: "invalid_request_error",
        401: "authentication_error",
        402: "billing_error",
        403: "permission_error",
        404: "not_found_error",
        408: "timeout_error",
        409: "conflict_error",
        413: "request_too_large",
        418: "invalid_request_error",
        422: "unprocessable_entity_error",
        429: "rate_limit_error",
        500: "server_error",
        502: "server_error",
        503: "server_error",
        504: "server_error",
        529: "server_error",
    },
}
LLMOCK_WORDS: Mapping[int, str] = {
    400: "Bad request.",
    401: "Unauthorized.",
    402: "Payment required.",
    403: "Forbidden.",
    404: "Resource not found.",
    408: "Request timeout.",
    409: "Conflict.",
    413: "Payload too large.",
    418: "I'm a Teapot.",
    422: "Unprocessable entity.",
    429: "Rate limit exceeded.",
    500: "Internal server error.",
    502: "Bad gateway.",
    503: "Service unavailable.",
    504: "Gateway timeout.",
    529: "Service overloaded.",
}

# What each provider names the error of a status: what a fixture tells aimock. Where its body is not the provider's is
# said beside the form.
_OPENAI: Mapping[int, Mapping[str, str]] = {
    400: {"type": "invalid_request_error"},
    401: {"type": "invalid_request_error", "code": "invalid_api_key"},
    403: {"type": "invalid_request_error", "code": "unsupported_country_region_territory"},
    404: {"type": "invalid_request_error", "code": "model_not_found"},
    413: {"type": "invalid_request_error"},
    422: {"type": "invalid_request_error"},
    429: {"type": "requests", "code": "rate_limit_exceeded"},
    500: {"type": "server_error"},
    503: {"type": "server_error"},
}
_AMAZON: Mapping[int, Mapping[str, str]] = {
    400: {"type": "ValidationException"},
    403: {"type": "AccessDeniedException"},
    404: {"type": "ResourceNotFoundException"},
    408: {"type": "ModelTimeoutException"},
    429: {"type": "ThrottlingException"},
    500: {"type": "InternalServerException"},
    503: {"type": "ServiceUnavailableException"},
}
AIMOCK_ERRORS: Mapping[str, Mapping[int, Mapping[str, str]]] = {
    "openai": _OPENAI,
    "openrouter": _OPENAI,  # of which the body has the status alone, as OpenRouter's own
    "anthropic": {
        400: {"type": "invalid_request_error"},
        401: {"type": "authentication_error"},
        403: {"type": "permission_error"},
        404: {"type": "not_found_error"},
        413: {"type": "request_too_large"},
        429: {"type": "rate_limit_error"},
        500: {"type": "api_error"},
        504: {"type": "timeout_error"},
        529: {"type": "overloaded_error"},
    },
    "gemini": {
        400: {"type": "INVALID_ARGUMENT"},
        401: {"type": "UNAUTHENTICATED"},
        403: {"type": "PERMISSION_DENIED"},
        404: {"type": "NOT_FOUND"},
        429: {"type": "RESOURCE_EXHAUSTED"},
        500: {"type": "INTERNAL"},
        503: {"type": "UNAVAILABLE"},
        504: {"type": "DEADLINE_EXCEEDED"},
    },
    "bedrock": _AMAZON,  # in Anthropic's form; Amazon's body has the words alone, and a header the type
    "bedrock-anthropic": _AMAZON,  # the same
    "ollama": _OPENAI,  # in OpenAI's form; Ollama's body is {"error": "the words"}
    "cohere": _OPENAI,  # in OpenAI's form; Cohere's body is {"id": …, "message": "the words"}
}


def kind_of(envelope: str, status: int, odd_ones: Oddities) -> Kind:
    """Return the kind of an error of a mock.

    Args:
        envelope: The form of its body.
        status: Its status.
        odd_ones: The errors of the mock that are not what their status says.
    """
    odd = odd_ones.get((envelope, status))
    return KINDS[status] if odd is None else odd.kind


def may_pass(kind: Kind) -> bool:
    """Return whether an error of a kind is tried again."""
    return kind in MAY_PASS


def assert_waits(waits: Sequence[float], error: LlmError | None, count: int, asked: float | None = None) -> None:
    """Fail unless a call waited so often between its tries: as long as was asked for, or else a time by chance.

    Args:
        waits: How long it slept.
        error: What it came to; its `retry_after` has to be what was asked for.
        count: How often it was to wait.
        asked: Seconds that the server asked for; None where it did not ask.
    """
    if error is not None:
        assert error.retry_after == asked
    if asked is not None:
        assert list(waits) == [asked] * count
        return
    assert len(waits) == count
    assert all(0 <= wait <= FIRST_WINDOW * 2**step for step, wait in enumerate(waits))
