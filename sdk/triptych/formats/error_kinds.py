"""What an API's error means: its kind, by code, by HTTP status and by words, and whether waiting helps.

A code says more than a status does, and where both are vague the words decide. References: the errors pages named in
each format's own table, and for statuses that no standard has https://console.groq.com/docs/errors (498, 499),
https://docs.fireworks.ai/guides/inference-error-codes (425) and
https://developers.cloudflare.com/support/troubleshooting/http-status-codes/ (520 and above).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from attrs import field, frozen

from triptych.errors import Kind

_BY_STATUS: Mapping[int, Kind] = {
    401: "authentication",
    402: "billing",
    403: "permission",
    404: "not_found",
    407: "authentication",  # a proxy's
    408: "timeout",
    409: "overloaded",
    410: "not_found",
    424: "server",  # what the host depends on failed: Bedrock's model, Text Generation Inference's generation
    425: "overloaded",
    429: "rate_limit",
    451: "permission",
    498: "overloaded",
    499: "server",  # a gateway gave up; nobody here did
    501: "unsupported",
    503: "overloaded",
    504: "timeout",
    505: "invalid_request",
    511: "authentication",  # a network's
    522: "timeout",
    524: "timeout",
    529: "overloaded",
}

# Types that say less than a status does, where there is none: OpenAI has the first one for a refused key as well.
_BY_TYPE: Mapping[str, Kind] = {
    "invalid_request_error": "invalid_request",
    "permission_error": "permission",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
}


# Words by which hosts say what status and code do not, and the vague kinds that they make more exact. The first match
# wins.
_BY_WORDS: tuple[tuple[Kind, tuple[Kind, ...], str], ...] = (
    # A request that alone is larger than the limit of a minute does not fit in the next minute either.
    (
        "context_length",
        ("invalid_request", "rate_limit"),
        r"request too large for|request body too large for|reduce (your|the) (message size|length)",
    ),
    (
        "context_length",
        ("invalid_request", "server", "permission"),
        r"context[ _](length|size|window)|maximum context|prompt (is )?too (long|large)|too_many_prompt_tokens"
        r"|too many tokens(?! per|, please wait)|total length of all messages is too long"
        r"|exceeds? the (available )?context|input (token length )?(is )?too long|input tokens exceeded"
        r"|exceeded model token limit|inputs`? tokens \+ `?max_new_tokens"
        r"|input token count.{0,60}exceeds the maximum|exceeds the maximum number of (input )?tokens",
    ),
    (
        "billing",
        ("invalid_request", "rate_limit", "permission", "server", "authentication"),
        r"insufficient[ _](quota|funds|credits?|balance)|exceeded your current quota|credit balance"
        r"|(spend|spending|billing)[ _](hard )?limit|specified (workspace )?api usage limits"
        r"|(used all|run out of|doesn't have any|no) (available |remaining )?credits|credits are depleted"
        r"|monthly included credits|this billing cycle|past invoices|account is in good standing"
        r"|enable billing|check your billing details|payment[ _](required|method|instrument)|suspended.{0,60}billing"
        r"|free_tier.{0,80}limit: 0\b|trial key.{0,80}/ ?month",
    ),
    (
        "content_filter",
        ("invalid_request", "permission", "server"),
        r"content[ _]filter|content management policy|content_policy_violation|responsibleaipolicyviolation"
        r"|requires moderation|input was flagged|inappropriate content|considered high risk",
    ),
    (
        "authentication",
        ("invalid_request", "permission", "server"),
        r"(incorrect|invalid|missing) api[ _-]?key|api key (is )?(invalid|not valid|missing|expired)"
        r"|api key was reported as leaked|authentication failed|unregistered callers",
    ),
    (
        "not_found",
        ("invalid_request", "permission", "server"),
        r"model.{0,80}(does not exist|not exist\b|not found|is not available|is not supported by any provider)"
        r"|(no such|unknown|invalid) model\b|supported api model names|model identifier is invalid"
        r"|no models? (is )?loaded|non-serverless model",
    ),
    (
        "overloaded",
        ("rate_limit",),
        r"\A(?!.*rate limit).*(capacity exceeded|no capacity|high (demand|traffic)|overloaded)",
    ),
)
_PATTERNS = tuple((kind, vague, re.compile(words, re.IGNORECASE | re.DOTALL)) for kind, vague, words in _BY_WORDS)

# What does not pass by waiting as long as one waits for a call, unless the provider says how long it takes.
_LASTING: Mapping[Kind, re.Pattern[str]] = {
    "rate_limit": re.compile(
        r"(per|by|/)[ _-]?(day|month|week|86400s)|\b(hourly|daily|weekly|monthly)\b|\b[RT]PD\b|limit will reset"
        r"|usage limit|quota_exhausted|free-models-per-day",
        re.IGNORECASE,
    ),
    "server": re.compile(r"requires more system memory|requires? --\w", re.IGNORECASE),
}
_UNIT = r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)(?![a-z])"
_STEP = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,9}})?) ?{_UNIT}", re.IGNORECASE)
_WAIT = re.compile(
    rf"(?:try again|retry|wait)(?: again)?(?: in| after| for)?:? ((?:\d{{1,9}}(?:\.\d{{1,9}})? ?{_UNIT} ?)+)",
    re.IGNORECASE,
)
_SECONDS: Mapping[str, float] = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.-]+")


@frozen
class ErrorTable:
    """What the errors of one API mean.

    Args:
        api: The wire format.
        kinds: Kinds by the API's own code or type; where one is not in it as it is written, as `snake_case`.
        id_header: The header with the provider's id of the request.
        statuses: Kinds of statuses that mean something of their own here.
        hosts: Kinds by code that hold at one host alone, by its name; they are exact, whatever the words are.
    """

    api: str
    kinds: Mapping[str, Kind]
    id_header: str = "x-request-id"
    statuses: Mapping[int, Kind] = field(factory=dict)
    hosts: Mapping[str, Mapping[str, Kind]] = field(factory=dict)

    def kind(self, status: int | None, names: Iterable[str], message: str | None, host: str | None = None) -> Kind:
        """Return the kind of an error.

        Args:
            status: The HTTP status; None where there is none.
            names: Its codes and types, the most exact first.
            message: The provider's words, where it said any.
            host: Whose error it is.
        """
        names = tuple(names)
        of_host = _found(self.hosts.get(host or "", {}), names)
        if of_host is not None:
            return of_host
        kind = _found(self.kinds, names) or self.statuses.get(status or 0)
        if kind == "server" and status is not None:
            kind = _BY_STATUS.get(status, kind)  # hosts call many a fault a server_error that their status tells apart
        if kind is None:
            kind = status_kind(status) if status is not None else _found(_BY_TYPE, names) or "server"
        return kind if message is None else worded_kind(kind, " ".join((*names, message)))


def _found(kinds: Mapping[str, Kind], names: Iterable[str]) -> Kind | None:
    for name in names:
        kind = kinds.get(name) or kinds.get(_HUMP.sub("_", name).lower())
        if kind is not None:
            return kind
    return None


def status_kind(status: int) -> Kind:
    """Return the kind of error that an HTTP status alone says."""
    return _BY_STATUS.get(status) or ("server" if status >= 500 else "invalid_request")


def worded_kind(kind: Kind, words: str) -> Kind:
    """Return a more exact kind where the words say one and `kind` is vague."""
    return next((exact for exact, vague, pattern in _PATTERNS if kind in vague and pattern.search(words)), kind)


def is_lasting(kind: Kind, words: str) -> bool:
    """Return whether the words say that a kind of error that mostly passes does not pass soon."""
    return kind in _LASTING and _LASTING[kind].search(words) is not None


def told_wait(words: str) -> float | None:
    """Return the seconds that the words tell to wait, or None: "Please try again in 6m0s", "after 26 seconds"."""
    told = _WAIT.search(words)
    if told is None:
        return None
    return sum(float(number) * _seconds(unit.lower()) for number, unit in _STEP.findall(told[1]))


def _seconds(unit: str) -> float:
    return 0.001 if unit.startswith(("ms", "milli")) else _SECONDS[unit[0]]
