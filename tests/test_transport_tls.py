"""Certificates: an explicit `verify` beats the environment, whose bundle holds where the client says nothing."""

import contextlib
import itertools
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import urllib3

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


@contextlib.contextmanager
def secure(certificate: Path, key: Path, clients: Path | None = None) -> Iterator[str]:
    """Serve with a certificate, to clients that show this one where one is named; yield the base URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if clients is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(clients)
    with _Server(("127.0.0.1", 0), _Answering) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def base_url(certificates: tuple[Path, Path, Path]) -> Iterator[str]:
    """The base URL of a server whose certificate nobody trusts by default."""
    with secure(*certificates[:2]) as url:
        yield url


def ask(base_url: str, verify: Any, **options: Any) -> LlmResponse:
    """Return the answer of a client that trusts these certificates."""
    with LlmClient(OPENAI.model, base_url=base_url, api_key=KEY, retries=2, verify=verify, **options) as client:
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


ORDER = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]


@pytest.mark.parametrize("variable", ORDER)
def test_the_bundle_of_the_environment_is_trusted(
    base_url: str, certificates: tuple[Path, Path, Path], variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(certificates[0]))
    assert ask(base_url, None).text == "secure"


@pytest.mark.parametrize(("first", "second"), list(itertools.pairwise(ORDER)))
def test_the_earlier_variable_counts(
    base_url: str, certificates: tuple[Path, Path, Path], first: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(first, str(certificates[0]))
    monkeypatch.setenv(second, str(certificates[2]))
    assert ask(base_url, None).text == "secure"
    monkeypatch.setenv(first, str(certificates[2]))
    monkeypatch.setenv(second, str(certificates[0]))
    assert told(ask(base_url, None).error) == NOT_TRUSTED


def test_a_directory_of_certificates_is_trusted(
    base_url: str, certificates: tuple[Path, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ["openssl", "x509", "-hash", "-noout", "-in", str(certificates[0])]
    name = subprocess.run(shown, check=True, capture_output=True, text=True, timeout=30).stdout.strip()
    (tmp_path / f"{name}.0").write_bytes(certificates[0].read_bytes())
    assert ask(base_url, str(tmp_path)).text == "secure"
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert ask(base_url, None).text == "secure"


def test_the_certificates_of_the_system_are_trusted_where_that_is_asked_for(
    base_url: str, certificates: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("truststore")
    assert told(ask(base_url, "system").error) == NOT_TRUSTED
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates[0]))  # where OpenSSL's own default is
    assert ask(base_url, "system").text == "secure"


def test_a_system_trust_that_is_not_installed_names_the_extra(base_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "truststore", None)
    response = ask(base_url, "system")
    assert told(response.error) == ("invalid_request", "missing_extra", False, 1)
    assert "pip install 'triptych[system-trust]'" in str(response.error_message)


def test_a_context_of_ones_own_is_used_as_it_is(base_url: str, certificates: tuple[Path, Path, Path]) -> None:
    trusting = ssl.create_default_context(cafile=str(certificates[0]))
    assert ask(base_url, trusting).text == "secure"
    assert told(ask(base_url, ssl.create_default_context()).error) == NOT_TRUSTED
    careless = ssl.create_default_context()
    careless.check_hostname, careless.verify_mode = False, ssl.CERT_NONE
    with pytest.warns(urllib3.exceptions.InsecureRequestWarning):
        assert ask(base_url, careless).text == "secure"


@pytest.fixture(scope="module")
def client_certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    """A client's certificate, its key, and both in one file."""
    certificate, key = _certificate(tmp_path_factory.mktemp("client"), "client")
    both = certificate.with_name("both.pem")
    both.write_bytes(certificate.read_bytes() + key.read_bytes())
    return certificate, key, both


def test_a_client_certificate_is_shown_to_the_host_that_asks_for_one(
    certificates: tuple[Path, Path, Path], client_certificate: tuple[Path, Path, Path]
) -> None:
    certificate, key, both = client_certificate
    with secure(*certificates[:2], clients=certificate) as url:
        trusted = str(certificates[0])
        assert ask(url, trusted, cert=str(both)).text == "secure"
        assert ask(url, trusted, cert=(str(certificate), str(key))).text == "secure"
        refused = ask(url, trusted).error
    assert refused is not None
    assert refused.kind == "connection"


@pytest.mark.parametrize("cert", ["/no/such.pem", ("/no/such.pem", "/no/such.key")], ids=["one", "two"])
def test_a_client_certificate_that_cannot_be_read_is_told(base_url: str, cert: Any) -> None:
    response = ask(base_url, None, cert=cert)
    assert told(response.error) == ("invalid_request", "certificates", False, 1)
    assert "/no/such.pem" in str(response.error_message)


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
