"""Whatever a provider answers to a failed request, it becomes a typed error with the provider's own words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from requests.structures import CaseInsensitiveDict

from tests.formats.bodies import ALL
from triptych import dumps, formats, jsontext, loads
from triptych.errors import Kind, LlmError

every = pytest.mark.parametrize("name", ALL)
KEY = "sk-planted-0123456789"


def error_of(name: str, status: int, body: bytes, **headers: str) -> LlmError:
    named = CaseInsensitiveDict({key.replace("_", "-"): value for key, value in headers.items()})
    return formats.load(name).parse_error(status, named, body)


@every
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([{"error": {"code": 400, "message": "invalid role", "status": "INVALID_ARGUMENT"}}], "invalid role"),
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"error": "in words", "message": "n"}, "in words"),
        ({"error": "Novel", "message": "in words"}, "in words"),
        ({"message": "m"}, "m"),
        ({"Message": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"detail": [{"loc": ["body", "messages", 0], "msg": "required"}]}, "body.messages.0: required"),
        ({"detail": [{"msg": "a"}, {"msg": "b"}]}, "a; b"),
        ({"detail": {"error": {"message": "m"}}}, "m"),
        ({"error": {"detail": "m"}}, "m"),
        ({"error": {}, "message": "m"}, "m"),
        ({"error": {"message": {"text": "m"}}}, '{"text":"m"}'),
        ({"errors": [{"message": "m"}]}, "m"),
        ({"errors": ["a", "b"]}, "a; b"),
        ({"error_description": "m", "error": "invalid_grant"}, "m"),
        ({"status": 404, "title": "Not Found", "detail": "m"}, "m"),
        ({"title": "Not Found"}, "Not Found"),
        ("m", "m"),
        ([{}, {"message": "m"}], "m"),
    ],
    ids=repr,
)
def test_the_words_are_found_in_every_form_of_an_error_body(name: str, body: Any, message: str) -> None:
    """B157."""
    error = error_of(name, 400, json.dumps(body).encode())
    assert (error.kind, error.message, error.status, error.body) == ("invalid_request", message, 400, None)


@every
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"error": {"message": "m", "code": "c", "type": "t"}}, "c"),
        ({"error": {"message": "m", "type": "t"}}, "t"),
        ({"error": {"message": "m", "code": 400, "type": "t"}}, "t"),
        ({"error": {"message": "m", "code": 400}}, "400"),
        ({"error": {"message": "m", "code": 4001, "type": "t"}}, "4001"),
        ({"error": {"message": "m", "code": 400, "status": "NOVEL"}}, "NOVEL"),
        ({"error": {"message": "m", "code": {"no": 1}, "type": True}}, None),
        ({"error": {"message": "m", "code": 10**30}}, None),
        ({"error": {"message": "m", "code": "x" * 999}}, "x" * 200),
        ({"message": "m", "error_code": "c"}, "c"),
        ({"error": "m", "error_type": "t"}, "t"),
        ({"error": "Novel", "message": "m"}, "Novel"),
        ({"errors": [{"message": "m", "code": 7003}]}, "7003"),
        ({"__type": "com.amazon.coral#Novel", "message": "m"}, "Novel"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_the_code_that_says_most_is_told(name: str, body: Any, code: str | None) -> None:
    assert error_of(name, 400, json.dumps(body).encode()).code == code


@every
@pytest.mark.parametrize("body", [b"null", b"7", b"{}", b"[]", b'""', b"[null]", b'{"error": null}', b'{"error": 7}'])
def test_a_body_without_words_is_shown_as_it_is(name: str, body: bytes) -> None:
    """B157."""
    error = error_of(name, 400, body, content_type="application/json")
    shown = body.decode()
    assert error.message == f"HTTP 400 with a body that is no error object (application/json): {shown}"
    assert (error.kind, error.body) == ("invalid_request", shown)


@every
def test_a_page_of_a_proxy_is_a_server_error_that_may_be_tried_again(name: str) -> None:
    """B155."""
    error = error_of(name, 502, b"<html>\n <b>Bad   Gateway</b></html>", content_type="text/html")
    assert error == LlmError(
        "HTTP 502 with a body that is no error object (text/html): <html> <b>Bad Gateway</b></html>",
        "server",
        status=502,
        body="<html> <b>Bad Gateway</b></html>",
    )
    assert error.retryable


@every
@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("<html><head><title>502 Bad Gateway</title></head><body><h1>no</h1></body></html>", "502 Bad Gateway"),
        ("<!DOCTYPE html><TITLE lang='en'>\n Just a\n moment&hellip; </TITLE>", "Just a moment…"),
        ("<h1>Bad <i>Gateway</i></h1>", "Bad Gateway"),
    ],
    ids=["title", "in lines", "heading"],
)
def test_a_page_is_told_by_its_title(name: str, page: str, title: str) -> None:
    """B155."""
    error = error_of(name, 502, page.encode(), content_type="text/html")
    assert (error.kind, error.message, error.body) == (
        "server",
        f"HTTP 502 with an HTML page: {title}",
        " ".join(page.split()),
    )


SLOWED = {"error": {"message": "zu schnell: bitte später", "code": "rate_limit_exceeded"}}
ENCODED: dict[str, tuple[bytes, str]] = {
    "octets": (json.dumps(SLOWED).encode(), "application/octet-stream"),
    "a page, it says": (json.dumps(SLOWED).encode(), "text/html"),
    "marked utf-8": (json.dumps(SLOWED, ensure_ascii=False).encode("utf-8-sig"), "application/json"),
    "marked utf-16": (json.dumps(SLOWED, ensure_ascii=False).encode("utf-16"), "application/json"),
    "utf-16": (json.dumps(SLOWED, ensure_ascii=False).encode("utf-16-le"), ""),
    "utf-16 with its name": (
        json.dumps(SLOWED, ensure_ascii=False).encode("utf-16-be"),
        "text/json; charset=utf-16-be",
    ),
    "utf-32": (json.dumps(SLOWED, ensure_ascii=False).encode("utf-32"), ""),
    "latin-1": (json.dumps(SLOWED, ensure_ascii=False).encode("latin-1"), ""),
    "latin-1 with its name": (json.dumps(SLOWED, ensure_ascii=False).encode("latin-1"), 'text/json; charset="latin-1"'),
    "a name that is none": (json.dumps(SLOWED).encode(), "text/json; charset=utf-999"),
    "blanks around": (b" \r\n" + json.dumps(SLOWED).encode() + b"\n\n", ""),
}


@every
@pytest.mark.parametrize(("body", "kind"), ENCODED.values(), ids=ENCODED)
def test_the_words_are_read_in_whatever_encoding_they_come(name: str, body: bytes, kind: str) -> None:
    error = error_of(name, 429, body, content_type=kind)
    assert (error.kind, error.message, error.body) == ("rate_limit", SLOWED["error"]["message"], None)


@every
@pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"{" * 100_000, b'{"a": ', b"x" * 100_000, b"\0" * 50], ids=len)
def test_a_body_that_is_no_json_is_shown_in_part(name: str, body: bytes) -> None:
    """B155."""
    error = error_of(name, 500, body)
    assert error.message.startswith("HTTP 500 with a body that is no error object (no content type): ")
    assert len(error.message) < 600


@every
def test_a_truncated_body_is_shown_and_its_status_counts(name: str) -> None:
    error = error_of(name, 429, b'{"error": {"message": "slow do', content_type="application/json")
    shown = '{"error": {"message": "slow do'
    assert (error.kind, error.body) == ("rate_limit", shown)
    assert error.message == f"HTTP 429 with a body that is no error object (application/json): {shown}"


@every
@pytest.mark.parametrize("body", [b"", b" \r\n"])
@pytest.mark.parametrize("status", [204, 400, 500])
def test_an_empty_body_is_said_to_be_empty(name: str, status: int, body: bytes) -> None:
    """B156."""
    error = error_of(name, status, body)
    assert (error.message, error.status, error.body) == (f"HTTP {status} with an empty body", status, None)


@every
def test_a_gigantic_message_is_cut(name: str) -> None:
    error = error_of(name, 400, json.dumps({"message": "m" * 10**6}).encode())
    assert error.message == "m" * 3999 + "…"


@every
@pytest.mark.parametrize(
    "header",
    ["x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-ds-trace-id", "x-generation-id", "cf-ray"],
)
def test_the_id_of_the_request_is_found_in_the_headers_of_every_provider(name: str, header: str) -> None:
    error = formats.load(name).parse_error(500, CaseInsensitiveDict({header: " r1 "}), b"")
    assert error.request_id == "r1"


@every
@pytest.mark.parametrize("field", ["request_id", "requestId", "RequestId"])
def test_the_id_in_the_body_goes_before_that_of_a_header(name: str, field: str) -> None:
    body = json.dumps({"error": {"message": "m"}, field: "r1"}).encode()
    assert error_of(name, 500, body, x_request_id="r2").request_id == "r1"


@every
@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (400, "This model's maximum context length is 8192 tokens", "context_length"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "context_length"),
        (500, "request exceeds the available context size", "context_length"),
        (400, "Your credit balance is too low to access the API", "billing"),
        (429, "You exceeded your current quota, please check your plan", "billing"),
        (403, "Insufficient balance", "billing"),
        (400, "The response was filtered due to the content management policy", "content_filter"),
        (400, "API key not valid. Please pass a valid API key.", "authentication"),
        (400, "Incorrect API key provided", "authentication"),
        (400, "The model `x` does not exist", "not_found"),
        (400, "temperature is out of range", "invalid_request"),
        (401, "the context window is closed to you", "authentication"),
        (429, "too many tokens per minute", "rate_limit"),
        (429, "Rate limit exceeded, in high demand", "rate_limit"),
    ],
)
def test_the_words_say_a_kind_where_the_status_is_vague(name: str, status: int, message: str, kind: str) -> None:
    assert error_of(name, status, json.dumps({"error": {"message": message}}).encode()).kind == kind


@every
def test_words_in_a_page_that_is_no_error_object_say_nothing(name: str) -> None:
    assert error_of(name, 500, b"<html>the content filter of this proxy</html>").kind == "server"


def scraps() -> Iterator[st.SearchStrategy[bytes]]:
    """Yield what bodies are made of: bytes, texts in other encodings, JSON of any form, JSON of an error's form."""
    texts = st.text(max_size=40)
    keys = st.sampled_from(
        ["error", "errors", "message", "detail", "code", "type", "status", "metadata", "raw", "details"]
    )
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys | texts, inner, max_size=4),
        max_leaves=12,
    )
    yield st.binary(max_size=200)
    yield st.builds(str.encode, texts, st.sampled_from(["utf-8", "utf-16", "utf-16-le", "utf-32"]), st.just("replace"))
    yield values.map(jsontext.encode)
    yield st.dictionaries(keys, values, min_size=1, max_size=4).map(jsontext.encode)
    yield st.dictionaries(keys, values, min_size=1).map(lambda body: jsontext.encode(body)[:-3])


HEADERS = ("content-type", "x-request-id", "x-amzn-errortype", "request-id", "retry-after", "cf-ray")


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(ALL),
    status=st.integers(100, 599),
    body=st.one_of(*scraps()),
    headers=st.dictionaries(st.sampled_from(HEADERS), st.text(max_size=30) | st.just("text/html; charset=utf-16")),
)
def test_whatever_is_answered_is_an_error_of_a_known_kind_that_can_be_kept(
    name: str, status: int, body: bytes, headers: dict[str, str]
) -> None:
    """B155, B157."""
    error = formats.load(name).parse_error(status, CaseInsensitiveDict(headers), body)
    assert error.kind in set(get_args(Kind)) - {"internal"}
    assert (error.status, bool(error.message)) == (status, True)
    assert len(error.message) <= 4000
    kept = loads(dumps(error))
    assert (kept, kept.hint) == (error, error.hint) or "\\ud" in ascii(error)  # a lone surrogate is kept as U+FFFD


@given(name=st.sampled_from(ALL), before=st.text(max_size=20), after=st.text(max_size=20))
def test_no_text_of_an_error_holds_the_key_once_it_is_cleaned(name: str, before: str, after: str) -> None:
    said = {"message": f"{before}{KEY}{after}", "code": KEY, "request_id": KEY}
    error = formats.load(name).parse_error(401, {"x-request-id": KEY}, jsontext.encode(said)).without(KEY)
    assert KEY not in repr(error) + str(error) + str(error.body)
