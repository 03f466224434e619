"""What a recording must not hold: the table of patterns, by kind, and who decides in doubtful cases."""

from __future__ import annotations

import base64
import ipaddress
import re
from bisect import bisect
from typing import TYPE_CHECKING

from attrs import frozen

from triptych.replay.scrub import PLACEHOLDER, REQUEST_ID_HEADERS, SECRET_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Hit", "header_kind", "hits"]


@frozen
class Hit:
    """Something that a text must not hold.

    Args:
        kind: What sort of thing it is, in a word.
        what: The same, so that a reader knows whose.
        start: Where in the text it begins.
        end: Where it ends.
    """

    kind: str
    what: str
    start: int
    end: int


def hits(text: str) -> list[Hit]:
    """Find what a text must not hold.

    Args:
        text: Text in its plain spelling: no escapes, no encodings.

    Returns:
        The finds in the order of the text. They do not overlap: the pattern that says most about a place has it.
    """
    found: list[Hit] = []
    for hit in _candidates(text):
        place = bisect(found, hit.start, key=_start)
        after_last = place == 0 or found[place - 1].end <= hit.start
        if after_last and (place == len(found) or hit.end <= found[place].start):
            found.insert(place, hit)
    return found


def header_kind(name: str) -> tuple[str, str] | None:
    """Say why a header may not be recorded with its value.

    Args:
        name: The name of the header.

    Returns:
        Kind and description of what it carries; None for a header whose value is looked at like any other text.
    """
    name = name.lower()
    if name in _HARMLESS_HEADERS:
        return None
    return next(((kind, what) for kind, what, pattern in _HEADERS if pattern.search(name)), None)


def _start(hit: Hit) -> int:
    return hit.start


def _candidates(text: str) -> Iterator[Hit]:
    for kind, what, pattern, is_one in _PATTERNS:
        for match in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            if match[group] != PLACEHOLDER and is_one(match):
                yield Hit(kind, what, match.start(group), match.end(group))


# --- headers ---------------------------------------------------------------------------------------------------------

_HARMLESS_HEADERS = frozenset(
    {"idempotency-key", "sec-websocket-key", "surrogate-key", "x-cache-key", "x-idempotency-key"}
)

# By the end of the name: what comes before says whose it is. Counts of tokens and the like end otherwise.
_HEADERS: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (kind, what, re.compile(pattern))
    for kind, what, pattern in (
        ("cookie", "a cookie", r"^(set-)?cookie2?$"),
        ("request-id", "a request id", "^(" + "|".join(sorted(REQUEST_ID_HEADERS)) + ")$"),
        (
            "trace-id",
            "an id or address of the network on the way",
            r"^(cf-ray|via|traceparent|tracestate|x-served-by|x-envoy-.+|x-b3-.+|x-amz-cf-id|.+-trace-(id|context))$",
        ),
        ("account", "an id of the account", r"ratelimit.*-(hash|id|key|name)$"),
        (
            "credential",
            "a credential",
            r"(^|[-_])(auth|authorization|(api|access|subscription)?-?key|apikey|token|secret|credentials?|signature"
            r"|passw(or)?d|session)$",
        ),
        ("organisation", "an organisation", r"(^|[-_])(org|organi[sz]ation)([-_]id)?$"),
        ("project", "a project", r"(^|[-_])(project|workspace|tenant|subscription)([-_]id)?$"),
        ("account", "an id of the account", r"(^|[-_])(account|customer|owner|team)([-_](id|name|hash))?$"),
        ("user", "a user", r"(^|[-_])user([-_](id|name|hash))?$"),
    )
)


# --- values ----------------------------------------------------------------------------------------------------------


def _any(match: re.Match[str]) -> bool:
    return True


def _has_digit(match: re.Match[str]) -> bool:
    return any(character.isdigit() for character in match["value"])


def _is_no_stand_in(match: re.Match[str]) -> bool:
    """Tell a credential from a word in capitals that somebody put in its place: ACCESS_TOKEN, <API-KEY>."""
    return any(character.islower() or character.isdigit() for character in match["value"])


def _is_token(match: re.Match[str]) -> bool:
    """Tell a token from the word after "bearer" in a sentence."""
    return len(match["value"]) >= 24 or _has_digit(match)


def _is_user_and_password(match: re.Match[str]) -> bool:
    try:
        pair = base64.b64decode(match["value"]).decode("utf-8")
    except ValueError:
        return False
    return ":" in pair and pair.isprintable()


def _is_address(match: re.Match[str]) -> bool:
    """Tell somebody's e-mail address from a name that is reserved for examples, and from what is none."""
    user, _, domain = match[0].lower().rpartition("@")
    labels = domain.split(".")
    if user in _NO_USERS or labels[-1] in _NO_DOMAINS or PLACEHOLDER.lower() in (user, *labels):
        return False
    return labels[-2] != "example"


# `git@github.com:…` is a command, and logo@2x.png a file.
_NO_USERS = frozenset({"git"})
_RESERVED = {"example", "invalid", "localhost", "test"}
_FILES = {"gif", "jpeg", "jpg", "js", "json", "mjs", "pdf", "png", "py", "svg", "ts", "tsx", "webp", "yaml", "yml"}
_NO_DOMAINS = _RESERVED | _FILES


def _is_host(match: re.Match[str]) -> bool:
    """Tell an IPv4 address of somebody from examples, loopback, and version numbers with four parts."""
    parts = [int(part) for part in match["value"].split(".")]
    if max(parts) > 255 or parts[0] in (0, 127) or parts[0] >= 224:
        return False
    # 1.2.3.4, a chapter, 8.8.8.8: such an address is next to never a client's. 10.x.x.x is somebody's own network.
    if max(parts) < 20 and parts[0] != 10:
        return False
    return not _is_documented(ipaddress.ip_address(match["value"])) and not _VERSION_BEFORE.search(
        match.string[max(match.start() - 24, 0) : match.start()]
    )


# Chrome/120.0.0.0, v4.10.22.1, pkg==1.20.3.4, "version": "3.25.0.1"
_VERSION_BEFORE = re.compile(
    r"(?i)([a-z]/v?|(?<![a-z])v(ersion|er)?\.?[\s\"'\\:=]*|[=~<>]=\s*|\^|[a-z]@|release\s|build\s)$"
)


def _is_host6(match: re.Match[str]) -> bool:
    """Tell an IPv6 address of somebody from `abc::def` in program text, and from examples."""
    try:
        address = ipaddress.IPv6Address(match[0])
    except ValueError:
        return False
    return any(address in network for network in _CLIENTS) and not _is_documented(address)


# Addresses of the public net, of one's own network, and of one's own cable.
_CLIENTS = tuple(ipaddress.IPv6Network(text) for text in ("2000::/3", "fc00::/7", "fe80::/10"))
_DOCUMENTED = tuple(
    ipaddress.ip_network(text)
    for text in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20")
)


def _is_documented(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return any(address in network for network in _DOCUMENTED)


# Keys by what they begin with, with whose they are. Mistral, Cohere, Azure and Together give keys without a mark of
# their own: those are found by the header or the field that they stand in.
_KEYS = (
    ("Anthropic", r"sk-ant-[\w-]{16,}"),
    ("OpenRouter", r"sk-or-[\w-]{16,}"),
    ("OpenAI", r"sk-(?:proj|svcacct|admin|None)-[\w-]{16,}"),
    ("OpenAI, or a host of its dialect", r"[spr]k-(?=[\w-]{0,80}\d)[\w-]{16,}"),
    ("xAI", r"xai-[\w-]{20,}"),
    ("Groq", r"gsk_\w{20,}"),
    ("Cerebras", r"csk-\w{20,}"),
    ("Perplexity", r"pplx-\w{20,}"),
    ("NVIDIA", r"nvapi-[\w-]{20,}"),
    ("Fireworks", r"fw_\w{20,}"),
    ("Together", r"tgp_v1_[\w-]{20,}"),
    ("Replicate", r"r8_\w{20,}"),
    ("Hugging Face", r"(?:hf|api_org)_[A-Za-z]{20,}"),
    ("GitHub", r"gh[pousr]_\w{20,}|github_pat_\w{20,}"),
    ("Databricks", r"dapi[0-9a-f]{32}(?:-\d)?"),
    ("Vercel", r"vc[kp]_\w{20,}"),
    ("Meta", r"LLM\|\d+\|[\w-]{16,}"),
    ("Google", r"AIza[\w-]{30,}|AQ\.[\w-]{30,}"),
    ("Bedrock", r"ABSK[A-Za-z0-9+/]{30,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{20,}"),
    ("Ollama or Z.ai", r"[0-9a-f]{32}\.[\w-]{16,}"),
    ("a package index, GitLab or Slack", r"(?:pypi-|npm_|glpat-|xox[abprs]-)[\w-]{20,}"),
)
_PARAMETERS = "|".join(sorted(map(re.escape, SECRET_PARAMETERS), key=len, reverse=True))
# Not "token" and "key" by themselves: those are names of other things in what models answer.
_FIELDS = (
    r"(?:proxy-)?authorization|(?:x-|x-goog-)?api[-_]?key|client_secret|(?:access|refresh|id|session|security)_?token"
    r"|secret_?(?:access_?)?key|private_key|passw(?:or)?d"
)
_BEFORE = r"(?<![A-Za-z0-9_])"

_PATTERNS: tuple[tuple[str, str, re.Pattern[str], Callable[[re.Match[str]], bool]], ...] = tuple(
    (kind, what, re.compile(pattern), is_one)
    for kind, what, pattern, is_one in (
        ("private-key", "a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]*", _any),
        (
            "google-service-account",
            "a key of a Google service account",
            r'"private_key_id"\s*:\s*"(?P<value>\w+)"',
            _any,
        ),
        (
            "google-service-account",
            "a Google service account",
            r"(?<![\w.-])[\w.-]{1,64}@[\w-]{1,63}(?:\.\w{1,63}){0,2}\.gserviceaccount\.com",
            _any,
        ),
        ("jwt", "a JSON web token", _BEFORE + r"eyJ[\w-]{8,}\.(?:eyJ)?[\w-]{4,}(?:\.[\w-]+){1,3}", _any),
        *(("api-key", f"a key of {name}", rf"{_BEFORE}(?:{pattern})", _any) for name, pattern in _KEYS),
        ("google-key", "an OAuth token of Google", _BEFORE + r"(?:ya29\.|1//0|GOCSPX-)[\w.-]{10,}", _any),
        ("google-key", "an OAuth client of Google", r"(?<!\d)\d{6,20}-\w{16,64}\.apps\.googleusercontent\.com", _any),
        ("aws-key", "an access key id of AWS", _BEFORE + r"A(?:KIA|SIA|ROA|IDA)[A-Z0-9]{16}(?![A-Za-z0-9])", _any),
        ("aws-key", "a session token of AWS", _BEFORE + r"(?:IQoJb3JpZ2lu|F[wQ]oGZXIvYXdz)[A-Za-z0-9+/=]{16,}", _any),
        ("aws-key", "a signature of AWS", r"AWS4-HMAC-SHA256(?: Credential=(?!REDACTED)\S+)", _any),
        (
            "aws-key",
            "a secret access key of AWS",
            r"(?i)secret_?(?:access_?)?key[\"']?\s*[:=]\s*[\"']?(?P<value>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])",
            _any,
        ),
        (
            "bearer-token",
            "a bearer token",
            r"(?i)\bbearer[\s:]+[\"']?(?!REDACTED\b)(?P<value>[\w.~+/=-]{6,})",
            _is_token,
        ),
        (
            "credential",
            "a name and password",
            r"(?i)\bbasic\s+(?P<value>[A-Za-z0-9+/]{12,}={0,2})",
            _is_user_and_password,
        ),
        ("credential", "a password in an address", r"://[^\s/@:\"']*:(?P<value>[^\s/@:\"']+)@", _any),
        ("credential", "a credential in an address", rf"(?i)[?&](?:{_PARAMETERS})=(?P<value>[^&#\s\"'<>\\]+)", _any),
        (
            "credential",
            "a credential",
            rf"(?i)[\"'](?:{_FIELDS})[\"']\s*:\s*[\"'](?P<value>[^\s\"']{{8,}})[\"']",
            _is_no_stand_in,
        ),
        ("cookie", "a cookie", r"(?i)(?<![\w-])(?:set-)?cookie[\"']?\s*:\s*[\"']?(?P<value>[\w.-]+=[^\s;\"']+)", _any),
        ("account", "an account of AWS", r"\barn:aws[a-z-]*:[\w-]*:[\w-]*:(?P<value>(?!0{12})\d{12})(?!\d)", _any),
        ("account", "an account of Cloudflare", r"/accounts/(?P<value>[0-9a-f]{32})(?![0-9a-f])", _any),
        (
            "organisation",
            "an organisation",
            _BEFORE + r"org[-_](?P<value>(?=\w{0,80}\d)\w{10,}|[A-Za-z0-9]{20,})",
            _any,
        ),
        (
            "organisation",
            "an organisation",
            r"(?i)\b(?:openai|anthropic)-organization(?:-id)?\W{1,4}(?P<value>[\w-]{6,})",
            _any,
        ),
        ("project", "a project", _BEFORE + r"(?:proj|wrkspc)_(?P<value>\w{8,})", _any),
        (
            "project",
            "a project of Google",
            r"\bprojects/(?P<value>[a-z0-9][a-z0-9-]{4,28}[a-z0-9])/(?:locations|models)",
            _any,
        ),
        (
            "project",
            "a project of Google",
            r"\bprojects?(?:/|[_ ]?(?:number|id)?[\"']?\s?[:=#]?\s?[\"']?)(?P<value>\d{6,})(?!\w)",
            _any,
        ),
        (
            "project",
            "a subscription of Azure",
            r"(?i)\bsubscriptions/(?P<value>[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4})",
            _any,
        ),
        ("user", "a user", _BEFORE + r"user[-_](?P<value>(?=\w{0,80}\d)[A-Za-z0-9]{16,})", _any),
        (
            "email",
            "an e-mail address",
            r"(?<![\w.+%-])[\w.+%-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])",
            _is_address,
        ),
        (
            "ip-address",
            "an IPv4 address",
            r"(?<![\w.%-])(?:::ffff:)?(?P<value>\d{1,3}(?:\.\d{1,3}){3})(?![\w-]|\.\d)",
            _is_host,
        ),
        (
            "ip-address",
            "an IPv6 address",
            r"(?<![\w:.-])[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:]*:[0-9A-Fa-f]{0,4}(?![\w:])",
            _is_host6,
        ),
    )
)
