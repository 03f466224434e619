"""Whatever happens to a file, it is a cassette or an error that names file, line and reason."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.replay.loopback import Answer, Loopback, send
from triptych import LlmClient, LlmRequest
from triptych.replay import CassetteError, Tape, directory
from triptych.replay.cassette_file import read_recording

CASSETTES = Path(__file__).parents[2] / "cassettes"
# One of each kind: whole, a stream of text, frames in base64, several exchanges, an error.
REAL = [
    (CASSETTES / name).read_bytes()
    for name in (
        "openai_chat/chat.yaml",
        "anthropic_messages/stream/tool_call.yaml",
        "bedrock_converse/stream/chat.yaml",
        "gemini_generate/multi_turn.yaml",
        "ollama_chat/error_400.yaml",
    )
]
PLAIN = """\
interactions:
- request:
    body: 'x'
    headers:
      accept: [a/b]
    method: POST
    uri: http://h/
  response:
    body:
      string: !!binary AAE=
    headers:
      content-type: [a/b]
    status:
      code: 200
      message: OK
version: 1
"""

# What could stand where something else was: values of each type, faulty ones, and signs that mean something to YAML.
INTRUDERS = [
    *(
        b"null",
        b"5",
        b"1.5",
        b"true",
        b"[a]",
        b"{a: b}",
        b"2026-11-30",
        b"''",
        b"- ",
        b": ",
        b"#",
        b"|",
        b">",
        b"'",
        b'"',
    ),
    *(
        b"!!binary AA=E",
        b"!!binary x",
        b"!!int x",
        b"!!float ''",
        b"!!bool x",
        b"!!timestamp x",
        b"!!set {a}",
        b"2026-13-99",
    ),
    *(b"&a [*a]", b"*x", b"<<: {a: 1}", b"? [a]\n: b", b"--- ", b"...\n", b"%YAML 9.9\n", b"!!python/tuple [1]"),
    *(b"!!python/object/new:_io.BytesIO {state: 5}", b"!!python/object/apply:builtins.iter {args: [[1]]}"),
    *(b"\t", b"\x00", b"\xff", b"\r", b"\xe2\x80\xa8", b'"\\ud800"', b"http://[x", b"http://h:99999999/", b"9" * 5000),
]


def fault(data: bytes) -> CassetteError | None:
    """Read a file with this content; return the error, or None when it can be read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.yaml"
        path.write_bytes(data)
        try:
            read_recording(path)
        except CassetteError as error:
            return error
    return None


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Draw a real cassette that something has happened to, once or several times."""
    data = draw(st.sampled_from(REAL))
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 0, 1, 2, 30, len(data)])))
        data = data[:start] + draw(st.sampled_from([b"", *INTRUDERS]) | st.binary(max_size=4)) + data[end:]
        lines = data.split(b"\n")
        number = draw(st.integers(0, len(lines) - 1))
        name, sign, _ = lines[number].partition(b": ")
        lines[number : number + 1] = draw(
            st.sampled_from(
                [
                    [lines[number]],
                    [lines[number]] * 2,
                    [],
                    [b"\t" + lines[number]],
                    [name + sign + INTRUDERS[start % 32]],
                ]
            )
        )
        data = b"\n".join(lines)
    return data


@settings(deadline=None, max_examples=300)
@given(damaged())
def test_a_damaged_file_can_be_read_or_is_an_error_with_line_and_reason(data: bytes) -> None:
    error = fault(data)
    if error is not None:
        assert error.reason
        assert error.line is not None
        assert 1 <= error.line <= max(1, len(data.decode("utf-8", "replace").splitlines()))


def test_a_file_of_ours_that_was_cut_anywhere_is_an_error() -> None:
    data = REAL[2]
    sizes = [*range(0, len(data) - 300, 19), *range(len(data) - 300, len(data) - 1)]
    assert [size for size in sizes if fault(data[:size]) is None] == []


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("'x'", "[a", 4, "it is not valid YAML: did not find expected ',' or ']'"),
        ("    method: POST", "\tmethod: POST", 6, "it is not valid YAML: found character that cannot start any token"),
        (
            "    method: POST",
            "    method: POST\n    method: GET",
            7,
            "it is not valid YAML: the name 'method' is there twice",
        ),
        ("AAE=", "AAE", 10, "it is not valid YAML: bad base64: Incorrect padding"),
        ("AAE=", "'A!A*E='", 10, "it is not valid YAML: bad base64: Only base64 data is allowed"),
        ("!!binary AAE=", "!!int x", 10, "it is not valid YAML: a value of the type int that it cannot have"),
        ("!!binary AAE=", "!new x", 10, "it is not valid YAML: could not determine a constructor for the tag '!new'"),
        ("!!binary AAE=", "2026-13-99", 10, "it is not valid YAML: a value of the type timestamp that it cannot have"),
        ("!!binary AAE=", "a\x07", 10, "it is not valid YAML: it holds a control character"),
        ("!!binary AAE=", "\udcff", 10, "it is not UTF-8 text (byte 144)"),
        (
            "!!binary AAE=",
            "2026-11-30",
            10,
            "interactions[0].response.body.string: expected text or binary data, found date",
        ),
        ("'x'", "2026-11-30", 3, "interactions[0].request.body: expected text, binary data or a mapping, found date"),
        ("'x'", "{a: 2026-11-30}", 3, "interactions[0].request.body: Object of type date is not JSON serializable"),
        ("'x'", "&a [*a]", 3, "an alias stands inside of what it repeats"),
        (
            "accept: [a/b]",
            "accept: [{a: b}]",
            5,
            "interactions[0].request.headers.accept[0]: expected text, found dict",
        ),
        ("accept: [a/b]", "5: [a/b]", 5, "interactions[0].request.headers: expected names that are text, found 5"),
        ("http://h/", "http://[h/", 7, "interactions[0].request.uri: Invalid IPv6 URL"),
        ("http://h/", "http://h:99999/", 7, "interactions[0].request.uri: Port out of range 0-65535"),
        ("POST", "5", 6, "interactions[0].request.method: expected text, found int"),
        ("200", "20", 14, "interactions[0].response.status.code: 20 is not the status of an HTTP response"),
        ("200", "true", 14, "interactions[0].response.status.code: expected a whole number, found bool"),
        ("OK", "[OK]", 15, "interactions[0].response.status.message: expected text, found list"),
        ("version: 1", "--- a", 16, "it is not valid YAML: but found another document"),
    ],
)
def test_each_kind_of_damage_is_named_with_its_line(old: str, new: str, line: int, reason: str) -> None:
    error = fault(PLAIN.replace(old, new, 1).encode("utf-8", "surrogateescape"))
    assert error is not None
    assert (error.line, error.reason) == (line, reason)


def test_a_cassette_without_damage_is_read() -> None:
    assert fault(PLAIN.encode()) is None


def test_a_few_lines_that_stand_for_billions_of_values_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    error = fault("\n".join([*lines, PLAIN]).encode())
    assert error is not None
    assert (error.line, error.reason) == (7, "its aliases stand for more values than a cassette can have")


@pytest.mark.parametrize("depth", [500, 100_000])
def test_a_file_that_is_nested_too_deeply_is_an_error(depth: int) -> None:
    error = fault(b"interactions: " + b"[" * depth + b"]" * depth)
    assert error is not None
    assert error.line == 1


def test_aliases_as_vcrpy_writes_them_for_equal_headers_are_read(path: Path) -> None:
    path.parent.mkdir()
    shared = PLAIN.replace("accept: [a/b]", "accept: &id001 [a/b]").replace(
        "content-type: [a/b]", "content-type: *id001"
    )
    path.write_text(shared)
    (exchange,) = Tape(path).unused
    assert exchange.response_headers == (("content-type", "a/b"),)


@pytest.mark.parametrize("stream", [False, True])
def test_a_call_that_meets_a_damaged_file_fails_with_file_line_and_reason(
    server: Loopback, path: Path, stream: bool
) -> None:
    path.parent.mkdir()
    path.write_text(PLAIN.replace("AAE=", "AAE"))
    client = LlmClient("openai/m-1", base_url=server.url, cassette=directory(path.parent))
    request = LlmRequest(contents="hi")
    error = client.stream(request).response.error if stream else client.generate(request).error
    assert error is not None
    assert (error.kind, error.code, error.retryable) == ("replay_miss", "unreadable_cassette", False)
    assert error.message == f"cassette {path}, line 10: it is not valid YAML: bad base64: Incorrect padding"
    assert server.seen == []


def test_a_cut_file_of_ours_is_no_cassette_even_where_what_is_left_is_one(server: Loopback, path: Path) -> None:
    server.answer = lambda seen: Answer(b"line 1\nversion: 1")
    tape = Tape(path, "once")
    for number in range(2):
        send(tape, server.url, {"n": number})
    tape.close()
    text = path.read_text()
    path.write_text(text[: text.rindex("- request:")])
    with pytest.raises(CassetteError, match=r"line 22: it breaks off: its last line is not 'version: 1'$"):
        Tape(path)
