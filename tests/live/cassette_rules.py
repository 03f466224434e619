"""What a cassette must say in its first lines, and what it must never hold."""

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
    "a network trace id": r"(?im)^\s*['\"]?(cf-ray|x-envoy-[a-z-]+|x-amzn-trace-id|via)['\"]?\s*:",
}


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
    found = [f"its first lines do not say: {name}" for name in HEADER_LINES if not named.get(name)]
    found += [f"holds {what}" for what, pattern in SECRET_PATTERNS.items() if re.search(pattern, text)]
    found += ["holds a key that it was recorded with" for secret in secrets if secret in text]
    return found
