"""What the user can do about an error: one short hint by what the words say, else by the error's kind."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from triptych.errors import Kind, LlmError

_BY_KIND: Mapping[Kind, str] = {
    "authentication": "check the API key, and that it is one for the host that is asked",
    "permission": "ask the owner of the account to let this key use the model, here and in this region",
    "billing": "add credit at the provider, or raise the spending limit there",
    "not_found": "check the model's name, and base_url",
    "context_length": "shorten the conversation (triptych.compress), or lower max_tokens",
    "content_filter": "rephrase what was refused, or ask another model",
    "rate_limit": "send less at once, or ask the provider for a higher limit",
    "overloaded": "try later, or ask another model",
}

# By kind, host or wire format (None is any), and words in the codes and the message; the first match wins. What a
# pattern names takes its place in the hint.
_BY_WORDS: tuple[tuple[Kind, str | None, str, str], ...] = (
    ("not_found", "ollama_chat", r"model ['\"](?P<model>[^'\"\s]{1,200})['\"] not found", "ollama pull {model}"),
    ("not_found", None, r"model ['\"](?P<model>[^'\"\s]{1,200})['\"] not found, try pulling", "ollama pull {model}"),
    ("authentication", "ollama_chat", r"unauthorized", "ollama signin, or set OLLAMA_API_KEY"),
    ("not_found", None, r"no models? (is )?loaded", "load one: lms load <model>"),
    ("not_found", None, r"deployment_?not_?found", "the model is the deployment's name; a new one takes some minutes"),
    ("not_found", "azure", r"resource not found", "check base_url and api-version"),
    (
        "not_found",
        None,
        r"non-serverless model",
        "this model runs on an endpoint of your own only: start one, or ask another model",
    ),
    (
        "permission",
        "bedrock_converse",
        r"access to the model",
        "enable the model in the Bedrock console, in this region",
    ),
    ("permission", None, r"aws-?\s?marketplace", "subscribe to the model in the Bedrock console"),
    ("permission", None, r"service_disabled", "enable the API in the project's Google Cloud console"),
    ("permission", None, r"must be verified", "verify the organization in the provider's console"),
    (
        "permission",
        None,
        r"unsupported_country|country, region|location is not supported",
        "the provider does not serve this place",
    ),
    ("permission", None, r"model_terms_required|model terms", "accept the model's terms in the provider's console"),
    (
        "invalid_request",
        None,
        r"on-demand throughput",
        "ask an inference profile: its id has a prefix such as us. or eu.",
    ),
    ("authentication", None, r"expired_?token|requestexpired|token.{0,40}expired", "refresh the credentials"),
    ("authentication", None, r"signature", "check the secret key and this machine's clock"),
    ("authentication", "bedrock_converse", r"", "check the AWS credentials, or the key, and the region"),
    ("authentication", None, r"was reported as leaked", "make a new key: the provider has blocked this one"),
    (
        "billing",
        "gemini_generate",
        r"free_tier|free tier",
        "enable billing for the key's project, or ask another model",
    ),
    ("billing", "cohere_chat", r"trial key", "use a production key: a trial key's calls of this month are used up"),
    ("billing", "vercel", r"customer_verification", "add a payment card to the account"),
    ("context_length", None, r"request too large for|request body too large for", "send less in one request"),
    ("overloaded", None, r"loading model", "the server is loading the model: try again in a moment"),
    ("server", None, r"requires more system memory", "use a smaller model, or a machine with more memory"),
    ("server", None, r"requires? --(?P<flag>[a-z-]{1,40})", "start the server with --{flag}"),
    (
        "rate_limit",
        "gemini_generate",
        r"perday|per day",
        "the day's quota is used up: it comes back at midnight, Pacific time",
    ),
)
_PATTERNS = tuple((kind, where, re.compile(words, re.IGNORECASE), hint) for kind, where, words, hint in _BY_WORDS)


def hint_for(error: LlmError, words: str, api: str, host: str | None = None) -> str | None:
    """Return what the user can do about an error, or None where nothing is known.

    Args:
        error: The error.
        words: Its codes and its message.
        api: The wire format.
        host: Whose error it is.
    """
    for kind, where, pattern, hint in _PATTERNS:
        if kind == error.kind and where in (None, api, host):
            found = pattern.search(words)
            if found is not None:
                return hint.format(**found.groupdict())
    return _BY_KIND.get(error.kind)


def key_hint(origin: str, variables: Sequence[str]) -> str:
    """Return what to do about a key that was refused.

    Args:
        origin: Where it comes from: "api_key", an environment variable, or what else to call it.
        variables: The environment variables that the host's key is read from.
    """
    if origin in variables:
        given, instead = f"was read from the environment variable {origin}", ""
    else:
        given = "was given as api_key" if origin == "api_key" else f"comes from {origin}"
        instead = f", or leave it out and set {' or '.join(variables)}" if variables and origin == "api_key" else ""
    return f"the key {given}: check that it is one for the host that is asked{instead}"
