"""What a cassette must say in its first lines, and what it must never hold."""

import base64
import re

HEADER_LINES = ("server", "model", "date")

# What a real server would send or be sent that belongs to an account. Each pattern says what it finds.
SECRET_PATTERNS = {
    "a key header": r"(?im)^\s*['\"]?(authorization|proxy-authorization|x-api-key|api-key|x-goog-api-key)['\"]?\s*:",
    "a bearer token": r"(?i)\bbearer\s+[A-Za-z0-9]",
    "a provider's key": r"\b(sk|pk|gsk|xai|pplx|key)-[A-Za-z0-9_-]{16,}",
    "a cookie": r"(?im)^\s*['\"]?(set-cookie|cookie)['\"]?\s*:",
    "an organisation": r"(?i)\borg-[A-Za-z0-9]{8,}|openai-organization|anthropic-organization-id",
    "a project": r"(?i)\bproj_[A-Za-z0-9]{8,}|openai-project",
    "an AWS account": r"\barn:aws[a-z-]*:[a-z0-9-]*:[a-z0-9-]*:\d{12}:",
    "an AWS key": r"\b(AKIA|ASIA)[A-Z0-9]{16}\b|AWS4-HMAC-SHA256|(?i:x-amz-security-token)",
    "a Google key": r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{10,}",
    "an address of the Internet Protocol": r"(?<![\d.])(?!127\.0\.0\.1\b)(\d{1,3}\.){3}\d{1,3}(?![\d.])",
    "a network trace id": r"(?im)^\s*['\"]?(cf-ray|x-envoy-[a-z-]+|x-amzn-trace-id|via)['\"]?\s*:",
}


# A body that is no text, such as AWS's frames, as YAML has it.
_BINARY = re.compile(r"!!binary \|-?\n((?:[ \t]+[A-Za-z0-9+/=]+(?:\n|\Z))+)")


def header(text: str) -> dict[str, str]:
    """Return the comment lines that open a cassette, by name: `# server: llama.cpp …` gives `{"server": …}`."""
    lines: dict[str, str] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        name, _, value = line.removeprefix("#").partition(":")
        lines[name.strip()] = value.strip()
    return lines


def faults(text: str, secrets: tuple[str, ...] = ()) -> list[str]:
    """Return what is wrong with a cassette's text, one sentence a fault; none when it may be kept.

    Args:
        text: the whole cassette.
        secrets: values that were in use while it was recorded and must not be in it.
    """
    named = header(text)
    text += "\n".join(base64.b64decode(body).decode("latin-1") for body in _BINARY.findall(text))
    found = [f"its first lines do not say: {name}" for name in HEADER_LINES if not named.get(name)]
    found += [f"holds {what}" for what, pattern in SECRET_PATTERNS.items() if re.search(pattern, text)]
    found += ["holds a key that it was recorded with" for secret in secrets if secret in text]
    return found
