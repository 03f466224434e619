"""The lint of cassettes: what must not be published is found wherever it stands, and what may be is left alone."""

from __future__ import annotations

import base64
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.framing.aws_frames import frame
from tests.replay.loopback import Answer, Loopback, send
from triptych.replay import CassetteError, Finding, Tape, check
from triptych.replay.lint import check_text

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"1234"}', b"s" * 32)
)

# What is looked for by what it looks like: the kind that it is told as, and an invented one.
VALUES = [
    ("api-key", "sk-" + "a1B2" * 12),
    ("api-key", "sk-proj-" + "a1B2" * 12),
    ("api-key", "sk-ant-api03-" + "a1B2" * 20),
    ("api-key", "sk-or-v1-" + "0a1b" * 16),
    ("api-key", "xai-" + "a1B2" * 20),
    ("api-key", "gsk_" + "a1B2" * 13),
    ("api-key", "csk-" + "a1b2" * 12),
    ("api-key", "pplx-" + "a1b2" * 12),
    ("api-key", "nvapi-" + "a1B2" * 16),
    ("api-key", "fw_" + "a1B2" * 6),
    ("api-key", "tgp_v1_" + "a1B2" * 10),
    ("api-key", "r8_" + "a1B2" * 9),
    ("api-key", "hf_" + "aBcD" * 8),
    ("api-key", "ghp_" + "a1B2" * 9),
    ("api-key", "github_pat_" + "a1B2" * 20),
    ("api-key", "dapi" + "0a1b" * 8),
    ("api-key", "vck_" + "a1B2" * 8),
    ("api-key", "LLM|123456789|" + "a1B2" * 7),
    ("api-key", "AIza" + "a1B2" * 8 + "a1B"),
    ("api-key", "AQ.Ab8" + "a1B2" * 10),
    ("api-key", "ABSK" + "a1B2" * 20),
    ("api-key", "0a1b" * 8 + "." + "a1B2" * 4),
    ("api-key", "xoxb-" + "1234" * 3 + "-" + "a1B2" * 6),
    ("jwt", JWT),
    ("bearer-token", "Bearer " + "a1B2" * 8),
    ("credential", "Basic " + base64.b64encode(b"somebody:a-password").decode()),
    ("credential", "https://me:hunter22@host.test/v1"),
    ("credential", "https://host.test/v1?a=1&api_key=0a1b2c3d"),
    ("credential", "https://host.test/v1?X-Amz-Signature=0a1b2c3d"),
    ("credential", '{"client_secret": "0a1b2c3d4e"}'),
    ("credential", '{"password": "correcthorse"}'),
    ("cookie", "Set-Cookie: __cf_bm=0a1b2c; path=/"),
    ("google-key", "ya29." + "a1B2" * 10),
    ("google-key", "GOCSPX-" + "a1B2" * 7),
    ("google-key", "123456789012-" + "a1b2" * 8 + ".apps.googleusercontent.com"),
    ("google-service-account", "robot@some-project.iam.gserviceaccount.com"),
    ("google-service-account", '{"private_key_id": "' + "0a1b" * 10 + '"}'),
    ("private-key", "-----BEGIN RSA PRIVATE KEY----- MIIEa1B2 -----END RSA PRIVATE KEY-----"),
    ("private-key", "-----BEGIN PRIVATE KEY----- MIIEa1B2 -----END PRIVATE KEY-----"),
    ("aws-key", "AKIA" + "A1B2" * 4),
    ("aws-key", "ASIA" + "A1B2" * 4),
    ("aws-key", "IQoJb3JpZ2luX2Vj" + "a1B2" * 10),
    ("aws-key", "aws_secret_access_key = " + "a1B+" * 10),
    ("aws-key", "AWS4-HMAC-SHA256 Credential=someone/20261130"),
    ("account", "arn:aws:bedrock:us-east-1:123456789012:inference-profile/x"),
    ("account", "https://api.cloudflare.test/client/v4/accounts/" + "0a1b" * 8 + "/ai"),
    ("organisation", "org-" + "a1B2" * 6),
    ("organisation", "org_01" + "hx3z" * 6),
    ("project", "proj_" + "a1B2" * 6),
    ("project", "https://host.test/v1/projects/my-project-42/locations/us-east1"),
    ("project", "API not enabled in project 123456789012 before"),
    ("project", "/subscriptions/01234567-89ab-cdef-0123-456789abcdef/resourceGroups"),
    ("user", "user-" + "a1B2" * 6),
    ("email", "jane.doe+llm@corp.com"),
    ("ip-address", "from 84.17.203.9: refused"),
    ("ip-address", "10.0.0.5"),
    ("ip-address", "http://192.168.178.20:8000/"),
    ("ip-address", "peer 2a02:8109:9c40:1::5f3 closed"),
    ("ip-address", "::ffff:84.17.203.9"),
]
IDS = [f"{kind}-{value[:12]}" for kind, value in VALUES]

# What looks like something of VALUES and is nothing of it.
HARMLESS = [
    "REDACTED",
    "Bearer REDACTED",
    "Authorization: Bearer REDACTED",
    "the bearer of this letter; bearer authentication is used",
    "basic understanding of algebra",
    "https://host.test/v1?key=REDACTED&a=1",
    '{"api_key": "REDACTED", "password": "short", "token": " equals", "key": "answer-of-the-model"}',
    '{"authorization": "how to say who one is", "access_token": "ACCESS_TOKEN", "password": "<YOUR-PASSWORD>"}',
    "sk-learn-compatible-estimators and task-0123456789abcdef-list",
    "me@example.com, you@example.org, him@host.test, her@a.invalid, REDACTED@corp.com",
    "git clone git@github.com:org/name and logo@2x.png",
    "127.0.0.1, 0.0.0.0, 192.0.2.7, 198.51.100.7, 203.0.113.7, 255.255.255.0, 300.1.2.3",
    "version 121.30.4.5, v84.17.203.9, Chrome/120.84.17.33, pkg==20.84.17.33, pkg@20.84.17.33",
    '"version": "84.17.203.9", chapters 1.2.3.4 and 3.2.1.10, 1.84.17.203.9',
    "::1, 2001:db8::7, 3fff::7, std::vector, abc::def, 12:34:56, 00:1a:2b:3c:4d:5e, fade::bad",
    "arn:aws:bedrock:us-east-1::foundation-model/x",
    "org-chart and organisations, proj_x, user-agent, user-friendly-interface",
    "models/gemini-2.5-flash, projects/REDACTED/locations/us-east1, 5 projects/models",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53, chatcmpl-a1B2a1B2a1B2a1B2a1B2",
    "eyJ is how base64 of JSON begins; AKIA; -----BEGIN PUBLIC KEY-----",
]


def cassette(
    *,
    url: str = "http://localhost/v1",
    request: object = "{}",
    response: object = "{}",
    request_headers: dict[str, list[str]] | None = None,
    response_headers: dict[str, list[str]] | None = None,
    comment: str = "server: s",
) -> str:
    """Write a cassette as plain vcrpy does, with nothing taken out."""
    first: dict[str, object] = {"method": "GET", "uri": "http://localhost/first", "body": None, "headers": {}}
    second = {"method": "POST", "uri": url, "body": request, "headers": request_headers or {}}
    answer = {"status": {"code": 200, "message": "OK"}, "headers": response_headers or {}, "body": {"string": response}}
    data = {"interactions": [{"request": first, "response": answer | {"headers": {}, "body": {"string": ""}}}]}
    data["interactions"].append({"request": second, "response": answer})
    return f"# {comment}\n" + yaml.safe_dump(data | {"version": 1}, allow_unicode=True)


def escaped(value: str) -> str:
    """Write a text as JSON may: each character as an escape."""
    return "".join(f"\\u{ord(character):04x}" for character in value)


def chunk(value: str) -> bytes:
    """Make a frame that carries a text in base64, as those of InvokeModel do."""
    return frame({}, json.dumps({"bytes": base64.b64encode(json.dumps({"text": value}).encode()).decode()}).encode())


def in_url(value: str) -> str:
    """Write a text as a parameter of a URL."""
    return f"http://localhost/v1?note={quote(value, safe='')}"


BODY, REQUEST = "interactions[1].response.body", "interactions[1].request"
# A place in which something may stand: its name in a finding, and a cassette that has a text there.
PLACES: dict[str, tuple[str, Callable[[str], str]]] = {
    "url": (f"{REQUEST}.uri", lambda value: cassette(url=in_url(value))),
    "request header": (
        f"{REQUEST}.headers.x-note",
        lambda value: cassette(request_headers={"X-Note": ["fine", value]}),
    ),
    "base64 in a header": (
        f"{REQUEST}.headers.x-note",
        lambda value: cassette(request_headers={"X-Note": [base64.b64encode(f"<{value}>".encode()).decode()]}),
    ),
    "response header": (
        "interactions[1].response.headers.x-note",
        lambda value: cassette(response_headers={"X-Note": [value]}),
    ),
    "request body": (f"{REQUEST}.body", lambda value: cassette(request=json.dumps({"text": value}))),
    "request body as a mapping": (
        f"{REQUEST}.body.a[0].text",
        lambda value: cassette(request={"a": [{"text": value}]}),
    ),
    "response body": (BODY, lambda value: cassette(response=json.dumps({"text": value}))),
    "JSON in JSON": (BODY, lambda value: cassette(response=json.dumps({"a": json.dumps({"text": value})}))),
    "escapes": (BODY, lambda value: cassette(response=f'{{"text": "{escaped(value)}"}}')),
    "escapes in a body that was cut": (BODY, lambda value: cassette(response=f'data: {{"text": "{escaped(value)}')),
    "percent escapes": (BODY, lambda value: cassette(response=f"text={quote(value, safe='')}")),
    "base64 in a body": (
        BODY,
        lambda value: cassette(response=json.dumps({"data": base64.b64encode(f"<{value}>".encode()).decode()})),
    ),
    "a binary body": (BODY, lambda value: cassette(response=f"\n{value}\n".encode() + b"\xff")),
    "a compressed body": (
        BODY,
        lambda value: cassette(response=gzip.compress(value.encode()), response_headers={"Content-Encoding": ["gzip"]}),
    ),
    "a compressed body without its header": (BODY, lambda value: cassette(response=gzip.compress(value.encode()))),
    "a frame": (
        f"{BODY}.frames[1].payload",
        lambda value: cassette(response=frame({}, b"{}") + frame({}, json.dumps({"text": value}).encode())),
    ),
    "a frame's header": (
        f"{BODY}.frames[0].headers.:error-message",
        lambda value: cassette(response=frame({":error-message": value})),
    ),
    "base64 in a frame": (f"{BODY}.frames[0].payload.bytes", lambda value: cassette(response=chunk(value))),
    "a frame that was cut": (
        f"{BODY}.frames[1].headers.:a",
        lambda value: cassette(response=frame({}, b"{}") + frame({":a": value})[:-2]),
    ),
    "a comment": ("a comment", lambda value: cassette(comment=f"server: {value}")),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("kind", "value"), VALUES, ids=IDS)
def test_each_kind_is_found_in_each_place(kind: str, value: str, place: str) -> None:
    """B202."""
    where, write = PLACES[place]
    found = {(finding.kind, finding.where) for finding in check_text(write(value))}
    assert (kind, where) in found or (kind, f"{BODY}.frames[0].payload") in found
    assert {found_kind for found_kind, _ in found} <= {kind, "credential", "email"}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_it_is_left_alone(text: str, place: str) -> None:
    assert check_text(PLACES[place][1](text)) == []


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("Authorization", "abc", "credential"),
        ("Proxy-Authorization", "abc", "credential"),
        ("x-api-key", "abc", "credential"),
        ("API-KEY", "abc", "credential"),
        ("x-goog-api-key", "abc", "credential"),
        ("Ocp-Apim-Subscription-Key", "abc", "credential"),
        ("X-Amz-Security-Token", "abc", "credential"),
        ("X-Auth-Token", "abc", "credential"),
        ("Cookie", "a=b", "cookie"),
        ("Set-Cookie", "a=b", "cookie"),
        ("openai-organization", "acme", "organisation"),
        ("anthropic-organization-id", "acme", "organisation"),
        ("openai-project", "acme", "project"),
        ("x-goog-user-project", "acme", "project"),
        ("x-ratelimit-key-id", "acme", "account"),
        ("x-account-id", "acme", "account"),
        ("x-user-id", "acme", "user"),
        ("x-request-id", "0a1b", "request-id"),
        ("x-amzn-RequestId", "0a1b", "request-id"),
        ("CF-Ray", "0a1b-FRA", "trace-id"),
        ("X-Amzn-Trace-Id", "Root=1-0a1b", "trace-id"),
        ("X-Envoy-Upstream-Service-Time", "5", "trace-id"),
        ("Via", "1.1 google", "trace-id"),
    ],
)
@pytest.mark.parametrize("side", ["request", "response"])
def test_a_header_that_names_somebody_is_found_by_its_name(name: str, value: str, kind: str, side: str) -> None:
    """B202."""
    text = cassette(**{f"{side}_headers": {name: [value]}})  # type: ignore[arg-type]  # one of two arguments
    line = text.splitlines().index(f"      {name}:") + 2
    (finding,) = check_text(text, "a.yaml")
    assert (finding.line, finding.kind) == (line, kind)
    assert finding.where == f"interactions[1].{side}.headers.{name.lower()}"
    assert finding.excerpt == "***"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Authorization", "REDACTED"),
        ("Authorization", "Bearer REDACTED"),
        ("x-request-id", "REDACTED"),
        ("Set-Cookie", ""),
        ("x-ratelimit-remaining-tokens", "9"),
        ("anthropic-ratelimit-tokens-limit", "9"),
        ("x-amzn-bedrock-input-token-count", "9"),
        ("Idempotency-Key", "triptych-0a1b"),
        ("User-Agent", "me/84.17.203.9"),
        ("WWW-Authenticate", "Bearer realm"),
        ("access-control-allow-headers", "authorization, x-api-key"),
    ],
)
def test_a_header_that_names_nobody_is_left_alone(name: str, value: str) -> None:
    assert check_text(cassette(request_headers={name: [value]}, response_headers={name: [value]})) == []


def test_a_finding_names_file_line_kind_and_place_and_shows_no_value(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    text = f"""\
interactions:
- request:
    body: null
    headers: {{}}
    method: GET
    uri: http://localhost/
  response:
    body:
      string: |-
        one

        jane@corp.com and bob@corp.com {VALUES[0][1]}
        three
    headers: {{}}
    status: {{code: 200, message: OK}}
version: 1
"""
    path.write_text(text)
    where = "interactions[0].response.body"
    assert check(path) == [
        Finding(str(path), 12, "an e-mail address", where, "email", "one  *** and"),
        Finding(str(path), 12, "an e-mail address", where, "email", "and ***"),
        Finding(str(path), 12, "a key of OpenAI, or a host of its dialect", where, "api-key", "*** three"),
    ]
    assert str(check(path)[0]) == f"{path}:12: email: an e-mail address in {where}: one  *** and"


@given(st.lists(st.sampled_from([value for _, value in VALUES]), min_size=1, max_size=4), st.text(max_size=30))
def test_no_finding_shows_what_was_found(values: list[str], between: str) -> None:
    text = cassette(response=json.dumps({"text": between.join([*values, ""])}))
    shown = "\n".join(map(str, check_text(text)))
    assert [value for value in values if value in shown] == []


def test_a_value_that_a_line_at_the_top_allows_passes_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "scene.yaml"
    allowed = "# allow: email support@corp.com\n# allow: ip-address support2@corp.com\n"
    path.write_text(allowed + cassette(response="ask support@corp.com or support2@corp.com"))
    assert [(finding.kind, finding.where) for finding in check(path)] == [
        ("email", "a comment"),
        ("email", "interactions[1].response.body"),
    ]


def test_a_secret_that_was_in_use_is_found_whatever_it_looks_like() -> None:
    """B202."""
    secret = "plain-words-only"
    for write in (spelling for _, spelling in PLACES.values()):
        assert check_text(write(secret)) == []
        assert {finding.kind for finding in check_text(write(secret), secrets=(secret,))} == {"secret"}
        assert secret not in str(check_text(write(f"jane@corp.com {secret}"), secrets=(secret,)))


def test_what_we_record_ourselves_has_no_findings(server: Loopback, path: Path) -> None:
    key = VALUES[0][1]
    headers = (("Set-Cookie", "a=b"), ("openai-organization", "acme"), ("X-Request-Id", "0a1b"), ("CF-Ray", "0a1b"))
    server.answer = lambda seen: Answer(gzip.compress(key.encode()), headers=(("Content-Encoding", "gzip"), *headers))
    tape = Tape(path, "once")
    send(tape, f"{server.url}?key={key}", {"user": key}, (key,), authorization=f"Bearer {key}")
    tape.close()
    assert check(path) == []


def test_every_cassette_of_this_project_may_be_published() -> None:
    """B202."""
    assert check(ROOT / "cassettes") == []


def test_a_function_and_a_module_of_one_name_are_both_the_function() -> None:
    script = (
        "import triptych.replay.check\n"
        "from triptych.replay import check\n"
        "from triptych.replay.check import check as same\n"
        "print(check('cassettes/agent'), same('cassettes/agent'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[] []\n"


def run(*arguments: str, folder: Path) -> tuple[int, list[str], str]:
    """Run the command; return its exit status, the lines that it wrote, and what it said of faults."""
    command = [sys.executable, "-W", "error", "-m", "triptych.replay.check", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_the_command_looks_through_cassettes_and_ends_with_0_1_or_2(tmp_path: Path) -> None:
    folder = tmp_path / "cassettes" / "deep"
    folder.mkdir(parents=True)
    (folder / "a.yaml").write_text(cassette())
    assert run(folder=tmp_path) == (0, [], "")

    text = cassette(response="jane@corp.com", response_headers={"Set-Cookie": ["a=b"]})
    (folder / "b.yml").write_text(text)
    status, lines, said = run(folder=tmp_path)
    assert (status, said) == (1, "")
    places = [text.splitlines().index(line) + 1 for line in ("      string: jane@corp.com", "      - a=b")]
    assert [line.split(": ")[:2] for line in lines] == [
        [f"cassettes/deep/b.yml:{places[0]}", "email"],
        [f"cassettes/deep/b.yml:{places[1]}", "cookie"],
    ]

    (folder / "c.yaml").write_text("interactions: [")
    status, lines, said = run("cassettes/deep/a.yaml", "cassettes/deep", folder=tmp_path)
    assert (status, len(lines)) == (2, 2)
    assert said.startswith("cassette cassettes/deep/c.yaml, line 1: it is not valid YAML: ")


def test_nothing_to_look_through_is_no_success(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert run("empty", folder=tmp_path) == (2, [], "cassette empty: there is no cassette in this directory\n")
    assert run("none.yaml", folder=tmp_path)[0] == 2
    with pytest.raises(CassetteError, match="there is no cassette in this directory"):
        check([tmp_path / "empty"])
