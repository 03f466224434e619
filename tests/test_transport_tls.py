"""Certificates: an explicit `verify` beats the environment, whose bundle holds where the client says nothing."""

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.chat_hosts import KEY, OPENAI
from triptych import LlmClient, LlmError, LlmRequest, LlmResponse

QUESTION = LlmRequest(contents="q")


def _certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """Make a certificate for the loopback address that signs itself; return its file and its key's."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subject = ["-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command = ["openssl", "req", "-x509", *curve, *subject, "-keyout", str(key), "-out", str(certificate)]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=30)
    except FileNotFoundError:
        pytest.skip("openssl, which makes the throwaway certificates, is not installed")
    return certificate, key


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """The server's certificate and key, and a certificate that nobody uses."""
    folder = tmp_path_factory.mktemp("tls")
    other, _ = _certificate(folder, "other")
    return (*_certificate(folder, "server"), other)


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = OPENAI.reply("secure").body
        assert isinstance(body, bytes)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the output of the tests clean."""


class _Server(HTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of the clients that do not trust us and hang up."""


@pytest.fixture(scope="module")
def base_url(certificates: tuple[Path, Path, Path]) -> Iterator[str]:
    """The base URL of a server whose certificate nobody trusts by default."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificates[:2])
    with _Server(("127.0.0.1", 0), _Answering) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def ask(base_url: str, verify: bool | str | None) -> LlmResponse:
    """Return the answer of a client that trusts these certificates."""
    with LlmClient(OPENAI.model, base_url=base_url, api_key=KEY, retries=2, verify=verify) as client:
        return client.generate(QUESTION)


def told(error: LlmError | None) -> tuple[object, ...]:
    """Return what a program decides by."""
    assert error is not None
    return error.kind, error.code, error.retryable, error.attempts


NOT_TRUSTED = ("connection", "tls", False, 1)


def test_a_certificate_that_nobody_trusts_is_told_and_not_tried_again(base_url: str) -> None:
    response = ask(base_url, None)
    assert told(response.error) == NOT_TRUSTED
    assert "self-signed certificate" in str(response.error_message)


def test_the_client_may_name_the_certificate_to_trust(base_url: str, certificates: tuple[Path, Path, Path]) -> None:
    assert ask(base_url, str(certificates[0])).text == "secure"


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_bundle_of_the_environment_is_trusted(
    base_url: str, certificates: tuple[Path, Path, Path], variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(certificates[0]))
    assert ask(base_url, None).text == "secure"


def test_a_path_given_to_the_client_beats_the_environment(
    base_url: str, certificates: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B182."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates[2]))
    assert ask(base_url, str(certificates[0])).text == "secure"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates[0]))
    assert told(ask(base_url, str(certificates[2])).error) == NOT_TRUSTED


def test_true_given_to_the_client_beats_the_environment(
    base_url: str, certificates: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates[0]))
    assert told(ask(base_url, True).error) == NOT_TRUSTED


@pytest.mark.filterwarnings("ignore::urllib3.exceptions.InsecureRequestWarning")
def test_false_given_to_the_client_beats_the_environment(
    base_url: str, certificates: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """B182."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificates[2]))
    assert ask(base_url, False).text == "secure"


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "damaged"])
def test_certificates_that_cannot_be_read_are_told_and_not_tried_again(
    base_url: str, content: str | None, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle.pem"
    if content is not None:
        bundle.write_text(content)
    response = ask(base_url, str(bundle))
    assert told(response.error) == ("invalid_request", "certificates", False, 1)
    assert str(bundle) in str(response.error_message)
