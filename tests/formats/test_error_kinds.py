"""What the errors of every provider mean: by the codes and words of its reference, and of every recorded error."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from requests.structures import CaseInsensitiveDict

import triptych
from tests.formats import corpus
from tests.formats.bodies import ALL
from tests.formats.corpus import Exchange, each
from triptych import formats, providers
from triptych.errors import Kind, LlmError
from triptych.formats.error_kinds import told_wait

RETRYABLE = {"rate_limit", "overloaded", "server", "timeout"}

# Every recorded error, by what it means: read off the recordings one by one.
RECORDED: Mapping[Kind, str] = {
    "authentication": """
        oaichat_6ebf61ee oaichat_713362ad oaichat_9f3f5710 oaichat_e2402376 oaichat_fabb835f compat_9011ffd2
        compat_96d7ac72 compat_bb9de52e compat_becc2ffe compat_d0df9a3a compat_da7e5313 compat_e502a83b
        compat_ed69ecf9 compat_fc60efee oairesp_17210151 oairesp_1db97daf oairesp_27b46b49 oairesp_91c1f055
        oairesp_ba88ea6c oairesp_fb4c9700 anthropic_40078e2e anthropic_5ac93071 anthropic_7fd6d9fa gemini_11fd5bb3
        gemini_324bed0e gemini_889ec51d bedrock_40d46ef2 mistral_89fdbbbd
    """,
    "permission": "anthropic_27d6e6a7 anthropic_83ef2867",
    "not_found": """
        oaichat_508233d7 oaichat_58bcba4f oaichat_6e92a0bd oaichat_ab7c880a oaichat_e49d073c oaichat_e9e1e042
        compat_0cae7868 compat_30797abd compat_b2d67292 oairesp_4d138792 oairesp_dfd33192 oairesp_e3ea01b6
        oairesp_e831ce72 anthropic_1418865d anthropic_74396f28 anthropic_78aa2391 anthropic_a1b28d3f gemini_1ad63cdf
        gemini_497c0528 gemini_5fcf3ef3 bedrock_8830ea89 bedrock_a36af99f cohere_575b21e6 ollama_c4847a24
    """,
    "invalid_request": """
        oaichat_397fbb5a oaichat_4356e8f6 oaichat_51ef2b0d oaichat_5e95b2a7 oaichat_5f1f1f92 oaichat_6af28061
        oaichat_c4988faa oaichat_c55191f1 oaichat_db5b2cc3 oaichat_e98c6488 oaichat_f9a21e32 compat_6941e424
        compat_79d488bf compat_ab94c071 compat_c332b7e7 oairesp_7d4eeba1 oairesp_8316c078 oairesp_ffc877ab
        anthropic_38a6ed73 anthropic_98b78500 anthropic_9d39c6c0 anthropic_aefc984d anthropic_c6664f9f
        anthropic_d649b4a4 anthropic_e2ebf7f0 gemini_55325ad8 gemini_82d2fcec gemini_8e8ba7d3 gemini_9f9cc491
        bedrock_43453380 bedrock_d0b095d9 mistral_ad06c30a mistral_db0270d9 mistral_df852ff2 mistral_ed92f0a1
    """,
    "context_length": """
        compat_63e067b8 compat_831279e4 compat_b0a585c1 compat_db05aeb7 compat_ff08b5b9 oairesp_904199e8
        cohere_891b2896
    """,
    "rate_limit": "compat_b004885a compat_bbb536a5 gemini_651fa5c8 gemini_78d096d9",
    "server": "compat_2c2ba933 compat_92d7b5bb",
}
KINDS: Mapping[str, Kind] = {name: kind for kind, names in RECORDED.items() for name in names.split()}
# A server that was started without what the request needs.
HOPELESS = {"compat_92d7b5bb"}
ERRORS = [exchange for exchange in corpus.all_exchanges() if exchange.status >= 400]


@each(ERRORS)
def test_a_recorded_error_has_the_kind_that_its_reader_gives_it(exchange: Exchange) -> None:
    body = exchange.response if isinstance(exchange.response, str) else json.dumps(exchange.response)
    headers = CaseInsensitiveDict(exchange.headers)
    error = formats.load(exchange.format).parse_error(exchange.status, headers, body.encode())
    assert (error.kind, error.status, error.body) == (KINDS[exchange.id], exchange.status, None)
    assert error.retryable is (error.kind in RETRYABLE and exchange.id not in HOPELESS)


@pytest.mark.skipif(not ERRORS, reason=f"no recorded exchanges in {corpus.FOLDER}")
def test_the_table_of_recorded_errors_has_them_all_and_no_others() -> None:
    assert sorted(KINDS) == sorted(exchange.id for exchange in ERRORS)


# Errors of each provider, one a line, as its reference and its users' reports have them, and what they mean.
REFERENCE: list[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("provider_errors.jsonl").read_text("utf-8").splitlines()
]


def of(provider: str, status: int, body: Any, **headers: str) -> LlmError:
    host, _ = providers.resolve("m", provider)
    named = CaseInsensitiveDict({name.replace("_", "-"): value for name, value in headers.items()})
    return formats.load(host.format, provider, host.quirks).parse_error(status, named, json.dumps(body).encode())


@pytest.mark.parametrize("row", REFERENCE, ids=lambda row: f"{row['provider']}-{row['status']}-{row['code']}")
def test_the_codes_and_words_of_a_provider_mean_what_its_reference_says(row: dict[str, Any]) -> None:
    """B162: what is paid for is not waited for, and a limit of a minute is."""
    error = of(row["provider"], row["status"], row["body"])
    told = {name: getattr(error, name) for name in ("status", "kind", "code", "retryable", "retry_after", "message")}
    assert told == {name: row[name] for name in told}


def test_every_provider_has_an_error_in_the_table() -> None:
    described = {row["provider"] for row in REFERENCE}
    same = {"bedrock-anthropic": "bedrock", "azure-deployments": "azure"}  # another address of the same API
    ours = tomllib.loads(Path(triptych.__file__).with_name("providers.toml").read_text(encoding="utf-8"))
    assert {same.get(name, name) for name in ours} == described


def test_what_the_provider_behind_a_router_says_is_said_too() -> None:
    raw = '{"error":{"message":"prompt is too long: 9 tokens","type":"invalid_request_error"}}'
    said: dict[str, Any] = {
        "message": "Provider returned error",
        "metadata": {"provider_name": "Anthropic", "raw": raw},
    }
    error = of("openrouter", 400, {"error": said})
    assert (error.kind, error.message) == ("context_length", "Provider returned error: prompt is too long: 9 tokens")
    said["metadata"] = {"raw": "m is temporarily rate-limited upstream"}
    assert (
        of("openrouter", 429, {"error": said}).message == f"{said['message']}: m is temporarily rate-limited upstream"
    )


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 6m0s.", 360),
        ("Please try again in 20ms. Visit the site", 0.02),
        ("Please retry after 26 seconds.", 26),
        ("Please retry in 34.5s.", 34.5),
        ("Please wait 5 minutes before retrying", 300),
        ("try again in 1h2m3s", 3723),
        ("wait 250 milliseconds", 0.25),
        ("try again in 2 days", 172_800),
        ("Please wait a moment", None),
        ("please try again later", None),
        ("retry 3 models", None),
    ],
)
def test_a_wait_is_read_out_of_the_words(words: str, seconds: float | None) -> None:
    """B159."""
    told = told_wait(words)
    assert told == (None if seconds is None else pytest.approx(seconds))


STATUSES: Mapping[int, tuple[Kind, bool]] = {
    400: ("invalid_request", False),
    401: ("authentication", False),
    402: ("billing", False),
    403: ("permission", False),
    404: ("not_found", False),
    405: ("invalid_request", False),
    407: ("authentication", False),
    408: ("timeout", True),
    409: ("overloaded", True),
    410: ("not_found", False),
    413: ("invalid_request", False),
    422: ("invalid_request", False),
    425: ("overloaded", True),
    429: ("rate_limit", True),
    451: ("permission", False),
    500: ("server", True),
    501: ("unsupported", False),
    502: ("server", True),
    503: ("overloaded", True),
    504: ("timeout", True),
    505: ("invalid_request", False),
    520: ("server", True),
    521: ("server", True),
    522: ("timeout", True),
    523: ("server", True),
    524: ("timeout", True),
    529: ("overloaded", True),
    599: ("server", True),
}


@pytest.mark.parametrize(("status", "told"), STATUSES.items())
@pytest.mark.parametrize("name", ALL)
def test_a_status_alone_says_the_kind_and_whether_to_try_again(name: str, status: int, told: tuple[Kind, bool]) -> None:
    error = formats.load(name).parse_error(status, {}, b'{"message": "no"}')
    assert (error.kind, error.retryable, error.message) == (*told, "no")
