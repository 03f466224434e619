"""Calls to Google Cloud: a service account of the test's own, whose tokens a real server on loopback gives out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.chat_hosts import anthropic_message
from tests.servers.script import Reply, Request, ScriptedServer, serve
from triptych import LlmClient, LlmRequest
from triptych.access.find import find_access
from triptych.providers import resolve

QUESTION = LlmRequest(contents="q")
MODEL = "vertex-anthropic/claude-sonnet-4-5@20250929"


def answer(request: Request) -> Reply:
    """Answer as the token endpoint and as the model: the first token is over at once, and so renewed."""
    if request.path == "/token":
        count = sum(1 for each in _seen if each == "/token")
        _seen.append("/token")
        return Reply.of_json(
            {"access_token": f"token-{count}", "expires_in": 1 if count == 0 else 3600, "token_type": "Bearer"}
        )
    _seen.append(request.path)
    return Reply.of_json(anthropic_message("a"))


_seen: list[str] = []


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    """Return a running server, with a service account in the environment whose token endpoint it is."""
    _seen.clear()
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with serve(answer) as running:
        account = {
            "type": "service_account",
            "project_id": "project-of-the-account",
            "private_key_id": "1",
            "private_key": pem.decode(),
            "client_email": "robot@house.test",
            "token_uri": f"{running.url}/token",
        }
        path = tmp_path / "account.json"
        path.write_text(json.dumps(account))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
        yield running


def test_a_call_bears_a_token_of_the_default_credentials_renewed_when_it_is_over(server: ScriptedServer) -> None:
    with LlmClient(MODEL, base_url=server.url) as client:
        assert [client.generate(QUESTION).text for _ in range(3)] == ["a", "a", "a"]
    assert _seen.count("/token") == 2
    calls = [request for request in server.requests if request.path != "/token"]
    assert [request.headers["authorization"] for request in calls] == [
        "Bearer token-0",
        "Bearer token-1",
        "Bearer token-1",
    ]
    assert {request.path for request in calls} == {"/models/claude-sonnet-4-5@20250929:rawPredict"}
    body = calls[0].json()
    assert (body["anthropic_version"], "model" in body) == ("vertex-2023-10-16", False)
    asked = parse_qs(server.requests[0].body.decode())
    assert asked["grant_type"] == ["urn:ietf:params:oauth:grant-type:jwt-bearer"]


def test_a_stream_is_asked_for_at_its_own_url(server: ScriptedServer) -> None:
    with LlmClient(MODEL, base_url=server.url) as client:
        assert client.stream(QUESTION).collect().text == "a"
    assert server.requests[-1].path == "/models/claude-sonnet-4-5@20250929:streamRawPredict"
    assert server.requests[-1].json()["stream"] is True


def test_given_credentials_and_given_tokens_are_taken(server: ScriptedServer, tmp_path: Path) -> None:
    from google.oauth2.service_account import Credentials

    credentials = Credentials.from_service_account_file(str(tmp_path / "account.json"))  # type: ignore[no-untyped-call]  # untyped there
    with LlmClient(MODEL, base_url=server.url, api_key=credentials) as client:
        assert client.generate(QUESTION).text == "a"
    with LlmClient(MODEL, base_url=server.url, api_key=lambda: "given") as client:
        assert client.generate(QUESTION).text == "a"
    assert [server.requests[index].headers["authorization"] for index in (1, 2)] == ["Bearer token-0", "Bearer given"]


@pytest.mark.parametrize(
    ("model", "environment", "url"),
    [
        (
            "vertex/gemini-2.5-flash",
            {},
            "https://aiplatform.googleapis.com/v1/projects/project-of-the-account/locations/global/publishers/google"
            "/models/gemini-2.5-flash:generateContent",
        ),
        (
            "vertex/gemini-2.5-flash",
            {"GOOGLE_CLOUD_LOCATION": "europe-west4", "GOOGLE_CLOUD_PROJECT": "p"},
            "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4/publishers/google"
            "/models/gemini-2.5-flash:generateContent",
        ),
        (
            "vertex/claude-opus-4-1@20250805",
            {"CLOUD_ML_REGION": "us", "ANTHROPIC_VERTEX_PROJECT_ID": "p"},
            "https://aiplatform.us.rep.googleapis.com/v1/projects/p/locations/us/publishers/anthropic"
            "/models/claude-opus-4-1@20250805:rawPredict",
        ),
    ],
)
def test_the_address_is_that_of_project_and_location(
    server: ScriptedServer, model: str, environment: dict[str, str], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    host, name = resolve(model)
    assert host.endpoint(environ=find_access(host, None).variables, model=name) == url


def test_a_refused_account_is_an_authentication_error(server: ScriptedServer, tmp_path: Path) -> None:
    account = json.loads((tmp_path / "account.json").read_text())
    account["token_uri"] = f"{server.url}/nowhere"
    (tmp_path / "account.json").write_text(json.dumps(account))
    with LlmClient(MODEL, base_url=server.url) as client:
        error = client.generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code) == ("authentication", "token_failed")
    assert error.message.startswith("no Google access token: ")


def test_without_credentials_the_error_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "nowhere.json"))
    error = LlmClient(MODEL).generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code) == ("authentication", "missing_key")
    assert error.message.startswith("no Google credentials: ")


def test_without_google_auth_the_error_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.auth", None)
    error = LlmClient(MODEL).generate(QUESTION).error
    assert error is not None
    assert (error.kind, error.code, error.message) == (
        "invalid_request",
        "missing_extra",
        "a call to Vertex AI without a key or token needs google-auth, which is not installed: "
        "pip install 'triptych[vertex]'",
    )
