"""No secret gets into a cassette, whatever spelling it has and wherever it stands."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.replay.loopback import Answer, Loopback, open_response, prepared, send
from triptych.replay import Tape
from triptych.replay.scrub import PLACEHOLDER, Scrubber

if TYPE_CHECKING:
    from pathlib import Path

KEY = 'sk-planted/"0123+456"\\789äbc'
PLAIN = "sk-planted-0123456789abcdef"


def recorded(path: Path, url: str, body: object = None, secrets: tuple[str, ...] = (PLAIN,), **headers: str) -> str:
    """Record one exchange and return the text of the file."""
    tape = Tape(path, "once")
    send(tape, url, body, secrets, **headers)
    tape.close()
    return path.read_text()


def test_only_the_headers_of_the_lists_are_written(server: Loopback, path: Path) -> None:
    """B202."""
    kept = (
        ("Content-Type", "application/json"),
        ("Retry-After", "1"),
        ("retry-after-ms", "900"),
        ("X-Should-Retry", "true"),
        ("x-ratelimit-remaining-requests", "9"),
        ("anthropic-ratelimit-tokens-reset", "2026-11-30T00:00:00Z"),
    )
    dropped = (
        ("Set-Cookie", f"session={PLAIN}"),
        ("openai-organization", "org-4711"),
        ("anthropic-organization-id", "org-4711"),
        ("x-ratelimit-key-id", "org-4711"),
        ("X-New-Header", "org-4711"),
        ("CF-Ray", "org-4711"),
    )
    ids = (("X-Request-Id", "req-4711-secret"), ("request-id", "req-4712-secret"))
    server.answer = lambda seen: Answer(headers=kept + dropped + ids)
    tape = Tape(path, "once")
    send(
        tape,
        server.url,
        "{}",
        accept="application/json",
        anthropic_version="2023-06-01",
        anthropic_beta="a,b",
        openai_beta="c",
        user_agent="me/1.0",
        authorization=f"Bearer {PLAIN}",
        x_api_key=PLAIN,
        openai_organization="org-4711",
        cookie=f"session={PLAIN}",
    )
    tape.close()
    (exchange,) = Tape(path).unused
    assert dict(exchange.request_headers) == {
        "accept": "application/json",
        "anthropic-beta": "a,b",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "openai-beta": "c",
    }
    assert dict(exchange.response_headers) == {name.lower(): value for name, value in kept} | {
        "request-id": PLACEHOLDER,
        "x-request-id": PLACEHOLDER,
    }
    text = path.read_text()
    assert [leak for leak in (PLAIN, "org-4711", "-secret", "me/1.0") if leak in text] == []


def test_the_key_is_replaced_in_url_body_and_answer(server: Loopback, path: Path) -> None:
    """B202."""
    server.answer = lambda seen: Answer(
        b'{"error": "wrong key %b in %b"}' % (PLAIN.encode(), seen.path.encode()),
        headers=(("Content-Type", f"application/json; note={PLAIN}"),),
    )
    text = recorded(path, f"{server.url}/v1/{PLAIN}/chat?key={PLAIN}&v=1&other={PLAIN}", {"user": PLAIN})
    assert PLAIN not in text
    (exchange,) = Tape(path).unused
    assert exchange.url == f"{server.url}/v1/REDACTED/chat?key=REDACTED&v=1&other=REDACTED"
    assert exchange.request_body == b'{"user": "REDACTED"}'
    assert exchange.response_headers == (("content-type", "application/json; note=REDACTED"),)
    assert exchange.response_body == (
        b'{"error": "wrong key REDACTED in /v1/REDACTED/chat?key=REDACTED&v=1&other=REDACTED"}'
    )


def test_credentials_of_the_request_are_secrets_without_being_named(server: Loopback, path: Path) -> None:
    header_key, query_key, password = "hk-0123456789", "qk-0123456789", "pw-0123456789"
    basic = base64.b64encode(f"someone:{password}".encode()).decode()
    leaks = [header_key, query_key, password, basic]
    server.answer = lambda seen: Answer(json.dumps(leaks).encode())
    text = recorded(
        path, f"{server.url}?token={query_key}", "{}", (), api_key=header_key, proxy_authorization=f"Basic {basic}"
    )
    assert [leak for leak in leaks if leak in text] == []


def test_the_request_id_is_replaced_in_the_error_that_quotes_it(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(b'{"request_id": "req_0123456789"}', 400, (("request-id", "req_0123456789"),))
    recorded(path, server.url, "{}")
    assert Tape(path).unused[0].response_body == b'{"request_id": "REDACTED"}'


def test_a_cassette_with_a_secret_in_its_url_and_body_plays_with_another_key_or_none(
    server: Loopback, path: Path
) -> None:
    recorded(path, f"{server.url}?key={PLAIN}&other={PLAIN}", {"user": PLAIN})
    other = "sk-another-0123456789"
    assert send(Tape(path), f"{server.url}?key={other}&other={other}", {"user": other}, (other,)).status_code == 200
    assert send(Tape(path), f"{server.url}?key={PLAIN}&other={PLAIN}", {"user": PLAIN}, (PLAIN,)).status_code == 200
    assert send(Tape(path), server.url, {"user": "REDACTED"}).status_code == 200


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        json.dumps(KEY)[1:-1],
        json.dumps(KEY, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(KEY))[3:-3],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        "".join(f"\\u{ord(character):04X}" for character in KEY),
        quote(KEY),
        quote(KEY, safe="").lower(),
        base64.b64encode(KEY.encode()).decode(),
    ],
)
def test_every_spelling_of_a_secret_is_found(spelling: str) -> None:
    assert Scrubber(frozenset({KEY})).text(f"before {spelling} after").startswith("before REDACTED")


@settings(deadline=None)
@given(st.binary(max_size=7), st.binary(max_size=7), st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]))
def test_a_secret_inside_any_base64_is_found(before: bytes, after: bytes, encode: object) -> None:
    assert callable(encode)
    text = encode(before + KEY.encode() + after).decode()
    assert PLACEHOLDER in Scrubber(frozenset({KEY})).text(json.dumps(text))


def test_a_stand_in_for_a_key_is_left_in_the_text() -> None:
    request = requests.Request("POST", "http://h/", headers={"Authorization": "Bearer EMPTY"}).prepare()
    assert Scrubber.for_request(request, ["EMPTY", "no-key"]).text("EMPTY no-key") == "EMPTY no-key"


def test_user_name_and_password_are_not_part_of_a_written_url() -> None:
    assert Scrubber().url("https://me:pass@h:8443/p?a=1#x") == "https://h:8443/p?a=1"


def test_what_another_tool_recorded_is_scrubbed_when_the_file_is_written_again(server: Loopback, path: Path) -> None:
    """B203."""
    path.parent.mkdir()
    path.write_text(f"""\
interactions:
- request:
    body: '{{}}'
    headers: {{Authorization: [Bearer {PLAIN}], accept: [a/b]}}
    method: POST
    uri: http://h/?key={PLAIN}
  response:
    body: {{string: '{PLAIN}'}}
    headers: {{Set-Cookie: [a=b]}}
    status: {{code: 200, message: OK}}
version: 1
""")
    tape = Tape(path, "new")
    send(tape, server.url, {"n": 1}, (PLAIN,))
    tape.close()
    text = path.read_text()
    assert [leak for leak in (PLAIN, "Set-Cookie", "Authorization") if leak in text] == []
    assert [exchange.response_body for exchange in Tape(path).unused] == [b"REDACTED", b'{"n": 1}']


def test_the_header_lines_hold_no_secret(server: Loopback, path: Path) -> None:
    tape = Tape(path, "once", header={"server": f"proxy {PLAIN}"})
    send(tape, server.url, "{}", (PLAIN,))
    tape.close()
    assert path.read_text().splitlines()[0] == "# server: proxy REDACTED"


def test_a_secret_cut_by_the_pieces_of_a_stream_is_found(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(pieces=(PLAIN[:9].encode(), PLAIN[9:].encode()))
    tape = Tape(path, "once")
    assert open_response(tape, prepared(server.url, "{}"), (PLAIN,)).content == PLAIN.encode()
    tape.close()
    assert Tape(path).unused[0].response_body == b"REDACTED"
