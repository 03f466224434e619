"""Tests of TLS: the connection goes to an address, and the certificate is checked against the name."""

from pathlib import Path

import pytest

from tests.fetching.tls import certificate, serve_securely
from tests.servers.script import Reply
from triptych.fetching.media import fetch
from triptych.fetching.rules import FetchError
from triptych.parts import Image

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    return certificate(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for another name, and its key."""
    return certificate(tmp_path_factory.mktemp("tls"), "other.example")


def test_the_certificate_is_asked_for_and_checked_by_the_name(local: tuple[Path, Path]) -> None:
    with serve_securely(local, Reply(body=PNG, close=True)) as server:
        part = fetch(Image(f"https://localhost:{server.port}/x.png"), allow_private=True, verify=str(local[0]))
        assert (server.names, server.hosts) == (["localhost"], [f"localhost:{server.port}"])
    assert part == Image(PNG, media_type="image/png", name="x.png")


def test_the_certificates_of_the_environment_are_trusted(
    local: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(local[0]))
    with serve_securely(local, Reply(body=PNG, close=True)) as server:
        part = fetch(Image(f"https://localhost:{server.port}/x.png"), allow_private=True)
    assert part.data == PNG


def refused(port: int, host: str, verify: str | None) -> str:
    """Return why a picture was not fetched."""
    with pytest.raises(FetchError) as caught:
        fetch(Image(f"https://{host}:{port}/x.png"), allow_private=True, verify=verify)
    return caught.value.reason


def test_a_certificate_for_another_name_is_not_trusted(other: tuple[Path, Path]) -> None:
    with serve_securely(other, Reply(body=PNG, close=True)) as server:
        reason = refused(server.port, "localhost", str(other[0]))
        assert server.hosts == []
    assert reason.startswith("no trusted connection: ")
    assert "Hostname mismatch, certificate is not valid for 'localhost'" in reason


def test_a_certificate_for_the_name_is_not_one_for_the_address(local: tuple[Path, Path]) -> None:
    with serve_securely(local, Reply(body=PNG, close=True)) as server:
        reason = refused(server.port, "127.0.0.1", str(local[0]))
        assert server.hosts == []
    assert "certificate is not valid for '127.0.0.1'" in reason


def test_a_certificate_that_nobody_trusts_is_not_trusted(local: tuple[Path, Path]) -> None:
    with serve_securely(local, Reply(body=PNG, close=True)) as server:
        reason = refused(server.port, "localhost", None)
        assert server.hosts == []
    assert reason.startswith("no trusted connection: ")


def test_a_redirect_to_http_is_refused_where_http_is(local: tuple[Path, Path]) -> None:
    onward = Reply(302, {"Location": "http://127.0.0.1/y.png"}, close=True)
    with serve_securely(local, onward) as server, pytest.raises(FetchError) as caught:
        fetch(Image(f"https://localhost:{server.port}/x.png"), redirects=1, allow_private=True, verify=str(local[0]))
    assert caught.value.reason == "expected the scheme https, got 'http': allow_http=True takes http"


def test_certificates_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pem")
    assert refused(1, "127.0.0.1", missing) == (
        f"the certificates to trust cannot be read: {missing}: [Errno 2] No such file or directory"
    )
