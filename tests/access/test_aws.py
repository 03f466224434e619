"""Calls to AWS: signed as AWS checks a signature, worked out here anew from what arrived at a real socket."""

from __future__ import annotations

import hashlib
import hmac
import re
import sys
from typing import Any
from urllib.parse import quote, unquote

import pytest
from botocore.credentials import Credentials  # type: ignore[import-untyped]  # botocore publishes no types

from tests.chat_hosts import Ask, anthropic_message, both_ways
from tests.servers.script import Reply, Request, serve
from triptych import LlmClient, LlmRequest

QUESTION = LlmRequest(contents="q")
ACCESS_KEY, SECRET_KEY, TOKEN = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "planted-session-token"
MODELS = [
    "anthropic.claude-3-haiku-20240307-v1:0",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-3-5-sonnet-20240620-v1:0",
    "arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-pro-v1:0",
    "arn:aws:sagemaker:us-east-1:123456789012:endpoint/with space+plus%percent@at~tilde",
]


def answer(request: Request) -> Reply:
    return Reply.of_json(anthropic_message("a"))


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Give a test AWS keys and a region by environment, and nothing of the machine's own."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": "us-west-2",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
        "AWS_SHARED_CREDENTIALS_FILE": str(tmp_path / "credentials"),
    }.items():
        monkeypatch.setenv(name, value)


def signature(request: Request, secret_key: str) -> str:
    """Return the signature that AWS works out for a request: from the target, the headers and the body as they came.

    Reference: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
    """
    scope, signed = re.findall(r"Credential=[^/]+/([^,]+), SignedHeaders=([^,]+)", request.headers["authorization"])[0]
    path, _, query = request.path.partition("?")
    assert query == ""
    canonical = "\n".join(
        [
            request.method,
            quote(path, safe="/-_.~"),  # what is escaped already is escaped once more
            query,
            *(f"{name}:{' '.join(request.headers[name].split())}" for name in signed.split(";")),
            "",
            signed,
            hashlib.sha256(request.body).hexdigest(),
        ]
    )
    date = request.headers["x-amz-date"]
    to_sign = "\n".join(["AWS4-HMAC-SHA256", date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, to_sign.encode(), "sha256").hexdigest()


def sent_signature(request: Request) -> str:
    return request.headers["authorization"].rpartition("Signature=")[2]


def scope(request: Request) -> list[str]:
    (found,) = re.findall(r"Credential=([^,]+)", request.headers["authorization"])
    return str(found).split("/")


@pytest.mark.parametrize("model", MODELS)
@both_ways
def test_a_model_id_with_slashes_and_colons_is_signed_as_it_arrives(model: str, ask: Ask) -> None:
    """B062: what the path escapes is escaped once more in what is signed, and not twice."""
    with serve(answer) as server:
        response = ask(f"bedrock-anthropic/{model}", QUESTION, base_url=server.url)
        assert (response.text, response.error) == ("a", None)
        (request,) = server.requests
        segments = request.path.split("/")
        assert (segments[:2], unquote(segments[2]), segments[3:]) == (["", "model"], model, ["invoke"])
        assert sent_signature(request) == signature(request, SECRET_KEY)
        assert scope(request)[0] == ACCESS_KEY
        assert scope(request)[2:] == ["us-west-2", "bedrock", "aws4_request"]


def test_a_session_token_is_sent_and_signed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", TOKEN)
    with serve(answer) as server, LlmClient("bedrock-anthropic/m", base_url=server.url) as client:
        assert client.generate(QUESTION).text == "a"
        (request,) = server.requests
        assert request.headers["x-amz-security-token"] == TOKEN
        assert "x-amz-security-token" in request.headers["authorization"]
        assert sent_signature(request) == signature(request, SECRET_KEY)


def test_credentials_of_botocore_are_taken_as_the_key() -> None:
    credentials = Credentials("AKOTHER", "other-secret")
    with serve(answer) as server, LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=credentials) as client:
        assert client.generate(QUESTION).text == "a"
        assert scope(server.requests[0])[0] == "AKOTHER"
        assert sent_signature(server.requests[0]) == signature(server.requests[0], "other-secret")


def test_a_bearer_key_goes_before_the_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "bearer-key")
    with serve(answer) as server, LlmClient("bedrock-anthropic/m", base_url=server.url) as client:
        assert client.generate(QUESTION).text == "a"
        assert server.requests[0].headers["authorization"] == "Bearer bearer-key"


def test_the_region_of_the_address_wins_over_that_of_the_environment() -> None:
    from triptych.access.aws import SignedAccess

    access = SignedAccess(Credentials(ACCESS_KEY, SECRET_KEY), "us-west-2")
    for host, region in {
        "bedrock-runtime.eu-central-1.amazonaws.com": "eu-central-1",
        "bedrock-runtime-fips.us-gov-west-1.amazonaws.com": "us-gov-west-1",
        "vpce-0a-1b.bedrock-runtime.ap-southeast-2.vpce.amazonaws.com": "ap-southeast-2",
        "gateway.house": "us-west-2",
    }.items():
        assert (
            f"/{region}/bedrock/aws4_request"
            in access.headers(f"https://{host}/model/m/converse", b"")["Authorization"]
        )


def test_the_address_is_that_of_the_region(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from triptych.access.find import find_access
    from triptych.providers import resolve

    host, model = resolve("bedrock-anthropic/m:0")
    monkeypatch.delenv("AWS_REGION")
    (tmp_path / "config").write_text("[default]\nregion = sa-east-1\n")
    url = host.endpoint(environ=find_access(host, None).variables, model=model, stream=True)
    assert url == "https://bedrock-runtime.sa-east-1.amazonaws.com/model/m%3A0/invoke-with-response-stream"
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert find_access(host, None).variables == {"AWS_REGION": "eu-west-3"}


def test_without_credentials_the_error_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    error = LlmClient("bedrock-anthropic/m").generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code, error.message) == (
        "authentication",
        "missing_key",
        "no AWS credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a bearer key in "
        "AWS_BEARER_TOKEN_BEDROCK, or give api_key=",
    )


def test_a_profile_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    error = LlmClient("bedrock-anthropic/m").generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code) == ("authentication", "missing_key")
    assert "nobody" in error.message


def test_without_botocore_the_error_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.session", None)
    error = LlmClient("bedrock-anthropic/m").generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code, error.message) == (
        "invalid_request",
        "missing_extra",
        "a call to Bedrock without a bearer key needs botocore, which is not installed: "
        "pip install 'triptych[bedrock]'",
    )


def test_credentials_of_the_wrong_cloud_are_refused() -> None:
    error = LlmClient("vertex/gemini-2.5-flash", api_key=Credentials("a", "b")).generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code) == ("authentication", "wrong_credentials")


def test_the_secret_key_and_the_token_are_in_no_error() -> None:
    def quoting(request: Request) -> Reply:
        return Reply.of_json({"message": f"bad {request.headers['x-amz-security-token']} of {ACCESS_KEY}"}, 403)

    credentials = Credentials(ACCESS_KEY, SECRET_KEY, TOKEN)
    with serve(quoting) as server, LlmClient("bedrock-anthropic/m", base_url=server.url, api_key=credentials) as client:
        error = client.generate(QUESTION).error
        assert error is not None
        assert error.message == "bad *** of ***"
