"""Every HTTP status of an error that is registered, or that hosts and what stands before them use, and its kind."""

from collections.abc import Mapping
from http import HTTPStatus

from triptych.errors import Kind

# Kinds by status. Those that the registry has not: 419 and 440 (a session that is over), 420 (Twitter's 429), 444, 460,
# 463 and 494–499 (nginx and load balancers), 498 and 499 (Groq's and Cohere's, too), 509 (a host's quota), 520–530
# (Cloudflare), 529 (Anthropic).
_BY_KIND: Mapping[Kind, tuple[int, ...]] = {
    "invalid_request": (
        *(400, 405, 406, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 426, 428, 431),
        *(419, 420, 440, 444, 460, 463, 494, 495, 496, 497, 505),
    ),
    "authentication": (401, 407, 511),
    "billing": (402,),
    "permission": (403, 451),
    "not_found": (404, 410),
    "timeout": (408, 504, 522, 524),
    "overloaded": (409, 425, 498, 503, 529),
    "rate_limit": (429,),
    "server": (424, 499, 500, 502, 506, 507, 508, 509, 510, 520, 521, 523, 525, 526, 527, 530),
    "unsupported": (501,),
}
KINDS: Mapping[int, Kind] = {status: kind for kind, statuses in _BY_KIND.items() for status in statuses}
MAY_PASS: frozenset[Kind] = frozenset({"timeout", "overloaded", "rate_limit", "server"})
# Cohere documents two statuses of its own: a tool call or an answer that was blocked, and a request that was withdrawn.
EXCEPTIONS: Mapping[tuple[str, int], Kind] = {("cohere", 498): "content_filter", ("cohere", 499): "cancelled"}


def kind_of(provider: str, status: int) -> Kind:
    """Return the kind of error that a status of a provider is."""
    return EXCEPTIONS.get((provider, status)) or KINDS[status]


MISSING = {status for status in HTTPStatus if status >= HTTPStatus.BAD_REQUEST} - set(KINDS)
